package live

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// long is a session of so many calls, each with a result of 1 KB, which the client writes twice, and two records of 2
// KB.
func long(b *testing.B, s *scene, from, calls int) {
	j, err := journal.Open(s.st.Path("s"))
	ok(b, err)
	defer j.Close()
	var text strings.Builder
	state := fsm.Session{ID: "s", Machine: fsm.Machine{State: strings.Repeat("x", 2000)}}
	said := `"` + strings.Repeat(`a line of what a tool says, with its end\n`, 24) + `"`
	for i := range calls {
		id := fmt.Sprintf("toolu_01AbCdEfGhIjKlMnOpQr%06d", from+i)
		text.WriteString(s.use(id, "Bash"))
		ok(b, j.Append(&journal.Record{Event: fsm.Event{Time: s.tick(), Kind: "tool-request",
			Tool: fsm.Tool{Name: "Bash", UseID: id}},
			State: state}, false))
		ok(b, j.Append(&journal.Record{Event: fsm.Event{Time: s.tick(), Kind: "tool-result",
			Tool: fsm.Tool{Name: "Bash", UseID: id}},
			State: state}, false))
		text.WriteString(strings.NewReplacer(`"x"`, said, `{"type":"tool_use"}`, said).Replace(s.result(id, false)))
	}
	s.write("", text.String())
}

// BenchmarkCheck is what a hook pays at the end of a turn: with 200 new calls, and with none, in a session of 1,500.
func BenchmarkCheck(b *testing.B) {
	s := newScene(b, b.TempDir())
	s.record("session-start", "", false)
	settled := func() Report {
		for {
			if r := s.check(); !r.More {
				return r
			}
		}
	}
	for at := range 3 { // turn by turn, as it comes
		long(b, s, 500*at, 500)
		settled()
	}
	before, err := os.ReadFile(s.state())
	ok(b, err)
	long(b, s, 1500, 200)
	b.Run("200 calls", func(b *testing.B) {
		for b.Loop() {
			ok(b, os.WriteFile(s.state(), before, 0o600))
			if r := s.check(); r.More || countMissed(r) > 0 {
				b.Fatal(r)
			}
		}
	})
	settled()
	b.Run("none", func(b *testing.B) {
		for b.Loop() {
			s.check()
		}
	})
}
