package shell

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shellsOwn are the names in the table that only shells have.
const shellsOwn = "set shopt unset getopts let export local declare typeset readonly unalias type command builtin " +
	"read mapfile readarray exec cd pushd popd dirs chdir exit return break continue shift jobs times ulimit umask " +
	"history wait :"

// optionInHelp is an option in the text by which a program explains itself.
var optionInHelp = regexp.MustCompile(`(?:^|[\s,|\[(])(--?[A-Za-z0-9][A-Za-z0-9-]*)`)

// listOptions returns the options that a program says it has, or false if there is no such program.
func listOptions(name string) (out []string, ok bool) {
	words := strings.Fields(name)
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, false
	}
	ask := append(words, "--help")
	if words[0] == "git" && len(words) > 1 {
		ask[len(ask)-1] = "-h"
	}
	cmd := exec.Command("timeout", append([]string{"5"}, ask...)...)
	cmd.Dir = os.TempDir()
	text, _ := cmd.CombinedOutput()
	for _, m := range optionInHelp.FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	if len(out) < 4 { // it does not explain itself
		for letter := range strings.SplitSeq("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "") {
			out = append(out, "-"+letter)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), true
}

// promising calls f for each command of which the table promises, without a list of options, that
// it only shows something.
func promising(f func(words string)) {
	for _, rows := range table {
		for i := range rows {
			walkRow(&rows[i], func(row *form, words string) {
				if row.shows > mayChange && row.shows < showsKnown && row.knows == "" && row.wraps == noWrapper &&
					row.interpret == nil && !hasWord(shellsOwn, words) {
					f(words)
				}
			})
		}
	}
}

// TestPromises: every command that promises to show something only was tried with all its options:
// testdata/proved.txt has its name, which TestPromisesAreKept writes.
func TestPromises(t *testing.T) {
	data, err := os.ReadFile("testdata/proved.txt")
	if err != nil {
		t.Fatal(err)
	}
	proved := strings.Split(strings.TrimSpace(string(data)), "\n")
	promising(func(words string) {
		if !slices.Contains(proved, words) {
			t.Errorf("%s was not tried with its options: prove it, or give its row `knows`", words)
		}
	})
}

// TestPromisesAreKept runs each command that only shows something with each of its options. What
// changes a file must not be said to show something only.
func TestPromisesAreKept(t *testing.T) {
	if os.Getenv("SHELL_FUZZ") == "" && !*update {
		t.Skip("takes minutes; make fuzz runs it")
	}
	promising(func(words string) {
		t.Run(words, func(t *testing.T) {
			options, ok := listOptions(words)
			if !ok {
				t.Skip("not installed here")
			}
			judgeLines(t, tryOptions(words, options), func(j judged) {
				only := !slices.ContainsFunc(j.calls, func(c Call) bool { return c.Kind == Command && !c.Shows })
				if only && len(j.Changed) > 0 || len(j.miss) > 0 {
					t.Errorf("%s changes %.200q: %s", j.Line, j.Changed, shown(j.calls))
				}
			})
			if *update && !t.Failed() {
				noteProved(t, words)
			}
		})
	})
}

// tryOptions returns lines with each option: before a file, with a value, and with one joined to it.
func tryOptions(words string, options []string) (lines []trial) {
	for _, o := range options {
		joined := words + " " + o + "x a"
		if strings.HasPrefix(o, "--") {
			joined = words + " " + o + "=x a"
		}
		for _, line := range []string{words + " " + o + " a", words + " " + o + " x a", joined} {
			lines = append(lines, trial{Shell: "bash", Line: line + " < /dev/null"})
		}
	}
	return lines
}

// noteProved adds a name to testdata/proved.txt.
func noteProved(t *testing.T, words string) {
	t.Helper()
	data, _ := os.ReadFile("testdata/proved.txt")
	proved := append(strings.Split(strings.TrimSpace(string(data)), "\n"), words)
	slices.Sort(proved)
	text := strings.TrimSpace(strings.Join(slices.Compact(proved), "\n")) + "\n"
	if err := os.WriteFile("testdata/proved.txt", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
