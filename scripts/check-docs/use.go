package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
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
	text, err := exec.Command(binary, "man", "--format", "markdown").Output()
	if err != nil {
		return nil, fmt.Errorf("list the commands: %w", err)
	}
	flags := readManual(string(text))
	for _, u := range uses {
		if what := describeUnknown(flags, u.text); what != "" {
			out = append(out, problem{u.line, u.text + ": " + what})
		}
	}
	return out, nil
}

// readManual returns the flags of each command, by its full name without "pipeline".
func readManual(text string) map[string][]string {
	flags := map[string][]string{"help": nil}
	name := ""
	pattern := regexp.MustCompile(`(?:^|\s)(--?[a-z][a-z-]*)`)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "### pipeline "); ok {
			name = strings.TrimSpace(title)
			flags[name] = nil
		}
		if described, ok := strings.CutPrefix(line, "   -"); ok {
			described, _, _ = strings.Cut("-"+described, "  ")
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
