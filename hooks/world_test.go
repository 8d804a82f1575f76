package hooks

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// units is how long the client takes a text to be.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

const most = 10_000 // more than this the client does not pass on

// TestFit: what is too long is cut, and is whole on disk.
func TestFit(t *testing.T) {
	smile := "\U0001F600" // two units, four bytes
	tests := []struct {
		name, text string
		cut        bool
	}{
		{"empty", "", false},
		{"short", "hello", false},
		{"at the limit", strings.Repeat("word ", fsm.MaxTalk/5), false},
		{"one over", strings.Repeat("word ", fsm.MaxTalk/5) + "x", true},
		{"long", strings.Repeat("word ", 20_000), true},
		{"many bytes, few units", strings.Repeat("é", fsm.MaxTalk), false},
		{"many bytes, one unit over", strings.Repeat("é", fsm.MaxTalk+1), true},
		{"surrogates at the limit", strings.Repeat(smile, fsm.MaxTalk/2), false},
		{"surrogates over it", strings.Repeat(smile, fsm.MaxTalk/2) + "x", true},
		{"surrogates, shifted", "x" + strings.Repeat(smile, fsm.MaxTalk), true},
		{"surrogates and words", strings.Repeat(smile+smile+" ", fsm.MaxTalk), true},
		{"one endless word", strings.Repeat("x", 50_000), true},
		{"an endless word after short ones", "a b c " + strings.Repeat("x", 50_000), true},
		{"lines", strings.Repeat("a line\n", 5000), true},
		{"bytes that are no text", strings.Repeat("\xff\xfe ", 10_000), true},
		{"a million", strings.Repeat("0123456789 ", 100_000), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := &Handler{Root: t.TempDir()}
			got := h.fitText(tt.text, 0)
			if !tt.cut {
				if got != tt.text {
					t.Errorf("became %d units", units(got))
				}
				untouched(t, h.Root)
				return
			}
			cut(t, h.Root, tt.text, got)
		})
	}
}

func untouched(t *testing.T, dir string) {
	t.Helper()
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("%v %v", names, err)
	}
}

var cutAt = regexp.MustCompile(`(?s)^(.*)\n\n\[cut here, of \d+ characters\. ` +
	`The whole text is in (\S+); read it before you begin\.\]$`)

// cut checks a text that was cut: its beginning in whole characters and words, and
// where the whole of it lies.
func cut(t *testing.T, root, whole, got string) {
	t.Helper()
	m := cutAt.FindStringSubmatch(got)
	if m == nil {
		t.Fatalf("%d units that end with %q", units(got), got[max(0, len(got)-200):])
	}
	head, path := m[1], m[2]
	if units(got) > fsm.MaxTalk || units(head) < fsm.MaxTalk/3 {
		t.Errorf("%d units of %d", units(head), units(got))
	}
	if !strings.HasPrefix(whole, head) && utf8.ValidString(whole) {
		t.Error("it does not begin as the text does")
	}
	endless := strings.Contains(whole, "xxxxx") || !strings.ContainsAny(whole, " \n")
	if next := whole[len(head):]; utf8.ValidString(whole) && !endless && next[0] != ' ' && next[0] != '\n' {
		t.Errorf("cut in a word, before %.10q", next)
	}
	if system.Dir(path) != system.Join(root, ".pipeline/context") ||
		strings.TrimSpace(read(t, path)) != strings.TrimSpace(whole) {
		t.Errorf("%s does not hold the text", path)
	}
	if read(t, root+"/.pipeline/.gitignore") != "*\n" {
		t.Error("git is not told to pass it over")
	}
}

// TestFitAgain: the same text is the same file; a user's own .gitignore stays.
func TestFitAgain(t *testing.T) {
	h := &Handler{Root: t.TempDir()}
	write(t, h.Root+"/.pipeline/.gitignore", "mine\n")
	text := strings.Repeat("word ", 5000)
	if one, two := h.fitText(text, 0), h.fitText(text, 0); one != two {
		t.Error("two answers for one text")
	}
	h.fitText(text+"more", 0)
	if names, _ := os.ReadDir(h.Root + "/.pipeline/context"); len(names) != 2 {
		t.Errorf("%v", names)
	}
	if read(t, h.Root+"/.pipeline/.gitignore") != "mine\n" {
		t.Error(".gitignore was changed")
	}
}

// TestFitNowhere: where the text cannot be kept, that is said, and the rest still goes
// out.
func TestFitNowhere(t *testing.T) {
	deep := "/" + strings.Repeat("a-long-name/", 300)
	for name, root := range map[string]string{"a file": "x", "deep": "x" + deep, "a file for the texts": "y"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir+"/x", "a file where a folder should be")
			write(t, dir+"/y/.pipeline/context", "the same")
			h := &Handler{Root: system.Join(dir, root)}
			got := h.fitText(strings.Repeat("word ", 5000), 0)
			if units(got) > most || !strings.HasPrefix(got, "word word") && name != "deep" {
				t.Errorf("%d units that begin with %.20q", units(got), got)
			}
			if !strings.Contains(got, "The rest could not be kept: keep a long text: ") {
				t.Errorf("not said: %q", got[len(got)-200:])
			}
		})
	}
}

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

// TestEndOfOutput: of what a command prints the end is kept, from the beginning of a line on where that costs little.
func TestEndOfOutput(t *testing.T) {
	line := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct{ said, want string }{
		"what fits":                 {"a\n" + line(tailLimit-2), "a\n" + line(tailLimit-2)},
		"one more":                  {"ab\n" + line(tailLimit-2), line(tailLimit - 2)},
		"cut at the end of a line":  {"ab\n" + line(tailLimit-1), line(tailLimit - 1)},
		"one long line":             {line(2 * tailLimit), line(tailLimit)},
		"a line of nearly the half": {"zz" + line(tailLimit/2-1) + "\n" + line(tailLimit/2), line(tailLimit / 2)},
		"a line of the half": {"zz" + line(tailLimit/2) + "\n" + line(tailLimit/2-1),
			line(tailLimit/2) + "\n" + line(tailLimit/2-1)},
		"nothing": {"\n \n", ""},
	} {
		var out tail
		if _, err := out.Write([]byte(c.said)); err != nil || out.String() != c.want {
			t.Errorf("%s: %d bytes, expected %d (%v)", name, len(out.String()), len(c.want), err)
		}
	}
}
