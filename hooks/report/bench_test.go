package report

import (
	"testing"
	"time"
)

// TestCostOfARecord: a record costs a report the same few allocations, however many there
// are. A million would take many seconds otherwise.
func TestCostOfARecord(t *testing.T) {
	store, w := kept(t, "s1")
	w.step = 40 * time.Millisecond
	for w.j.Last.Seq < 10_000 {
		w.state.Machine.State, w.state.Agents.Runs = "IDLE", w.state.Agents.Runs[:0]
		life(w)
	}
	all := testing.AllocsPerRun(1, func() {
		if r, err := All(store, always); err != nil || r.Evidence.Records < 10_000 {
			t.Fatal(r.Evidence, err)
		}
	})
	if each := all / 10_000; each > 8 {
		t.Errorf("%.1f allocations a record", each)
	}
}
