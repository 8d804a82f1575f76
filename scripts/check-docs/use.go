package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/scripts/manual"
)

// A use is a command line of pipeline that a document names without running it.
type use struct {
	line int // where it stands, from 1
	text string
}

// findUses takes the command lines in backquotes from a line of text.
func findUses(text string, line int) (out []use) {
	for _, found := range regexp.MustCompile("`(pipeline [^`]+)`").FindAllStringSubmatch(text, -1) {
		out = append(out, use{line, found[1]})
	}
	return out
}

// findUnknownUses returns the uses of commands and flags that the binary does not have.
func findUnknownUses(binary string, uses []use) (out []problem, err error) {
	if len(uses) == 0 {
		return nil, nil
	}
	pages, err := manual.Read(binary)
	if err != nil {
		return nil, err
	}
	flags := readFlags(pages)
	for _, u := range uses {
		if what := describeUnknown(flags, u.text); what != "" {
			out = append(out, problem{u.line, u.text + ": " + what})
		}
	}
	return out, nil
}

// readFlags returns the flags of each command, by its full name without "pipeline".
func readFlags(pages []manual.Page) map[string][]string {
	flags := map[string][]string{"help": nil}
	pattern := regexp.MustCompile(`(?:^|\s)(--?[a-z][a-z-]*)`)
	for _, p := range pages[1:] {
		name := strings.TrimPrefix(p.Path, "pipeline ")
		flags[name] = nil
		for line := range strings.Lines(p.Text("OPTIONS")) {
			described, _, _ := strings.Cut(line, "  ")
			for _, found := range pattern.FindAllStringSubmatch(described, -1) {
				flags[name] = append(flags[name], found[1])
			}
		}
	}
	return flags
}

// describeUnknown says what of a command line does not exist. It reads the words after
// "pipeline" up to a shell's operator.
func describeUnknown(flags map[string][]string, text string) string {
	name := ""
	words := strings.Fields(text)
	for i, word := range words {
		switch {
		case strings.ContainsAny(word[:1], "|;&>#"):
			return ""
		case i == 0 && word != "pipeline": // a program of someone else
			return ""
		case strings.HasPrefix(word, "-"):
			flag, _, _ := strings.Cut(strings.Trim(word, ",[]"), "=")
			if !slices.Contains(append(flags[name], "--config", "--version", "--help", "-h"), flag) {
				return "no flag " + flag
			}
		case i > 0:
			full := strings.TrimSpace(name + " " + word)
			if _, ok := flags[full]; ok {
				name = full
			} else if name == "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") == "" {
				return "no command " + word
			}
		}
	}
	return ""
}
