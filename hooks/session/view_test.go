package session

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// TestView: state.json and View say the same, in the form that is documented.
func TestView(t *testing.T) {
	st := store(t).moves(t, "A", "B")
	v := st.view(t)
	if d := cmp.Diff(st.published(t), v); d != "" {
		t.Error(d)
	}
	if v.Version != "1.0" || v.State != "B" || v.SessionID != "s1" || v.Timestamp.IsZero() || v.Head.Seq != 2 ||
		v.Head.Hash == "" {
		t.Errorf("%+v", v)
	}
	want := []Step{{"agent-A", v.Timestamp, "", "A"}, {"agent-B", v.Timestamp, "A", "B"}}
	if d := cmp.Diff(want, v.History); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]string{"found": "what was found in B"}, v.Context); d != "" {
		t.Error(d)
	}
	var keys map[string]any
	text := read(t, st.file("state.json"))
	if err := json.Unmarshal([]byte(text), &keys); err != nil || !strings.HasSuffix(text, "\n}\n") {
		t.Fatalf("%v: state.json ends in %q", err, text[len(text)-3:])
	}
	for _, k := range []string{"version", "state", "timestamp", "session_id", "context", "history"} {
		if keys[k] == nil {
			t.Errorf("state.json has no %s", k)
		}
	}
}

// TestPublish: state.json is written when the machine moves and when it is asked for,
// and at no other time.
func TestPublish(t *testing.T) {
	st := store(t)
	st.must(t, note("count"), count)
	if _, err := os.Stat(st.file("state.json")); !os.IsNotExist(err) {
		t.Error("nothing was to be published:", err)
	}
	st = store(t)
	st.must(t, note("start"), publishes)
	if v := st.published(t); v.State != "" || v.History == nil || v.Context == nil || v.Head.Seq != 1 {
		t.Errorf("%+v", v)
	}
	for range 3 {
		st.must(t, note("x"), count)
		if v := st.published(t); v.Head.Seq != 1 {
			t.Errorf("written at record %d", v.Head.Seq)
		}
	}
	st.moves(t, "A")
	leads(t, st.published(t), "A")
	if s := st.view(t).History[0]; s.Agent != "agent-A" {
		t.Errorf("%+v", s)
	}
	st.must(t, note("stop"), func(s session, e event) (Outcome, error) {
		out := moving(s, e, "END")
		out.Record.Moves[0].Agent = ""
		return out, nil
	})
	if s := st.view(t).History[1]; s.Agent != "t" {
		t.Errorf("a move without an agent is told as %q", s.Agent)
	}
}

// TestViewIsTheJournals: whatever stands in state.json, a journal that has the whole history is what is shown.
func TestViewIsTheJournals(t *testing.T) {
	for name, change := range map[string]func(v *View){
		"shorter":     func(v *View) { v.History = v.History[:1] },
		"of another":  func(v *View) { v.History[0].Agent = "somebody" },
		"longer":      func(v *View) { v.History = append(v.History, v.History...); v.Session.Machine.Moves = 4 },
		"the same":    func(*View) {},
		"of nobody":   func(v *View) { v.Session.ID = "" },
		"of no moves": func(v *View) { v.History, v.Session.Machine.Moves = nil, 0 },
	} {
		st := store(t).moves(t, "A", "B")
		want, v := st.view(t), st.published(t)
		change(&v)
		write(t, st.file("state.json"), string(journal.Encode(&v)))
		if d := cmp.Diff(want, st.view(t)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestMissingViewIsRebuilt by the next call, whatever it is.
func TestMissingViewIsRebuilt(t *testing.T) {
	st := store(t).moves(t, "A", "B")
	st.must(t, note("x"), count)
	remove(t, st.file("state.json"))
	st.must(t, note("y"), count)
	leads(t, st.published(t), "A", "B")
}

// TestManyMoves: the history is right after many moves, and is not read from the whole
// journal each time: a record that can no longer be read is missing in View and not in
// state.json.
func TestManyMoves(t *testing.T) {
	for _, before := range []int{0, 7} { // a forked session has made moves that its journal does not hold
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			st := store(t)
			st.must(t, note("start"), func(s session, e event) (Outcome, error) {
				s.Machine.Moves = before
				return publishes(s, e)
			})
			var want []string
			for i := range 60 {
				want = append(want, fmt.Sprint("Q", i))
			}
			st.moves(t, want[:50]...)
			write(t, st.file("journal.jsonl"),
				strings.Replace(read(t, st.file("journal.jsonl")), `"agent-Q3"`, `"agent-XX"`, 1))
			st.moves(t, want[50:]...)
			leads(t, st.published(t), want...)
		})
	}
}

// TestTextsOfWaitingAgents: before anything is captured, a session has the texts of agents that wait.
func TestTextsOfWaitingAgents(t *testing.T) {
	final := fsm.Ref{Hash: "h"}
	s := fsm.Session{Agents: fsm.Agents{Runs: []fsm.Run{{ID: "a1", Final: &final}}}}
	if got := textRefs(s); len(got) != 1 || got["a1"] != final {
		t.Errorf("got %v", got)
	}
}

func TestTexts(t *testing.T) {
	one, two, final := captured("one"), captured("two"), captured("what a1 said")
	s := fsm.Session{ID: "s1", Machine: fsm.Machine{Captures: map[string]fsm.Ref{"one": one.Ref, "two": two.Ref}},
		Agents: fsm.Agents{Runs: []fsm.Run{{ID: "a1", Final: &final.Ref}, {ID: "a2"}}}}
	tests := []struct {
		name string
		do   func(t *testing.T, path string)
		want map[string]string
	}{
		{"all there", func(*testing.T, string) {}, map[string]string{"one": "one", "two": "two", "a1": "what a1 said"}},
		{"missing", func(t *testing.T, path string) { remove(t, path) },
			map[string]string{"one": "one", "a1": "what a1 said"}},
		{"changed", func(t *testing.T, path string) { write(t, path, "tow") },
			map[string]string{"one": "one", "a1": "what a1 said"}},
		{"cut short", func(t *testing.T, path string) { write(t, path, "tw") },
			map[string]string{"one": "one", "a1": "what a1 said"}},
		{"a folder", func(t *testing.T, path string) { remove(t, path); write(t, path+"/x", "") },
			map[string]string{"one": "one", "a1": "what a1 said"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st := store(t)
			keep := func(session, event) (Outcome, error) {
				return Outcome{Session: s, Record: &journal.Record{}, Texts: []fsm.Text{one, two, final},
					Publish: true}, nil
			}
			st.must(t, note("x"), keep)
			tt.do(t, textPath(st.Path("s1"), two.Ref))
			if d := cmp.Diff(tt.want, st.Texts(s)); d != "" {
				t.Error(d)
			}
			if _, ok := st.view(t).Context["a1"]; ok {
				t.Error("what an agent said that is not done is shown as context")
			}
			if tt.name == "a folder" {
				return
			}
			st.must(t, note("again"), keep) // the same text, captured once more
			if got := st.Texts(s)["two"]; got != "two" {
				t.Errorf("kept again, and read as %q", got)
			}
		})
	}
}

func TestBackup(t *testing.T) {
	st := store(t).moves(t, "A", "B")
	now := time.Date(2027, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	dir, err := st.Backup("s1", now)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(dir, st.Path("s1")) || !strings.HasSuffix(dir, "20270102T020405.000000006Z") {
		t.Error(dir)
	}
	journal, view := read(t, st.file("journal.jsonl")), read(t, st.file("state.json"))
	st.moves(t, "C")
	if read(t, dir+"/journal.jsonl") != journal || read(t, dir+"/state.json") != view {
		t.Error("the backup is not what there was")
	}
	for lost, kept := range map[string]string{"state.json": "journal.jsonl", "journal.jsonl": "state.json"} {
		st.moves(t, "D")
		remove(t, st.file(lost))
		if dir, err = st.Backup("s1", time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir + "/" + kept); err != nil {
			t.Errorf("without %s: %v", lost, err)
		}
	}
}

func TestBackupFails(t *testing.T) {
	st := store(t).moves(t, "A")
	write(t, st.file("backup"), "a file where a folder should be")
	_, err := st.Backup("s1", time.Now())
	fails(t, err, "back up session s1")
}

// TestSlowReader: a program that reads state.json slowly and takes no lock reads one version,
// however often the machine moves meanwhile.
func TestSlowReader(t *testing.T) {
	st := store(t).moves(t, "A", "B")
	want := read(t, st.file("state.json"))
	f, err := os.Open(st.file("state.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := make([]byte, len(want)/2)
	if _, err := io.ReadFull(f, got); err != nil {
		t.Fatal(err)
	}
	for _, state := range []string{"C", "D"} {
		time.Sleep(50 * time.Millisecond)
		st.moves(t, state)
	}
	rest, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if got = append(got, rest...); string(got) != want {
		t.Errorf("read %s\nthe version that was opened is %s", got, want)
	}
	leads(t, st.published(t), "A", "B", "C", "D")
}
