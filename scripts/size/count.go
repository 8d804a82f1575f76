package main

import (
	"bytes"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// countPackages counts lines and tokens of the Go files below a folder, without tests.
func countPackages(root string) (table, error) {
	t := table{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			switch e.Name() {
			case ".git", "testdata", "node_modules", "vendor":
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		r := t[filepath.ToSlash(rel)]
		r[0] += bytes.Count(text, []byte("\n"))
		r[1] += countTokens(text)
		t[filepath.ToSlash(rel)] = r
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count lines: %w", err)
	}
	return t, nil
}

func countTokens(text []byte) (n int) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		switch _, tok, _ := s.Scan(); tok {
		case token.EOF:
			return n
		case token.SEMICOLON: // most are put in by the scanner
		default:
			n++
		}
	}
}
