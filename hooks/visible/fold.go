package visible

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

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
	for text != "" {
		n := len(text) - len(strings.TrimLeft(text, " "))
		switch {
		case text[0] == '\n':
			f.col, f.indent, f.inside, n = 0, 0, false, 1
			b.WriteByte('\n')
		case n > 0:
			b.WriteString(strings.Repeat(" ", f.skip(n)))
		default:
			if n = strings.IndexAny(text, " \n"); n < 0 {
				n = len(text)
			}
			shown := countShown(text[:n])
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

// skip moves over blanks, as far as the line goes, and returns how many those are.
func (f *folder) skip(n int) int {
	n = min(n, max(0, f.width-f.col))
	if f.col += n; !f.inside {
		f.indent = f.col
	}
	return n
}

// countShown counts the characters of a text without its styles.
func countShown(text string) int {
	if strings.Contains(text, "\x1b[") {
		text = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(text, "")
	}
	return utf8.RuneCountInString(text)
}
