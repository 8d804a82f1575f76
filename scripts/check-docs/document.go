package main

import (
	"regexp"
	"strings"
)

// A document is what a Markdown file says about commands.
type document struct {
	commands []command
	skipped  int // blocks
	problems []problem
}

// A command is a line to type, and what it is said to print.
type command struct {
	line   int // where it stands, from 1
	text   string
	output []string // without empty lines at the end
}

type problem struct {
	line int
	what string
}

// What a fence and a mark look like; indented ones stand in lists.
var (
	fence = regexp.MustCompile("^\\s*(```+|~~~+)\\s*([A-Za-z]*)")
	mark  = regexp.MustCompile(`^\s*<!--\s*check-docs:\s*(.*?)\s*-->\s*$`)
)

// parse finds the blocks that are meant to be run.
func parse(text string) document {
	var d document
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		open := fence.FindStringSubmatch(lines[i])
		if open == nil {
			continue
		}
		end := closing(lines, i, open[1])
		if end == len(lines) {
			d.problems = append(d.problems, problem{i + 1, "the block is never closed"})
		}
		if open[2] == "sh" || open[2] == "console" {
			d.block(lines, i, end)
		}
		i = end
	}
	return d
}

// closing is the line that closes the block, or the number of lines.
func closing(lines []string, open int, ticks string) int {
	for i := open + 1; i < len(lines); i++ {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), ticks); ok && strings.Trim(rest, ticks[:1]) == "" {
			return i
		}
	}
	return len(lines)
}

// block takes the commands of the block whose fences are the lines open and end.
func (d *document) block(lines []string, open, end int) {
	if open > 0 {
		if m := mark.FindStringSubmatch(lines[open-1]); m != nil {
			d.marked(m[1], open)
			return
		}
	}
	indent := lines[open][:len(lines[open])-len(strings.TrimLeft(lines[open], " \t"))]
	from := len(d.commands)
	for i := open + 1; i < end; i++ {
		line := strings.TrimPrefix(lines[i], indent)
		switch text, isCommand := strings.CutPrefix(line, "$ "); {
		case isCommand:
			whole, last := continued(text, lines, indent, i, end)
			d.commands = append(d.commands, command{line: i + 1, text: whole})
			i = last
		case len(d.commands) > from:
			last := &d.commands[len(d.commands)-1]
			last.output = append(last.output, line)
		}
	}
	for i := range d.commands[from:] {
		c := &d.commands[from+i]
		c.output = trimEnd(c.output)
	}
}

// marked takes the mark before a block: the only one there is leaves it out, and says why.
func (d *document) marked(mark string, line int) {
	what, reason, _ := strings.Cut(mark, " ")
	switch {
	case what != "skip":
		d.problems = append(d.problems, problem{line, "found check-docs: " + mark + ", expected check-docs: skip REASON"})
	case strings.TrimSpace(reason) == "":
		d.problems = append(d.problems, problem{line, "check-docs: skip wants a reason"})
	default:
		d.skipped++
	}
}

// continued adds the lines that continue a command.
func continued(text string, lines []string, indent string, i, end int) (string, int) {
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

func trimEnd(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
