package main

import (
	"regexp"
	"strings"
)

// A document is what a Markdown file says about commands and code.
type document struct {
	commands   []command
	references []reference
	links      []reference
	uses       []use
	skipped    int // blocks
	problems   []problem
}

// A command is a line to type, with the output that the document shows for it.
type command struct {
	line    int // where it stands, from 1
	text    string
	output  []string // without empty lines at the end
	file    string   // written before the line is run, in the project; empty for none
	content string
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
			d.links = append(d.links, findLinks(lines[i], i+1)...)
			d.uses = append(d.uses, findUses(lines[i], i+1)...)
			continue
		}
		end := findClosingFence(lines, i, open[1])
		if end == len(lines) {
			d.problems = append(d.problems, problem{i + 1, "the block is never closed"})
		}
		d.addBlock(block{lines: lines, open: i, end: end, language: open[2]})
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

// A block is what stands between the fences open and end.
type block struct {
	lines     []string // of the whole document
	open, end int
	language  string
}

// text is what the block holds, without its indent.
func (b block) text() string {
	var out strings.Builder
	for _, line := range b.lines[b.open+1 : b.end] {
		out.WriteString(strings.TrimPrefix(line, b.indent()) + "\n")
	}
	return out.String()
}

func (b block) indent() string {
	fence := b.lines[b.open]
	return fence[:len(fence)-len(strings.TrimLeft(fence, " \t"))]
}

// mark returns what stands in the mark before the block, and whether there is one.
func (b block) mark() (what, rest string, marked bool) {
	if b.open == 0 {
		return "", "", false
	}
	m := markLine.FindStringSubmatch(b.lines[b.open-1])
	if m == nil {
		return "", "", false
	}
	what, rest, _ = strings.Cut(m[1], " ")
	return what, strings.TrimSpace(rest), true
}

// addBlock adds what is to be done for a block: its mark says, or its language.
func (d *document) addBlock(b block) {
	what, rest, marked := b.mark()
	switch {
	case marked && what != "skip" && what != "file":
		found := "found check-docs: " + strings.TrimSpace(what+" "+rest)
		d.problems = append(d.problems, problem{b.open, found + ", expected check-docs: skip REASON or file PATH"})
	case marked && rest == "":
		d.problems = append(d.problems, problem{b.open, "check-docs: skip needs a reason, file a path"})
	case what == "skip":
		d.skipped++
		for _, c := range b.commands() {
			d.uses = append(d.uses, use{c.line, c.text})
		}
	case what == "file" || b.language == "yaml" || b.language == "toml":
		d.commands = append(d.commands, b.config(rest))
	case b.language == "sh" || b.language == "console":
		d.commands = append(d.commands, b.commands()...)
	}
}

// config is the command that writes the block to a file, of which the name may be left open,
// and lets pipeline check what is a config.
func (b block) config(file string) command {
	c := command{line: b.open + 1, text: "true", file: file, content: b.text()}
	if file == "" {
		c.file, c.content = "part."+b.language, completePart(c.content, b.language)
	}
	if b.language == "yaml" || b.language == "toml" {
		c.text = "pipeline check " + c.file
	}
	return c
}

// completePart gives a part of a config the version and the initial state that it lacks.
func completePart(text, language string) string {
	is := map[string]string{"yaml": ": ", "toml": " = "}[language]
	first := regexp.MustCompile(`(?m)^states:\s+(\w+):`).FindStringSubmatch(text)
	if first != nil && !strings.Contains("\n"+text, "\ninitial") {
		text = "initial: " + first[1] + "\n" + text
	}
	if !strings.Contains("\n"+text, "\nversion") {
		text = "version" + is + "1\n" + text
	}
	return text
}

// commands returns the lines to type, each with the output that the block shows for it.
func (b block) commands() (out []command) {
	for i := b.open + 1; i < b.end; i++ {
		line := strings.TrimPrefix(b.lines[i], b.indent())
		switch text, isCommand := strings.CutPrefix(line, "$ "); {
		case isCommand:
			whole, last := joinContinuation(text, b.lines, b.indent(), i, b.end)
			out = append(out, command{line: i + 1, text: whole})
			i = last
		case len(out) > 0:
			last := &out[len(out)-1]
			last.output = append(last.output, line)
		}
	}
	for i := range out {
		out[i].output = trimEmptyEnd(out[i].output)
	}
	return out
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
