package system

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// ReadProcesses returns what sysctl shows.
func ReadProcesses() Processes { return sysctl{} }

type sysctl struct{}

func (sysctl) Parent(pid int) int {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(k.Eproc.Ppid)
}

// Names are three. The kernel's own is that of the file behind a link, which may be a
// version.
func (sysctl) Names(pid int) (names []string) {
	if k, err := unix.SysctlKinfoProc("kern.proc.pid", pid); err == nil {
		names = append(names, unix.ByteSliceToString(k.Proc.P_comm[:]))
	}
	program, args, _ := readProcArgs(pid)
	names = append(names, filepath.Base(program))
	if len(args) > 0 {
		names = append(names, filepath.Base(args[0]))
	}
	return names
}

func (sysctl) Args(pid int) []string {
	_, args, _ := readProcArgs(pid)
	return args
}

func (sysctl) Environ(pid int) string {
	_, _, environ := readProcArgs(pid)
	return environ
}

// HasPerson reports whether the process has a terminal and a parent that lives. An agent's
// shell starts its commands without a terminal, and what it leaves behind becomes launchd's.
func (sysctl) HasPerson(pid int) bool {
	const noDevice = -1
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && k.Eproc.Tdev != noDevice && k.Eproc.Ppid > 1
}

func readProcArgs(pid int) (program string, args []string, environ string) {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", nil, ""
	}
	return parseProcArgs(b)
}
