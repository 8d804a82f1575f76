// Command check-lines finds lines of Go code that are too long to read side by side.
// It leaves out tests, whose tables of cases have one case on a line.
package main

import (
	"bufio"
	"fmt"
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
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
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
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if columns := countColumns(lines.Text()); columns > maxColumns {
			fmt.Fprintf(out, "%s:%d: %d columns, want at most %d\n", path, n, columns, maxColumns)
			found = true
		}
	}
	return found, lines.Err()
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
