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
func checkEnforcement(x *exam) []Finding {
	if why, remedy := whyUnjudged(x); why != "" {
		return []Finding{problem(remedy, "the next call passes unjudged: %s", why)}
	}
	by := listRunning(x)
	var found []Finding
	for _, st := range x.Standing {
		found = append(found, st.judgeLevel(x.Opened.Policy, by)...)
	}
	return orPass(found, "the next call is judged: %s", by)
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
		for _, f := range checkHosts(x) {
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

func listRunning(x *exam) string {
	var names []string
	for _, s := range x.running {
		names = append(names, s.String())
	}
	checkHosts(x)
	for _, o := range x.Others {
		for _, f := range o.listRegistered() {
			if x.failing[o.Name()] {
				continue
			}
			names = append(names, f.Path+" ("+o.Name()+")")
		}
	}
	text := "registered in " + strings.Join(names, ", ")
	if x.Opened.Stale {
		text += "; the last config without problems is in force"
	}
	return text
}

// judgeLevel says what a level and its bypasses let pass.
func (st Standing) judgeLevel(p *fsm.Policy, by string) []Finding {
	where, remedy := "the next call", st.Remedy
	if st.Session != "" {
		where = "the next call of session " + st.Session
	}
	var found []Finding
	for _, b := range st.Bypasses {
		f := warn("pipeline bypass off", "%s: %s", where, hooks.DescribeBypass(b))
		if b.Rule == "" && b.Agent == "" && !b.Once {
			f.Status = Problem
			f.What += ": no objection stops it"
		}
		found = append(found, f)
	}
	level := "level " + st.Level.String() + " (" + st.Why + ")"
	switch {
	case st.Level == fsm.Off && listSwitches(p) != "" && st.Level == p.Level:
		found = append(found, warn("to try it: PIPELINE_LEVEL=strict pipeline doctor",
			"%s passes unjudged: %s, until it is switched on by %s", where, level, listSwitches(p)))
	case st.Level == fsm.Off:
		found = append(found, problem(remedy, "%s passes unjudged: %s", where, level))
	case st.Level == fsm.Observe:
		found = append(found, problem(remedy, "%s is recorded and not refused: %s", where, level))
	case st.Level == fsm.Guidance:
		found = append(found, warn(remedy, "%s only gets advice: %s", where, level))
	case len(found) == 0 && st.Session == "":
		found = append(found, pass("%s is judged: %s, %s", where, level, by))
	}
	return found
}
