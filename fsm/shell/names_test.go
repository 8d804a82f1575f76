package shell

import (
	"fmt"
	"strings"
	"testing"
)

// TestKnownNames: of a file in an unknown folder the name is known, where it is only read.
func TestKnownNames(t *testing.T) {
	for line, want := range map[string]string{
		`cat "$DIR/.env"`: "/**/.env", `rm "$DIR/.env"`: "", `cat "$DIR/$X"`: "", "cat a/.env": "",
		"cat a/*.pem": "a/*.pem",
	} {
		calls := Parse(line, Options{Shell: "bash"})
		if got := calls[len(calls)-1].Pattern; got != want {
			t.Errorf("%s: %q, expected %q", line, got, want)
		}
	}
}

// TestManyVariables: beyond the bound no variable is known, not even one that was followed before.
func TestManyVariables(t *testing.T) {
	for many, want := range map[int]string{maxVariables - 2: "b/x", maxVariables: Unknown} {
		line := "D=a; "
		for i := range many {
			line += fmt.Sprintf("V%d=1; ", i)
		}
		calls := Parse(line+"D=b; rm $D/x", Options{Shell: "bash"})
		if got := calls[len(calls)-1].Path; got != want {
			t.Errorf("%d more: %q, expected %q", many, got, want)
		}
	}
}

// TestPatterns: what is known of files that a line names by patterns, in loops and by pipes.
func TestPatterns(t *testing.T) {
	for line, want := range map[string]string{
		"rm *.o":                                              "*.o",
		"sed -i s/a/b/ configs/*.yaml":                        "configs/*.yaml",
		"rm ~/x/*":                                            "~/x/*",
		"for f in a b configs/*; do rm $f; done":              "@(a|b|configs/*)",
		"for f in configs/*; do rm \"$f.bak\"; done":          "configs/*.bak",
		"D=conf*; rm $D/x":                                    "conf*/x",
		"rm configs/$X":                                       "configs/?",
		"rm $X/y":                                             "",
		"ls c/* | sort | xargs -I{} cp x {}":                  "@(c/*|c/*/**)",
		"ls c | while read f; do rm $f; done":                 "@(c|c/**)",
		"ls c/ . ~ / -1 | xargs rm":                           "@(c|c/**)",
		"rm $(ls c/*)":                                        "@(c/*|c/*/**)",
		"find c -name '*.o' | xargs rm":                       "@(c|c/**|**/c|*.o|*.o/**|**/*.o)",
		"find . -iname '*.mp3' -delete":                       "./**/*.[mM][pP]3",
		"find . -name a -prune -o -name '*.log' -delete":      "./**/*.log",
		"find a b \\( -name x -o -name y \\) -type f -delete": "a/**/x b/**/x a/**/y b/**/y",
		"find . -delete -name '*.pyc'":                        ".",
		"find . ! -name '*.pyc' -delete":                      ".",
		"find . -name '*.pyc' -o -delete":                     ".",
		"find . -name a $X -delete":                           ".",
		"find x -name a -exec rm {} +":                        "x/**/a",
		"git init sub":                                        "sub/.git",
		"git init":                                            "./.git",
		"rm a":                                                "",
		"docker run x rm 'a' b*":                              "",
	} {
		var got []string
		for _, c := range Parse(line, Options{}) {
			if c.Kind != Write && c.Kind != Delete {
				continue
			}
			got = append(got, strings.ReplaceAll(c.Pattern, Unknown, "?"))
		}
		found := strings.TrimSpace(strings.Join(got, " "))
		for _, w := range strings.Fields(want) {
			if !strings.Contains(found, w) {
				t.Errorf("%s: %q, expected %q", line, found, want)
			}
		}
		if want == "" && found != "" {
			t.Errorf("%s: %q, expected nothing", line, found)
		}
	}
}

// TestExistingDirs: a cd into a directory that exists does not fail.
func TestExistingDirs(t *testing.T) {
	for _, line := range []string{"pushd build; rm -rf *; popd", "cd build; rm -rf *", "cd build\nrm x"} {
		for _, existing := range [][]string{nil, {"build"}} {
			for _, c := range Parse(line, Options{Existing: existing}) {
				want := Unknown
				if existing != nil {
					want = "build"
				}
				if c.Kind == Delete && c.Dir != want {
					t.Errorf("%s: in %q, expected %q", line, c.Dir, want)
				}
			}
		}
	}
}

// TestParent: commands that are given the id of the shell's parent.
func TestParent(t *testing.T) {
	for line, want := range map[string]bool{"kill -STOP $PPID": true, "P=$PPID; kill $P": true, "kill $!": false,
		"prlimit --pid=$PPID --fsize=0": true} {
		got := false
		for _, c := range Parse(line, Options{}) {
			got = got || c.Parent
		}
		if got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}
