package visible

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                       "plain",
		"two\n\tlines":                "two\n\tlines",
		"Käse 日本 👩\u200d💻 …":          "Käse 日本 👩\u200d💻 …",
		"\x1b[31mred\x07\r":           `\u001b[31mred\u0007\u000d`,
		"\u009b31m\x7f":               `\u009b31m\u007f`,
		"a\u202eb\u2066c\u200f\u061c": `a\u202eb\u2066c\u200f\u061c`,
		"\u2028\ufeff\u200b":          `\u2028\ufeff\u200b`,
		"\U000e0041":                  `\udb40\udc41`,
		"\xff\x9b":                    "\ufffd\ufffd",
	} {
		if got := Text(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := Line("a\nb\tc"); got != `a\u000ab\u0009c` {
		t.Errorf("a line: %q", got)
	}
	for _, r := range "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069" {
		if !hides(r) {
			t.Errorf("%U is not seen", r)
		}
	}
}

// TestFold: lines are folded between words, in however many parts they are written, and words stay whole.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"one two three\n"}, "one two \n  three\n"},
		{[]string{"one ", "two", " ", "three", "\n"}, "one two \n  three\n"},
		{[]string{"  a row   of cells\n", "next\n"}, "  a row  \n    of \n    cells\nnext\n"},
		{[]string{"averylongword and more\n"}, "averylongword\n  and \n  more\n"},
		{[]string{"\n\nshort\n"}, "\n\nshort\n"},
		{[]string{"a", "                        b"}, "a        \n  b"},
	} {
		var out bytes.Buffer
		w := NewWriter(&out)
		w.Fold(9)
		for _, part := range c.parts {
			io.WriteString(w, part)
		}
		if got := out.String(); got != c.want {
			t.Errorf("%q: %q, want %q", c.parts, got, c.want)
		}
	}
	var out bytes.Buffer
	w := NewWriter(&out)
	w.Fold(9)
	io.WriteString(w, "one "+w.Style(Bold, "two")+" three\n")
	if got := out.String(); got != "one \x1b[1mtwo\x1b[0m \n  three\n" {
		t.Errorf("a style counts: %q", got)
	}
}

func TestWriter(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	text := "ä\u202e日\x1b[2J\n"
	for i := range len(text) { // characters come in parts
		if n, err := w.Write([]byte(text[i : i+1])); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if want := "ä" + `\u202e` + "日" + `\u001b[2J` + "\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestWriterStyles: a style of ours reaches the terminal, and one of others does not.
func TestWriterStyles(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	if _, err := w.Write([]byte(w.Style("1", "bold \x1b[31m") + "\n")); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[1mbold \\u001b[31m\x1b[0m\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestWriterKeepsJSON: what is escaped in a document means the same as before.
func TestWriterKeepsJSON(t *testing.T) {
	var out bytes.Buffer
	const text = "\x1b[31mevil\u202e\u009b\x7f\U000e0041"
	if err := json.NewEncoder(NewWriter(&out)).Encode(text); err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != text ||
		strings.ContainsAny(out.String(), "\u202e\u009b\x7f") {
		t.Errorf("%q, then %q, %v", out.String(), back, err)
	}
}
