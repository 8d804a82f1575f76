package hooks

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestTalkFits: what is injected is no more than what is charged, and all of it can be
// read.
func TestTalkFits(t *testing.T) {
	h := handler(t)
	long := strings.Repeat("word ", 4000)
	h.Policy.States[0].Inject, h.Policy.Talk = long, fsm.TalkLimits{PerPrompt: 12_000}
	for i, most := range []int{9500, 2500, 400} {
		e := prompt("go")
		if i > 0 {
			e = fsm.Event{Kind: fsm.Compacted}
		}
		d := h.answer(t, NoCall{}, e)
		if n := len([]rune(d.Inject)); n > most || n > d.InjectedChars || d.InjectedChars > most {
			t.Errorf("said %d characters, charged %d, expected %d at most", n, d.InjectedChars, most)
		}
		if kept := read(t, h.kept(t, d.Inject)); !strings.Contains(kept, strings.TrimSpace(long)) {
			t.Errorf("the file has %d characters", len(kept))
		}
	}
	if all := h.records(t, "s1"); all[0].InjectedChars != 9500 || all[2].InjectedChars != 400 {
		t.Errorf("recorded %d and %d", all[0].InjectedChars, all[2].InjectedChars)
	}
}

// kept is the file in which a text that was cut lies as a whole.
func (h *Handler) kept(t testing.TB, text string) string {
	t.Helper()
	_, after, _ := strings.Cut(text, "The whole text is in ")
	path, _, ok := strings.Cut(after, "; read it")
	if !ok {
		t.Fatalf("%q does not say where the rest is", text)
	}
	return path
}
