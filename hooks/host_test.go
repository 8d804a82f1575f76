package hooks

import (
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestSet: a host can do something where it can do all of it.
func TestSet(t *testing.T) {
	for _, c := range []struct {
		can, what Set
		want      bool
	}{{Confines, Confines, true}, {0, Confines, false}, {Everything, Confines, true},
		{Confines, Everything, false}, {Confines, 0, true}} {
		if got := c.can.Has(c.what); got != c.want {
			t.Errorf("%b has %b: %v", c.can, c.what, got)
		}
	}
	for _, a := range Abilities() {
		if found, ok := FindAbility(a.Name); !ok || found.Name != a.Name {
			t.Errorf("%s is not found by its name", a.Name)
		}
	}
	if _, ok := FindAbility("flies"); ok {
		t.Error("an ability that there is not is found")
	}
}

// TestDescribeHost: of a host that lacks nothing no more is recorded than its name, and of Claude Code nothing.
func TestDescribeHost(t *testing.T) {
	for _, c := range []struct {
		name string
		can  Set
		want fsm.HostInfo
	}{
		{"claude", Everything, fsm.HostInfo{}}, {"claude", 0, fsm.HostInfo{}},
		{"x", Everything, fsm.HostInfo{Name: "x", Echoes: true}},
		{"x", Everything &^ Echoes, fsm.HostInfo{Name: "x"}},
		{"x", Everything &^ (Echoes | Asks), fsm.HostInfo{Name: "x", CannotAsk: true}},
		{"x", Everything &^ (Echoes | TellsCaller), fsm.HostInfo{Name: "x", HidesCaller: true}},
		{"x", Everything &^ (Echoes | Ordered), fsm.HostInfo{Name: "x", NoCommands: true}},
	} {
		if got := c.can.Describe(c.name); got != c.want {
			t.Errorf("%s that can %b: %+v, expected %+v", c.name, c.can, got, c.want)
		}
	}
}

// TestNoCall: an event without a host's call concerns no one.
func TestNoCall(t *testing.T) {
	if _, ok := (NoCall{}).Event(time.Time{}); ok {
		t.Error("there is an event")
	}
}
