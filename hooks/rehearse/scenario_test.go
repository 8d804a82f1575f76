package rehearse

import (
	"fmt"
	"strings"
	"testing"
)

// TestEndOfCall: a shell line may hold blanks, parentheses and number signs.
func TestEndOfCall(t *testing.T) {
	for _, c := range []struct{ line, arg, wants string }{
		{`Bash(ls)`, `ls`, ""},
		{`Bash(ls)  pass`, `ls`, "pass"},
		{"Bash(ls)\tpass", `ls`, "pass"},
		{`Bash(ls) # list`, `ls`, ""},
		{`Bash(ls)  # see (below)`, `ls`, ""},
		{`Bash(echo (a)  b)`, `echo (a)  b`, ""},
		{`Bash(echo (a)  b)   pass`, `echo (a)  b`, "pass"},
		{`Bash((cd x; ls))  pass`, `(cd x; ls)`, "pass"},
		{`Bash(echo ":)" )  pass`, `echo ":)" `, "pass"},
		{`Bash(case x in a) ls;; esac)  pass`, `case x in a) ls;; esac`, "pass"},
		{`Bash(a)  deny x, says "(b)"  # (c)`, `a`, `deny x;says "(b)"`},
		{`Bash(a)  told "b)  c", IDLE -> DONE`, `a`, `told "b)  c";IDLE -> DONE`},
		{`Bash()  pass`, ``, "pass"},
		{`TodoWrite   pass`, ``, "pass"},
		{`mcp__github__list`, ``, ""},
	} {
		r := &lineReader{text: c.line}
		call, wants := r.readCall(r.readName())
		var texts []string
		for _, w := range wants {
			texts = append(texts, w.text)
		}
		if got := strings.Join(texts, ";"); r.bad != "" || call.Argument != c.arg || got != c.wants {
			t.Errorf("%s: found %q and %q (%v), expected %q and %q", c.line, call.Argument, got, r.bad, c.arg, c.wants)
		}
	}
}

func TestNotation(t *testing.T) {
	for text, want := range map[string]string{
		"Bash(git push)":                     `map[command:git push]`,
		"Write(src/main.go)":                 `map[file_path:src/main.go]`,
		"Agent(bash-developer)":              `map[subagent_type:bash-developer]`,
		"Task(x)":                            `map[subagent_type:x]`,
		"NotebookEdit(a.ipynb)":              `map[notebook_path:a.ipynb]`,
		"mcp__github__list":                  `map[]`,
		"mcp__fs__read(/x)":                  `map[path:/x]`,
		`Agent({"subagent_type":"x","n":1})`: `map[n:1 subagent_type:x]`,
		"Bash({ ls; })":                      `map[command:{ ls; }]`,
		"Bash(a\nb)":                         "map[command:a\nb]",
	} {
		c, err := ParseCall(text)
		if got := fmt.Sprint(c.Input()); err != nil || got != want {
			t.Errorf("%s: found %s (%v), expected %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "(x)", "git push", "Bash(x", "Bash(x) y"} {
		if c, err := ParseCall(text); err == nil {
			t.Errorf("%s: found %v, expected an error", text, c)
		}
	}
}

// FuzzScenario: no line makes the reader fall, and every problem lies in its line.
func FuzzScenario(f *testing.F) {
	for _, line := range strings.Split(ScenarioFormat, "\n") {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s := &Script{Scenarios: []Scenario{{}}}
		r := &lineReader{text: line}
		if s.readLine(r, 1); r.bad != "" && (r.badAt < 0 || r.badAt > len(line)) {
			t.Errorf("%q: a problem at %d: %s", line, r.badAt, r.bad)
		}
	})
}
