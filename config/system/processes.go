package system

import (
	"encoding/binary"
	"strings"
)

// Processes is what the kernel shows of the processes that run. Nothing is "not known", and
// never "there is none".
type Processes interface {
	Parent(pid int) int     // 0 where it is not known
	Names(pid int) []string // of its program, as the kernel and as its caller call it
	Args(pid int) []string  // its command line
	Environ(pid int) string // NAME=value, each ended by a zero byte
	HasPerson(pid int) bool // a terminal or a desktop started it; asked where no environment is readable
}

// parseProcArgs reads what sysctl kern.procargs2 says: the number of arguments, the
// program's path, zero bytes, the arguments, the environment. The kernel leaves the
// environment out for processes that it protects.
func parseProcArgs(b []byte) (program string, args []string, environ string) {
	if len(b) < 4 {
		return "", nil, ""
	}
	count := int(binary.LittleEndian.Uint32(b))
	program, rest, _ := strings.Cut(string(b[4:]), "\x00")
	rest = strings.TrimLeft(rest, "\x00")
	for ; count > 0 && rest != ""; count-- {
		var arg string
		arg, rest, _ = strings.Cut(rest, "\x00")
		args = append(args, arg)
	}
	if end := strings.Index(rest, "\x00\x00"); end >= 0 { // what the kernel adds for the program is behind it
		rest = rest[:end+1]
	}
	if !strings.Contains("\x00"+rest, "\x00PATH=") { // what the kernel adds is no environment
		rest = ""
	}
	return program, args, rest
}
