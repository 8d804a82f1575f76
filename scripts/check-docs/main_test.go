package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		name, shown, printed string
		want                 bool
	}{
		{"the same", "a\nb", "a\nb", true},
		{"blanks at the end", "a  ", "a", true},
		{"another line", "a", "b", false},
		{"a line missing", "a\nb", "a", false},
		{"a line too many", "a", "a\nb", false},
		{"rest of a line", "written …", "written /tmp/x", true},
		{"rest of a line, another beginning", "kept …", "written /tmp/x", false},
		{"in the middle", "state … since …", "state IDLE since 10:00", true},
		{"in the middle, another end", "a … z", "a b c", false},
		{"end and beginning may not overlap", "abc…bcd", "abcd", false},
		{"any lines", "a\n…\nz", "a\nb\nc\nz", true},
		{"no lines at all", "a\n…\nz", "a\nz", true},
		{"any lines at the end", "a\n…", "a\nb\nc", true},
		{"any lines, then one that never comes", "…\nq", "a\nb", false},
		{"only the ellipsis", "…", "", true},
	} {
		if got := matchLines(lines(c.shown), lines(c.printed)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func lines(text string) []string { return trimEmptyEnd(strings.Split(text, "\n")) }

const sample = `# Title

~~~sh
$ echo one \
>   two
one two

$ cd sub && export NAME=there
cd: no such…
~~~

~~~go
$ not a command
~~~

<!-- check-docs: skip needs a network -->
~~~console
$ curl example.org
~~~

- in a list
  ~~~console
  $ echo x
  x
  ~~~
`

func TestParse(t *testing.T) {
	d := parseDocument(strings.ReplaceAll(sample, "~~~", "```"))
	if len(d.problems) != 0 || d.skipped != 1 || len(d.commands) != 3 {
		t.Fatalf("found %+v", d)
	}
	for i, want := range []command{
		{line: 4, text: "echo one \\\n  two", output: []string{"one two"}},
		{line: 8, text: "cd sub && export NAME=there", output: []string{"cd: no such…"}},
		{line: 23, text: "echo x", output: []string{"x"}},
	} {
		got := d.commands[i]
		if got.line != want.line || got.text != want.text ||
			strings.Join(got.output, "\n") != strings.Join(want.output, "\n") {
			t.Errorf("command %d is %+v, want %+v", i, got, want)
		}
	}
}

func TestMarks(t *testing.T) {
	for mark, want := range map[string]string{
		"skip":              "needs a reason",
		"leave out, please": "expected check-docs: skip REASON",
	} {
		d := parseDocument("<!-- check-docs: " + mark + " -->\n```sh\n$ false\n```\n")
		if len(d.problems) != 1 || !strings.Contains(d.problems[0].what, want) || d.problems[0].line != 1 {
			t.Errorf("%q: %+v", mark, d.problems)
		}
	}
	if d := parseDocument("```sh\n$ true\n"); len(d.problems) != 1 {
		t.Errorf("an open block: %+v", d.problems)
	}
}

// The documents run with a pipeline that only prints its arguments.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, doc string
		code      int
		says      string
	}{
		{"as shown", "$ pipeline status\nasked: status\n", 0,
			"1 commands run, 0 blocks skipped, 0 references looked up, 0 differences"},
		{"a difference", "$ true\n$ pipeline status\nasked: check\n", 1, "doc.md:3: pipeline status"},
		{"a failure that nothing shows", "$ false\n", 1, "exit code 1"},
		{"a failure that is shown", "$ pipeline x; false\nasked: x\n", 0, "0 differences"},
		{"what is left behind", "$ mkdir -p sub; cd sub; export A=b\n$ echo \"${PWD##*/} $A\"\nsub b\n", 0,
			"2 commands"},
		{"a mark of a file", "```\n<!-- check-docs: file a/b -->\n```text\nin it\n```\n```sh\n$ cat a/b\nin it\n", 0,
			"2 commands"},
		{"a config", "```\n```yaml\nstates:\n  A: {}\n```\n```sh\n$ cat part.yaml\n" +
			"version: 1\ninitial: A\nstates:\n  A: {}\n", 0, "2 commands run"},
		{"a config with a problem", "```\n```toml\nbroken\n```\n```sh\n", 1, "doc.md:3: pipeline check part.toml"},
		{"known flags", "```\n`pipeline log --since 2h | less --x` `pipeline help log`\n```sh\n", 0, "2 references"},
		{"an unknown flag", "```\n`pipeline log --sinse 2h`\n```sh\n", 1,
			"doc.md:3: pipeline log --sinse 2h: no flag --sinse"},
		{"an unknown command", "```\n<!-- check-docs: skip x -->\n```sh\n$ pipeline lgo\n", 1, "no command lgo"},
		{"an exit", "$ exit 0\n$ echo on\non\n", 0, "2 commands"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "pipeline"), `#!/bin/sh
case $* in
help) printf 'COMMANDS:\n  See what happens\n   log  read\n' ;;
"help log") printf 'OPTIONS:\n   --since AGE  younger\n' ;;
completion*) ;;
check*) ! grep broken $2 ;;
*) echo asked: $* ;;
esac
`, 0o755)
			doc := filepath.Join(dir, "doc.md")
			write(t, doc, "```console\n"+c.doc+"```\n", 0o644)
			var out, talk strings.Builder
			code := checkDocuments([]string{"-binary", filepath.Join(dir, "pipeline"), doc}, &out, &talk)
			if code != c.code || !strings.Contains(out.String(), c.says) {
				t.Errorf("exit code %d, want %d with %q; printed:\n%s%s", code, c.code, c.says, &out, &talk)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	var talk strings.Builder
	if code := checkDocuments(nil, &talk, &talk); code != 2 {
		t.Errorf("no document: exit code %d, want 2", code)
	}
	if code := checkDocuments([]string{"no-such.md"}, &talk, &talk); code != 3 {
		t.Errorf("a missing document: exit code %d, want 3", code)
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// Each reference to code must hold; text in blocks is no reference.
func TestReferences(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example\n", 0o644)
	if err := os.MkdirAll(filepath.Join(dir, "a", "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a", "b.go"), `package a
type T struct{}
func (*T) Run() {}
func (g G[X]) Map() {}
func Free() {}
const limit, rest = 1, 2
`, 0o644)
	for text, want := range map[string]string{
		"`a/b.go`, `a/b.go: Free`, `a/b.go: T.Run`, `a/b.go: T`":    "",
		"`a/b.go: G.Map` and `a/b.go: rest`":                        "",
		"`main.go: none`, b.go: none, `go run ./a/b.go`":            "",
		"~~~go\n`a/b.go: Gone`\n~~~":                                "",
		"one\n`a/b.go: Run`":                                        "doc.md:2: a/b.go does not declare Run\n",
		"`a/b.go: T.Free`, `a/b.go: Free`":                          "doc.md:1: a/b.go does not declare T.Free\n",
		"[one](doc.md#x), [two](../b.go), [three](https://x.org/y)": "",
		"one\n[two](gone.md#x)":                                     "doc.md:2: the link leads nowhere: gone.md",
		"`a/c.go: Free`":                                            "doc.md:1: a/c.go cannot be read: ",
		"`a/d.go: T.Run`":                                           "; did you mean a/b.go?",
	} {
		doc := filepath.Join(dir, "a", "docs", "doc.md")
		write(t, doc, text+"\n", 0o644)
		var out strings.Builder
		code := checkDocuments([]string{doc}, &out, &out)
		if wantCode := min(len(want), 1); code != wantCode || !strings.Contains(out.String(), want) {
			t.Errorf("%q: exit code %d, want %d with %q; printed:\n%s", text, code, wantCode, want, &out)
		}
	}
}
