package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm/diagram"
)

// TestHelpIsWhole walks the table of commands: each command and subcommand has a page of
// its own, with all that a person needs.
func TestHelpIsWhole(t *testing.T) {
	p := &program{}
	app := p.app()
	if got, want := len(app.Commands), len(commandTable()); got != want {
		t.Fatalf("%d commands, want %d", got, want)
	}
	for _, path := range listCommandPaths(app) {
		var out bytes.Buffer
		printHelp(&out, path)
		text, name, c := out.String(), joinNames(path), path[len(path)-1]
		t.Run(name, func(t *testing.T) {
			if usage := c.Usage; usage == "" || strings.ToUpper(usage[:1]) != usage[:1] ||
				strings.HasSuffix(usage, ".") {
				t.Errorf("usage %q", usage)
			}
			if !strings.Contains(text, "\nUSAGE:\n   "+name) {
				t.Errorf("no synopsis: %s", text)
			}
			for e := range strings.SplitSeq(c.UsageText, "\n") {
				words, ok := strings.CutPrefix(e, "pipeline ")
				if l := readCommandLine(app, strings.Fields(words)); !ok || len(l.path) == 1 || l.path[1] != path[1] {
					t.Errorf("example %q in UsageText is not of this command", e)
				}
			}
			for _, want := range []string{"NAME:", "USAGE:", "DESCRIPTION:", "Exit codes:", "EXAMPLES:", "--help, -h"} {
				if !strings.Contains(text, want) {
					t.Errorf("the help has no %q:\n%s", want, text)
				}
			}
			if strings.Contains(text, "default: false") {
				t.Errorf("the help has a default of a switch:\n%s", text)
			}
			shown, _, _ := strings.Cut(text, "\nEXAMPLES:") // which are to be copied
			for line := range strings.SplitSeq(shown, "\n") {
				if utf8.RuneCountInString(line) > helpWidth {
					t.Errorf("more than %d columns: %s", helpWidth, line)
				}
			}
			for _, f := range path[len(path)-1].Flags {
				checkFlagHelp(t, f)
			}
		})
	}
}

// checkFlagHelp wants a word in capital letters for what a flag takes.
func checkFlagHelp(t *testing.T, f cli.Flag) {
	t.Helper()
	doc := f.(cli.DocGenerationFlag)
	row := describeFlags([]cli.Flag{f})[0]
	word := row.name[strings.LastIndex(row.name, " ")+1:]
	if strings.HasPrefix(word, "-") { // its last name
		word = ""
	}
	text, _, _ := strings.Cut(row.text, " (default")
	if text == "" {
		t.Errorf("--%s: no text", f.Names()[0])
	}
	if doc.TakesValue() && (word == "" || word != strings.ToUpper(word)) {
		t.Errorf("--%s: found %q for its value, expected a word in capital letters", f.Names()[0], word)
	}
	if !doc.TakesValue() && word != "" {
		t.Errorf("--%s takes no value, and its text names %s", f.Names()[0], word)
	}
}

func TestCommandLine(t *testing.T) {
	p := &program{}
	app := p.app()
	for line, want := range map[string]string{
		"reset why --to IDLE":           "reset --to IDLE why",
		"reset why --to=IDLE":           "reset --to=IDLE why",
		"session --force clear":         "session clear --force",
		"bypass --session s on":         "bypass on --session s",
		"session clear list":            "session clear list",
		"--config f status --json":      "--config f status --json",
		"bypass on -- --for":            "bypass on -- --for",
		"explain reset --state IDLE":    "explain --state IDLE reset",
		"log --agent help --verdict -h": "log --agent help --verdict -h",
		"tasks route help":              "tasks route help",
		"reset --to":                    "reset --to",
		"-- reset x":                    "-- reset x",
		"nope --x":                      "--x nope",
	} {
		l := readCommandLine(app, strings.Fields(line))
		if got := strings.Join(l.words()[1:], " "); got != want || l.help {
			t.Errorf("%q: read as %q, help %v, want %q", line, got, l.help, want)
		}
	}
	for line, want := range map[string]string{
		"help":               "",
		"--help":             "",
		"help session clear": "session clear",
		"session clear s -h": "session clear",
		"reset -h why":       "reset",
		"--config f help":    "",
	} {
		l := readCommandLine(app, strings.Fields(line))
		var names []string
		for _, c := range l.path[1:] {
			names = append(names, c.Name)
		}
		if got := strings.Join(names, " "); got != want || !l.help {
			t.Errorf("%q: help of %q (%v), want of %q", line, got, l.help, want)
		}
	}
}

// TestArgumentsAreRefused: a command whose help names no argument takes none, and says so before it does anything.
func TestArgumentsAreRefused(t *testing.T) {
	p := &program{}
	for _, path := range listCommandPaths(p.app()) {
		c := path[len(path)-1]
		if c.ArgsUsage != "" || len(c.Subcommands) > 0 {
			continue
		}
		var usage usageError
		set := flag.NewFlagSet("", flag.ContinueOnError)
		if err := set.Parse([]string{"surplus"}); err != nil {
			t.Fatal(err)
		}
		if err := c.Action(cli.NewContext(nil, set, nil)); !errors.As(err, &usage) ||
			!strings.Contains(err.Error(), c.Name+" takes no arguments") {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

// TestPictureIsCurrent: the README shows the default config of today.
func TestPictureIsCurrent(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(repo(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	p := &program{console{getenv: func(k string) string { return map[string]string{"HOME": t.TempDir()}[k] }}}
	o, err := config.Open(p.world(t.TempDir(), filepath.Join(repo(t), "configs", "pipeline.yaml")))
	if err != nil || o.Policy == nil {
		t.Fatal(err, o.Problems)
	}
	now, err := diagram.Draw(o.Policy, o.Policy.Initial, "mermaid")
	if err != nil || !strings.Contains(string(readme), "```mermaid\n"+now+"```\n") {
		t.Errorf("the README's picture is not the default config's: pipeline graph --format mermaid (%v)", err)
	}
}

// TestReadersHaveJSON: what only reads has --json.
func TestReadersHaveJSON(t *testing.T) {
	for _, path := range listCommandPaths((&program{}).app()) {
		name := joinNames(path)
		c := path[len(path)-1]
		hasJSON := slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "json" })
		if !hasJSON && len(c.Subcommands) == 0 && !strings.Contains(withoutJSON,
			" "+strings.TrimPrefix(name, "pipeline ")+",") {
			t.Errorf("%s has no --json: add it, or list the command in withoutJSON", name)
		}
	}
}

// TestReplacedCommands: each answers once with what to use now, which exists, and stands nowhere in the help.
func TestReplacedCommands(t *testing.T) {
	for old, now := range replacements() {
		var out, errs bytes.Buffer
		line := append([]string{"pipeline"}, strings.Fields(old)...)
		if code := run(append(line, "--some-flag", "word"), strings.NewReader(""), &out, &errs); code != 2 {
			t.Errorf("%s: exit code %d", old, code)
		}
		if want := "pipeline: pipeline " + old + " was replaced by: pipeline " + now + "\n"; errs.String() != want {
			t.Errorf("found %q, want %q", &errs, want)
		}
		app := (&program{}).app()
		if l := readCommandLine(app, strings.Fields(now)); len(l.path) == 1 {
			t.Errorf("%s: there is no command %s", old, now)
		}
		if l := readCommandLine(app, strings.Fields(old)); len(l.path) == 1+len(strings.Fields(old)) {
			t.Errorf("%s is still a command", old)
		}
	}
}

// withoutJSON are the commands that print a text for a shell, a client or a model, or change something.
const withoutJSON = " init, install, uninstall, demo, graph, session clear, once, reset, approve, reject, dispute, " +
	"tasks schema, export, hook, " +
	"statusline, policy-helper, completion bash, completion zsh, completion fish,"

// listCommandPaths lists all commands and subcommands that people call.
func listCommandPaths(app *cli.App) [][]*cli.Command {
	var out [][]*cli.Command
	root := rootCommand(app)
	for _, c := range app.Commands {
		out = append(out, []*cli.Command{root, c})
		for _, sub := range c.Subcommands {
			if !sub.Hidden {
				out = append(out, []*cli.Command{root, c, sub})
			}
		}
	}
	return out
}
