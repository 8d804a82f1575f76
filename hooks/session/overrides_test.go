package session

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// noon is when the orders of these tests are given.
func noon() time.Time { return time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC) }

func lift(id, session string, until time.Time) Bypass {
	return Bypass{Session: session, Since: noon(),
		Bypass: fsm.Bypass{ID: id, From: "bypass", By: "ann", Why: "because", Until: until}}
}

func mode(session, level string) Mode {
	return Mode{Session: session, Mode: fsm.Mode{Level: level, From: "mode", By: "ann", Why: "why", Since: noon()}}
}

// orders puts them in force and checks that they are read as they were given.
func (st Store) orders(t testing.TB, o Overrides) Store {
	t.Helper()
	if err := st.ChangeOverrides(Command{Time: noon(), What: "all"}, func(all *Overrides) { *all = o }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(o, st.read(t)); diff != "" {
		t.Fatalf("read otherwise than ordered: %s", diff)
	}
	return st
}

func (st Store) read(t testing.TB) Overrides {
	t.Helper()
	o, err := st.Overrides()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// inForce are the bypasses in force, and the level.
func inForce(o fsm.Overrides) string {
	var out []string
	if o.Mode != nil {
		out = append(out, o.Mode.Level)
	}
	for _, l := range o.Bypasses {
		out = append(out, l.ID)
	}
	return strings.Join(out, " ")
}

func TestOrdersFor(t *testing.T) {
	later, past := noon().Add(time.Hour), noon().Add(-time.Second)
	all := Overrides{Modes: []Mode{mode("", "ask"), mode("s1", "guidance"), mode("s2", "off")},
		Bypasses: []Bypass{lift("all", "", later), lift("mine", "s1", later), lift("theirs", "s2", later),
			lift("over", "", past), lift("now", "s1", noon()), lift("endless", "", time.Time{})}}
	for name, c := range map[string]struct {
		o       Overrides
		session string
		now     time.Time
		want    string
	}{
		"a session's own":      {all, "s1", noon(), "guidance all mine"},
		"another's":            {all, "s2", noon(), "off all theirs"},
		"the project's":        {all, "s3", noon(), "ask all"},
		"the last moment":      {all, "s3", later.Add(-1), "ask all"},
		"the end":              {all, "s1", later, "guidance"},
		"its own, named first": {Overrides{Modes: []Mode{mode("s1", "off"), mode("", "ask")}}, "s1", noon(), "off"},
		"nothing":              {Overrides{}, "s1", noon(), ""},
	} {
		if got := inForce(c.o.For(c.session, c.now)); got != c.want {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
	}
}

func TestOrdersAreKept(t *testing.T) {
	l := lift("1", "s1", noon().Add(time.Hour))
	l.Rule, l.Agent, l.Once = "r", "a", true
	st := store(t).orders(t, Overrides{Modes: []Mode{mode("", "ask"), mode("s1", "off")}, Bypasses: []Bypass{l}})
	if info, err := os.Stat(system.Join(st.Dir, overridesName)); err != nil || info.Size() == 0 {
		t.Fatal(err)
	}
	if none := store(t).read(t); len(none.Modes)+len(none.Bypasses) > 0 {
		t.Errorf("found %+v in an empty store", none)
	}
}

func TestSetMode(t *testing.T) {
	var o Overrides
	o.SetMode(mode("", "ask"))
	o.SetMode(mode("s1", "off"))
	o.SetMode(mode("", "guidance"))
	if len(o.Modes) != 2 || inForce(o.For("s2", noon())) != "guidance" ||
		inForce(o.For("s1", noon())) != "off" {
		t.Fatalf("%+v", o)
	}
	o.SetMode(Mode{})
	if len(o.Modes) != 1 || inForce(o.For("s1", noon())) != "off" || inForce(o.For("s2", noon())) != "" {
		t.Fatalf("%+v", o)
	}
}

// TestOrdersRunOut: the next change forgets what is over.
func TestOrdersRunOut(t *testing.T) {
	st := store(t).orders(t, Overrides{Bypasses: []Bypass{lift("short", "", noon().Add(time.Minute)),
		lift("long", "", noon().Add(time.Hour))}})
	if err := st.ChangeOverrides(Command{Time: noon().Add(time.Minute), What: "mode ask"},
		func(o *Overrides) { o.SetMode(mode("", "ask")) }); err != nil {
		t.Fatal(err)
	}
	if o := st.read(t); len(o.Bypasses) != 1 || o.Bypasses[0].ID != "long" || len(o.Modes) != 1 {
		t.Fatalf("%+v", o)
	}
}

// TestDamagedOrders order nothing and say so; what is ordered next is all there is.
func TestDamagedOrders(t *testing.T) {
	for _, text := range []string{"", "{", "\x00\x00", `{"modes":[{"level":"off"}]`} {
		st := store(t)
		write(t, system.Join(st.Dir, overridesName), text)
		o, err := st.Overrides()
		fails(t, err, "damaged")
		if got := inForce(o.For("s1", noon())); got != "" {
			t.Errorf("%q orders %s", text, got)
		}
		if ended, err := st.EndTurn("s1", noon()); ended || err != nil {
			t.Errorf("the end of a turn: %v, %v", ended, err)
		}
		if err := st.ChangeOverrides(Command{Time: noon(), What: "mode ask"},
			func(o *Overrides) { o.SetMode(mode("", "ask")) }); err != nil {
			t.Fatal(err)
		}
		if got := inForce(st.read(t).For("s1", noon())); got != "ask" {
			t.Errorf("after %q: %s", text, got)
		}
	}
}

// TestForeignOrders: JSON that is not ours lifts nothing.
func TestForeignOrders(t *testing.T) {
	for _, text := range []string{"[]", "7", `"x"`, `{"lifts":7,"modes":"x"}`, `{"lifts":[7,"x",null,{}]}`,
		`{"lifts":[{"id":"x","until":"soon"}]}`, `{"lifts":[{"id":"x","until":0}]}`} {
		st := store(t)
		write(t, system.Join(st.Dir, overridesName), text)
		if got := st.read(t).For("s1", noon()); len(got.Bypasses) > 0 {
			t.Errorf("%s lifts %+v", text, got.Bypasses)
		}
	}
}

// TestDamagedModeHolds: a mode of which only the level can be read holds: it may be stricter than the config.
func TestDamagedModeHolds(t *testing.T) {
	for text, want := range map[string]string{`{"level":"strict","since":"soon"}`: "strict",
		`{"level":"ask","by":7}`: "ask", `{"level":7}`: "", `{}`: ""} {
		st := store(t)
		write(t, system.Join(st.Dir, overridesName), `{"modes":[`+text+`]}`)
		if got := inForce(st.read(t).For("s1", noon())); got != want {
			t.Errorf("%s: %q is in force, want %q", text, got, want)
		}
	}
}

// TestOrdersAreLogged, before they take effect: one that cannot be is not carried out.
func TestOrdersAreLogged(t *testing.T) {
	st := store(t).orders(t, Overrides{})
	what := Command{Time: noon(), Session: "s1", What: "mode ask", By: "ann", Why: "why"}
	if err := st.ChangeOverrides(what, func(o *Overrides) { o.SetMode(mode("s1", "ask")) }); err != nil {
		t.Fatal(err)
	}
	lines := st.logged(t)
	if len(lines) != 2 || lines[1] != what {
		t.Fatalf("logged %+v", lines)
	}
	log := filepath.Join(st.Dir, "orders.jsonl")
	remove(t, log)
	if err := os.Mkdir(log, 0o700); err != nil {
		t.Fatal(err)
	}
	fails(t, st.ChangeOverrides(what, func(o *Overrides) { o.SetMode(mode("s1", "off")) }), "keep the command")
	if got := inForce(st.read(t).For("s1", noon())); got != "ask" {
		t.Errorf("%s is in force without a trace", got)
	}
}

func (st Store) logged(t testing.TB) (out []Command) {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(st.Dir, "orders.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		var o Command
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		out = append(out, o)
	}
	return out
}

// TestEndTurn ends `once` of this session, nothing else, and says nothing where there
// is none.
func TestEndTurn(t *testing.T) {
	once := func(session string) Bypass {
		l := lift("once", session, noon().Add(time.Hour))
		l.Once = true
		return l
	}
	st := store(t)
	if ended, err := st.EndTurn("s1", noon()); ended || err != nil {
		t.Fatalf("%v, %v", ended, err)
	}
	st.orders(t, Overrides{Modes: []Mode{mode("s1", "ask")},
		Bypasses: []Bypass{once("s1"), lift("b", "s1", noon().Add(time.Hour)), once("s2"), once("s1")}})
	for i, want := range []bool{true, false} {
		if ended, err := st.EndTurn("s1", noon()); ended != want || err != nil {
			t.Fatalf("the end of turn %d: %v, %v", i, ended, err)
		}
	}
	o := st.read(t)
	if inForce(o.For("s1", noon())) != "ask b" || inForce(o.For("s2", noon())) != "once" {
		t.Errorf("left: %+v", o)
	}
	if lines := st.logged(t); len(lines) != 2 || lines[1].What != "once ends" || lines[1].Session != "s1" {
		t.Errorf("logged %+v", lines)
	}
}

// order waits for the start, then orders a few things.
func order(st Store, name string) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	for i := range perChild {
		id := fmt.Sprint(name, ".", i)
		if err := st.ChangeOverrides(Command{Time: noon(), What: id},
			func(o *Overrides) { o.Bypasses = append(o.Bypasses, lift(id, "", noon().Add(time.Hour))) }); err != nil {
			fail(err)
		}
	}
}

// TestManyOrder: of what 20 processes order at once nothing is lost.
func TestManyOrder(t *testing.T) {
	const n = 20
	st := store(t)
	in, begin := pipe(t)
	var children []child
	for i := range n {
		children = append(children, start(t, st, "order", fmt.Sprint("child ", i), in))
	}
	begin()
	for _, c := range children {
		c.ends(t)
	}
	seen := map[string]int{}
	for _, l := range st.read(t).Bypasses {
		seen[l.ID]++
	}
	for _, o := range st.logged(t) {
		seen[o.What]++
	}
	for i := range n {
		for k := range perChild {
			if id := fmt.Sprint("child ", i, ".", k); seen[id] != 2 {
				t.Errorf("%s is in force and in the log %d times", id, seen[id])
			}
		}
	}
}
