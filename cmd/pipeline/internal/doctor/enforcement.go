package doctor

import (
	"os"
	"path/filepath"
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
func (x *exam) checkEnforcement() []Finding {
	if why, remedy := x.whyUnjudged(); why != "" {
		return []Finding{problem(remedy, "the next call passes unjudged: %s", why)}
	}
	by := x.listRunning()
	var found []Finding
	for _, st := range x.Standing {
		found = append(found, x.judgeStanding(st, by)...)
	}
	return orPass(found, "the next call is judged: %s", by)
}

// whyUnjudged says why nothing judges the next call; "" if something does.
func (x *exam) whyUnjudged() (why, remedy string) {
	switch {
	case Getenv(x.Shell)("CLAUDE_CODE_SIMPLE") == "1":
		return "CLAUDE_CODE_SIMPLE keeps the client from running hooks", "unset CLAUDE_CODE_SIMPLE"
	case x.Opened.None:
		return "there is no config", "pipeline init"
	case x.Opened.Policy == nil:
		return "the config cannot be used, and there is no earlier one", "pipeline check"
	case x.isClaudeUnused():
		for _, f := range x.checkHosts() {
			if f.Status == Problem {
				return f.What, "see clients below"
			}
		}
		return "", ""
	case len(x.registeredSources()) == 0:
		return "no hook of ours is registered where the client looks", "see registration below"
	case len(x.runningSources()) == 0:
		return "the settings keep our hooks from running", "see settings below"
	}
	for _, s := range x.runningSources() {
		if slices.ContainsFunc(s.ours, func(h settings.Hook) bool { return h.Event == "PreToolUse" && h.Muted == "" }) {
			return "", ""
		}
	}
	return "no hook of ours is registered for PreToolUse", "see registration below"
}

// runningSources are the registered sources that the settings let run.
func (x *exam) runningSources() []source {
	disabled := slices.ContainsFunc(x.sources, func(s source) bool {
		return !s.isPlugin() && !s.isManaged() && s.err == nil && settings.Blocks(s.body, nil) != ""
	})
	return slices.DeleteFunc(x.registeredSources(), func(s source) bool {
		return x.managed.DisableAll || !s.isManaged() && (x.managed.HooksOnly || disabled)
	})
}

func (x *exam) listRunning() string {
	var names []string
	for _, s := range x.runningSources() {
		names = append(names, s.String())
	}
	for _, o := range x.Others {
		for _, f := range o.listRegistered() {
			names = append(names, f.Path+" ("+o.Name()+")")
		}
	}
	text := "registered in " + strings.Join(names, " and ")
	if x.Opened.Stale {
		text += "; the last config without problems is in force"
	}
	return text
}

// judgeStanding says what a level and its bypasses let pass.
func (x *exam) judgeStanding(st Standing, by string) []Finding {
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
	case st.Level == fsm.Off && x.listSwitches() != "" && st.Level == x.Opened.Policy.Level:
		found = append(found, warn("to try it: PIPELINE_LEVEL=strict pipeline doctor",
			"%s passes unjudged: %s, until it is switched on by %s", where, level, x.listSwitches()))
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

// checkOthers names hooks of others that may change a call after it was judged.
func (x *exam) checkOthers() []Finding {
	const remedy = "remove it, or make sure that it answers without updatedInput"
	var found []Finding
	for _, s := range x.sources {
		all, err := settings.AllHooks(s.body)
		if err != nil || !s.isRead() {
			continue
		}
		for _, h := range all {
			ours := slices.ContainsFunc(s.ours, func(o settings.Hook) bool { return o.Command == h.Text })
			switch {
			case ours || h.Event != "PreToolUse" && h.Event != "PermissionRequest":
			case x.rewritesInput(h.Text):
				found = append(found, warn(remedy, "%s: another hook for %s rewrites what tools are given "+
					"(updatedInput), which pipeline has judged as it was: %s", s, h.Event, oneLine(h.Text)))
			default:
				found = append(found, warn(remedy, "%s: another hook for %s may rewrite what tools are given, "+
					"which pipeline has judged as it was: %s", s, h.Event, oneLine(h.Text)))
			}
		}
	}
	return orPass(found, "no hook of another program can rewrite what tools are given")
}

// rewritesInput reports whether a hook's text, or a script that it names, has the word for it.
func (x *exam) rewritesInput(text string) bool {
	const word = "updatedInput"
	if strings.Contains(text, word) {
		return true
	}
	for _, w := range strings.Fields(strings.NewReplacer("${CLAUDE_PROJECT_DIR}", x.Dir, "$CLAUDE_PROJECT_DIR", x.Dir,
		`"`, "", "'", "").Replace(text)) {
		file := w
		if !filepath.IsAbs(w) {
			file = filepath.Join(x.Dir, w)
		}
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			continue
		}
		if body, err := os.ReadFile(file); err == nil && strings.Contains(string(body), word) {
			return true
		}
	}
	return false
}
