package fsm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

func wrote(files ...string) fsm.Tool {
	tool := fsm.Tool{Name: "Bash", UseID: "w"}
	for _, f := range files {
		tool.Parts = append(tool.Parts, fsm.Part{Tool: "Bash", Words: []string{"tee", f}},
			fsm.Part{Tool: "Write", Path: f})
	}
	return tool
}

// edits: an agent has written files, and this is what checks have found in them.
func (pl *play) edits(by fsm.Agent, results []fsm.CheckResult, files ...string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: by, Tool: wrote(files...), Facts: fsm.Facts{Checks: results}})
}

func TestEdited(t *testing.T) {
	tool := wrote("/a", "/b", "/a")
	for _, name := range []string{"Edit", "MultiEdit", "NotebookEdit", "Read", "Delete"} {
		tool.Parts = append(tool.Parts, fsm.Part{Tool: name, Path: "/" + name})
	}
	tool.Parts = append(tool.Parts, fsm.Part{Tool: "Write", Path: shell.Unknown}, fsm.Part{Tool: "Write"})
	if got := fsm.EditedFiles(tool); !slices.Equal(got, []string{"/a", "/b", "/Edit", "/MultiEdit", "/NotebookEdit"}) {
		t.Errorf("%q", got)
	}
}

// TestChecksNeedFiles: a call that has written nothing needs no check.
func TestChecksNeedFiles(t *testing.T) {
	p := free()
	p.Checks = []fsm.Check{{Name: "vet", Files: []string{"**"}, At: []string{fsm.AtEdit}}}
	s := begin(t, p).s
	for want, tool := range map[bool]fsm.Tool{
		true: wrote("/a"), false: {Name: "Read", Parts: []fsm.Part{{Tool: "Read", Path: "/a"}}},
	} {
		if got := p.IsNeeded(fsm.NeedChecks, s, fsm.Event{Kind: fsm.ToolResult, Tool: tool}); got != want {
			t.Errorf("%s: %v", tool.Name, got)
		}
	}
}

func TestChecksFor(t *testing.T) {
	p := free()
	on, off := []fsm.Input{{Name: "CI", Value: "*"}}, []fsm.Input{{Name: "QUIET", Value: "*"}}
	p.Checks = []fsm.Check{{Name: "py", Files: []string{"/p/**/*.py"}, At: []string{fsm.AtEdit, fsm.AtTurnEnd}},
		{Name: "end", Files: []string{"/p/**"}, At: []string{fsm.AtTurnEnd}},
		{Name: "ci", Files: []string{"/p/**"}, At: []string{fsm.AtEdit}, Env: on},
		{Name: "loud", Files: []string{"/p/**"}, At: []string{fsm.AtEdit}, UnlessEnv: off}}
	tests := []struct {
		when  string
		files []string
		env   map[string]string
		want  string
	}{
		{fsm.AtEdit, []string{"/p/x/a.py", "/p/b.c", "/q/c.py"}, nil, "py [/p/x/a.py] loud [/p/x/a.py /p/b.c]"},
		{fsm.AtTurnEnd, []string{"/p/a.py"}, nil, "py [/p/a.py] end [/p/a.py]"},
		{fsm.AtEdit, []string{"/p/b.c"}, map[string]string{"CI": "1", "QUIET": "1"}, "ci [/p/b.c]"},
		{fsm.AtEdit, []string{"/q/c.py"}, map[string]string{"CI": "1"}, ""},
	}
	for _, tt := range tests {
		var got []string
		checks, on := p.SelectChecks(tt.when, tt.files, tt.env)
		for i, c := range checks {
			got = append(got, fmt.Sprint(c.Name, " ", on[i]))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s %q: %q, expected %q", tt.when, tt.files, got, tt.want)
		}
	}
}

// TestChecksAreToldToWhoEdited: what fails, and nothing else.
func TestChecksAreToldToWhoEdited(t *testing.T) {
	results := []fsm.CheckResult{{Name: "vet", Output: "x.go:1: bad\n"}, {Name: "fine", OK: true, Output: "ok"},
		{Name: "lint", Output: "and this"}}
	pl := begin(t, free()).asks(main(), "dev", "1").starts("d", "dev").edits(sub("d", "dev"), results, "/p/x.go")
	if want := "The check vet fails:\nx.go:1: bad\nThe check lint fails:\nand this"; pl.d.Inject != want {
		t.Errorf("told %q", pl.d.Inject)
	}
	pl.edits(main(), results[:1], "/p/x.go").told("The check vet fails").edits(main(), results[1:2], "/p/x.go").told("")
}

// TestChecksThatAreMissing are the user's business, once a session, however long their names.
func TestChecksThatAreMissing(t *testing.T) {
	none := []fsm.CheckResult{{Name: "ruff", Missing: true, Output: "ruff: not found"},
		{Name: strings.Repeat("long ", 20), Missing: true}}
	pl := begin(t, free()).edits(main(), none,
		"/p/x.py").told("").hears("the check ruff could not be run: ruff: not found").hears("long")
	pl.edits(main(), none, "/p/x.py").hears("").do(fsm.Event{Kind: fsm.TurnStop,
		Facts: fsm.Facts{Checks: none}}).hears("")
}

func TestChecksAtTheEndOfATurn(t *testing.T) {
	p := free()
	p.Checks = []fsm.Check{{Name: "vet", Files: []string{"**"}, At: []string{fsm.AtTurnEnd}}}
	p.Hold = fsm.Hold{Until: []string{"checks"}, Tries: 2}
	bad := fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{},
		Facts: fsm.Facts{Checks: []fsm.CheckResult{{Name: "vet", Output: "x.go:1: bad"},
			{Name: "none", Missing: true, Output: "not found"}}}}
	asks := func(pl *play) bool {
		return p.IsNeeded(fsm.NeedChecks, pl.s, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}})
	}
	if asks(begin(t, p)) || !asks(begin(t, p).edits(main(), nil, "/p/a")) {
		t.Error("the checks run at the end of a turn that has written something, and of no other")
	}
	pl := begin(t, p).edits(main(), nil, "/p/a", "/p/b").edits(main(), nil, "/p/a").do(bad).held(fsm.RuleHold,
		"The check vet fails:\nx.go:1: bad").hears("the check none could not be run")
	if !slices.Equal(pl.s.Turn.Edited, []string{"/p/b", "/p/a"}) {
		t.Errorf("written: %q", pl.s.Turn.Edited)
	}
	pl.stopsAgain().over()
	if pl.s.Turn.Edited != nil {
		t.Errorf("after the turn: %q", pl.s.Turn.Edited)
	}
	running := begin(t, p).edits(main(), nil, "/p/a").do(fsm.Event{Kind: fsm.TurnStop,
		Tasks: &fsm.Background{IDs: []string{"x"}}})
	if len(running.s.Turn.Edited) != 1 {
		t.Error("what was written is forgotten while an agent runs")
	}
	p.Checks[0].At = []string{fsm.AtEdit}
	if other := begin(t, p).edits(main(), nil, "/p/a"); other.s.Turn.Edited != nil {
		t.Error("what no check will look at is remembered")
	}
}

// TestWhatHandsOver: a call of the main agent hands over what had ended before, but a failed one does not, and neither
// does the one that has just launched it.
func TestWhatHandsOver(t *testing.T) {
	ended := fsm.Run{ID: "r", Type: "dev", UseID: "u", Status: fsm.Done}
	runs, bare := ended, ended
	runs.Status, bare.UseID = fsm.Running, ""
	for name, c := range map[string]struct {
		run    fsm.Run
		kind   fsm.Kind
		use    string
		result fsm.Result
		want   bool
	}{
		"another call":           {ended, fsm.ToolResult, "x", fsm.Result{}, true},
		"a call without an id":   {bare, fsm.ToolResult, "", fsm.Result{}, true},
		"its own call, at once":  {ended, fsm.ToolResult, "u", fsm.Result{AgentID: "x"}, false},
		"its own call, by id":    {ended, fsm.ToolResult, "x", fsm.Result{AgentID: "r"}, false},
		"its own call, at last":  {ended, fsm.ToolResult, "u", fsm.Result{AgentID: "r", Done: true}, true},
		"a call that has failed": {ended, fsm.ToolFailure, "x", fsm.Result{}, false},
		"while it runs":          {runs, fsm.ToolResult, "x", fsm.Result{}, false},
	} {
		pl := begin(t, free())
		pl.s.Agents.Runs = []fsm.Run{c.run}
		pl.do(fsm.Event{Kind: c.kind, Tool: fsm.Tool{Name: "Read", UseID: c.use, Result: c.result}})
		if r := pl.run("r"); r.Delivered != c.want {
			t.Errorf("%s: delivered %v", name, r.Delivered)
		}
	}
}

// TestTaskStop ends the agent that runs, or the workflow, and nothing that has ended or is not known.
func TestTaskStop(t *testing.T) {
	stop := func(task string) fsm.Event {
		return fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "TaskStop", Result: fsm.Result{Task: task}}}
	}
	pl := begin(t, free())
	pl.s.Agents.Runs = []fsm.Run{{ID: "r", Type: "dev", Status: fsm.Running}, {ID: "d", Type: "dev", Status: fsm.Done}}
	pl.s.Agents.Workflows = []fsm.Workflow{{UseID: "1", Task: "t"}, {UseID: "2", Task: "v"}}
	for _, task := range []string{"d", "unknown", "t", "r"} {
		pl.do(stop(task))
	}
	if pl.run("r").Status != fsm.Lost || pl.run("d").Status != fsm.Done {
		t.Errorf("%+v", pl.s.Agents.Runs)
	}
	if w := pl.s.Agents.Workflows; len(w) != 1 || w[0].Task != "v" {
		t.Errorf("%+v", w)
	}
}
