package doctor

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/settings"
	"github.com/agent-pipeline/pipeline/hooks/visible"
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
		for _, f := range listRegistered(o) {
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

// checkConfig: is there something to enforce, and do the files say so?
func checkConfig(x *exam) {
	o := x.Opened
	switch {
	case x.OpenErr != nil:
		x.problem("pipeline check", "it cannot be read: %v; %s", x.OpenErr, describePolicy(o.Policy))
	case o.None:
		x.problem("pipeline init", "there is none: nothing is enforced here")
	case len(o.Problems) > 0:
		x.problem("pipeline check", "%s, the first: %s; %s",
			visible.Count(len(o.Problems), "problem"), o.Problems[0].Relative(x.Root), describePolicy(o.Policy))
	case o.Policy == nil:
		x.problem("pipeline check", "%s: there is nothing in it to enforce", strings.Join(o.Project.Files, ", "))
	case o.Stale:
		x.problem("put it back, or: pipeline init", "%s", strings.Join(o.Notes, "; "))
	default:
		level, files, by := o.Policy.Level, strings.Join(o.Project.Files, ", "), ""
		if x.getenv("PIPELINE_LEVEL") != "" {
			by = " (by PIPELINE_LEVEL in the environment)"
		}
		switch on := listSwitches(o.Policy); {
		case level == fsm.Off && on != "":
			x.pass("%s: no problems, level off%s until it is switched on by %s", files, by, on)
		case level == fsm.Off:
			x.warn("set level: strict", "%s: the level is off%s: nothing is enforced", files, by)
		default:
			x.pass("%s: no problems, level %s%s", files, level, by)
		}
		for _, n := range o.Notes {
			x.warn("pipeline check", "%s", n)
		}
	}
}

// describePolicy is what is in force while the config has problems.
func describePolicy(p *fsm.Policy) string {
	if p == nil {
		return "there is no earlier one: on_error decides, which lets every call pass unless it says deny"
	}
	return "the last one without problems is in force"
}

// listSwitches is what switches the policy on by itself; empty if nothing does.
func listSwitches(p *fsm.Policy) string {
	return strings.Join(slices.Concat(p.Activate.When, p.Activate.Skills, p.Activate.Commands), ", ")
}

// checkTools: are there tools such as the rules name, and do the rules name the tools that the client has?
func checkTools(x *exam) {
	if x.Opened.Policy == nil {
		x.pass("no policy, no rules")
		return
	}
	rules, policy := 0, x.Opened.Policy
	sections := []ruleSection{{"orchestrator", policy.Main}, {"subagents", policy.Subagents}}
	for _, section := range sections {
		for _, r := range section.List {
			rules++
			var missing []string // tools that no client has
			for _, t := range r.Tools {
				if !strings.HasPrefix(t, "mcp__") && len(fsm.FindTools(t)) == 0 {
					missing = append(missing, strconv.Quote(t))
				}
			}
			if missing == nil {
				continue
			}
			f := x.warn("name the tool as the client does", "%s: rule %s (%s) names %s, which no client has",
				section.name, r.Name, r.Place, strings.Join(missing, ", "))
			if len(missing) == len(r.Tools) {
				f.Status = Problem
				f.What += ": the rule never matches"
			}
		}
	}
	findUnknownTools(x, sections)
	x.orPass("%d rules, which name tools that the client has", rules)
}

// A ruleSection is a section of the config that has rules.
type ruleSection struct {
	name string
	fsm.Rules
}

// week is how far back errors count.
const week = 7 * 24 * time.Hour

// findUnknownTools are recently used tools that pipeline does not know and no rule names.
func findUnknownTools(x *exam, sections []ruleSection) {
	seen := map[string]bool{}
	for _, i := range x.sessions[:min(len(x.sessions), 20)] { // the check of the locks reports an error
		if x.Now.Sub(i.Last) > week {
			break
		}
		_, _ = journal.Read(x.Store.Path(i.ID), func(r journal.Record) bool {
			if r.Event.Tool.Unknown {
				seen[r.Event.Tool.Name] = true
			}
			return true
		}) // damage in it is for pipeline audit
	}
	for _, tool := range slices.Sorted(maps.Keys(seen)) {
		names := func(r fsm.Rule) bool {
			return slices.ContainsFunc(r.Tools, func(t string) bool {
				ok, _ := path.Match(t, tool)
				return ok
			})
		}
		i := slices.IndexFunc(sections, func(s ruleSection) bool {
			return len(s.List) > 0 && s.Default.Verdict == fsm.Pass && !slices.ContainsFunc(s.List, names)
		})
		if i >= 0 {
			x.problem("name it in a rule, if it is one that was renamed: deny: ["+tool+"]",
				"the client has used a tool %q that pipeline does not know and no rule of %s names: "+
					"it passes by default", tool, sections[i].name)
		}
	}
}
