package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// person refuses a command that only a person may run when it runs under an agent's client: the client's variables are
// in this process' environment, or were in that of a process above it. An agent can remove a variable from its own
// command; it cannot take it from the client that started it.
func (p *program) person(name string) error {
	if p.getenv("CLAUDECODE") == "" && !clientAbove() {
		return nil
	}
	return fmt.Errorf("%s is for a person: run it in a terminal of your own, outside the agent client", name)
}

// clientAbove reports whether a process above this one was started with the client's variables.
func clientAbove() bool {
	pid := os.Getppid()
	for range 64 {
		if pid <= 1 {
			return false
		}
		if environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ")); err == nil && marked(string(environ)) {
			return true
		}
		pid = parentOf(pid)
	}
	return false
}

func marked(environ string) bool {
	for v := range strings.SplitSeq(environ, "\x00") {
		if strings.HasPrefix(v, "CLAUDECODE=") {
			return true
		}
	}
	return false
}

// parentOf reads a process' parent from its status line: PID (NAME) STATE PARENT …, where NAME may hold anything.
func parentOf(pid int) int {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1]) // not a number: 0, which ends the search
	return parent
}
