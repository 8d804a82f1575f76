// Command check-docs checks documents: it runs their examples and looks up the code
// that they name.
//
// In a fenced block marked sh or console, each line that starts with "$ " is a command.
// The lines up to the next command are its output, from both streams, without empty
// lines at the end. A command without output in the document must succeed. Otherwise
// only the output counts. "…" stands for any text in a line, and alone on a line for
// any lines. Lines that start with "> " continue a command. So does a backslash at the
// end.
//
// The commands of one document run in order in one temporary project, as a reader would
// type them: each finds the files, the directory and the exported variables that the
// previous ones left. The line <!-- check-docs: skip REASON --> before a block skips it:
// its commands are not run, but their names and flags are looked up.
//
// A block marked yaml or toml is a config, or a part of one, in which `pipeline check` must
// find no problem. The line <!-- check-docs: file PATH --> before a block of any kind writes
// it to PATH in the project, where the next commands find it.
//
// Outside of blocks, `dir/file.go` in backquotes must be a file of the project,
// `dir/file.go: Type.Method` something that it declares, and `pipeline NAME --flag` a
// command with that flag. A link to a file leads to one.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/hooks/hosttest"
)

func main() {
	if err := hosttest.TakeTerminal(); err != nil { // the reader has one
		fmt.Fprintln(os.Stderr, "check-docs:", err)
		os.Exit(3)
	}
	os.Exit(checkDocuments(os.Args[1:], os.Stdout, os.Stderr))
}

// checkDocuments returns 0 when all documents hold, 1 when something differs, 2 for wrong
// usage, 3 when it could not work.
func checkDocuments(args []string, out, talk io.Writer) int {
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

// checkFile checks one document and prints each difference.
func checkFile(path, binary string, out io.Writer) (differences int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	doc := parseDocument(string(text))
	doc.problems = append(doc.problems, checkReferences(findModule(path), doc.references)...)
	doc.problems = append(doc.problems, checkLinks(filepath.Dir(path), doc.links)...)
	unknown, err := findUnknownUses(binary, doc.uses)
	if err != nil {
		return 0, err
	}
	doc.problems = append(doc.problems, unknown...)
	for _, p := range doc.problems {
		fmt.Fprintf(out, "%s:%d: %s\n", path, p.line, p.what)
	}
	found, err := doc.runCommands(path, binary, out)
	if err != nil {
		return 0, err
	}
	differences = len(doc.problems) + found
	fmt.Fprintf(out, "%s: %d commands run, %d blocks skipped, %d references looked up, %d differences\n",
		path, len(doc.commands), doc.skipped, len(doc.references)+len(doc.links)+len(doc.uses), differences)
	return differences, nil
}

// runCommands runs the document's commands and returns how many of them differ.
func (d document) runCommands(path, binary string, out io.Writer) (differences int, err error) {
	if len(d.commands) == 0 {
		return 0, nil
	}
	dir, err := filepath.Abs(filepath.Dir(binary))
	if err != nil {
		return 0, fmt.Errorf("find %s: %w", binary, err)
	}
	if _, err := os.Stat(binary); err != nil {
		return 0, fmt.Errorf("find the binary: %w", err)
	}
	s, err := newStage(dir)
	if err != nil {
		return 0, err
	}
	defer s.removeAll()
	for _, c := range d.commands {
		got, err := s.runCommand(c)
		if err != nil {
			return differences, fmt.Errorf("%s:%d: %w", path, c.line, err)
		}
		if what := c.describeDifference(got); what != "" {
			fmt.Fprintf(out, "%s:%d: %s\n", path, c.line, what)
			differences++
		}
	}
	return differences, nil
}
