package report

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/session"
)

// month is a store of so many sessions of 10,000 records each: one that is written and
// its copies.
func month(b testing.TB, sessions int) session.Store {
	store := session.Store{Dir: b.TempDir()}
	w := inside(b, store, "s0")
	w.step = 40 * time.Millisecond
	for w.j.Last().Seq < 10_000 {
		w.state.Machine.State, w.state.Agents.Runs = "IDLE", w.state.Agents.Runs[:0]
		life(w)
	}
	body, err := os.ReadFile(filepath.Join(store.Path("s0"), "journal.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	for i := 1; i < sessions; i++ {
		dir := store.Path(fmt.Sprint("s", i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), body, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return store
}

// BenchmarkMillion reports over a million records: go test -bench Million -benchtime 1x
// ./hooks/report
func BenchmarkMillion(b *testing.B) {
	store := month(b, 100)
	runtime.GC()
	for b.Loop() {
		r, err := All(store, Options{})
		if err != nil || r.Evidence.Records < 1_000_000 {
			b.Fatal(r.Evidence, err)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MB-sys")
}
// TestCostOfARecord: a record costs a report the same few allocations, however many there
// are. A million would take many seconds otherwise.
func TestCostOfARecord(t *testing.T) {
	store := month(t, 1)
	n := testing.AllocsPerRun(1, func() {
		if r, err := All(store, utc); err != nil || r.Evidence.Records < 10_000 {
			t.Fatal(r.Evidence, err)
		}
	})
	if per := n / 10_000; per > 8 {
		t.Errorf("%.1f allocations a record", per)
	} else {
		t.Logf("%.1f allocations a record", per)
	}
}
