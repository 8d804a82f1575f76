package config

import (
	"cmp"
	"fmt"
	"io"
	"slices"
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
	if p.Hint == "" {
		return at + ": " + p.Message
	}
	return at + ": " + p.Message + "; " + p.Hint
}

// Relative returns the problem with its file relative to a folder, if the file is in it.
func (p Problem) Relative(dir string) Problem {
	if rel, ok := relativePath(dir, p.File); ok && rel != "" && dir != "" {
		p.File = rel
	}
	return p
}

// PrintProblems writes each problem with its line and a mark below the place. Files in
// dir are relative to it.
func PrintProblems(w io.Writer, problems []Problem, dir string) error {
	for _, p := range problems {
		if _, err := fmt.Fprint(w, p.Relative(dir), "\n", p.sourceExcerpt()); err != nil {
			return err
		}
	}
	return nil
}

// sourceExcerpt is the source line with a caret below the place. Tabs stay tabs, so that
// a terminal puts the caret in the right column.
func (p Problem) sourceExcerpt() string {
	if p.Source == "" || p.Col == 0 {
		return ""
	}
	number := fmt.Sprint(p.Line)
	before := []rune(p.Source)
	before = before[:min(p.Col-1, len(before))]
	for i, r := range before {
		if r != '\t' {
			before[i] = ' '
		}
	}
	return fmt.Sprintf(" %s | %s\n %*s | %s^\n", number, p.Source, len(number), "", string(before))
}

// sortProblems orders problems as one reads: file by file in the order of the layers, top
// to bottom.
func sortProblems(problems []Problem, files []string) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(slices.Index(files, a.File), slices.Index(files, b.File)),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col),
		)
	})
	return slices.Compact(problems)
}
