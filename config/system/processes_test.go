package system

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestParseProcArgs reads what kern.procargs2 gives, by the layout of xnu 11417
// (bsd/kern/kern_sysctl.c: sysctl_procargsx).
func TestParseProcArgs(t *testing.T) {
	const args = "/Users/me/.local/bin/claude\x00\x00\x00\x00\x00claude\x00-p\x00\x00"
	for name, tt := range map[string]struct {
		raw, program string
		args         []string
		environ      string
	}{
		"with its environment": {"\x03\x00\x00\x00" + args + "PATH=/bin\x00CLAUDECODE=1\x00\x00ptr_munge=\x00",
			"/Users/me/.local/bin/claude", []string{"claude", "-p", ""}, "PATH=/bin\x00CLAUDECODE=1\x00"},
		"what the kernel adds alone": {"\x01\x00\x00\x00/bin/sh\x00sh\x00ptr_munge=\x00main_stack=\x00", "/bin/sh",
			[]string{"sh"}, ""},
		"an environment that is left out": {"\x03\x00\x00\x00" + args, "/Users/me/.local/bin/claude",
			[]string{"claude", "-p", ""}, ""},
		"only zero bytes behind": {"\x01\x00\x00\x00/bin/sh\x00\x00sh\x00\x00\x00\x00", "/bin/sh", []string{"sh"}, ""},
		"cut off":                {"\x09\x00\x00\x00/bin/sh\x00sh\x00-c", "/bin/sh", []string{"sh", "-c"}, ""},
		"too short":              {"\x01", "", nil, ""},
		"nothing":                {"", "", nil, ""},
	} {
		program, args, environ := parseProcArgs([]byte(tt.raw))
		if program != tt.program || !slices.Equal(args, tt.args) || environ != tt.environ {
			t.Errorf("%s: %q, %q, %q", name, program, args, environ)
		}
	}
}

// TestOwnProcess: the kernel shows this process and the one above it.
func TestOwnProcess(t *testing.T) {
	kernel, pid := ReadProcesses(), os.Getpid()
	if got := kernel.Parent(pid); got != os.Getppid() {
		t.Errorf("the parent is %d, expected %d", got, os.Getppid())
	}
	if names := kernel.Names(pid); !slices.ContainsFunc(names,
		func(n string) bool { return strings.Contains(n, "system.test") }) {
		t.Errorf("the names are %q", names)
	}
	if kernel.Parent(1<<22+1) != 0 || len(kernel.Args(1<<22+1)) != 0 || kernel.Environ(1<<22+1) != "" {
		t.Error("there is a process that cannot be")
	}
}

// TestOwnArgs: the kernel shows with what arguments this process was started.
func TestOwnArgs(t *testing.T) {
	args := ReadProcesses().Args(os.Getpid())
	if len(args) == 0 || !strings.Contains(args[0], "system.test") {
		t.Errorf("the arguments are %q", args)
	}
}
