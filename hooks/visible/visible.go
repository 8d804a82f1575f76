// Package visible shows what others wrote to people. Agents, clients and files choose
// names and texts; without it they could steer a terminal, hide words or reverse them.
package visible

import (
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The styles of a terminal, as parameters of its SGR sequence (ECMA-48). A colour library
// costs each hook call 0.13 ms, which is more than reading the policy.
const (
	Bold   = "1"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
)

// Text makes control characters, direction overrides and invisible characters visible. Line
// ends and tabs stay.
func Text(s string) string { return replace(s, func(r rune) bool { return r == '\n' || r == '\t' }) }

// Line is Text for what has to stay on one line: it makes line ends and tabs visible too.
func Line(s string) string { return replace(s, func(rune) bool { return false }) }

// Shorten shortens a text to so many characters.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Count counts things: 1 record, 2 records.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func replace(s string, stays func(rune) bool) string {
	isShown := func(r rune) bool { return !hides(r) || stays(r) }
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !isShown(r) }) {
		return s // as most are
	}
	var b strings.Builder
	for _, r := range s { // a byte that is no UTF-8 becomes U+FFFD
		if isShown(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) { // as JSON does: so it means the same inside of a document
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// hides reports whether a character is not seen itself, but steers how others are seen. The
// two joiners are part of scripts and of emoji.
func hides(r rune) bool {
	switch {
	case r < 0x7f, r == '—', r == '→', r == '…': // most of what is printed
		return r < ' '
	case r == '\u200c' || r == '\u200d':
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// A Writer makes visible what is printed through it. Only Style reaches the terminal.
type Writer struct {
	to   io.Writer
	mark rune   // begins a style; 0 until one is used
	rest []byte // the beginning of a character that has not come whole
	folder
}

// Fold folds longer lines between words, at a width in characters; 0 folds none.
func (w *Writer) Fold(width int) { w.folder = folder{width: width} }

// NewWriter returns a Writer that prints to another.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Underlying is what the Writer prints to.
func (w *Writer) Underlying() io.Writer { return w.to }

// Style sets a text in a style. Its marks are drawn by chance,
// so that no text can hold them.
func (w *Writer) Style(style, text string) string {
	if w.mark == 0 {
		w.mark = unicode.MaxRune - 2 - rand.Int32N(1<<16-2) // private characters of plane 16
	}
	return fmt.Sprintf("%c%sm%s%c0m", w.mark, style, text, w.mark)
}

// Write prints a part of a text.
func (w *Writer) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	whole := max(0, len(text)-utf8.UTFMax+1)
	for whole < len(text) && utf8.FullRune(text[whole:]) {
		whole++
	}
	text, w.rest = text[:whole], append([]byte(nil), text[whole:]...)
	shown := Text(string(text))
	if w.mark != 0 {
		shown = strings.ReplaceAll(shown, string(w.mark), "\x1b[")
	}
	if _, err := io.WriteString(w.to, w.fold(shown)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// A folder folds lines between words where a terminal ends. What goes on stands two characters deeper than the
// line began. It sees a line in parts, as they are written.
type folder struct {
	width       int // 0 folds nothing
	col, indent int // where the next character stands, and where the line began
	inside      bool
}

func (f *folder) fold(text string) string {
	if f.width == 0 {
		return text
	}
	var b strings.Builder
	styles := regexp.MustCompile("\x1b\\[[0-9;]*m") // not before: each hook call would compile it
	for text != "" {
		n := len(text) - len(strings.TrimLeft(text, " "))
		switch {
		case text[0] == '\n':
			f.col, f.indent, f.inside, n = 0, 0, false, 1
			b.WriteByte('\n')
		case n > 0: // blanks, as far as the line goes
			blanks := min(n, max(0, f.width-f.col))
			if f.col += blanks; !f.inside {
				f.indent = f.col
			}
			b.WriteString(strings.Repeat(" ", blanks))
		default:
			if n = strings.IndexAny(text, " \n"); n < 0 {
				n = len(text)
			}
			shown := utf8.RuneCountInString(styles.ReplaceAllString(text[:n], ""))
			if f.inside && f.col+shown > f.width && f.col > f.indent+2 {
				f.col = f.indent + 2
				b.WriteString("\n" + strings.Repeat(" ", f.col))
			}
			f.col, f.inside = f.col+shown, true
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}
