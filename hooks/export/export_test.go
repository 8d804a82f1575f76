package export

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A bench has a project with journals, and a collector in memory.
type bench struct {
	*testing.T
	Project
	x     Exporter
	fail  func() error // what the next request gets
	lost  func() bool  // whether the answer to it is lost, so that it counts as failed
	uids  map[string]int
	logs  []gjson.Result
	spans []gjson.Result
	said  []string
	clock time.Time
}

var errAway = errors.New("away")

func newBench(t *testing.T) *bench {
	b := &bench{T: t, Project: Project{Name: "shop", Dir: t.TempDir()}, uids: map[string]int{},
		clock: time.Unix(1_800_000_000, 0).UTC()}
	b.restart()
	return b
}

// restart begins a new process.
func (b *bench) restart() {
	b.x = Exporter{Resource: Resource{"1.2.3", "host"}, Name: "c1", Post: b.post,
		Report: func(format string, a ...any) { b.said = append(b.said, fmt.Sprintf(format, a...)) }}
	if err := os.MkdirAll(b.x.cursors(b.Project), 0o700); err != nil {
		b.Fatal(err)
	}
}

// post takes a request as a strict collector does.
func (b *bench) post(_ context.Context, path string, body []byte) error {
	if b.fail != nil {
		if err := b.fail(); err != nil {
			return err
		}
	}
	switch path {
	case "/v1/logs":
		b.decode(body, &logs.LogsData{})
		for _, l := range gjson.GetBytes(body, "resourceLogs.0.scopeLogs.0.logRecords").Array() {
			b.logs = append(b.logs, l)
			b.uids[readAttributes(l)["log.record.uid"]]++
		}
	case "/v1/traces":
		b.decode(body, &trace.TracesData{})
		b.spans = append(b.spans, gjson.GetBytes(body, "resourceSpans.0.scopeSpans.0.spans").Array()...)
	default:
		b.Errorf("posted to %s", path)
	}
	if b.lost != nil && b.lost() {
		return errAway
	}
	return nil
}

// decode fails at what the protocol does not have. Ids, which its JSON has as hexadecimal
// digits, are decoded as bytes of base64: their length is looked at elsewhere.
func (b *bench) decode(body []byte, into proto.Message) {
	if err := protojson.Unmarshal(body, into); err != nil {
		b.Errorf("%v: %s", err, body)
	}
}

func (b *bench) dir(session string) string { return filepath.Join(b.Dir, "sessions", session) }

// write appends records to a session's journal.
func (b *bench) write(session string, records ...journal.Record) {
	b.Helper()
	if err := os.MkdirAll(b.dir(session), 0o700); err != nil {
		b.Fatal(err)
	}
	j, err := journal.Open(b.dir(session))
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	for _, r := range records {
		b.clock = b.clock.Add(time.Second)
		r.Event.Time, r.State.ID = b.clock, session
		if r.State.Machine.State == "" {
			r.State.Machine.State = "IDLE"
		}
		if err := j.Append(&r, false); err != nil {
			b.Fatal(err)
		}
	}
}

// calls are n passed calls.
func calls(n int) (out []journal.Record) {
	for i := range n {
		out = append(out, call(fmt.Sprint("use-", i)))
	}
	return out
}

func call(use string) journal.Record {
	return journal.Record{Event: fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read", UseID: use}}}
}

func (b *bench) send() (int, error) { return b.x.Send(b.Context(), b.Project) }

func (b *bench) mustSend(want int) {
	b.Helper()
	if n, err := b.send(); err != nil || n != want {
		b.Fatalf("sent %d, %v, expected %d; said %q", n, err, want, b.said)
	}
}

// TestAtLeastOnce: whatever fails and whenever the process ends, each record arrives.
func TestAtLeastOnce(t *testing.T) {
	b := newBench(t)
	random := rand.New(rand.NewPCG(1, 2))
	b.fail = func() error {
		if random.IntN(3) == 0 {
			return errAway
		}
		return nil
	}
	b.lost = func() bool { return random.IntN(4) == 0 }
	want := 0
	for round := range 8 {
		for _, s := range []string{"s1", "s2"} {
			b.write(s, calls(200)...)
			want += 200
		}
		if round%4 == 1 { // the journal goes on in a new file
			if _, err := journal.Rotate(b.dir("s1"), b.clock); err != nil {
				t.Fatal(err)
			}
			want++
		}
		if round%4 == 2 {
			if err := journal.Compress(b.dir("s1")); err != nil {
				t.Fatal(err)
			}
		}
		if round == 6 { // a session is cleared
			cleared := filepath.Join(b.Dir, "cleared")
			if err := errors.Join(os.MkdirAll(cleared, 0o700),
				os.Rename(b.dir("s2"), filepath.Join(cleared, "s2-20260101T000000Z"))); err != nil {
				t.Fatal(err)
			}
		}
		if random.IntN(2) == 0 {
			b.restart()
		}
		_, _ = b.send()
	}
	b.fail, b.lost = nil, nil
	if _, err := b.send(); err != nil {
		t.Fatal(err)
	}
	if len(b.uids) != want {
		t.Errorf("%d records arrived, expected %d; said %q", len(b.uids), want, b.said)
	}
	b.mustSend(0)
	if len(b.logs) == want {
		t.Error("nothing was sent twice: no failure was tried")
	}
}

// TestGoesOn: what was sent is not sent again by the next process.
func TestGoesOn(t *testing.T) {
	b := newBench(t)
	b.mustSend(0)
	b.write("s1", calls(3)...)
	b.mustSend(3)
	b.mustSend(0)
	b.restart()
	b.mustSend(0)
	b.write("s1", calls(2)...)
	b.restart()
	b.mustSend(2)
	b.restart()
	b.x.Name = "c2" // another collector
	if err := os.MkdirAll(b.x.cursors(b.Project), 0o700); err != nil {
		t.Fatal(err)
	}
	b.mustSend(5)
}

// TestSweep: the cursor of a journal that is gone goes too, that of a cleared session stays.
func TestSweep(t *testing.T) {
	b := newBench(t)
	b.write("s1", calls(1)...)
	b.write("s2", calls(1)...)
	b.write("s3", calls(1)...)
	b.mustSend(3)
	cleared := filepath.Join(b.Dir, "cleared")
	if err := errors.Join(os.RemoveAll(b.dir("s1")), os.MkdirAll(cleared, 0o700),
		os.Rename(b.dir("s2"), filepath.Join(cleared, "s2-x"))); err != nil {
		t.Fatal(err)
	}
	b.restart()
	b.mustSend(0)
	if found, _ := filepath.Glob(filepath.Join(b.x.cursors(b.Project), "*.json")); len(found) != 2 {
		t.Errorf("cursors %q", found)
	}
}

// TestOtherJournal: a journal that is not as it was is sent from its start, and a cursor
// that cannot be read is none.
func TestOtherJournal(t *testing.T) {
	path := func(b *bench) string { return filepath.Join(b.dir("s1"), journal.Name) }
	tests := map[string]struct {
		change func(*bench)
		want   int
	}{
		"replaced": {func(b *bench) {
			os.Remove(path(b))
			b.write("s1", calls(9)...)
		}, 9},
		"cut": {func(b *bench) {
			body, _ := os.ReadFile(path(b))
			lines := slices.Collect(strings.Lines(string(body)))
			os.WriteFile(path(b), []byte(strings.Join(lines[:2], "")), 0o600)
			b.write("s1", calls(2)...)
		}, 4},
		"cursor damaged": {func(b *bench) {
			found, _ := filepath.Glob(filepath.Join(b.x.cursors(b.Project), "*.json"))
			if len(found) != 1 {
				b.Fatalf("cursors: %q", found)
			}
			os.WriteFile(found[0], []byte(`{"offset":`), 0o600)
		}, 4},
		"a line in it is damaged": {func(b *bench) {
			f, _ := os.OpenFile(path(b), os.O_APPEND|os.O_WRONLY, 0)
			fmt.Fprintln(f, "what is this")
			f.Close()
			b.write("s1", calls(1)...)
		}, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.write("s1", calls(4)...)
			b.mustSend(4)
			test.change(b)
			b.restart()
			b.mustSend(test.want)
			want := map[string]string{"cut": "is not as it was", "a line in it is damaged": "is left out"}[name]
			if said := strings.Join(b.said, "\n"); !strings.Contains(said, want) || want == "" && said != "" {
				b.Errorf("said %q, expected %q", said, want)
			}
			b.restart()
			b.mustSend(0)
		})
	}
}

// TestRedaction: a secret that a record should not have does not leave the machine.
func TestRedaction(t *testing.T) {
	b := newBench(t)
	const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"
	r := call("use-1")
	r.Verdict, r.Rule, r.Reason = "deny", "no-push", "found token "+secret
	r.Event.Tool.Parts = []fsm.Part{{Tool: "Bash", Words: []string{"curl", "-H", "Authorization: Bearer " + secret}}}
	b.write("s1", r)
	b.mustSend(1)
	if sent := b.logs[0].Raw; strings.Contains(sent, secret) || !strings.Contains(sent, "[secret]") {
		t.Errorf("sent %s", sent)
	}
}

// TestLog: the mapping, of a call that was refused.
func TestLog(t *testing.T) {
	b := newBench(t)
	r := call("use-1")
	r.Event.Agent = fsm.Agent{ID: "a1", Type: "worker"}
	r.Verdict, r.Rule, r.RuleType, r.Where, r.Reason = "deny", "no-push", "RULE", "pipeline.yaml:7", "not now"
	r.Level, r.State.Policy, r.State.Machine.State = "strict", "fp1", "EXECUTING"
	r.Moves = []fsm.Move{{From: "IDLE", To: "EXECUTING"}}
	b.write("s1", r)
	b.mustSend(1)
	got := readAttributes(b.logs[0])
	hash := got["pipeline.record.hash"]
	want := map[string]string{"log.record.uid": "s1:1:" + hash, "session.id": "s1", "gen_ai.conversation.id": "s1",
		"user.name":             whoAmI(t),
		"gen_ai.operation.name": "execute_tool", "gen_ai.workflow.name": "shop", "gen_ai.agent.id": "a1",
		"gen_ai.agent.name": "worker", "gen_ai.tool.name": "Read", "gen_ai.tool.call.id": "use-1",
		"pipeline.kind": "tool-request", "pipeline.state": "EXECUTING", "pipeline.moves": "IDLE → EXECUTING",
		"pipeline.verdict": "deny", "pipeline.rule": "no-push", "pipeline.rule.type": "RULE",
		"pipeline.rule.where": "pipeline.yaml:7", "pipeline.reason": "not now", "pipeline.level": "strict",
		"pipeline.policy.id": "fp1", "pipeline.record.seq": "1", "pipeline.record.hash": hash}
	for key := range got {
		if got[key] != want[key] {
			t.Errorf("%s: %q, expected %q", key, got[key], want[key])
		}
	}
	if len(got) != len(want) || len(hash) != 32 {
		t.Errorf("%d attributes, expected %d", len(got), len(want))
	}
	l := b.logs[0]
	if text := l.Get("severityText").Str + " " + l.Get("eventName").Str + " " + l.Get("body.stringValue").Str; text !=
		"WARN pipeline.tool-request deny Read (rule no-push)" {
		t.Errorf("found %q", text)
	}
	if l.Get("timeUnixNano").Str != fmt.Sprint(b.clock.UnixNano()) {
		t.Errorf("time %s", l.Get("timeUnixNano"))
	}
}

func whoAmI(t *testing.T) string {
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	return u.Username
}

// TestPerson: logs and spans name the owner of the session's folder, or a hash of the name that another key makes
// another one.
func TestPerson(t *testing.T) {
	sent := func(key string, change func(dir string)) (out []string) {
		b := newBench(t)
		b.x.UserKey = key
		b.write("s1", journal.Record{Event: fsm.Event{Kind: fsm.Prompt}},
			journal.Record{Event: fsm.Event{Kind: fsm.TurnStop}})
		change(b.dir("s1"))
		b.mustSend(2)
		for _, r := range slices.Concat(b.logs, b.spans) {
			a := readAttributes(r)
			out = append(out, a["user.name"]+"/"+a["user.hash"])
		}
		return slices.Compact(out)
	}
	asIs := func(string) {}
	if got := sent("", asIs); !slices.Equal(got, []string{whoAmI(t) + "/"}) {
		t.Errorf("without a key: %q", got)
	}
	one, again, other := sent("key", asIs), sent("key", asIs), sent("another key", asIs)
	if !slices.Equal(one, again) || slices.Equal(one, other) ||
		!regexp.MustCompile(`^\[/[0-9a-f]{32}\]$`).MatchString(fmt.Sprint(one)) {
		t.Errorf("with a key %q, again %q, with another %q", one, again, other)
	}
	if os.Geteuid() != 0 {
		return
	}
	for uid, want := range map[int]string{1: "daemon/", 54321: "54321/"} {
		got := sent("", func(dir string) {
			if err := os.Chown(dir, uid, -1); err != nil {
				t.Fatal(err)
			}
		})
		if !slices.Equal(got, []string{want}) {
			t.Errorf("a session of user %d: %q, expected %q", uid, got, want)
		}
	}
}

// TestSpans: turns and runs of agents become spans, also where another process saw them
// begin; one that is sent back goes on.
func TestSpans(t *testing.T) {
	b := newBench(t)
	event := func(kind fsm.Kind, agent, verdict string) journal.Record {
		r := journal.Record{Event: fsm.Event{Kind: kind}, Verdict: verdict}
		if agent != "" {
			r.Event.Agent = fsm.Agent{ID: agent, Type: "worker"}
		}
		r.State.Turn.Prompt = "p1"
		return r
	}
	refused := call("use-1")
	refused.Event.Agent, refused.Verdict = fsm.Agent{ID: "a1", Type: "worker"}, "deny"
	b.write("s1", event(fsm.Prompt, "", ""), event(fsm.AgentStart, "a1", ""), refused)
	b.mustSend(3)
	if len(b.spans) > 0 {
		t.Fatal("a span was sent before its end")
	}
	b.restart()
	b.write("s1", event(fsm.AgentStop, "a1", "deny"), event(fsm.AgentStop, "a1", ""), event(fsm.Prompt, "", ""))
	interrupting := event(fsm.Prompt, "", "")
	interrupting.State.Turn.Prompt = "p2"
	b.write("s1", interrupting, event(fsm.AgentStart, "a2", ""), event(fsm.TurnFailure, "", ""),
		event(fsm.SessionEnd, "", ""))
	b.mustSend(7)
	describe := func(s gjson.Result) string {
		seconds := (s.Get("endTimeUnixNano").Int() - s.Get("startTimeUnixNano").Int()) / int64(time.Second)
		a := readAttributes(s)
		return fmt.Sprintf("%s %s %ds calls=%s refused=%s failed=%t", s.Get("name").Str, a["gen_ai.agent.id"], seconds,
			a["pipeline.calls"], a["pipeline.refused"], s.Get("status.code").Int() == 2)
	}
	var got []string
	for _, s := range b.spans {
		got = append(got, describe(s))
	}
	want := []string{"invoke_agent worker a1 3s calls=1 refused=1 failed=false",
		"invoke_agent main  6s calls=0 refused=0 failed=false", "invoke_agent main  2s calls=0 refused=0 failed=true",
		"invoke_agent worker a2 2s calls=0 refused=0 failed=false"}
	if !slices.Equal(got, want) {
		t.Errorf("spans\n%s\nexpected\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	agent, turn := b.spans[0], b.spans[1]
	if agent.Get("parentSpanId").Str != turn.Get("spanId").Str || agent.Get("traceId").Str != turn.Get("traceId").Str {
		t.Error("the agent's span is not below its turn's")
	}
	if l := b.logs[2]; l.Get("spanId").Str != agent.Get("spanId").Str ||
		l.Get("traceId").Str != turn.Get("traceId").Str {
		t.Error("the agent's call is not in its span")
	}
	if len(agent.Get("spanId").Str) != 16 || len(agent.Get("traceId").Str) != 32 {
		t.Errorf("ids %s", agent.Raw)
	}
}

// TestLock: of two exports to one collector, one does not wait and sends nothing.
func TestLock(t *testing.T) {
	b := newBench(t)
	unlock, err := b.x.Lock(b.Project)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.x.Lock(b.Project); !errors.Is(err, ErrBusy) {
		t.Errorf("locked twice: %v", err)
	}
	unlock()
	if unlock, err = b.x.Lock(b.Project); err != nil {
		t.Fatal(err)
	}
	unlock()
}

// TestMappingIsDocumented: the page says what each attribute means, in the mapping's order, and of no other.
func TestMappingIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := `\|-+\|-+\|\n`
	for _, row := range (source{Line: &journal.Line{Raw: make([]byte, 64)}}).attributes() {
		rows += "\\| `" + regexp.QuoteMeta(row.key) + "` \\| [^|\n]{8,} \\|\n"
	}
	if !regexp.MustCompile(rows + `[^|]`).Match(page) {
		t.Errorf("docs/fleet.md has another table; expected\n%s", rows)
	}
}

// TestFleetFiles: the collector counts what is sent, and the dashboard asks for those counters, by the labels that each
// has, and for values that there are.
func TestFleetFiles(t *testing.T) {
	sent := map[string]bool{}
	for _, row := range (source{Line: &journal.Line{Raw: make([]byte, 64)}}).attributes() {
		sent[row.key] = true
	}
	for _, a := range (Resource{"1", "h"}).attributes() {
		sent[a["key"].(string)] = true
	}
	text, err := os.ReadFile("../../docs/fleet/collector.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Connectors struct {
			Count struct {
				Logs map[string]struct {
					Conditions []string
					Attributes []struct {
						Key     string
						Default string `yaml:"default_value"`
					}
				}
			}
		}
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	// Prometheus' names have no dots, and those of counters an ending.
	inPrometheus := func(name string) string { return strings.ReplaceAll(name, ".", "_") }
	labels := map[string][]string{}
	for counter, what := range c.Connectors.Count.Logs {
		metric := inPrometheus(counter) + "_total"
		labels[metric] = nil
		for _, a := range what.Attributes {
			labels[metric] = append(labels[metric], inPrometheus(a.Key))
			if !sent[a.Key] || a.Default == "" {
				t.Errorf("%s counts by %s (%q), which is not sent, or not always", counter, a.Key, a.Default)
			}
		}
		for _, condition := range what.Conditions {
			m := regexp.MustCompile(`^attributes\["([\w.]+)"\] == (true|"([\w-]+)")$`).FindStringSubmatch(condition)
			if m == nil || !sent[m[1]] || m[3] != "" && !slices.ContainsFunc(fsm.Kinds(),
				func(k fsm.Kind) bool { return k.String() == m[3] }) {
				t.Errorf("%s: the condition %s asks for what is not sent", counter, condition)
			}
		}
	}
	checkDashboard(t, labels)
}

// checkDashboard checks the dashboard's names: counters with their labels, and verdicts.
func checkDashboard(t *testing.T, labels map[string][]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/fleet/grafana.json")
	if err != nil || !gjson.ValidBytes(text) {
		t.Fatal(err)
	}
	verdicts := []string{fsm.Pass.String(), fsm.Warn.String(), fsm.Ask.String(), fsm.Deny.String()}
	used := map[string]bool{}
	queries := gjson.GetBytes(text, "panels.#.targets.#.{expr,legendFormat}|@flatten").Array()
	queries = append(queries, gjson.GetBytes(text, "templating.list.#.query.query").Array()...)
	for _, q := range queries {
		metric, asked := "", []string{}
		for _, name := range regexp.MustCompile(`\b(?:pipeline|gen_ai|host)_[a-z_]+`).FindAllString(q.String(), -1) {
			switch _, isMetric := labels[name]; {
			case isMetric && (metric == "" || metric == name):
				metric, used[name] = name, true
			default:
				asked = append(asked, name)
			}
		}
		if metric == "" {
			t.Errorf("no counter of the collector's: %s", q.String())
		}
		for _, name := range asked {
			if !slices.Contains(labels[metric], name) {
				t.Errorf("%s has no label %s: %s", metric, name, q.String())
			}
		}
		for _, m := range regexp.MustCompile(`pipeline_verdict[!=~]+\\?"([^"\\]*)`).FindAllStringSubmatch(q.String(),
			-1) {
			if !slices.Contains(verdicts, m[1]) {
				t.Errorf("no verdict is %q: %s", m[1], q.String())
			}
		}
	}
	isAboutSilence := func(q gjson.Result) bool {
		return regexp.MustCompile(`by \(host_name\).* unless .*by \(host_name\)`).MatchString(q.String())
	}
	if !slices.ContainsFunc(queries, isAboutSilence) {
		t.Error("no query finds machines that went silent")
	}
	if len(used) != len(labels) || len(queries) < 9 {
		t.Errorf("%d queries, which ask for %v of %v", len(queries), used, labels)
	}
}

// TestSpansAreDocumented: the page names the attributes of spans, and where logs and spans come from.
func TestSpansAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "is a span `invoke_agent NAME`.")
	text, _, _ = strings.Cut(text, "\n\n")
	var documented []string
	for _, name := range regexp.MustCompile("`([a-z_]+\\.[a-z_.]+)`").FindAllStringSubmatch(text, -1) {
		documented = append(documented, name[1])
	}
	l := &journal.Line{}
	r := newSpan(source{Line: l, session: "s", project: "p", person: person{"n", "h"}},
		span{Agent: "a", Name: "n", Calls: 1, Refused: 1})
	has := []string{"pipeline.state"} // this line has none
	for _, a := range slices.Concat(r["attributes"].([]object), Resource{"1", "h"}.attributes()) {
		has = append(has, a["key"].(string))
	}
	slices.Sort(documented)
	if slices.Sort(has); !slices.Equal(documented, has) {
		t.Errorf("docs/fleet.md names %q of spans, they have %q", documented, has)
	}
}

// TestCollectorFile: each part of the shipped configuration is defined and used.
func TestCollectorFile(t *testing.T) {
	text, err := os.ReadFile("../../docs/fleet/collector.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Receivers, Processors, Connectors, Exporters map[string]any
		Service                                      struct {
			Pipelines map[string]struct{ Receivers, Processors, Exporters []string }
		}
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for name, p := range c.Service.Pipelines {
		for _, part := range slices.Concat(p.Receivers, p.Processors, p.Exporters) {
			used[part] = true
			if c.Receivers[part] == nil && c.Processors[part] == nil && c.Connectors[part] == nil &&
				c.Exporters[part] == nil {
				t.Errorf("pipeline %s: no %s is configured", name, part)
			}
		}
	}
	for _, parts := range []map[string]any{c.Receivers, c.Processors, c.Connectors, c.Exporters} {
		for part := range parts {
			if !used[part] {
				t.Errorf("%s is not used", part)
			}
		}
	}
}

// TestListProjects: each project is listed, and each folder that a config's dir names, once. A
// session in a folder that projects share has the name of the one under which it began.
func TestListProjects(t *testing.T) {
	base, shared := t.TempDir(), t.TempDir()
	for project, ids := range map[string][]string{"shop-0123456789ab": {"s1"}, "web-app-0123456789ab": {"s2"},
		"alone-0123456789ab": {"s3"}} {
		for _, id := range ids {
			if err := os.MkdirAll(filepath.Join(base, project, "sessions", id), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 {
		for _, project := range []string{"shop-0123456789ab", "web-app-0123456789ab"} {
			st := session.Store{Dir: shared}
			if err := st.NoteIn(filepath.Join(base, project)); err != nil {
				t.Fatal(err)
			}
		}
	}
	alone := filepath.Join(base, "alone-0123456789ab")
	if err := (session.Store{Dir: alone}).NoteIn(alone); err != nil {
		t.Fatal(err)
	}
	projects, err := ListProjects(base)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range projects {
		got = append(got, p.Name+" "+strings.TrimPrefix(p.Dir, base+string(filepath.Separator)))
		if p.Dir == shared {
			got = append(got, p.nameOf("s1"), p.nameOf("s2"), p.nameOf("gone"))
		}
	}
	want := []string{"alone alone-0123456789ab", "shop shop-0123456789ab", "shop " + shared, "shop", "web-app", "shop",
		"web-app web-app-0123456789ab"}
	if !slices.Equal(got, want) {
		t.Errorf("listed %q, expected %q", got, want)
	}
}
