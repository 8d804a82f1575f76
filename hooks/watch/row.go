package watch

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// A style is a parameter of the terminal's SGR sequence (ECMA-48).
type style string

const (
	plain   style = ""
	bold    style = visible.Bold
	dim     style = visible.Dim
	reverse style = "7"
	red     style = visible.Red
	green   style = visible.Green
	yellow  style = visible.Yellow
	cyan    style = visible.Cyan
)

// A piece is a text in one style, a row is one line of the screen.
type (
	piece struct {
		style style
		text  string
	}
	row []piece
)

// say makes a row of one piece.
func say(s style, text string) row { return row{{s, text}} }

// countCells is how many columns of a terminal a text takes.
func countCells(s string) (n int) {
	for _, r := range s {
		n += cellsOf(r)
	}
	return n
}

func cellsOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// cutText shortens a text to so many columns.
func cutText(s string, columns int) string {
	if countCells(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	return takeCells(s, columns-1) + "…"
}

// takeCells is the beginning of a text that takes at most so many columns.
func takeCells(s string, columns int) string {
	for i, r := range s {
		if columns -= cellsOf(r); columns < 0 {
			return s[:i]
		}
	}
	return s
}

func (r row) countCells() (n int) {
	for _, p := range r {
		n += countCells(p.text)
	}
	return n
}

// clean makes what others wrote visible, and fits the row to so many columns.
func (r row) clean(columns int) (out row) {
	for _, p := range r {
		p.text = cutText(visible.Line(p.text), columns)
		if columns -= countCells(p.text); p.text != "" {
			out = append(out, p)
		}
	}
	return out
}

// paint writes a clean row, with spaces behind it up to so many columns.
func (r row) paint(colours bool, columns int) string {
	var b strings.Builder
	for _, p := range r {
		if colours && p.style != plain {
			b.WriteString("\x1b[" + string(p.style) + "m" + p.text + "\x1b[0m")
			continue
		}
		b.WriteString(p.text)
	}
	b.WriteString(strings.Repeat(" ", max(0, columns-r.countCells())))
	return b.String()
}

// wrapText breaks a text into lines of so many columns, at spaces where there are some, and
// at most so many lines.
func wrapText(s string, columns, lines int) (out []string) {
	line := ""
	for word := range strings.FieldsSeq(visible.Text(s)) {
		switch {
		case line == "":
			line = word
		case countCells(line)+1+countCells(word) <= columns:
			line += " " + word
		default:
			out, line = append(out, line), word
		}
	}
	if line != "" {
		out = append(out, line)
	}
	if len(out) > lines {
		out = out[:lines]
		out[lines-1] = takeCells(out[lines-1], columns-1) + "…"
	}
	for i := range out {
		out[i] = cutText(out[i], columns)
	}
	return out
}
