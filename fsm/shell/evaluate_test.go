package shell

import (
	"strings"
	"testing"
)

// TestLeftovers: forms that once hid what a line does. Each must yield a call that says so, or "?".
func TestLeftovers(t *testing.T) {
	for line, want := range map[string]string{
		"D=/tmp/x; coproc D { cat; }; rm $D/a":                       "Delete(?)",
		"D=/tmp/x; exec {D}>/dev/null; rm $D":                        "Delete(?)",
		"trap 'D=src' DEBUG; D=/tmp; rm $D/a":                        "Delete(?)",
		"trap 'D=src' ERR; D=/tmp; false; rm $D/a":                   "Delete(?)",
		"trap 'rm a' EXIT":                                           "Delete(a)",
		"read x < f; (( x ))":                                        "Bash(?)",
		"mapfile x < f; echo $((x[0]))":                              "Bash(?)",
		"pushd sub; git status":                                      "Bash(git status)",
		"make -f - test <<E\ntest:\n\trm a\nE":                       "?",
		"make -f /dev/stdin test < f":                                "?",
		"cd /proc/self/cwd/..; rm a":                                 "Delete(a)@?",
		"echo x > /proc/self/cwd/a":                                  "Write(?)",
		"cat /proc/self/cwd/.env":                                    "Read(?)",
		"/proc/self/cwd/build.sh":                                    "?",
		"echo a b | xargs -n1 sort -o":                               "Write(?)",
		"echo -n a | xargs sort -o":                                  "Write(?)",
		"xargs cp x <<< a":                                           "Write(?)",
		"xargs -I{} cp x {} <<< a":                                   "Write(?)",
		"read f <<< a; cp x $f":                                      "Write(?)",
		"read -r f g <<< 'a b c'; rm \"$g\"":                         "Delete(?)",
		"f() { rm ${10}; }; f a b":                                   "Delete(?)",
		"awk '{ print > \"a\" }' f":                                  "Write(a)",
		"awk 'BEGIN { print \"x\" >> \"a\"; print }'":                "Write(a)",
		"echo 'touch a' | make -f - x":                               "?",
		"make -f ../x test":                                          "Bash(make -f ../x test)",
		"python3 -c 'import json; json.dump(1, open(\"a\", \"w\"))'": "?",
		"ruby -e 'File.write(\"a\", 1)'":                             "?",
		"node -e 'require(\"fs\").writeFileSync(\"a\", 1)'":          "?",
	} {
		if got := shown(Parse(line, Options{})); !strings.Contains(strings.ReplaceAll(got, Unknown, "?"), want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	for _, c := range Parse("make -f ../x test", Options{}) {
		if c.Groups&Tests != 0 {
			t.Error("rules of another folder are taken for the project's tests")
		}
	}
}

// TestNestedLoops: of loops in each other, only the outer rounds are followed one by one.
func TestNestedLoops(t *testing.T) {
	line := strings.Repeat("for i in 1 2; do ", 14) + "rm a$i" + strings.Repeat("; done", 14)
	e := newEvaluator(findRow, bashOrZsh)
	if e.runLine(line); e.over || e.steps > 1000 || len(e.calls) == 0 {
		t.Errorf("%d statements, over the limit: %t", e.steps, e.over)
	}
}
