package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// TestFollows: what is appended while the process runs is sent, also behind a journal that was read to its end.
func TestFollows(t *testing.T) {
	b := newBench(t)
	b.write("s1", calls(2)...)
	b.mustSend(2)
	b.write("s1", calls(1)...)
	b.mustSend(1)
	body, err := os.ReadFile(filepath.Join(b.dir("s1"), journal.Name))
	if err != nil {
		t.Fatal(err)
	}
	other := newBench(t) // of the same size, and another file
	other.write("s1", call("use-7"), call("use-8"), call("use-9"))
	theirs, err := os.ReadFile(filepath.Join(other.dir("s1"), journal.Name))
	if err != nil || len(theirs) != len(body) {
		t.Fatalf("%d bytes, expected %d: %v", len(theirs), len(body), err)
	}
	if err := os.Rename(filepath.Join(other.dir("s1"), journal.Name),
		filepath.Join(b.dir("s1"), journal.Name)); err != nil {
		t.Fatal(err)
	}
	b.mustSend(3)
}

// TestAway: an error of the collector ends the sending and is told, for logs as for spans, and nothing is lost by it.
func TestAway(t *testing.T) {
	for _, away := range []string{"/v1/logs", "/v1/traces"} {
		b := newBench(t)
		b.x.Post = func(ctx context.Context, path string, body []byte) error {
			if path == away {
				return errAway
			}
			return b.post(ctx, path, body)
		}
		b.write("s1", journal.Record{Event: fsm.Event{Kind: fsm.Prompt}},
			journal.Record{Event: fsm.Event{Kind: fsm.TurnStop}})
		b.write("s2", calls(1)...)
		if n, err := b.send(); n != 0 || !errors.Is(err, errAway) || len(b.said) > 0 {
			t.Errorf("%s: sent %d, %v, said %q", away, n, err, b.said)
		}
		b.x.Post = b.post
		b.mustSend(3)
		if len(b.spans) != 1 {
			t.Errorf("%s: %d spans", away, len(b.spans))
		}
	}
	b := newBench(t)
	b.x.NoSpans = true
	b.write("s1", journal.Record{Event: fsm.Event{Kind: fsm.Prompt}},
		journal.Record{Event: fsm.Event{Kind: fsm.TurnStop}})
	if b.mustSend(2); len(b.spans) > 0 {
		t.Errorf("%d spans are not wanted", len(b.spans))
	}
	b.write("s1", calls(1)...)
	b.x.NoSpans = false
	b.x.Post = func(_ context.Context, path string, _ []byte) error {
		if path == "/v1/traces" {
			t.Error("a request without spans")
		}
		return nil
	}
	b.mustSend(1)
}

// TestBatches: a request has so many records, or so many bytes, and the first that fails is the last that is tried.
func TestBatches(t *testing.T) {
	b, sizes := newBench(t), []int(nil)
	b.x.Post = func(_ context.Context, _ string, body []byte) error {
		sizes = append(sizes, len(gjson.GetBytes(body, "resourceLogs.0.scopeLogs.0.logRecords").Array()))
		return nil
	}
	b.write("s1", calls(batch+3)...)
	if b.mustSend(batch + 3); !slices.Equal(sizes, []int{batch, 3}) {
		t.Errorf("requests of %v records", sizes)
	}
	sizes = nil
	long := call("use-1")
	long.Notes = []string{strings.Repeat("x", batchSize/2)}
	b.write("s2", long, long, long)
	if b.mustSend(3); !slices.Equal(sizes, []int{2, 1}) {
		t.Errorf("requests of %v long records", sizes)
	}
	tried := 0
	b.x.Post = func(context.Context, string, []byte) error { tried++; return errAway }
	b.write("s3", calls(3*batch)...)
	if _, err := b.send(); tried != 1 || !errors.Is(err, errAway) {
		t.Errorf("%d requests, %v", tried, err)
	}
}

// TestUnreadableJournal: it is reported once and holds up no other; its cursor stays until it can be read.
func TestUnreadableJournal(t *testing.T) {
	b := newBench(t)
	b.write("s1", calls(2)...)
	b.write("s2", calls(1)...)
	b.mustSend(3)
	path := filepath.Join(b.dir("s1"), journal.Name)
	if err := errors.Join(os.Rename(path, path+".aside"), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	b.write("s2", calls(1)...)
	b.restart()
	b.mustSend(1)
	b.mustSend(0)
	if len(b.said) != 1 || !strings.HasPrefix(b.said[0], "session s1: ") {
		t.Errorf("said %q", b.said)
	}
	if err := errors.Join(os.Remove(path), os.Rename(path+".aside", path)); err != nil {
		t.Fatal(err)
	}
	b.mustSend(0)
}

// TestSweepsOnce: the lock and other files beside the cursors stay.
func TestSweepsOnce(t *testing.T) {
	b := newBench(t)
	unlock, err := b.x.Lock(b.Project)
	if err != nil {
		t.Fatal(err)
	}
	b.write("s1", calls(1)...)
	b.mustSend(1)
	if _, err := os.Stat(filepath.Join(b.x.cursors(b.Project), "lock")); err != nil {
		t.Error(err)
	}
	unlock() // a folder with an open file stays on Windows
	if err := os.RemoveAll(b.x.cursors(b.Project)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.x.cursors(b.Project), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.x.Lock(b.Project); err == nil || errors.Is(err, ErrBusy) {
		t.Errorf("where no cursor can be kept: %v", err)
	}
}

// TestCursorIsKept: where it cannot be written, that is told: the records would be sent for good.
func TestCursorIsKept(t *testing.T) {
	b := newBench(t)
	b.write("s1", calls(1)...)
	if err := os.RemoveAll(b.x.cursors(b.Project)); err != nil {
		t.Fatal(err)
	}
	if n, err := b.send(); n != 1 || err != nil || len(b.said) != 1 || !strings.Contains(b.said[0], "write cursor") {
		t.Errorf("sent %d, %v, said %q", n, err, b.said)
	}
	b.write("s1", calls(2)...)
	if n, err := b.send(); n != 2 || err != nil || len(b.said) != 1 {
		t.Errorf("what was sent already: sent %d, %v, said %q", n, err, b.said)
	}
	if err := os.MkdirAll(b.x.cursors(b.Project), 0o700); err != nil {
		t.Fatal(err)
	}
	b.mustSend(0)
	b.restart()
	b.mustSend(0)
}

// TestClocks: a clock that is not set, or set back, makes no batch that a collector refuses.
func TestClocks(t *testing.T) {
	b := newBench(t)
	b.clock = time.Date(1969, 1, 1, 0, 0, 0, 0, time.UTC)
	b.write("s1", calls(1)...)
	b.clock = time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC)
	b.write("s1", calls(1)...)
	b.clock = time.Unix(1_800_000_000, 0).UTC()
	b.write("s1", journal.Record{Event: fsm.Event{Kind: fsm.Prompt}})
	b.clock = b.clock.Add(-time.Hour)
	b.write("s1", journal.Record{Event: fsm.Event{Kind: fsm.TurnStop}})
	b.mustSend(4)
	for i, want := range []string{"0", "0"} {
		if got := b.logs[i].Get("timeUnixNano").Str; got != want {
			t.Errorf("record %d: %s, expected %s", i, got, want)
		}
	}
	if s := b.spans[0]; s.Get("startTimeUnixNano").Str != s.Get("endTimeUnixNano").Str {
		t.Errorf("a turn that ends before it starts: %s", s.Raw)
	}
}

// TestSeverity and the line of a log, by what the record says.
func TestSeverity(t *testing.T) {
	record := func(change func(*journal.Record)) journal.Record {
		r := call("use-1")
		change(&r)
		return r
	}
	for want, r := range map[string]journal.Record{
		"9 INFO pass Read":           call("use-1"),
		"13 WARN deny Read (rule x)": record(func(r *journal.Record) { r.Verdict, r.Rule = "deny", "x" }),
		"13 WARN ask Read (rule x)":  record(func(r *journal.Record) { r.Verdict, r.Rule = "ask", "x" }),
		"9 INFO warn Read (rule x)":  record(func(r *journal.Record) { r.Verdict, r.Rule = "warn", "x" }),
		"17 ERROR pass Read":         record(func(r *journal.Record) { r.Error = "x" }),
		"9 INFO turn-stop":           {Event: fsm.Event{Kind: fsm.TurnStop}},
		"9 INFO pass Bash: git push": record(func(r *journal.Record) {
			r.Event.Tool = fsm.Tool{Name: "Bash", UseID: "u",
				Parts: []fsm.Part{{Tool: "Bash", Words: []string{"git", "push"}}}}
		}),
	} {
		b := newBench(t)
		b.write("s1", r)
		b.mustSend(1)
		l := b.logs[0]
		if got := fmt.Sprintf("%d %s %s", l.Get("severityNumber").Int(), l.Get("severityText").Str,
			l.Get("body.stringValue").Str); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
		if failed := l.Get(`attributes.#(key=="pipeline.error").value.boolValue`).Bool(); failed != strings.Contains(want, "ERROR") {
			t.Errorf("%q: pipeline.error %v", want, failed)
		}
		a := readAttributes(l)
		if a["gen_ai.agent.name"] != "main" || (a["pipeline.verdict"] != "") != strings.Contains(want, "Read") &&
			!strings.Contains(want, "Bash") {
			t.Errorf("%q: %v", want, a)
		}
	}
}

// readAttributes are the attributes of a log, as text.
func readAttributes(record gjson.Result) map[string]string {
	out := map[string]string{}
	for _, a := range record.Get("attributes").Array() {
		a.Get("value").ForEach(func(_, v gjson.Result) bool {
			out[a.Get("key").Str] = v.String()
			return false
		})
	}
	return out
}

// TestLongText is cut, between two characters.
func TestLongText(t *testing.T) {
	v := newValue(strings.Repeat("é", longest))
	if n := len(v["stringValue"].(string)); n != longest || strings.ContainsRune(v["stringValue"].(string), '\ufffd') {
		t.Errorf("%d bytes", n)
	}
	if v := newValue("a" + strings.Repeat("é", longest)); len(v["stringValue"].(string)) != longest-1 {
		t.Errorf("%d bytes of half characters", len(v["stringValue"].(string)))
	}
	if got := fmt.Sprint(Resource{"1.2.3", "h"}.attributes()[0]["key"],
		len(Resource{"1.2.3", "h"}.attributes())); got != "service.name3" {
		t.Error(got)
	}
}

// TestSpansOfTurns: what repeats our hold and what is typed into a turn begins none; an agent that was not seen to
// start belongs to the turn, and one that starts twice is one.
func TestSpansOfTurns(t *testing.T) {
	b := newBench(t)
	prompt := func(id string, origin fsm.Origin) journal.Record {
		r := journal.Record{Event: fsm.Event{Kind: fsm.Prompt, Origin: origin}}
		r.State.Turn.Prompt = id
		return r
	}
	unseen := call("use-1")
	unseen.Event.Agent = fsm.Agent{ID: "unseen", Type: "worker"}
	start := journal.Record{Event: fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "a1", Type: "worker"}}}
	b.write("s1", prompt("p1", ""), prompt("p2", fsm.Own), prompt("", ""), unseen, start, start, call("use-2"),
		journal.Record{Event: fsm.Event{Kind: fsm.AgentFailure, Agent: fsm.Agent{ID: "a1"}}},
		journal.Record{Event: fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "ghost"}}},
		journal.Record{Event: fsm.Event{Kind: fsm.TurnStop}})
	b.mustSend(10)
	var got []string
	for _, s := range b.spans {
		a := readAttributes(s)
		got = append(got, fmt.Sprintf("%s %s calls=%s failed=%t", a["gen_ai.agent.name"], a["gen_ai.agent.id"],
			a["pipeline.calls"], s.Get("status.code").Int() == 2))
	}
	if want := []string{"worker a1 calls=0 failed=true", "main  calls=2 failed=false"}; !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	if b.logs[3].Get("spanId").Str != b.spans[1].Get("spanId").Str {
		t.Error("the call of an agent that was not seen to start is in no turn")
	}
}
