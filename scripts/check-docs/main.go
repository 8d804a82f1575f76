// Command check-docs runs the examples of documents and compares what they print with what the documents show.
//
// In a fenced block marked sh or console each line that starts with "$ " is a command; the lines up to the next command
// are what it prints, on both streams, empty lines at the end aside. A command with nothing shown must succeed; where
// output is shown, the output decides. "…" stands for any text in a line; alone on a line it stands for any lines. Lines that
// start with "> " right after a command continue it, and so does a backslash at the end.
//
// The commands of one document run one after the other in one throw-away project, as a reader would type them: what one
// leaves behind, its directory and exported variables included, the next one finds. A block is left out when the line
// before it is <!-- check-docs: skip REASON -->.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns 0 when all is as shown, 1 when something differs, 2 for wrong usage, 3 when it could not work.
func run(args []string, out, talk io.Writer) int {
	f := flag.NewFlagSet("check-docs", flag.ContinueOnError)
	f.SetOutput(talk)
	binary := f.String("binary", "bin/pipeline", "the `file` whose folder is first on PATH")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if f.NArg() == 0 {
		fmt.Fprintln(talk, "check-docs: no document given")
		return 2
	}
	code := 0
	for _, path := range f.Args() {
		differences, err := checkFile(path, *binary, out)
		if err != nil {
			fmt.Fprintln(talk, "check-docs:", err)
			return 3
		}
		if differences > 0 {
			code = 1
		}
	}
	return code
}

// checkFile runs one document and prints where it differs.
func checkFile(path, binary string, out io.Writer) (differences int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	doc := parse(string(text))
	for _, p := range doc.problems {
		fmt.Fprintf(out, "%s:%d: %s\n", path, p.line, p.what)
	}
	found, err := doc.play(path, binary, out)
	if err != nil {
		return 0, err
	}
	differences = len(doc.problems) + found
	fmt.Fprintf(out, "%s: %d commands run, %d blocks left out, %d differences\n", path, len(doc.commands), doc.skipped, differences)
	return differences, nil
}

// play runs the document's commands and returns how many differ.
func (d document) play(path, binary string, out io.Writer) (differences int, err error) {
	if len(d.commands) == 0 {
		return 0, nil
	}
	dir, err := filepath.Abs(filepath.Dir(binary))
	if err != nil {
		return 0, fmt.Errorf("find %s: %w", binary, err)
	}
	if _, err := os.Stat(binary); err != nil {
		return 0, fmt.Errorf("find what to run: %w", err)
	}
	s, err := newStage(dir)
	if err != nil {
		return 0, err
	}
	defer s.close()
	for _, c := range d.commands {
		got, err := s.run(c.text)
		if err != nil {
			return differences, fmt.Errorf("%s:%d: %w", path, c.line, err)
		}
		if what := c.differs(got); what != "" {
			fmt.Fprintf(out, "%s:%d: %s\n", path, c.line, what)
			differences++
		}
	}
	return differences, nil
}
