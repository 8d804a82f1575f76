package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// person refuses a command that only a person may run when it runs under an agent's client: the client's variable is in
// this process' environment, or was in that of a process above it, or a process above it is a client. An agent can take
// the variable from its own command, but not the client from above it. (It can detach a process altogether; what it may
// run in its shell is judged before.)
func (p *program) person(name string) error {
	if p.getenv("CLAUDECODE") == "" && !clientAbove() {
		return nil
	}
	return fmt.Errorf("%s is for a person: run it in a terminal of your own, outside the agent client", name)
}

// clientAbove reports whether a process above this one is a client, or was started by one.
func clientAbove() bool {
	pid := os.Getppid()
	for range 64 {
		if pid <= 1 {
			return false
		}
		if isClient(proc(pid, "comm")) || marked(proc(pid, "environ")) {
			return true
		}
		pid = parentOf(pid)
	}
	return false
}

// proc reads what the kernel tells of a process; what may not be read says nothing.
func proc(pid int, name string) string {
	body, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name))
	if err != nil {
		return ""
	}
	return string(body)
}

func isClient(comm string) bool {
	switch strings.TrimSpace(comm) {
	case "claude", "codex", "copilot", "opencode":
		return true
	}
	return false
}

func marked(environ string) bool {
	return strings.HasPrefix(environ, "CLAUDECODE=") || strings.Contains(environ, "\x00CLAUDECODE=")
}

// parentOf reads a process' parent from its status line: PID (NAME) STATE PARENT …, where NAME may hold anything.
func parentOf(pid int) int {
	stat := proc(pid, "stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1]) // not a number: 0, which ends the search
	return parent
}
