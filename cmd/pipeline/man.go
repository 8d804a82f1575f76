package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
)

func newManCommand(p *program) *cli.Command {
	return &cli.Command{
		Usage:     "Print the man page of a command, or write all of them",
		ArgsUsage: "[COMMAND…]",
		Description: `Without a COMMAND the page of pipeline itself. With --output one file for each command and
subcommand, as man looks for them in a folder man1.
Exit codes: 0 fine, 2 wrong usage, 3 could not write.`,
		UsageText: "pipeline man session clear | man -l -\npipeline man --output ~/.local/share/man/man1",
		Flags: []cli.Flag{
			valueFlag("format", "man", "as `FORMAT`: man or markdown (one page of all commands)"),
			textFlag("output", "write all pages into this `DIR`")},
		Action: p.action(runMan),
	}
}

func runMan(p *program, c *cli.Context) error {
	l := readCommandLine(c.App, c.Args().Slice())
	if len(l.args) > 0 {
		return unknownCommand(c.App, l.path, l.args[0])
	}
	if err := checkWord("unknown format", c.String("format"), "man", "markdown"); err != nil {
		return err
	}
	switch {
	case c.String("format") == "markdown":
		return p.printWhole(commandsPage(c.App))
	case c.IsSet("output"):
		return writeManPages(c.App, c.String("output"))
	}
	return p.printWhole(describeCommand(c.App, l.path).roff())
}

func writeManPages(app *cli.App, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write man pages: %w", err)
	}
	for _, path := range append(listCommandPaths(app), nil) {
		pg := describeCommand(app, path)
		file := filepath.Join(dir, strings.ReplaceAll(pg.path, " ", "-")+".1")
		if err := os.WriteFile(file, []byte(pg.roff()), 0o644); err != nil {
			return fmt.Errorf("write man pages: %w", err)
		}
	}
	return nil
}

// listCommandPaths lists all commands and subcommands that people call.
func listCommandPaths(app *cli.App) [][]*cli.Command {
	var out [][]*cli.Command
	for _, c := range app.Commands {
		out = append(out, []*cli.Command{c})
		for _, sub := range c.Subcommands {
			if !sub.Hidden {
				out = append(out, []*cli.Command{c, sub})
			}
		}
	}
	return out
}

// roff is the page in the language of man pages.
func (pg page) roff() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"pipeline %s\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s\n", quoteRoff(strings.ToUpper(
		strings.ReplaceAll(pg.path, " ", "-"))), escapeRoff(version), escapeRoff(strings.ReplaceAll(pg.path, " ", "-")),
		escapeRoff(pg.usage), escapeRoff(pg.synopsis))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", escapeRoff(strings.TrimSpace(pg.description)))
	for i, g := range pg.commands {
		if i == 0 {
			b.WriteString(".SH COMMANDS\n")
		}
		if g.name != "" {
			fmt.Fprintf(&b, ".SS %s\n", quoteRoff(g.name))
		}
		writeRoffRows(&b, g.rows)
	}
	b.WriteString(".SH OPTIONS\n")
	writeRoffRows(&b, pg.options)
	if len(pg.examples) > 0 {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", escapeRoff(strings.Join(pg.examples, "\n")))
	} else {
		fmt.Fprintf(&b, ".SH EXIT STATUS\n%s\n", escapeRoff(exitCodes))
	}
	return b.String()
}

func writeRoffRows(b *strings.Builder, rows []pageRow) {
	for _, r := range rows {
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", quoteRoff(r.name), escapeRoff(r.text))
	}
}

func quoteRoff(s string) string { return `"` + strings.ReplaceAll(escapeRoff(s), `"`, `""`) + `"` }

// escapeRoff keeps a text from being read as requests, which begin a line with a point or a quote.
func escapeRoff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + s)[1:]
	var b strings.Builder
	for _, r := range s {
		if r > '~' {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// commandsPage is docs/commands.md: what --help says, without the members of JSON, what it says of
// every command, and the descriptions of those that only clients and shells call.
func commandsPage(app *cli.App) string {
	var b strings.Builder
	b.WriteString("# Commands\n\n<!-- made by: pipeline man --format markdown -->\n\n" +
		"Every command has a `--help` with examples and exit codes; many print JSON with `--json`. Session ids may\n" +
		"be shortened to their beginning. `pipeline completion bash`, `zsh` and `fish` print the completion\n" +
		"for a shell.\n\n" +
		"Exit codes: " + exitCodes + ".\n")
	for _, g := range commandGroups() {
		fmt.Fprintf(&b, "\n## %s\n", g.name)
		for _, e := range g.entries {
			for _, path := range listCommandPaths(&cli.App{Commands: []*cli.Command{app.Command(e.name)}}) {
				pg := describeCommand(app, path)
				if g.name == plumbing {
					pg.description = ""
				}
				pg.writeMarkdown(&b)
			}
		}
	}
	return b.String()
}

func (pg page) writeMarkdown(b *strings.Builder) {
	description, _, _ := strings.Cut(pg.description, "Exit codes:")
	description, _, _ = strings.Cut(description, "The members of")
	fmt.Fprintf(b, "\n### %s\n\n%s.\n\n```text\n%s\n", pg.path, strings.TrimSuffix(pg.usage, "."), pg.synopsis)
	if description = strings.TrimSpace(description); description != "" {
		fmt.Fprintf(b, "\n%s\n", foldText(description, helpWidth))
	}
	var rows, known []pageRow
	for _, r := range pg.options {
		switch r.name {
		case "--help, -h":
		case "--json", "--session ID":
			known = append(known, pageRow{name: r.name})
		default:
			rows = append(rows, r)
		}
	}
	rows = append(rows, known...) // the same with every command
	if len(rows) > 0 {
		b.WriteString("\n")
		printGroups(b, pageGroup{rows: rows})
	}
	b.WriteString("```\n")
}
