// Command pages writes what documents and packages need of the program and its schema: docs/commands.md, docs/config.md
// and the man pages.
//
//	pages -binary bin/pipeline commands
//	pages -binary bin/pipeline man DIR
//	pages reference
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/scripts/manual"
)

func main() {
	binary := flag.String("binary", "bin/pipeline", "the program whose help is read")
	flag.Parse()
	if err := run(*binary, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

func run(binary, what, dir string) error {
	switch what {
	case "reference":
		text, err := describeSchema(configs.Schema())
		if err == nil {
			_, err = os.Stdout.WriteString(text)
		}
		return err
	case "commands":
		pages, err := manual.Read(binary)
		if err == nil {
			_, err = os.Stdout.WriteString(writeMarkdown(pages))
		}
		return err
	case "man":
		pages, err := manual.Read(binary)
		if err != nil {
			return err
		}
		return writeManPages(pages, dir)
	}
	return fmt.Errorf("unknown page %q: commands, man DIR or reference", what)
}

const commandsHead = "# Commands\n\n<!-- made by: make docs -->\n\n" +
	"Every command has a `--help` with examples and exit codes; many print JSON with `--json`. Session ids may\n" +
	"be shortened to their beginning. `pipeline completion bash`, `zsh` and `fish` print the completion\n" +
	"for a shell.\n\n" +
	"Exit codes: 0 fine, 1 problems found, 2 wrong usage, 3 could not work.\n"

// plumbing is the heading of the commands that the program's help leaves out.
const plumbing = "For clients and shells"

// writeMarkdown is docs/commands.md: what --help says of every command, without examples, exit codes and the members of
// JSON. Of commands that only clients and shells call it leaves out the description.
func writeMarkdown(pages []manual.Page) string {
	var b strings.Builder
	b.WriteString(commandsHead)
	group := ""
	for _, p := range pages[1:] {
		heading, description := p.Group, p.Text("DESCRIPTION")
		if heading == "" {
			heading, description = plumbing, ""
		}
		if heading != group {
			group = heading
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		description, _, _ = strings.Cut(description, "Exit codes:")
		description, _, _ = strings.Cut(description, "The members of")
		fmt.Fprintf(&b, "\n### %s\n\n%s.\n\n```text\n%s\n", p.Path, p.Usage(), p.Text("USAGE"))
		if description = strings.TrimSpace(description); description != "" {
			fmt.Fprintf(&b, "\n%s\n", description)
		}
		if options := listOptions(p.Text("OPTIONS")); options != "" {
			fmt.Fprintf(&b, "\n%s", options)
		}
		b.WriteString("```\n")
	}
	return b.String()
}

// listOptions leaves out of the options what is the same with every command: --help, and the texts of two others, which
// go to the end.
func listOptions(text string) string {
	var own, common string
	isCommon := false
	for line := range strings.Lines(text) {
		line = "   " + strings.TrimRight(line, "\n") + "\n"
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "-") {
			isCommon = false
			for _, known := range []string{"--json", "--session ID", "--help, -h"} {
				if strings.HasPrefix(name, known+"  ") {
					isCommon = true
					if known != "--help, -h" {
						common += "   " + known + "\n"
					}
				}
			}
		}
		if !isCommon {
			own += line
		}
	}
	return own + common
}

// writeManPages writes a page for each command into a folder, as man looks for them in a folder man1.
func writeManPages(pages []manual.Page, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range pages {
		file := filepath.Join(dir, strings.ReplaceAll(p.Path, " ", "-")+".1")
		if err := os.WriteFile(file, []byte(makeRoff(p)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// makeRoff is a page in the language of man pages.
func makeRoff(p manual.Page) string {
	name := escapeRoff(strings.ReplaceAll(p.Path, " ", "-"))
	var b strings.Builder
	fmt.Fprintf(&b, ".TH \"%s\" 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), name, escapeRoff(p.Usage()))
	for _, s := range p.Sections[1:] {
		fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", escapeRoff(s.Name), escapeRoff(s.Text))
	}
	return b.String()
}

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
