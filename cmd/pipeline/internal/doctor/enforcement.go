package doctor

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// Standing is what holds for the next call of a session, or of one that begins now.
type Standing struct {
	Session  string // empty for one that begins now
	Level    fsm.Level
	Why      string // where the level comes from
	Remedy   string // what raises it
	Bypasses []fsm.Bypass
}

// checkEnforcement says in one line what is in force for the next call, and why. The other
// checks say what may keep that from being so.
func checkEnforcement(x *exam) {
	if why, remedy := whyUnjudged(x); why != "" {
		x.problem(remedy, "the next call passes unjudged: %s", why)
		return
	}
	var files []string
	for _, s := range x.running {
		files = append(files, s.String())
	}
	for _, o := range x.Others {
		for _, f := range o.listRegistered() {
			if !x.failing[o.Name()] {
				files = append(files, f.Path+" ("+o.Name()+")")
			}
		}
	}
	by := "registered in " + strings.Join(files, ", ")
	if x.Opened.Stale {
		by += "; the last config without problems is in force"
	}
	for _, st := range x.Standing {
		st.judgeLevel(x, by)
	}
	x.orPass("the next call is judged: %s", by)
}

// whyUnjudged says why nothing judges the next call; "" if something does.
func whyUnjudged(x *exam) (why, remedy string) {
	switch {
	case Getenv(x.Shell)("CLAUDE_CODE_SIMPLE") == "1":
		return "CLAUDE_CODE_SIMPLE keeps the client from running hooks", "unset CLAUDE_CODE_SIMPLE"
	case x.Opened.None:
		return "there is no config", "pipeline init"
	case x.Opened.Policy == nil:
		return "the config cannot be used, and there is no earlier one", "pipeline check"
	case x.unused:
		for _, f := range x.hosts {
			if f.Status == Problem {
				return f.What, "see clients below"
			}
		}
		return "", ""
	case len(x.registered) == 0:
		return "no hook of ours is registered where the client looks", "see registration below"
	case len(x.running) == 0:
		return "the settings keep our hooks from running", "see settings below"
	}
	for _, s := range x.running {
		if slices.ContainsFunc(s.ours, func(h settings.Hook) bool { return h.Event == "PreToolUse" && h.Muted == "" }) {
			return "", ""
		}
	}
	return "no hook of ours is registered for PreToolUse", "see registration below"
}

// judgeLevel says what a level and its bypasses let pass.
func (st Standing) judgeLevel(x *exam, by string) {
	where, p := "the next call", x.Opened.Policy
	if st.Session != "" {
		where = "the next call of session " + st.Session
	}
	for _, b := range st.Bypasses {
		f := x.warn("pipeline bypass off", "%s: %s", where, hooks.DescribeBypass(b))
		if b.Rule == "" && b.Agent == "" && !b.Once {
			f.Status = Problem
			f.What += ": no objection stops it"
		}
	}
	level := "level " + st.Level.String() + " (" + st.Why + ")"
	switch {
	case st.Level == fsm.Off && listSwitches(p) != "" && st.Level == p.Level:
		x.warn("to try it: PIPELINE_LEVEL=strict pipeline doctor",
			"%s passes unjudged: %s, until it is switched on by %s", where, level, listSwitches(p))
	case st.Level == fsm.Off:
		x.problem(st.Remedy, "%s passes unjudged: %s", where, level)
	case st.Level == fsm.Observe:
		x.problem(st.Remedy, "%s is recorded and not refused: %s", where, level)
	case st.Level == fsm.Guidance:
		x.warn(st.Remedy, "%s only gets advice: %s", where, level)
	case len(st.Bypasses) == 0 && st.Session == "":
		x.pass("%s is judged: %s, %s", where, level, by)
	}
}
