package doctor

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// config: is there something to enforce, and is it what the files say?
func (x *exam) config() []Finding {
	o := x.Opened
	switch {
	case x.OpenErr != nil:
		return []Finding{problem("", "it cannot be read: %v; %s", x.OpenErr, x.inForce())}
	case o.None:
		return []Finding{problem("pipeline init", "there is none: nothing is enforced here")}
	case len(o.Problems) > 0:
		return []Finding{problem("", "%d problem(s), the first: %s; %s", len(o.Problems), o.Problems[0].Relative(x.Root), x.inForce())}
	case o.Policy == nil:
		return []Finding{problem("", "%s: it says nothing that could be enforced", strings.Join(o.Project.Files, ", "))}
	case o.Stale:
		return []Finding{problem("put it back, or: pipeline init", "%s", strings.Join(o.Notes, "; "))}
	}
	found := []Finding{x.level()}
	for _, n := range o.Notes {
		found = append(found, warn("pipeline check", "%s", n))
	}
	return found
}

// inForce is what counts while the config as it stands does not.
func (x *exam) inForce() string {
	if x.Opened.Policy == nil {
		return "there is no earlier one: on_error decides, which lets every call pass unless it says deny"
	}
	return "the last one without problems is in force"
}

func (x *exam) level() Finding {
	level, files := x.Opened.Policy.Level, strings.Join(x.Opened.Project.Files, ", ")
	by := ""
	if x.getenv("PIPELINE_LEVEL") != "" {
		by = " (by PIPELINE_LEVEL in the environment)"
	}
	if on := x.switches(); level == fsm.Off && on != "" {
		return fine("%s: no problems, level off%s until it is switched on by %s", files, by, on)
	}
	if level == fsm.Off {
		return warn("set level: strict", "%s: the level is off%s: nothing is enforced", files, by)
	}
	return fine("%s: no problems, level %s%s", files, level, by)
}

// switches is what switches the policy on by itself; empty if nothing does.
func (x *exam) switches() string {
	a := x.Opened.Policy.Activate
	return strings.Join(slices.Concat(a.When, a.Skills, a.Commands), ", ")
}
