package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// A helpRow is a command or a flag and what it does. Without a text it is a heading.
type helpRow struct{ name, text string }

// printHelp prints the help of the last command of a path, which begins with the program. The man pages
// and docs/commands.md are made of it. A command's UsageText holds the examples: the line of usage is
// made from the rest.
func printHelp(w io.Writer, path []*cli.Command) {
	c, name, isProgram := path[len(path)-1], joinNames(path), len(path) == 1
	var commands []helpRow
	group := ""
	for _, sub := range c.Subcommands {
		if sub.Hidden || sub.Category == plumbing {
			continue
		}
		if sub.Category != group {
			group = sub.Category
			commands = append(commands, helpRow{name: group})
		}
		row := helpRow{sub.Name, sub.Usage}
		if !isProgram {
			row.name = strings.TrimSpace(sub.Name + " " + sub.ArgsUsage)
		}
		commands = append(commands, row)
	}
	synopsis := name
	if len(c.Flags) > 0 {
		synopsis += " [OPTIONS]"
	}
	if c.ArgsUsage != "" {
		synopsis += " " + c.ArgsUsage
	}
	if len(commands) > 0 {
		synopsis += " [COMMAND]"
	}
	last := "EXAMPLES:\n   " + strings.ReplaceAll(c.UsageText, "\n", "\n   ")
	if isProgram {
		synopsis = name + " [--config FILE] COMMAND [OPTIONS]"
		last = "EXIT CODES:\n   0 fine, 1 problems found, 2 wrong usage, 3 could not work"
	}
	title := strings.Join(foldWords(name+" - "+c.Usage, helpWidth-3), "\n   ")
	fmt.Fprintf(w, "NAME:\n   %s\n\nUSAGE:\n   %s\n", title, synopsis)
	text := c.Description
	if !isProgram && !strings.Contains(text, exitCodes) {
		text += "\n" + exitCodes + " 0 fine, 2 wrong usage, 3 could not work."
	}
	text = foldText(text, helpWidth-3)
	fmt.Fprintf(w, "\nDESCRIPTION:\n   %s\n", strings.ReplaceAll(text, "\n", "\n   "))
	if len(commands) > 0 {
		fmt.Fprintf(w, "\nCOMMANDS:\n")
		printRows(w, commands)
	}
	fmt.Fprintf(w, "\nOPTIONS:\n")
	printRows(w, describeFlags(c.Flags))
	fmt.Fprintf(w, "\n%s\n", last)
}

// exitCodes is how a description says what they mean. One that does not has the usual ones.
const exitCodes = "Exit codes:"

// describeFlags lists the flags of a command, with the one that all have.
func describeFlags(flags []cli.Flag) []helpRow {
	var out []helpRow
	for _, f := range flags {
		name, text, _ := strings.Cut(f.String(), "\t")
		name, _, _ = strings.Cut(name, " [ ") // a flag that may be repeated stands there twice
		text, value, hasDefault := strings.Cut(text, " (default: ")
		if hasDefault && value != "false)" && value != "0)" {
			text += " (default: " + strings.ReplaceAll(value, `"`, "")
		}
		out = append(out, helpRow{name, text})
	}
	return append(out, helpRow{"--help, -h", "show this help"})
}

// helpWidth is how wide the texts of help are.
const helpWidth = 80

// printRows prints rows in two columns.
func printRows(w io.Writer, rows []helpRow) {
	width := 0
	for _, r := range rows {
		if r.text != "" {
			width = max(width, utf8.RuneCountInString(r.name))
		}
	}
	for _, r := range rows {
		if r.text == "" {
			fmt.Fprintf(w, "  %s\n", r.name)
			continue
		}
		for _, line := range foldWords(r.text, helpWidth-width-5) {
			fmt.Fprintln(w, strings.TrimRight("   "+padRight(r.name, width)+"  "+line, " "))
			r.name = ""
		}
	}
}

// foldText breaks a description into lines of so many characters. What stands on a short line, is indented, is
// an item of a list or says the exit codes keeps its line.
func foldText(text string, width int) string {
	var out []string
	paragraph := ""
	endParagraph := func(indent string) {
		if paragraph == "" {
			return
		}
		for _, line := range foldWords(paragraph, width-len(indent)) {
			out = append(out, strings.TrimRight(indent+line, " "))
		}
		paragraph = ""
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if indent != "" || strings.HasPrefix(line, exitCodes) || strings.HasPrefix(line, "- ") {
			endParagraph("")
		}
		paragraph += " " + line
		if indent != "" || utf8.RuneCountInString(line) < 70 {
			endParagraph(indent)
		}
	}
	endParagraph("")
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
