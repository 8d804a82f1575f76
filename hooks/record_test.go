package hooks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// leftOut lists what of an event is never recorded, and why.
func leftOut() map[string]string {
	return map[string]string{
		"event.session":             "the record's session has its id",
		"event.notes":               "they are among the record's notes",
		"event.crons":               "prompts are not recorded; the record is marked as cut",
		"event.tool.paths":          "the parts have them, absolute and with links resolved",
		"event.tool.command":        "the parts have it, without secrets",
		"event.tool.opaque":         "the parts have it, as a command that cannot be known",
		"event.tool.prompt":         "prompts are not recorded; the record is marked as cut",
		"event.tool.plan":           "a text without bounds; the record is marked as cut",
		"event.tool.task":           "an agent's text; the record is marked as cut",
		"event.tool.todos":          "an agent's texts; the record is marked as cut",
		"event.tool.message":        "an agent's text; only what it comes to, the parts, is decided on",
		"event.facts.captured":      "the texts are files of their own",
		"event.facts.parent":        "it is in the parent's journal; a note says that the session was forked",
		"event.facts.earlier":       "texts that are only injected",
		"event.facts.scratch":       "a path that is only injected",
		"event.facts.graph":         "a text without bounds; the record is marked as cut",
		"event.facts.opening":       "texts that are only injected",
		"event.facts.gate.output":   "what a command printed can hold secrets",
		"event.facts.checks.output": "what a command printed can hold secrets",
	}
}

// TestRedactKnowsEveryField: each field of an event is recorded, or is listed as left
// out with a reason. What is recorded is documented.
func TestRedactKnowsEveryField(t *testing.T) {
	var full fsm.Event
	fill(reflect.ValueOf(&full).Elem())
	recorded := map[string]bool{}
	for _, kind := range fsm.Kinds() {
		full.Kind = kind
		out, _ := Redact(full, "full")
		walk("event", reflect.ValueOf(out), recorded)
	}
	reasons, docs := leftOut(), journal.Fields()
	for path, kept := range recorded {
		if _, left := reasons[path]; kept == left {
			t.Errorf("%s: recorded %v, listed as left out %v", path, kept, left)
		}
		delete(reasons, path)
		documented := strings.Contains(docs, "  "+path+" ")
		if deep := strings.Count(path, ".") > 1 && !isDocumentedObject(path); !deep && documented != kept {
			t.Errorf("%s: recorded %v, documented %v", path, kept, documented)
		}
	}
	for path := range reasons {
		t.Errorf("%s is listed as left out, and does not exist", path)
	}
}

func isDocumentedObject(path string) bool {
	parts := strings.Split(path, ".")
	return len(parts) == 3 && (parts[1] == "agent" || parts[1] == "tool" || parts[1] == "facts")
}

// fill sets every field that can be reached, twice in lists.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*fsm.Session]() { // never recorded, and deep
			v.Set(reflect.ValueOf(&fsm.Session{ID: "x"}))
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e)
		v.SetMapIndex(reflect.ValueOf("x"), e)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 0)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
		if p, ok := v.Addr().Interface().(*fsm.Part); ok {
			p.Tool = "Write" // a result's part is recorded when it is an edit
		}
	}
}

// walk notes for each member below a value whether it is set.
func walk(path string, v reflect.Value, set map[string]bool) {
	if path != "event" {
		set[path] = set[path] || !v.IsZero()
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice {
		if v.Kind() == reflect.Slice && v.Len() == 0 || v.Kind() == reflect.Pointer && v.IsNil() {
			return
		}
		if v.Kind() == reflect.Slice {
			v = v.Index(0)
			continue
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[time.Time]() {
		return
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name != "-" { // nothing of it is in the JSON form
			walk(path+"."+name, v.Field(i), set)
		}
	}
}

// TestRedactIsNoAlias: redacting changes nothing of the event itself.
func TestRedactIsNoAlias(t *testing.T) {
	var e, same fsm.Event
	fill(reflect.ValueOf(&e).Elem())
	fill(reflect.ValueOf(&same).Elem())
	for _, kind := range fsm.Kinds() {
		for _, how := range []string{"none", "summary", "full"} {
			e.Kind, same.Kind = kind, kind
			Redact(e, how)
			if !reflect.DeepEqual(e, same) {
				t.Fatalf("%s, %s: changed", kind, how)
			}
		}
	}
}

// TestRole: who calls is taken from the environment only where the config names it and
// the payload is silent.
func TestRole(t *testing.T) {
	both := fsm.Caller{RoleEnv: "ROLE", NameEnv: "NAME", Orchestrators: []string{"orchestrator", "chief"}}
	main, known := fsm.Agent{Basis: "no agent_id"}, fsm.Agent{ID: "a1", Type: "Explore", Basis: "agent_id"}
	from := func(who string) fsm.Agent {
		return fsm.Agent{ID: "environment-" + who, Type: who, Basis: "environment"}
	}
	tests := []struct {
		name   string
		caller fsm.Caller
		env    map[string]string
		who    fsm.Agent
		want   fsm.Agent
	}{
		{"nothing is configured", fsm.Caller{}, map[string]string{"ROLE": "worker", "NAME": "n", "": "x"}, main, main},
		{"only orchestrators are", fsm.Caller{Orchestrators: []string{"x"}}, map[string]string{"ROLE": "worker"}, main,
			main},
		{"the payload names the caller", both, map[string]string{"ROLE": "worker"}, known, known},
		{"nothing is set", both, nil, main, main},
		{"something else is set", both, map[string]string{"CLAUDE_AGENT_ROLE": "worker"}, main, main},
		{"a role", both, map[string]string{"ROLE": "worker"}, main, from("worker")},
		{"a name", both, map[string]string{"NAME": "bash-developer"}, main, from("bash-developer")},
		{"both", both, map[string]string{"ROLE": "worker", "NAME": "bash-developer"}, main, from("bash-developer")},
		{"an orchestrator's role", both, map[string]string{"ROLE": "chief", "NAME": "bash-developer"}, main, main},
		{"an orchestrator's name", both, map[string]string{"NAME": "orchestrator"}, main, main},
		{"only the name is asked for", fsm.Caller{NameEnv: "NAME"}, map[string]string{"ROLE": "worker", "NAME": "n"},
			main, from("n")},
		{"only the role is asked for", fsm.Caller{RoleEnv: "ROLE"}, map[string]string{"ROLE": "worker", "NAME": "n"},
			main, from("worker")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &Handler{Policy: &fsm.Policy{Caller: tt.caller},
				Getenv: func(key string) string { return tt.env[key] }}
			e := fsm.Event{Agent: tt.who}
			e.Agent = Role(h.Policy.Caller, h.Getenv, e.Agent)
			if d := cmp.Diff(tt.want, e.Agent); d != "" {
				t.Error(d)
			}
			h.Getenv = nil
			e.Agent = tt.who
			if e.Agent = Role(h.Policy.Caller, h.Getenv, e.Agent); e.Agent != tt.who {
				t.Errorf("%+v without an environment", e.Agent)
			}
		})
	}
}

// TestRoleIsRecorded: two agents of one role are two.
func TestRoleIsRecorded(t *testing.T) {
	h := handler(t)
	h.Policy.Caller = fsm.Caller{RoleEnv: "ROLE", NameEnv: "NAME"}
	for _, name := range []string{"go", "stranger"} {
		h.Getenv = func(key string) string { return map[string]string{"ROLE": "worker", "NAME": name}[key] }
		d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read", Paths: []string{"x"}}})
		if want := map[string]fsm.Verdict{"go": fsm.Pass, "stranger": fsm.Deny}[name]; d.Verdict != want {
			t.Errorf("%s: %s, expected %s", name, d.Verdict, want)
		}
	}
	for i, r := range h.records(t, "s1") {
		if r.Event.Agent.Basis != "environment" || r.Event.Agent.Type != []string{"go", "stranger"}[i] {
			t.Errorf("recorded %s %q", r.Event.Agent.Basis, r.Event.Agent.Type)
		}
	}
}

// TestSecretLines: whatever way a line with a secret takes, as a command, as the error of one, as a reason or as a
// final message, neither the record nor the debug log shows the secret.
func TestSecretLines(t *testing.T) {
	shown := map[string]int{}
	total := 0
	for line := range strings.Lines(read(t, "../fsm/redact/testdata/lines.txt")) {
		if strings.HasPrefix(line, "#") || !strings.Contains(line, "‹") {
			continue
		}
		total++
		line = strings.TrimSuffix(line, "\n")
		plain := strings.NewReplacer("‹", "", "›", "").Replace(line)
		for name, text := range linesWritten(t, plain) {
			for _, rest := range strings.Split(line, "‹")[1:] {
				if secret, _, _ := strings.Cut(rest, "›"); strings.Contains(text, jsonText(t, secret)) {
					shown[name]++
					t.Logf("%s shows %s\n  %s", name, line, text)
					break
				}
			}
		}
	}
	for name, n := range shown {
		if n > 3 {
			t.Errorf("%s: %d of %d lines show their secret", name, n, total)
		}
	}
	if total < 97 {
		t.Errorf("%d lines", total)
	}
}

func jsonText(t *testing.T, s string) string {
	t.Helper()
	body, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(string(body), `"`)
}

// linesWritten is what is written of a line, by the way that it takes.
func linesWritten(t *testing.T, line string) map[string]string {
	t.Helper()
	bash := fsm.Tool{Name: "Bash", UseID: "u1", Command: line}
	bash.Parts = guard.Guards{Root: "/p"}.Parts(bash, "/p")
	out := map[string]string{}
	for name, e := range map[string]fsm.Event{
		"command": {Kind: fsm.ToolRequest, Tool: bash},
		"error":   {Kind: fsm.ToolFailure, Tool: bash, Text: "Exit code 1\n" + line},
		"message": {Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a", Type: "go"}, Text: "I ran this:\n\n    " + line +
			"\n\nIt failed."},
		"reset": {Kind: fsm.Reset, Text: line},
	} {
		r, err := json.Marshal(newRecord(policy(), e, fsm.Decision{Reason: "Refused: " + line, Notes: []string{line}}))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := WriteDebug(dir, e, fsm.Decision{Reason: line, Parts: []fsm.Ruling{}}); err != nil {
			t.Fatal(err)
		}
		debug, err := os.ReadFile(filepath.Join(dir, "debug.log"))
		if err != nil {
			t.Fatal(err)
		}
		out[name], out[name+" in debug.log"] = string(r), string(debug)
	}
	return out
}

// TestDebugKeepsNumbers: a number is written as it is, however long.
func TestDebugKeepsNumbers(t *testing.T) {
	dir := t.TempDir()
	if err := WriteDebug(dir, fsm.Event{Facts: fsm.Facts{Tokens: 1<<53 + 1}}, fsm.Decision{}); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(filepath.Join(dir, "debug.log"))
	if err != nil || !strings.Contains(string(body), "9007199254740993") {
		t.Errorf("%v: %s", err, body)
	}
}

// TestTextLength: of a text of which less is recorded, the record says how long it was; of one that is a person's own,
// nothing.
func TestTextLength(t *testing.T) {
	long := strings.Repeat("found it ", 2000)
	for kind, want := range map[fsm.Kind]int{fsm.AgentStop: len(long), fsm.Prompt: 0, fsm.PromptExpansion: 0,
		fsm.Reset: 0, fsm.Reject: 0} {
		p := &fsm.Policy{AuditInput: "none"}
		r := newRecord(p, fsm.Event{Kind: kind, Text: long}, fsm.Decision{})
		if len(r.Event.Text) >= len(long) || r.TextLength != want {
			t.Errorf("%s: %d of %d bytes are recorded, and the length %d", kind, len(r.Event.Text), len(long),
				r.TextLength)
		}
	}
	if r := newRecord(&fsm.Policy{}, fsm.Event{Kind: fsm.AgentStop}, fsm.Decision{}); r.TextLength != 0 {
		t.Errorf("without a text: %d", r.TextLength)
	}
}

// TestPersonalTexts: what a person types is not recorded, and what an agent says is, as far as the config wants it.
func TestPersonalTexts(t *testing.T) {
	for kind, want := range map[fsm.Kind]string{fsm.Prompt: "", fsm.PromptExpansion: "", fsm.Reset: "", fsm.Reject: "",
		fsm.AgentStop: "found it"} {
		if out, _ := Redact(fsm.Event{Kind: kind, Text: "found it"}, "full"); out.Text != want {
			t.Errorf("%s: recorded %q, want %q", kind, out.Text, want)
		}
	}
}

// TestSecretVariables: the values of variables that rules ask for are recorded without secrets, as those of the
// input are.
func TestSecretVariables(t *testing.T) {
	for _, how := range []string{"none", "summary", "full"} {
		e := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read", Input: map[string]string{"id": "1"}},
			Facts: fsm.Facts{Env: map[string]string{"GITHUB_TOKEN": "abcdefgh12345678", "CI": "true"}}}
		out, cut := Redact(e, how)
		if out.Facts.Env["GITHUB_TOKEN"] != redact.Hidden || out.Facts.Env["CI"] != "true" || !cut {
			t.Errorf("%s: %v, cut %v", how, out.Facts.Env, cut)
		}
		if e.Facts.Env["GITHUB_TOKEN"] != "abcdefgh12345678" {
			t.Error("the event itself is changed")
		}
	}
}

// TestRecordOfNone: a record without words says that something is missing wherever it is, and keeps the files.
func TestRecordOfNone(t *testing.T) {
	for name, c := range map[string]struct {
		e   fsm.Event
		cut bool
	}{
		"nothing":  {fsm.Event{Kind: fsm.AgentStop}, false},
		"a text":   {fsm.Event{Kind: fsm.AgentStop, Text: "x"}, true},
		"an input": {fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Input: map[string]string{"a": "b"}}}, true},
		"tampered": {fsm.Event{Kind: fsm.SessionStart, Facts: fsm.Facts{Tampered: "x"}}, true},
		"a prompt": {fsm.Event{Kind: fsm.Prompt, Text: "x"}, false},
	} {
		out, cut := Redact(c.e, "none")
		if cut != c.cut || out.Text != "" || out.Tool.Input != nil || out.Facts.Tampered != "" {
			t.Errorf("%s: cut %t, %+v", name, cut, out)
		}
	}
	call := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Bash",
		Parts: []fsm.Part{{Tool: "Bash", Words: []string{"rm", "a"}}, {Tool: "Delete", Path: "/a"}}}}
	out, _ := Redact(call, "none")
	if p := out.Tool.Parts; len(p) != 2 || p[0].Words != nil || p[1].Path != "/a" || call.Tool.Parts[0].Words == nil {
		t.Errorf("parts: %+v", p)
	}
}

// TestRecordedWords: of a command the first words are recorded, of a call the first parts; the record says that more is
// missing.
func TestRecordedWords(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	run := func(words ...string) fsm.Part { return fsm.Part{Tool: "Bash", Words: words} }
	file := func(n int) fsm.Part { return fsm.Part{Tool: "Write", Path: "/" + x(n)} }
	for name, c := range map[string]struct {
		parts, want []fsm.Part
	}{
		"short":            {[]fsm.Part{run("git", "push", "a")}, nil},
		"as much as fits":  {[]fsm.Part{run("echo", x(396))}, nil},
		"one word more":    {[]fsm.Part{run("echo", x(396), "a")}, []fsm.Part{run("echo", x(396), "…")}},
		"a long word":      {[]fsm.Part{run(x(401))}, []fsm.Part{run(x(400))}},
		"behind a long":    {[]fsm.Part{run(x(401), "a")}, []fsm.Part{run(x(400), "…")}},
		"parts":            {[]fsm.Part{run("a"), file(397), file(399)}, nil},
		"more parts":       {[]fsm.Part{run("a"), file(398), file(399)}, []fsm.Part{run("a"), file(398)}},
		"a long part":      {[]fsm.Part{file(900)}, nil},
		"behind long ones": {[]fsm.Part{file(900), run("a")}, []fsm.Part{file(900)}},
	} {
		out, cut := Redact(fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Parts: c.parts}}, "summary")
		want := c.want
		if want == nil {
			want = c.parts
		}
		if d := cmp.Diff(want, out.Tool.Parts); d != "" || cut != (c.want != nil) {
			t.Errorf("%s: cut %t, %s", name, cut, d)
		}
	}
}

// TestCut: a record says that what can decide a call is left out of it.
func TestCut(t *testing.T) {
	for name, e := range map[string]fsm.Event{
		"":         {Tool: fsm.Tool{Paths: []string{"/a"}, Message: "x"}},
		"a prompt": {Tool: fsm.Tool{Prompt: "x"}},
		"a plan":   {Tool: fsm.Tool{Plan: "x"}},
		"a task":   {Tool: fsm.Tool{Task: &tasks.HostTask{}}},
		"todos":    {Tool: fsm.Tool{Todos: make([]string, 1)}},
		"crons":    {Crons: make([]string, 1)},
		"a secret": {Text: "password=hunter2hunter2"},
		"a graph":  {Facts: fsm.Facts{Graph: "x"}},
	} {
		e.Kind = fsm.ToolRequest
		if _, cut := Redact(e, "full"); cut != (name != "") {
			t.Errorf("%s: cut %t", name, cut)
		}
	}
}

// TestBegin: a text that fits stays, and a character is not cut in two.
func TestBegin(t *testing.T) {
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc", "ab€": "ab", "a€": "a"} {
		if got := begin(text, 3); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := begin("\x80\x80\x80", 2); got != "" {
		t.Errorf("of bytes that begin no character: %q", got)
	}
}

// TestHeldReason: of what a command printed, which the reason of a held turn quotes, no more is kept than of other
// texts.
func TestHeldReason(t *testing.T) {
	long := strings.Repeat("x", fullRoom+shortRoom)
	for _, c := range []struct {
		how  string
		held bool
		want int
	}{{"summary", true, shortRoom}, {"full", true, fullRoom}, {"summary", false, len(long)}, {"none", true, 0}} {
		p := policy()
		p.AuditInput = c.how
		d := fsm.Decision{Verdict: fsm.Deny, Hold: c.held, Reason: long}
		if r := newRecord(p, fsm.Event{Kind: fsm.TurnStop}, d); len(r.Reason) != c.want {
			t.Errorf("%+v: %d bytes", c, len(r.Reason))
		}
	}
}

// TestRecordedRole: who asks for a call is recorded with it, and with nothing else.
func TestRecordedRole(t *testing.T) {
	agent := fsm.Agent{ID: "a1", Type: "go"}
	for _, c := range []struct {
		e    fsm.Event
		want string
	}{
		{fsm.Event{Kind: fsm.ToolRequest}, "orchestrator"},
		{fsm.Event{Kind: fsm.ToolRequest, Agent: agent}, "subagent"},
		{fsm.Event{Kind: fsm.ToolResult}, ""}, {fsm.Event{Kind: fsm.AgentStop, Agent: agent}, ""}, {prompt("x"), ""},
	} {
		if r := newRecord(policy(), c.e, fsm.Decision{}); r.Role != c.want {
			t.Errorf("%s of %q: %q, expected %q", c.e.Kind, c.e.Agent.ID, r.Role, c.want)
		}
	}
}
