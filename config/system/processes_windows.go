package system

import (
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ReadProcesses takes a snapshot of the processes.
func ReadProcesses() Processes {
	s := snapshot{}
	h, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return s
	}
	defer windows.CloseHandle(h)
	e := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(h, &e); err == nil; err = windows.Process32Next(h, &e) {
		s[int(e.ProcessID)] = entry{int(e.ParentProcessID), windows.UTF16ToString(e.ExeFile[:])}
	}
	return s
}

// A snapshot has all processes by their number.
type snapshot map[int]entry

type entry struct {
	parent int
	name   string
}

// Parent is a process that is older: the number of one that ended is given to others.
func (s snapshot) Parent(pid int) int {
	parent := s[pid].parent
	if parent == 0 || startOf(parent) > startOf(pid) {
		return 0
	}
	return parent
}

// startOf is when a process began, in units of its own; 0 where that is not known.
func startOf(pid int) int64 {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0
	}
	defer windows.CloseHandle(h)
	var began, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(h, &began, &ended, &kernel, &user) != nil {
		return 0
	}
	return began.Nanoseconds()
}

func (s snapshot) Names(pid int) []string { return []string{s[pid].name} }

// Args asks the kernel for the command line (Windows 8.1 and newer).
func (snapshot) Args(pid int) []string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(h)
	var buf [16 << 10]uint64 // a UNICODE_STRING and its text, aligned
	size := uint32(len(buf) * 8)
	err = windows.NtQueryInformationProcess(h, windows.ProcessCommandLineInformation, unsafe.Pointer(&buf), size, &size)
	if err != nil {
		return nil
	}
	args, err := windows.DecomposeCommandLine((*windows.NTUnicodeString)(unsafe.Pointer(&buf)).String())
	if err != nil {
		return nil
	}
	return args
}

func (snapshot) Environ(int) string { return "" }

// HasPerson reports whether the desktop, or a remote login, stands at the head of the
// processes above. What an agent's shell leaves behind has a parent that ended.
func (s snapshot) HasPerson(pid int) bool {
	for range 64 {
		switch strings.ToLower(s[pid].name) {
		case "explorer.exe", "sshd.exe", "sshd-session.exe":
			return true
		}
		if pid = s.Parent(pid); pid == 0 {
			return false
		}
	}
	return false
}
