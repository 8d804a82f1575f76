package hooks

import "testing"

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
