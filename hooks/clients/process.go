package clients

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/system/filepath"
)

// maxAncestors bounds how many processes are followed upward.
const maxAncestors = 64

// IsAbove reports whether this process runs under a client: the environment has a client's
// variable, or a process above is a client or was started with such a variable. An agent
// can remove the variable from its own command, but not the client above it. A client that
// the table does not know is found by what clients give to hooks and to what runs below.
func IsAbove(getenv func(string) string) bool {
	return slices.ContainsFunc(variables(), func(name string) bool { return getenv(name) != "" }) ||
		slices.ContainsFunc(ancestors(os.Getppid()), func(pid int) bool {
			return isClient(pid) || isMarked(readProc(pid, "environ"), slices.Concat(variables(), hookVariables()))
		})
}

// Nearest is the process of the client that called us. A shell may stand between the two.
// Without a client above, it is our parent.
func Nearest() int {
	for _, pid := range ancestors(os.Getppid()) {
		if isClient(pid) {
			return pid
		}
	}
	return os.Getppid()
}

// IsAncestor reports whether a process is above this one.
func IsAncestor(pid int) bool { return slices.Contains(ancestors(os.Getppid()), pid) }

// IsNested reports whether a client was itself started under a client. It is not known
// where the environment of the process cannot be read.
func IsNested(pid int) (nested, known bool) {
	environ := readProc(pid, "environ")
	return isMarked(environ, variables()) || isUnder(parentOf(pid)), environ != ""
}

// IsCallerNested reports whether the client that called us was started under a client, as
// far as the kernel shows it.
func IsCallerNested() bool {
	pid := Nearest()
	nested, _ := IsNested(pid)
	return nested && isClient(pid)
}

func isUnder(pid int) bool {
	return slices.ContainsFunc(ancestors(pid), func(at int) bool {
		return isClient(at) || isMarked(readProc(at, "environ"), variables())
	})
}

// isClient knows a process by its name; one that an interpreter runs by its command line.
func isClient(pid int) bool {
	name := strings.TrimSpace(readProc(pid, "comm"))
	if !isInterpreter(name) {
		return slices.ContainsFunc(table[:], func(c Client) bool { return c.isProgram(name) })
	}
	c, _ := identify(strings.Split(strings.TrimSuffix(readProc(pid, "cmdline"), "\x00"), "\x00"))
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
func hookVariables() []string {
	return []string{"CLAUDE_PROJECT_DIR", "COPILOT_PROJECT_DIR", "QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR"}
}

func variables() (names []string) {
	for _, c := range table {
		names = append(names, c.Variables...)
	}
	return names
}

// ancestors lists a process and those above it, the nearest first.
func ancestors(pid int) (pids []int) {
	for ; pid > 1 && len(pids) < maxAncestors; pid = parentOf(pid) {
		pids = append(pids, pid)
	}
	return pids
}

// parentOf reads a status line: PID (NAME) STATE PARENT …, where NAME may hold anything.
func parentOf(pid int) int {
	stat := readProc(pid, "stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1]) // not a number: 0, which ends the search
	return parent
}

// readProc reads what the kernel shows of a process, "" where it may not be read.
func readProc(pid int, name string) string {
	body, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name))
	if err != nil {
		return ""
	}
	return string(body)
}
