// Command size holds each package to a committed table of what it may measure: lines, tokens, and
// what of it runs at one warm hook call.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "the project's folder")
	isWriting := flag.Bool("write", false, "lower the rows of packages that became smaller")
	raise := flag.String("raise", "",
		"set rows to what is measured now: folders of packages, or total, with commas between")
	flag.Parse()
	if err := run(*root, *isWriting, *raise, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func run(root string, isWriting bool, raise string, out io.Writer) error {
	now, err := countPackages(root)
	if err == nil {
		err = addHotPath(root, now)
	}
	if err != nil {
		return err
	}
	now.addTotal()
	path := filepath.Join(root, "scripts", "size", "table.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the table: %w", err)
	}
	allowed, err := parseTable(string(text))
	if err != nil {
		return err
	}
	if err := allowed.raise(raise, now); err != nil {
		return err
	}
	if isWriting {
		allowed.lower(now)
	}
	if isWriting || raise != "" {
		if err := os.WriteFile(path, []byte(allowed.format()), 0o644); err != nil {
			return fmt.Errorf("write the table: %w", err)
		}
	}
	found := allowed.compare(now)
	for _, line := range found {
		fmt.Fprintln(out, line)
	}
	if len(found) > 0 {
		return errors.New("the program has grown. Make it smaller, or allow it on purpose, and say why " +
			"in the commit: go run ./scripts/size -raise PACKAGE")
	}
	smaller := maps.Clone(allowed)
	if smaller.lower(now); smaller.format() != allowed.format() {
		fmt.Fprintln(out, "The program is smaller than the table allows. Keep it so: go run ./scripts/size -write")
	}
	return nil
}
