package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// A page is the help of one command. The man pages and docs/commands.md are made of what it
// prints.
type page struct {
	path        string // pipeline session clear
	usage       string // what it does, in one line
	synopsis    string // how it is written
	description string
	commands    []pageGroup // its subcommands; of the program, all commands
	options     []pageRow
	examples    []string
}

type pageGroup struct {
	name string
	rows []pageRow
}

type pageRow struct{ name, text string }

// exitCodes is what every command ends with; each says what they mean for it.
const exitCodes = "0 fine, 1 problems found, 2 wrong usage, 3 could not work"

// describeCommand is the page of the last command of a path, which begins with the program. A command's UsageText holds
// the examples: the line of usage is made from the rest.
func describeCommand(path []*cli.Command) page {
	c, isProgram := path[len(path)-1], len(path) == 1
	pg := page{path: joinNames(path), usage: c.Usage, description: c.Description, options: describeFlags(c.Flags)}
	for _, sub := range c.Subcommands {
		if sub.Hidden || sub.Category == plumbing {
			continue
		}
		row := pageRow{sub.Name, sub.Usage}
		if !isProgram {
			row.name = strings.TrimSpace(sub.Name + " " + sub.ArgsUsage)
		}
		if n := len(pg.commands); n == 0 || pg.commands[n-1].name != sub.Category {
			pg.commands = append(pg.commands, pageGroup{name: sub.Category})
		}
		last := &pg.commands[len(pg.commands)-1]
		last.rows = append(last.rows, row)
	}
	pg.synopsis = pg.path
	if isProgram {
		pg.synopsis += " [--config FILE] COMMAND [OPTIONS]"
		return pg
	}
	pg.examples = strings.Split(c.UsageText, "\n")
	if len(c.Flags) > 0 {
		pg.synopsis += " [OPTIONS]"
	}
	if c.ArgsUsage != "" {
		pg.synopsis += " " + c.ArgsUsage
	}
	if len(pg.commands) > 0 {
		pg.synopsis += " [COMMAND]"
	}
	return pg
}

// describeFlags lists the flags of a command, with the one that all have.
func describeFlags(flags []cli.Flag) []pageRow {
	var out []pageRow
	for _, f := range flags {
		name, text, _ := strings.Cut(f.String(), "\t")
		name, _, _ = strings.Cut(name, " [ ") // a flag that may be repeated stands there twice
		text, value, hasDefault := strings.Cut(text, " (default: ")
		if hasDefault && value != "false)" && value != "0)" {
			text += " (default: " + strings.ReplaceAll(value, `"`, "")
		}
		out = append(out, pageRow{name, text})
	}
	return append(out, pageRow{"--help, -h", "show this help"})
}

// print prints a page for a terminal.
func (pg page) print(w io.Writer) {
	name := strings.Join(foldWords(pg.path+" - "+pg.usage, helpWidth-3), "\n   ")
	fmt.Fprintf(w, "NAME:\n   %s\n\nUSAGE:\n   %s\n", name, pg.synopsis)
	if pg.description != "" {
		text := foldText(pg.description, helpWidth-3)
		fmt.Fprintf(w, "\nDESCRIPTION:\n   %s\n", strings.ReplaceAll(text, "\n", "\n   "))
	}
	if len(pg.commands) > 0 {
		fmt.Fprintf(w, "\nCOMMANDS:\n")
	}
	printGroups(w, pg.commands...)
	fmt.Fprintf(w, "\nOPTIONS:\n")
	printGroups(w, pageGroup{rows: pg.options})
	if len(pg.examples) > 0 {
		fmt.Fprintf(w, "\nEXAMPLES:\n   %s\n", strings.Join(pg.examples, "\n   "))
	} else {
		fmt.Fprintf(w, "\nEXIT CODES:\n   %s\n", exitCodes)
	}
}

// helpWidth is how wide the texts of help are.
const helpWidth = 80

// printGroups prints rows in two columns, as wide in each group.
func printGroups(w io.Writer, groups ...pageGroup) {
	width := 0
	for _, g := range groups {
		for _, r := range g.rows {
			width = max(width, utf8.RuneCountInString(r.name))
		}
	}
	for _, g := range groups {
		if g.name != "" {
			fmt.Fprintf(w, "  %s\n", g.name)
		}
		for _, r := range g.rows {
			name := r.name
			for _, line := range foldWords(r.text, helpWidth-width-5) {
				fmt.Fprintln(w, strings.TrimRight("   "+padRight(name, width)+"  "+line, " "))
				name = ""
			}
		}
	}
}

// foldText breaks a description into lines of so many characters. What stands on a short line, is indented or
// says the exit codes keeps its line.
func foldText(text string, width int) string {
	var out []string
	paragraph := ""
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		ends := indent != "" || strings.HasPrefix(line, "Exit codes:")
		if ends && paragraph != "" {
			out, paragraph = append(out, foldWords(paragraph, width)...), ""
		}
		paragraph += " " + line
		if indent != "" || utf8.RuneCountInString(line) < 70 {
			for _, folded := range foldWords(paragraph, width-len(indent)) {
				out = append(out, strings.TrimRight(indent+folded, " "))
			}
			paragraph = ""
		}
	}
	if paragraph != "" {
		out = append(out, foldWords(paragraph, width)...)
	}
	return strings.Join(out, "\n")
}

// foldWords breaks a text into lines of so many characters.
func foldWords(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
