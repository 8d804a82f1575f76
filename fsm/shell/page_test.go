package shell

import (
	"bytes"
	"cmp"
	stdflag "flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = stdflag.Bool("update", false, "write docs/shell.md")

// The page of the table says what the table says:
//
//	go test ./fsm/shell -run TestPage -update
func TestPage(t *testing.T) {
	const file = "../../docs/shell.md"
	want := writePage()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table says (%v): go test ./fsm/shell -run TestPage -update", file, err)
	}
}

const introduction = `# What a shell line means

pipeline reads each shell line before it runs. It says which commands the line runs, and which files they read, write and
delete. Your rules judge each of these parts, and the strictest verdict counts. Nothing is run, and no file is opened, to
find this out.

<!-- Generated from the table in fsm/shell: go test ./fsm/shell -run TestPage -update -->

| a part | the tool that rules name | for example |
|---|---|---|
| a command | Bash | ` + "`git push`" + ` |
| a file that is read | Read | the ` + "`.env`" + ` of ` + "`cp .env /tmp/x`, `curl -d @.env …` and `tar cf - .env`" + ` |
| a file that is made or changed | Write | the ` + "`log`" + ` of ` + "`make > log`" + ` |
| a file that is removed | Delete | the ` + "`x`" + ` of ` + "`find . -name x -delete`" + ` |
| a search for text | Grep | ` + "`grep -r TODO src`" + ` |
| a search for names | Glob | ` + "`find . -name '*.go'`" + ` |

These words describe what is known of a part:

- **It only shows.** The command is known to change nothing and to run nothing unknown. A rule with ` + "`changes: false`" + `
  fits only such commands.
- **Its file is ` + "`?`" + `.** The path is known only when the line runs. No exception by path fits it. A pattern such as
  ` + "`cat .e*`" + ` counts as every file that it can match, for a rule that objects.
- **It is ` + "`?`" + `.** What the command runs cannot be known before it runs. ` + "`commands: [\"?\"]`" + ` fits it.
- **It builds.** The command builds, tests or runs a project, or fetches packages for it. ` + "`commands: [\"@builds\"]`" + ` fits it. A
  tool that is started through another one, as in ` + "`bundle exec TOOL`, `uv run TOOL` and `npx TOOL`" + `, is judged as if it were
  started by itself.
- **It tests.** The command builds only to test or to check the project: ` + "`go test`, `mvn verify`, `make check`" + `.
  ` + "`commands: [\"@tests\"]`" + ` fits it.
- **It leaves this machine**, or cannot be taken back: ` + "`git push`, `npm publish`, `gh pr merge`, `terraform apply`, `curl -d …`" + `
  to another machine. ` + "`commands: [\"@remote\"]`" + ` fits it.
- **It destroys** what no undo brings back, or stops the machine: ` + "`dropdb`, `dd of=/dev/sda`, `reboot`, `docker volume prune`" + `.
  So does ` + "`rm`" + ` of what lies outside of the project, of folders for temporary files and of caches. ` + "`commands: [\"@destroys\"]`" + ` fits it.
  A rule that asks about it or refuses it also fits the device or the file as such; put it before the rules about files, as the
  presets do, and the person is asked where those would refuse. No refusal proposes to delegate what leaves or destroys.
- **It hands work elsewhere**: to a process that runs already, or to another machine. The work is then not done by the line
  itself: ` + "`docker run`, `ssh`, `at`, `gradle build`" + ` without ` + "`--no-daemon`" + `. ` + "`commands: [\"@elsewhere\"]`" + ` fits it.
  What only lists, plans or tries (` + "`--dry-run`" + `) is in none of these three.

What is not in the table:

- A program that is not listed is ` + "`?`" + `, and so is one that is listed with a subcommand that its row lacks, or with an option
  that was not tried. An exception that names such a program fits it. Where its first words are verbs such as
  ` + "`push`, `upload`, `delete`" + `, it leaves this machine or destroys; so does an unknown subcommand of git. What looks
  like a file among its arguments is a Read; its ` + "`-o FILE`, `--output FILE`" + ` and the like are a Write. ` + "`--version` and `--help`" + ` alone are known.
- A path such as ` + "`./build.sh`" + ` is ` + "`?`" + `, and so is a script that an interpreter is given. ` + "`./gradlew` and `./mvnw`" + ` are
  as known as gradle and mvn.
- Of what is ` + "`?`" + `, the name of a script (` + "`deploy.sh`" + `), words behind a wrapper and commands in strings of code
  (` + "`os.system(\"git push\")`" + `) are read for what leaves or destroys. Where not even the program is known, so are the
  values that the line has: ` + "`a=(git push); \"${a[@]}\"`" + `.
- Code in Python or Node on the line is known where it only computes, prints and reads
  (` + "`node -p 'require(\"./package.json\").version'`" + `). Other code is ` + "`?`" + `, and so are an option or a variable
  whose value is code or the arguments of a program (` + "`tar --to-command=…`, `GIT_EDITOR='touch x'`, `NODE_OPTIONS`" + `), and
  what is said to a database. The code of a shell is read.
- Plain values are followed (` + "`D=src; rm -rf $D/x`" + `), also through loops, functions and ` + "`cd`" + `. Arrays,
  ` + "`${x%.go}`, `x+=y`, `set --`" + ` and what another shell inherits are not: there a file is ` + "`?`" + `, and behind a
  symbolic link that the line makes, every file.
- A command that writes what it is given, with operands that cannot be known, writes ` + "`?`: `… | xargs cp`" + `.
- A git command in a repository outside of the project also runs ` + "`?`" + `: that repository's settings may name programs to run.
  The same holds for what a build tool shows by running build files: ` + "`gradle tasks`, `make -n`, `pytest --collect-only`" + `. Where
  it may be given files from anywhere, such a call builds.
- A line over 64 KB or nested too deep is one ` + "`?`" + `, and counts as leaving this machine: a push may hide in it. A line that cannot
  be parsed is ` + "`?`" + ` too; its pieces between ` + "`;`, `|`, `&`" + ` and the like are read for what leaves or destroys.

` + "`pipeline explain 'Bash(LINE)'`" + ` shows the parts of a line and the rule that decides each.

## The commands

Below are the first names of each group. ` + "`pipeline explain 'Bash(COMMAND)'`" + ` knows the others, and the files that the
options of further commands name. A command stands where it belongs without options. An option of a command that only shows
may still write or run code (` + "`sort -o`, `rg --pre`" + `), and one of a command that writes may only show (` + "`rsync -n`" + `). A bare
name such as ` + "`npm`" + ` stands for the subcommands without a place of their own. Any of these with ` + "`--help` or `--version`" + `
alone only shows.
`

// pageGroups are what the page tells apart, in its order: a row belongs to the first that has it.
var pageGroups = []struct {
	text string
	has  func(r, command *form) bool
}{
	{"only show", func(r, _ *form) bool {
		return r.interpret == nil && r.effect == nil &&
			(r.shows == showsAlways || r.shows == showsOnly && r.changes == "")
	}},
	{"only show, unless an option or operand changes something", func(r, _ *form) bool {
		return r.interpret == nil && r.shows != mayChange
	}},
	{"leave this machine", func(r, c *form) bool { return cmp.Or(r.in, c.in)&Remote != 0 }},
	{"destroy", func(r, c *form) bool { return cmp.Or(r.in, c.in)&Destroys != 0 }},
	{"hand work elsewhere", func(r, c *form) bool { return cmp.Or(r.in, c.in)&(Elsewhere|Builds) == Elsewhere }},
	{"test", func(r, c *form) bool { return cmp.Or(r.in, c.in)&Tests != 0 }},
	{"build", func(r, c *form) bool { return cmp.Or(r.in, c.in)&Builds != 0 }},
	{"run the command that they are given", func(r, _ *form) bool { return r.wraps != noWrapper }},
	{"run code, which is `?` unless it is known on the line", func(r, _ *form) bool { return r.interpret != nil }},
	{"delete files", func(r, _ *form) bool { return strings.ContainsRune(r.operands, rune(deletesIt)) }},
	{"change files", func(r, _ *form) bool {
		return r.unnamed || strings.ContainsAny(r.operands+r.then, "wou.") || r.effect != nil
	}},
}

// addNames puts the names of a row into its group.
func addNames(named map[string][]string, row, command *form, before string) {
	for _, g := range pageGroups {
		if g.has(row, command) {
			for name := range strings.SplitSeq(row.words, "|") {
				named[g.text] = append(named[g.text], before+name)
			}
			return
		}
	}
}

// pageTitles say what each part of the table is about.
var pageTitles = [...]struct{ title, about string }{
	{"Looking",
		"Commands that show files, search, filter text, or say something of the system."},
	{"Files",
		"Commands that make, change, copy, move, remove, pack and send files, editors, and what ends the machine."},
	{"Git",
		"Its own files under .git are not recorded."},
	{"Package managers and build tools",
		"What they install or build is in the project. A script of the project that they run is known by its name " +
			"only."},
	{"Formatters, linters and compilers",
		"Commands that read sources and say something of them, or change them in place. Those that run settings of " +
			"the project are not listed."},
	{"Containers, clouds and other machines",
		"What runs in a container may change any file here that is mounted; below `-v HERE:THERE` it is known " +
			"which. What runs on another machine changes " +
			"none."},
	{"Wrappers",
		"Commands that run a command that they are given. That command is judged as if it stood alone."},
	{"Shells, interpreters, databases",
		"Code that is not on the line, or in a language that is not read, is unknown."},
}

// pageNames is how many names of a group stand on the page.
const pageNames = 6

// writePage returns the page: an introduction, then what the parts of the table have in each group.
func writePage() []byte {
	var b bytes.Buffer
	b.WriteString(introduction)
	for at, rows := range table {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", pageTitles[at].title, pageTitles[at].about)
		named := map[string][]string{}
		for i := range rows {
			row := &rows[i]
			addNames(named, row, row, "")
			first, _, _ := strings.Cut(row.words, "|")
			for j := range row.forms {
				addNames(named, &row.forms[j], row, first+" ")
			}
		}
		for _, g := range pageGroups {
			if names := named[g.text]; len(names) > pageNames {
				fmt.Fprintf(&b, "- %s: `%s` and %d more\n", g.text, strings.Join(names[:pageNames], "`, `"),
					len(names)-pageNames)
			} else if len(names) > 0 {
				fmt.Fprintf(&b, "- %s: `%s`\n", g.text, strings.Join(names, "`, `"))
			}
		}
	}
	return b.Bytes()
}
