package shell

import (
	"bytes"
	stdflag "flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = stdflag.Bool("update", false, "write docs/shell.md")

// The page of the table says what the table says:
//
//	go test ./fsm/shell -run TestPage -update
func TestPage(t *testing.T) {
	const file = "../../docs/shell.md"
	page := writePage()
	if *update {
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, page) {
		t.Errorf("docs/shell.md is not what the table says (%v): go test ./fsm/shell -run TestPage -update", err)
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

Three words describe what is known of a part:

- **It only shows.** The command is known to change nothing and to run nothing unknown. A rule with ` + "`changes: false`" + `
  fits only such commands.
- **Its file is ` + "`?`" + `.** The path is known only when the line runs. No exception by path fits it. A pattern such as
  ` + "`cat .e*`" + ` counts as every file that it can match, for a rule that objects.
- **It is ` + "`?`" + `.** What the command runs cannot be known before it runs. ` + "`commands: [\"?\"]`" + ` fits it.

What is not in the table:

- A program that is not listed is known by its name, and by what the shell does for it. Its ` + "`-o FILE`, `--output FILE`" + ` and
  the like are a Write.
- A path such as ` + "`./build.sh`" + ` is ` + "`?`" + `, and so is a script that an interpreter is given.
- A command that writes what it is given, with operands that cannot be known, writes ` + "`?`: `… | xargs cp`" + `.
- A git command in a repository outside of the project is ` + "`?`" + `: that repository's settings may name programs to run.
- A line over 64 KB, nested too deep or not to be read at all is one ` + "`?`" + `.

` + "`pipeline explain 'LINE'`" + ` shows the parts of a line and the rule that decides each.

## The table

Each entry lists commands of which the same is known. Any command with ` + "`--help` or `--version`" + ` alone only shows.
`

// writePage returns the page: an introduction, then what the rows say, family by family.
func writePage() []byte {
	var b bytes.Buffer
	b.WriteString(introduction)
	for _, f := range families {
		var said []string
		named := map[string][]string{}
		add := func(words, text string) {
			if named[text] == nil {
				said = append(said, text)
			}
			named[text] = append(named[text], words)
		}
		count := 0
		for i := range f.rows {
			row := &f.rows[i]
			count += strings.Count(row.words, "|") + 1
			if text := describeRow(row); text != "" || len(row.forms) == 0 {
				add("`"+strings.ReplaceAll(row.words, "|", "` `")+"`", text)
			}
			for j := range row.forms {
				first, _, _ := strings.Cut(row.words, "|")
				add("`"+first+" "+strings.ReplaceAll(row.forms[j].words, "|", "` `"+first+" ")+"`", describeRow(&row.forms[j]))
			}
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n<details><summary>%d commands</summary>\n\n", f.title, f.about, count)
		for _, text := range said {
			fmt.Fprintf(&b, "- %s: %s\n", strings.Join(named[text], " "), text)
		}
		b.WriteString("\n</details>\n")
	}
	return b.Bytes()
}

// describeRow says what a row says, in words.
func describeRow(r *form) string {
	var out []string
	say := func(ok bool, format string, args ...any) {
		if ok {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	switch r.shows {
	case showsAlways:
		say(true, "only shows")
	case showsOnly:
		say(true, "only shows%s", exceptOptions(r))
	case listsOnly:
		say(true, "only shows without operands%s%s", orOptions(r.lists), exceptOptions(r))
	}
	say(r.wraps != noWrapper, "runs the command that it is given%s",
		map[place]string{container: ", in a container: its files are `?`", elsewhere: ", on another machine"}[r.where])
	say(r.interpret != nil, "runs code, which is `?` unless it is known on the line")
	say(r.opaque != "", "`?` with %s", optionNames(r.opaque))
	say(r.hides != nil, "`?` where its words can run something that they do not show")
	say(r.runs != "", "runs the code of %s", optionNames(r.runs))
	say(r.reads != "", "reads the file of %s", optionNames(r.reads))
	say(r.operands != "", "%s", roleNames(r.operands))
	say(r.when != "" && r.then != "", "with %s %s", optionNames(r.when), roleNames(r.then))
	say(r.unnamed, "changes files that the line does not name%s", withOptions(r.when))
	say(r.makes == Unknown, "makes files here")
	say(r.makes != "" && r.makes != Unknown, "makes `%s`", r.makes)
	switch {
	case r.outputs == noOutputs:
	case r.outputs == usualOutputs:
		say(true, "writes the file of `-o`, `--output` and the like")
	default:
		say(r.writes+r.outputs != "", "writes the file of %s", optionNames(strings.TrimSpace(r.writes+" "+r.outputs)))
	}
	say(r.into != "", "fills the folder of %s, or this one", optionNames(r.into))
	say(r.effect != nil, "acts on files as its operands say")
	say(r.unless != "" && r.shows != showsAlways, "only shows with %s", optionNames(r.unless))
	return strings.Join(slices.Compact(out), "; ")
}

func exceptOptions(r *form) string {
	if r.changes == "" {
		return ""
	}
	return ", not with " + optionNames(r.changes)
}

func orOptions(lists string) string {
	if lists == "" {
		return ""
	}
	return " or with " + optionNames(lists)
}

func withOptions(when string) string {
	if when == "" {
		return ""
	}
	return " with " + optionNames(when)
}

// optionNames shows the first of a list of options.
func optionNames(list string) string {
	names := strings.Fields(list)
	more := ""
	if len(names) > 6 {
		names, more = names[:6], " …"
	}
	for i, n := range names {
		if len(n) == 1 || n[0] == '-' {
			n = "-" + strings.TrimPrefix(n, "-")
		} else {
			n = "--" + n
		}
		names[i] = "`" + n + "`"
	}
	return strings.Join(names, " ") + more
}

// roleNames says what is done with operands.
func roleNames(list string) string {
	var out []string
	for _, r := range list {
		verb := map[rune]string{'r': "reads its files", 's': "searches its files", 'l': "lists its trees", 'w': "writes its files",
			'o': "writes its files", 'e': "changes its files", 'd': "deletes its files", 'u': "changes files that the line does not name",
			'<': "reads its input", '.': "fills this folder"}[r]
		if verb != "" && !slices.Contains(out, verb) {
			out = append(out, verb)
		}
	}
	return strings.Join(out, ", ")
}
