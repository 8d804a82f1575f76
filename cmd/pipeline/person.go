package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks"
)

// person refuses a command that only a person may run when it runs under an agent's client: the client's variable is in
// this process' environment, or was in that of a process above it, or a process above it is a client. An agent can take
// the variable from its own command, but not the client from above it. (It can detach a process altogether; what it may
// run in its shell is judged before.)
func (p *program) person(name string) error {
	if p.getenv("CLAUDECODE") == "" && !clientAbove() {
		return nil
	}
	text := name + " is for a person: run it in a terminal of your own, outside the agent client"
	if _, typed := hooks.FindTyped(name); typed {
		text += ", or type it into the client as a prompt: /pipeline " + name + " …"
	}
	return errors.New(text)
}

// clientAbove reports whether a process above this one is a client, or was started by one.
func clientAbove() bool { return underClient(os.Getppid()) }

// attended refuses a prompt that no person can have typed: the client is not one that a person sits before, or it was
// itself started under a client. The variables are the client's own (by experiment, 2.1.197 and 2.1.329: sdk-cli with -p,
// cli in its window; CLAUDE_CODE_SESSION_ATTENDED and CLAUDE_PID from 2.1.329 on). Its environment as it was started is
// what the kernel shows; where that cannot be read nothing is proven, and it is refused.
func (p *program) attended() error {
	if p.getenv("CLAUDE_CODE_ENTRYPOINT") != "cli" || p.getenv("CLAUDE_CODE_SESSION_ATTENDED") == "0" {
		return errors.New("nobody sits before this client")
	}
	pid := nearestClient()
	if n, err := strconv.Atoi(p.getenv("CLAUDE_PID")); err == nil && above(n) {
		pid = n
	}
	environ := proc(pid, "environ")
	switch {
	case environ == "":
		return errors.New("it cannot be seen who has started this client")
	case marked(environ) || underClient(parentOf(pid)) || p.getenv("CLAUDE_CODE_EXECPATH") != "": // which a client gives its shell
		return errors.New("this client was started by another one")
	}
	return nil
}

// nested reports whether the client that calls was started by another one, as far as the kernel shows it.
func (p *program) nested() bool {
	pid := nearestClient()
	return isClient(proc(pid, "comm")) && (marked(proc(pid, "environ")) || underClient(parentOf(pid)))
}

// own is the environment without what an agent has given the client that it started: it may not lift the policy for that
// one either. What is hidden is told.
func (p *program) own(names []string, hidden func(string)) func(string) string {
	get := p.getenv
	return func(name string) string {
		v := get(name)
		if v == "" || name == "PIPELINE_DEBUG" || !strings.HasPrefix(name, "PIPELINE_") && !slices.Contains(names, name) || !p.nested() {
			return v
		}
		hidden(name)
		return ""
	}
}

// nearestClient is the client that calls, where it does not say which process it is: a shell may stand between it and us,
// which has its variables. Where there is none it is whoever calls.
func nearestClient() int {
	for at, n := os.Getppid(), 0; at > 1 && n < 64; at, n = parentOf(at), n+1 {
		if isClient(proc(at, "comm")) {
			return at
		}
	}
	return os.Getppid()
}

// above reports whether a process is above this one: what a variable says is not enough.
func above(pid int) bool {
	for at, n := os.Getppid(), 0; at > 1 && n < 64; at, n = parentOf(at), n+1 {
		if at == pid {
			return true
		}
	}
	return false
}

func underClient(pid int) bool {
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
