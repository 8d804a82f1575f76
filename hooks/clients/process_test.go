package clients

import (
	"testing"
)

// recorded are processes as a system showed them.
type recorded map[int]process

type process struct {
	parent  int
	names   []string
	args    []string
	environ string
	person  bool
}

func (r recorded) Parent(pid int) int     { return r[pid].parent }
func (r recorded) Names(pid int) []string { return r[pid].names }
func (r recorded) Args(pid int) []string  { return r[pid].args }
func (r recorded) Environ(pid int) string { return r[pid].environ }
func (r recorded) HasPerson(pid int) bool { return r[pid].person }

// Linux tells environments. macOS may leave them out, and the kernel's name of a client is
// that of the version behind its link. Windows tells none.
var machines = map[string]recorded{
	"linux": {
		10: {1, []string{"zsh"}, nil, "HOME=/h\x00", false},
		11: {10, []string{"claude"}, []string{"claude"}, "HOME=/h\x00", false},
		12: {11, []string{"bash"}, nil, "HOME=/h\x00CLAUDECODE=1\x00", false},
		13: {12, []string{"claude"}, []string{"claude", "-p", "x"}, "HOME=/h\x00CLAUDECODE=1\x00", false},
		14: {1, []string{"claude"}, []string{"claude"}, "HOME=/h\x00CLAUDECODE=1\x00", false}, // detached
		15: {1, []string{"claude"}, []string{"claude"}, "", false},                            // another user's
	},
	"macos": {
		10: {1, []string{"Terminal"}, nil, "", false},
		20: {10, []string{"login"}, nil, "", true},
		21: {20, []string{"zsh", "zsh", "-zsh"}, []string{"-zsh"}, "", true},
		11: {21, []string{"2.1.330", "claude", "claude"}, []string{"claude"}, "", true},
		12: {11, []string{"zsh", "zsh", "/bin/zsh"}, []string{"/bin/zsh", "-c", "x"}, "", false},
		13: {12, []string{"node", "node", "node"}, []string{"node", "/o/node_modules/@openai/codex/bin/codex.js"}, "",
			true},
		14: {1, []string{"2.1.330", "claude", "claude"}, []string{"claude"}, "", false}, // detached
	},
	"windows": {
		9:  {0, []string{"explorer.exe"}, nil, "", true},
		10: {9, []string{"powershell.exe"}, nil, "", true},
		11: {10, []string{"claude.exe"}, []string{"claude"}, "", true},
		12: {11, []string{"bash.exe"}, nil, "", true},
		13: {12, []string{"node.exe"}, []string{"node", "C:/n/node_modules/@anthropic-ai/claude-code/cli.js"}, "",
			true},
		14: {0, []string{"claude.exe"}, []string{"claude"}, "", false}, // its parent has ended
	},
}

// TestTrees: a client that a person started is told from one that an agent started, and
// what cannot be seen counts as neither.
func TestTrees(t *testing.T) {
	for name, r := range machines {
		kernel := tree{r}
		basis := ByParents
		if name == "linux" {
			basis = ByEnvironment
		}
		if nested, by := kernel.isNested(11); nested || by != basis {
			t.Errorf("%s: a person's client: nested %v, by %q", name, nested, by)
		}
		if nested, by := kernel.isNested(13); !nested || by != basis {
			t.Errorf("%s: a client's client: nested %v, by %q", name, nested, by)
		}
		if nested, by := kernel.isNested(14); name == "linux" && !nested || name != "linux" && by != NoBasis {
			t.Errorf("%s: a detached client: nested %v, by %q", name, nested, by)
		}
		if !kernel.isClient(11) || !kernel.isClient(13) || kernel.isClient(12) || kernel.isClient(10) {
			t.Errorf("%s: the clients are not what they are", name)
		}
		if got := kernel.findNearest(12); got != 11 {
			t.Errorf("%s: the nearest client is %d", name, got)
		}
		if !kernel.isUnder(12, variables()) || kernel.isUnder(10, variables()) {
			t.Errorf("%s: what runs under a client is not what does", name)
		}
	}
	if _, by := (tree{machines["linux"]}).isNested(15); by != NoBasis {
		t.Errorf("an environment that cannot be read: by %q", by)
	}
	loop := recorded{5: {6, nil, nil, "", false}, 6: {5, nil, nil, "", false}}
	if n := len(tree{loop}.listAncestors(5)); n != maxAncestors {
		t.Errorf("a loop of parents has %d ancestors", n)
	}
}
