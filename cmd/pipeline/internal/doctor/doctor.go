// Package doctor checks whether an installation enforces: it looks at everything between
// the client and the policy, and runs the registered commands as the client would.
package doctor

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// Status is what a check comes to.
type Status = hooks.Status

// The statuses.
const (
	OK      = hooks.OK
	Warning = hooks.Warning
	Problem = hooks.Problem
)

// A Finding is one line of the table.
type Finding = hooks.Finding

// A check looks at one thing. It also reports when all is well, to show that it ran.
type check struct {
	name   string
	run    func(*exam)
	remedy string // for findings that name none
	claude bool   // it is about Claude Code
}

// An exam is one run of all checks: what they share is read once.
type exam struct {
	Site
	registry
	findings    // of the check that runs
	sessions    []session.Item
	sessionsErr error
	unused      bool            // Claude Code is: only other clients call us, so what it lacks is no fault
	hosts       findings        // about the other clients
	failing     map[string]bool // those of them with a problem
	hung        map[string]bool // programs that did not answer in time
}

// Examine runs all checks.
func Examine(s Site) []Finding {
	s.Dir = cmp.Or(s.Dir, s.Root)
	x := &exam{Site: s, registry: readRegistry(&s), hung: map[string]bool{}, failing: map[string]bool{}}
	x.sessions, x.sessionsErr = s.Store.List()
	x.unused = x.lookPath("claude") == nil && len(x.registered) == 0 && explainMissing(x) == "" &&
		slices.ContainsFunc(x.Others, func(o Other) bool { return len(o.listRegistered()) > 0 })
	x.hosts = examineHosts(x)
	var out []Finding
	for _, c := range listChecks() {
		if c.claude && x.unused {
			continue
		}
		x.findings = nil
		c.run(x)
		for _, f := range x.findings {
			f.Check = c.name
			if f.Remedy == "" && f.Status != OK {
				f.Remedy = c.remedy
			}
			out = append(out, f)
		}
	}
	return out
}

// CountProblems counts what must be fixed.
func CountProblems(found []Finding) (n int) {
	for _, f := range found {
		if f.Status == Problem {
			n++
		}
	}
	return n
}

// findings are what a check has found.
type findings []Finding

func (l *findings) add(status Status, remedy, format string, a ...any) *Finding {
	*l = append(*l, Finding{Status: status, What: fmt.Sprintf(format, a...), Remedy: remedy})
	return &(*l)[len(*l)-1]
}

func (l *findings) pass(format string, a ...any) { l.add(OK, "", format, a...) }

func (l *findings) warn(remedy, format string, a ...any) *Finding {
	return l.add(Warning, remedy, format, a...)
}

func (l *findings) problem(remedy, format string, a ...any) { l.add(Problem, remedy, format, a...) }

// orPass adds that all is well, where nothing was found.
func (l *findings) orPass(format string, a ...any) {
	if len(*l) == 0 {
		l.pass(format, a...)
	}
}

// listChecks is the table of checks: what it comes to, and then in the order of a call's way:
// from what is to be enforced, over the client and its settings, to the binary, its answer
// and its state.
func listChecks() []check {
	return []check{
		{"in force", checkEnforcement, "", false},
		{"config", checkConfig, "pipeline check", false},
		{"client", checkClient, "", true},
		{"environment", checkEnvironment, "", true},
		{"typed", checkTyped, "", true},
		{"settings", checkSettings, "", true},
		{"managed", checkManaged, "", true},
		{"registration", checkRegistration, "pipeline install", true},
		{"matchers", checkMatchers, "", true},
		{"others", checkOthers, "", true},
		{"command", checkCommands, "", true},
		{"canary", checkCanaries, "", true},
		{"kernel", checkKernel, "", true},
		{"tools", checkTools, "pipeline check", true},
		{"clients", func(x *exam) { x.findings = x.hosts }, "", false},
		{"state", checkState, "", false},
		{"locks", checkLocks, "", false},
		{"errors", checkErrors, "", false},
		{"liveness", checkLiveness, "restart the client", true},
	}
}
