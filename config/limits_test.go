package config

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
)

// A file within the size limit is read in little time, whatever is in it. Each row is one
// past a limit; without the limit it takes up to a minute.
func TestLimits(t *testing.T) {
	repeated := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	for _, c := range []struct{ name, text, want string }{
		{"dots.toml", "version = 1\n" + strings.Repeat("a.", 50_000) + "a = 1\n",
			"2:65: found a key of more than 32 levels"},
		{"table.toml", "version = 1\n[" + strings.Repeat("a.", 50_000) + "a]\n",
			"2:66: found a key of more than 32 levels"},
		{"inline.toml", "version = 1\na = " + strings.Repeat("{a=", 40) + "1" + strings.Repeat("}", 40),
			"found values nested more than 32 deep"},
		{"tables.toml", "[" + strings.Repeat("a.", 20) + "a]\n" + strings.Repeat("b.", 20) + "b = 1\n",
			"found values nested more than 32 deep"},
		{"arrays.toml", "version = 1\na = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
			"found values nested more than 32 deep"},
		{"rules.toml", "version = 1\n" + repeated(18_000, "[[orchestrator.rules]]\nname = \"r#\"\ndeny = [\"Bash\"]\n"),
			"found more than 20000 values"},
		{"more.toml", "version = 1\n" + repeated(1001, "[[orchestrator.rules]]\nname = \"r#\"\ndeny = [\"Bash\"]\n"),
			"found more than 1000 values in `rules`"},
		{"keys.toml", "version = 1\n[states]\n" + repeated(20_000, "s# = {agents = [\"a\"]}\n"),
			"found more than 20000 values"},
		{"line.toml", "a = [" + repeated(200_000, "1, ") + "]\n", "found more than 20000 values"},
		{"root.toml", repeated(40_000, "s# = 1\n"), "found more than 20000 values"},
		{"deep.yaml", "version: 1\na: " + strings.Repeat("{a: ", 9000) + "1" + strings.Repeat("}", 9000),
			"found values nested more than 32 deep"},
		{"rules.yaml", "version: 1\norchestrator:\n  rules:\n" + repeated(18_000, "  - {name: r#, deny: [Bash]}\n"),
			"found more than 20000 values"},
		{"more.yaml", "version: 1\norchestrator:\n  rules:\n" + repeated(1001, "  - {name: r#, deny: [Bash]}\n"),
			"3:3: found more than 1000 values in `rules`"},
		{"root.yaml", repeated(1001, "s#: 1\n"), "found more than 1000 values in the file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := system.Join(t.TempDir(), c.name)
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			problems, cost, err := costOfCheck(file)
			if cost > mostWork {
				t.Errorf("it cost %d allocations", cost)
			}
			if err != nil || len(problems) != 1 || !strings.Contains(problems[0].String(), c.want) {
				t.Errorf("got %.300v, %v, want one with %q", problems, err, c.want)
			}
		})
	}
}

// What is just within the limits is read, at a bounded cost.
func TestWithinLimits(t *testing.T) {
	for name, text := range map[string]string{
		"full.toml": "version = 1\n[orchestrator]\ndefault = {allow = true}\n",
		"full.yaml": "version: 1\norchestrator:\n  default: {allow: true}\n  rules:\n",
	} {
		line := "  - {name: r%d, deny: [Bash], commands: [git push x%d]}\n"
		if strings.HasSuffix(name, ".toml") {
			line = "[[orchestrator.rules]]\nname = \"r%d\"\ndeny = [\"Bash\"]\ncommands = [\"git push x%d\"]\n"
		}
		for i := range mostEntries {
			text += fmt.Sprintf(line, i, i)
		}
		file := system.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if problems, cost, err := costOfCheck(file); err != nil || len(problems) > 0 || cost > mostWork {
			t.Errorf("%s: %v, %v, at %d allocations", name, problems, err, cost)
		}
	}
}

// mostWork is how many allocations the check of a file costs at most. They stand for time, of which a busy machine
// takes more than a quiet one.
const mostWork = 20_000_000

// costOfCheck checks a file, and counts the allocations.
func costOfCheck(file string) (problems []Problem, cost uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	problems, err = listProblems(alone(file), World{})
	runtime.ReadMemStats(&after)
	return problems, after.Mallocs - before.Mallocs, err
}
