package live

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A history is a random session, and which of its calls were missed.
type history struct {
	*scene
	rt      *rapid.T
	off     bool
	pending map[string]string // what an agent's transcript has not been given yet: it lags, and breaks off anywhere
	aside   []string
	want    []string
	n       int
}

// TestIncremental: whatever happens in whatever pieces it is read, many checks come to what one reading of the whole
// comes to, which is what was missed; and no check ever counts a call that was not.
func TestIncremental(t *testing.T) {
	dirs := 0
	rapid.Check(t, func(rt *rapid.T) {
		dirs++
		s := newScene(rt, filepath.Join(t.TempDir(), strconv.Itoa(dirs)))
		h := &history{scene: s, rt: rt, pending: map[string]string{}}
		h.pending[""] = h.use("old1", "Bash") + h.result("old1", false) + h.use("old2", "Bash") + h.result("old2",
			false)
		h.record("session-start", "", false)
		for _, a := range []string{"w1", "flow/w2"} {
			h.agent(a, true)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"call": h.call, "flush": h.flush, "check": h.checked, "switch": h.toggle, "rotate": h.rotate,
			"play": h.play,
		})
		h.settled()
	})
}

func (h *history) someone(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"", "w1", "flow/w2"}).Draw(rt, "agent")
}

func (h *history) call(rt *rapid.T) {
	h.n++
	id, who := "c"+strconv.Itoa(h.n), h.someone(rt)
	ends := rapid.SampledFrom([]string{"well", "well", "badly", "never"}).Draw(rt, "ends")
	h.pending[who] += h.use(id, "Bash")
	switch how := rapid.SampledFrom([]string{"asked", "missed", "aside"}).Draw(rt, "how"); {
	case h.off:
	case how == "asked":
		h.record("tool-request", id, false)
	case how == "aside":
		h.putAside(id)
		h.aside = append(h.aside, id)
	case ends == "well":
		h.want = append(h.want, id)
	}
	if ends != "never" {
		h.pending[who] += h.result(id, ends == "badly")
	}
}

// flush writes a piece of what an agent's transcript lacks.
func (h *history) flush(rt *rapid.T) {
	who := h.someone(rt)
	n := rapid.IntRange(0, len(h.pending[who])).Draw(rt, "bytes")
	h.write(who, h.pending[who][:n])
	h.pending[who] = h.pending[who][n:]
}

// toggle switches the level. The first event at the new one is recorded.
func (h *history) toggle(*rapid.T) {
	h.off = !h.off
	h.record("prompt", "", h.off)
}

func (h *history) rotate(*rapid.T) {
	dir := h.st.Path("s")
	_, err := journal.Rotate(dir, h.tick())
	ok(h.rt, errors.Join(err, journal.Compress(dir)))
}

func (h *history) play(*rapid.T) {
	for _, id := range h.aside {
		h.record("tool-request", id, h.off)
		ok(h.rt, os.Remove(filepath.Join(h.st.Path("s"), "aside", id+".json")))
	}
	h.aside = nil
}

func (h *history) checked(rt *rapid.T) {
	r, err := check(h.st, "s", h.transcript, int64(rapid.IntRange(1, 2000).Draw(rt, "room")))
	ok(rt, err)
	for _, id := range missedIDs(r) {
		if !slices.Contains(h.want, id) {
			rt.Fatalf("%s was not missed", id)
		}
	}
}

func missedIDs(r Report) (out []string) {
	for _, s := range r.Stretches {
		for _, c := range s.Calls {
			out = append(out, c.ID)
		}
	}
	return out
}

// settled writes down all that is left, and compares.
func (h *history) settled() {
	h.play(h.rt)
	for who, text := range h.pending {
		h.write(who, text)
	}
	r, err := check(h.st, "s", h.transcript, 500)
	for ; err == nil && r.More; r, err = check(h.st, "s", h.transcript, 500) {
	}
	ok(h.rt, err)
	whole, err := Compare(h.st, "s", h.transcript)
	ok(h.rt, err)
	if a, b, want := ids(r.Stretches), ids(whole.Stretches), strings.Join(h.want, " "); a != b ||
		strings.ReplaceAll(a, "|", " ") != want {
		h.rt.Fatalf("bit by bit %s\nat once    %s\nmissed     %s", a, b, want)
	}
}

// FuzzLine: nothing that a transcript may hold is more than a line without a call.
func FuzzLine(f *testing.F) {
	s := &scene{now: time.Unix(1_800_000_000, 0)}
	f.Add([]byte(s.use("a", "Bash")))
	f.Add([]byte(s.result("a", false)))
	f.Add([]byte(`{"type":"user","timestamp":"x","message":{"content":{"tool_use":[`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		w := newWatch()
		w.takeLine(raw, "")
		for id, c := range w.Open {
			if id == "" || c.Time.IsZero() {
				t.Errorf("%+v of %q", c, raw)
			}
		}
	})
}
