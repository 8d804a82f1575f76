package session

import (
	"testing"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// What an update costs must not depend on how much was recorded before: compare the
// two.

func BenchmarkUpdate10(b *testing.B) { benchmarkUpdate(b, 10) }

func BenchmarkUpdate100k(b *testing.B) { benchmarkUpdate(b, 100_000) }

func benchmarkUpdate(b *testing.B, before int) {
	st := store(b)
	st.must(b, note("start"), publishes)
	j, err := journal.Open(st.Path("s1"))
	if err != nil {
		b.Fatal(err)
	}
	for range before - 1 {
		out, _ := count(j.Last.State, note("x"))
		out.Record.State = out.Session
		if err := j.Append(out.Record, false); err != nil {
			b.Fatal(err)
		}
	}
	j.Close()
	for b.Loop() {
		for range 200 {
			st.must(b, note("x"), count)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(200*b.N), "µs/update")
}
