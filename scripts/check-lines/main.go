// Command check-lines finds lines of Go code that are too long to read side by side. Texts in backquotes may be longer:
// they have the lines that they stand for.
package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	maxColumns = 120
	tabColumns = 4
)

func main() {
	roots := os.Args[1:]
	if len(roots) == 0 {
		roots = []string{"."}
	}
	os.Exit(checkLines(roots, os.Stdout, os.Stderr))
}

// checkLines returns 0 when no line is too long, 1 when some are, 3 when it could not look.
func checkLines(roots []string, out, errs io.Writer) int {
	code := 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			found, err := checkFile(path, out)
			if found {
				code = 1
			}
			return err
		})
		if err != nil {
			fmt.Fprintln(errs, "check-lines:", err)
			return 3
		}
	}
	return code
}

func checkFile(path string, out io.Writer) (found bool, err error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	quoted := findQuoted(src)
	for i, line := range strings.Split(string(src), "\n") {
		if columns := countColumns(line); columns > maxColumns && !quoted[i+1] {
			fmt.Fprintf(out, "%s:%d: %d columns, want at most %d\n", path, i+1, columns, maxColumns)
			found = true
		}
	}
	return found, nil
}

// findQuoted finds the lines with texts in backquotes, by their numbers.
func findQuoted(src []byte) map[int]bool {
	lines := map[int]bool{}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for pos, tok, text := s.Scan(); tok != token.EOF; pos, tok, text = s.Scan() {
		if tok == token.STRING && text[0] == '`' {
			first := file.Line(pos)
			for n := range strings.Count(text, "\n") + 1 {
				lines[first+n] = true
			}
		}
	}
	return lines
}

// countColumns counts as an editor shows the line: a tab fills up to the next tab stop.
func countColumns(line string) (columns int) {
	for i, piece := range strings.Split(line, "\t") {
		if i > 0 {
			columns += tabColumns - columns%tabColumns
		}
		columns += utf8.RuneCountInString(piece)
	}
	return columns
}
