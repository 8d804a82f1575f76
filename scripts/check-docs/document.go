package main

import (
	"regexp"
	"strings"
)

// A document is what a Markdown file says about commands and code.
type document struct {
	commands   []command
	references []reference
	skipped    int // blocks
	problems   []problem
}

// A command is a line to type, with the output that the document shows for it.
type command struct {
	line   int // where it stands, from 1
	text   string
	output []string // without empty lines at the end
}

type problem struct {
	line int
	what string
}

// Fences and marks may be indented: they stand in lists.
var (
	fenceLine = regexp.MustCompile("^\\s*(```+|~~~+)\\s*([A-Za-z]*)")
	markLine  = regexp.MustCompile(`^\s*<!--\s*check-docs:\s*(.*?)\s*-->\s*$`)
)

// parseDocument finds the blocks to run, and outside of blocks the references to code.
func parseDocument(text string) document {
	var d document
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		open := fenceLine.FindStringSubmatch(lines[i])
		if open == nil {
			d.references = append(d.references, findReferences(lines[i], i+1)...)
			continue
		}
		end := findClosingFence(lines, i, open[1])
		if end == len(lines) {
			d.problems = append(d.problems, problem{i + 1, "the block is never closed"})
		}
		if open[2] == "sh" || open[2] == "console" {
			d.addBlock(lines, i, end)
		}
		i = end
	}
	return d
}

// findClosingFence returns the index of the line that closes the block, or the number of
// lines.
func findClosingFence(lines []string, open int, ticks string) int {
	for i := open + 1; i < len(lines); i++ {
		rest, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), ticks)
		if ok && strings.Trim(rest, ticks[:1]) == "" {
			return i
		}
	}
	return len(lines)
}

// addBlock adds the commands of the block between the fences open and end.
func (d *document) addBlock(lines []string, open, end int) {
	if open > 0 {
		if m := markLine.FindStringSubmatch(lines[open-1]); m != nil {
			d.applyMark(m[1], open)
			return
		}
	}
	indent := lines[open][:len(lines[open])-len(strings.TrimLeft(lines[open], " \t"))]
	from := len(d.commands)
	for i := open + 1; i < end; i++ {
		line := strings.TrimPrefix(lines[i], indent)
		switch text, isCommand := strings.CutPrefix(line, "$ "); {
		case isCommand:
			whole, last := joinContinuation(text, lines, indent, i, end)
			d.commands = append(d.commands, command{line: i + 1, text: whole})
			i = last
		case len(d.commands) > from:
			last := &d.commands[len(d.commands)-1]
			last.output = append(last.output, line)
		}
	}
	for i := range d.commands[from:] {
		c := &d.commands[from+i]
		c.output = trimEmptyEnd(c.output)
	}
}

// applyMark reads the mark before a block. The only mark is skip, with its reason.
func (d *document) applyMark(mark string, line int) {
	what, reason, _ := strings.Cut(mark, " ")
	switch {
	case what != "skip":
		found := "found check-docs: " + mark + ", expected check-docs: skip REASON"
		d.problems = append(d.problems, problem{line, found})
	case strings.TrimSpace(reason) == "":
		d.problems = append(d.problems, problem{line, "check-docs: skip needs a reason"})
	default:
		d.skipped++
	}
}

// joinContinuation appends the lines that continue a command, and returns the last index.
func joinContinuation(text string, lines []string, indent string, i, end int) (string, int) {
	for i+1 < end {
		next := strings.TrimPrefix(lines[i+1], indent)
		more, quoted := strings.CutPrefix(next, "> ")
		if !quoted && !strings.HasSuffix(text, `\`) {
			break
		}
		text += "\n" + more
		i++
	}
	return text, i
}

func trimEmptyEnd(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
