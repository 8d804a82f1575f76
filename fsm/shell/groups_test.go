package shell

import (
	"strings"
	"testing"
)

// TestGroups: which lines leave this machine, destroy something or hand work to others.
func TestGroups(t *testing.T) {
	remote := map[bool]int{}
	for _, e := range readExamples(t, "groups.txt") {
		var got Group
		calls := Parse(e.line, Options{})
		for _, c := range calls {
			got |= c.Groups
		}
		want := strings.Join(e.want, " ")
		found := strings.ReplaceAll(strings.Join((got&^(Builds|Tests)).Names(), " "), "@", "")
		if found != strings.TrimSuffix(want, "-") {
			t.Errorf("groups.txt:%d: %s: %q, want %q: %s", e.at, e.line, found, want, shown(calls))
		}
		remote[strings.Contains(want, "remote")]++
	}
	if remote[true] < 60 || remote[false] < 60 {
		t.Errorf("%v lines leave the machine or not, want 60 of each", remote)
	}
}

// TestHiddenGroups: what is not read to its end may leave this machine.
func TestHiddenGroups(t *testing.T) {
	for name, line := range map[string]string{
		"long": "git push # " + strings.Repeat("x", maxLine), "deep": strings.Repeat("(", maxParens+1) + "git push",
		"torn": strings.Repeat("echo;", maxPieces) + "'",
	} {
		if calls := Parse(line, Options{}); calls[len(calls)-1].Groups&Remote == 0 {
			t.Errorf("%s: %s", name, shown(calls))
		}
	}
	for code, want := range map[string]bool{
		strings.Repeat("print(\"a b\", 'c d')\n", 500):                    false,
		strings.Repeat("print('a b')\n", 500) + "os.system('git push')\n": true,
		"import subprocess\nsubprocess.run([\n  'git',\n  'push',\n])\n":  true,
	} {
		calls := Parse("python3 - <<'E'\n"+code+"E\n", Options{})
		if got := calls[0].Groups&Remote != 0; got != want {
			t.Errorf("%.60q: leaves this machine: %v, want %v", code, got, want)
		}
	}
}
