package clients

import (
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
)

// maxAncestors bounds how many processes are followed upward.
const maxAncestors = 64

// A tree is the processes that run.
type tree struct{ system.Processes }

func readTree() tree { return tree{system.ReadProcesses()} }

// IsAbove reports whether this process runs under a client: the environment has a client's
// variable, or a process above is a client or was started with such a variable. An agent
// can remove the variable from its own command, but not the client above it. A client that
// the table does not know is found by what clients give to hooks and to what runs below.
func IsAbove(getenv func(string) string) bool {
	t := readTree()
	return slices.ContainsFunc(variables(), func(name string) bool { return getenv(name) != "" }) ||
		t.isUnder(os.Getppid(), slices.Concat(variables(), hookVariables[:]))
}

// Nearest is the process of the client that called us. A shell may stand between the two.
// Without a client above, it is our parent.
func Nearest() int { return readTree().findNearest(os.Getppid()) }

func (t tree) findNearest(parent int) int {
	for _, pid := range t.listAncestors(parent) {
		if t.isClient(pid) {
			return pid
		}
	}
	return parent
}

// IsAncestor reports whether a process is above this one.
func IsAncestor(pid int) bool { return slices.Contains(readTree().listAncestors(os.Getppid()), pid) }

// Above names the programs above this one, the nearest first.
func Above() (names []string) {
	t := readTree()
	for _, pid := range t.listAncestors(os.Getppid()) {
		names = append(names, strings.Join(t.Names(pid), " "))
	}
	return names
}

// A Basis is the evidence that a person started a client.
type Basis string

// The bases. Without one nothing is known, and no person's command is accepted.
const (
	NoBasis       Basis = ""
	ByEnvironment Basis = "the processes above the client, and the environment that it was started with"
	ByParents     Basis = "the processes above the client, and its terminal or desktop: " +
		"the system does not show with what environment it was started"
)

// IsNested reports whether a client was itself started under a client, and on what that
// rests. An environment that is not told says nothing: it is not one without marks.
func IsNested(pid int) (nested bool, basis Basis) { return readTree().isNested(pid) }

func (t tree) isNested(pid int) (nested bool, basis Basis) {
	environ := t.Environ(pid)
	nested = isMarked(environ, variables()) || t.isUnder(t.Parent(pid), variables())
	switch {
	case environ != "":
		return nested, ByEnvironment
	case t.HasPerson(pid):
		return nested, ByParents
	}
	return nested, NoBasis
}

// IsCallerNested reports whether the client that called us was started under a client, as
// far as the kernel shows it.
func IsCallerNested() bool {
	t := readTree()
	pid := t.findNearest(os.Getppid())
	nested, _ := t.isNested(pid)
	return nested && t.isClient(pid)
}

// isUnder reports whether a process, or one above it, is a client, or has one of some variables.
func (t tree) isUnder(pid int, names []string) bool {
	return slices.ContainsFunc(t.listAncestors(pid), func(at int) bool {
		return t.isClient(at) || isMarked(t.Environ(at), names)
	})
}

// isClient knows a process by its names or its command line: an interpreter runs some.
func (t tree) isClient(pid int) bool {
	if slices.ContainsFunc(t.Names(pid), func(name string) bool { return findProgram(name) != nil }) {
		return true
	}
	c, _ := identify(t.Args(pid))
	return c != nil
}

// isMarked reports whether an environment, as the kernel shows it, has one of the variables.
func isMarked(environ string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.HasPrefix(environ, name+"=") || strings.Contains(environ, "\x00"+name+"=")
	})
}

// hookVariables are what clients set for hooks, as those that copy Claude Code's do. Some
// leave them to the shells of their agents. A person may set them for one command, so they
// count only in the processes above.
var hookVariables = [...]string{"CLAUDE_PROJECT_DIR", "COPILOT_PROJECT_DIR", "QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR"}

func variables() (names []string) {
	for _, c := range table {
		names = append(names, strings.Fields(c.Variables)...)
	}
	return names
}

// listAncestors lists a process and those above it, the nearest first.
func (t tree) listAncestors(pid int) (pids []int) {
	for ; pid > 1 && len(pids) < maxAncestors; pid = t.Parent(pid) {
		pids = append(pids, pid)
	}
	return pids
}
