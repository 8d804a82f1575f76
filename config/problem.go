package config

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm/nearest"
)

// A Problem is something wrong in what the user wrote.
type Problem struct {
	File    string `json:"file"`             // or "environment PIPELINE_LEVEL"
	Line    int    `json:"line,omitempty"`   // counted from 1; 0 when it is about the file as a whole
	Col     int    `json:"col,omitempty"`    // in characters, counted from 1
	Message string `json:"message"`          // found X, expected Y
	Hint    string `json:"hint,omitempty"`   // did you mean Z?
	Source  string `json:"source,omitempty"` // the line as it is written
}

// String is the problem on one line.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
	}
	if at != "" {
		at += ": "
	}
	if p.Hint != "" {
		return at + p.Message + "; " + p.Hint
	}
	return at + p.Message
}

// Relative returns the problem with its file relative to a folder, if the file is in it.
func (p Problem) Relative(dir string) Problem {
	if rel, ok := relativePath(dir, p.File); ok && rel != "" && dir != "" {
		p.File = rel
	}
	return p
}

// PrintProblems writes each problem with its line and a mark below the place. Files in
// dir are relative to it. What a terminal would obey, or could not show, is escaped.
func PrintProblems(w io.Writer, problems []Problem, dir string) error {
	for _, p := range problems {
		text := escapeText(p.Relative(dir).String(), false)
		if _, err := fmt.Fprint(w, text, "\n", p.sourceExcerpt()); err != nil {
			return err
		}
	}
	return nil
}

// maxExcerpt is how many characters are shown on each side of a problem's place.
const maxExcerpt = 160

// sourceExcerpt is the source line with a caret below the place. Tabs stay tabs, so that
// a terminal puts the caret in the right column.
func (p Problem) sourceExcerpt() string {
	if p.Source == "" || p.Col == 0 {
		return ""
	}
	number := fmt.Sprint(p.Line)
	at := 0
	for range p.Col - 1 {
		_, n := utf8.DecodeRuneInString(p.Source[at:])
		at += n // 0 at the end of the line
	}
	before, after := escapeText(p.Source[:at], true), escapeText(p.Source[at:], true)
	if r := []rune(before); len(r) > maxExcerpt {
		before = "…" + string(r[len(r)-maxExcerpt:])
	}
	if r := []rune(after); len(r) > maxExcerpt {
		after = string(r[:maxExcerpt]) + "…"
	}
	margin := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, before)
	return fmt.Sprintf(" %s | %s%s\n %*s | %s^\n", number, before, after, len(number), "", margin)
}

// escapeText writes what a terminal would obey, or could not show, as Go does in a string:
// control characters, marks of direction, invalid bytes.
func escapeText(s string, tabs bool) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if unicode.IsPrint(r) && r != utf8.RuneError || tabs && r == '\t' {
			b.WriteString(s[:n])
		} else {
			b.WriteString(strings.Trim(strconv.QuoteToASCII(s[:n]), `"`))
		}
		s = s[n:]
	}
	return b.String()
}

// sortProblems orders problems as one reads: file by file in the order of the layers, top
// to bottom.
func sortProblems(problems []Problem, files []string) []Problem {
	slices.SortStableFunc(problems, compareProblems(files))
	return slices.Compact(problems)
}

func compareProblems(files []string) func(a, b Problem) int {
	return func(a, b Problem) int {
		return cmp.Or(cmp.Compare(slices.Index(files, a.File), slices.Index(files, b.File)),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	}
}

// found is the message about a text that is not as it must be.
func found(s, expected string) string {
	return fmt.Sprintf("found %s, expected %s", quoteShort(s), expected)
}

// quoteShort shortens what a message repeats of the file.
func quoteShort(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// DidYouMean is the hint for a word that is not among those expected; "" when none of
// them is like it.
func DidYouMean(word string, among []string) string {
	if meant := nearest.Find(word, among); meant != "" {
		return fmt.Sprintf("did you mean %s?", meant)
	}
	return ""
}

// hintAmong is the hint for a name that does not exist: the nearest one, else those that
// exist, at most eight of them.
func hintAmong(name string, names []string, what string) string {
	if len(names) == 0 {
		return "there are no " + what
	}
	if hint := DidYouMean(name, names); hint != "" {
		return hint
	}
	names = slices.Sorted(slices.Values(names))
	if len(names) > 8 {
		names = append(names[:8:8], "…")
	}
	return "the " + what + " are " + strings.Join(names, ", ")
}

// JoinOr lists words as a sentence does: a, b or c.
func JoinOr(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
