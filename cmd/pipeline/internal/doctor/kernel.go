package doctor

import (
	"path/filepath"
	"slices"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
)

// checkKernel tries what can confine commands here, and looks whether the client runs them through
// our launcher.
func checkKernel(x *exam) {
	launcher := filepath.Join(x.State, kernel.LauncherName)
	_, runs := system.FindProgram(launcher)
	switch prefix := x.getenv(claude.PrefixVariable); {
	case prefix != "" && prefix != launcher:
		x.warn("take "+claude.PrefixVariable+" out of the environment, then: pipeline install",
			"the client runs commands through %s: nothing confines them", prefix)
	case prefix == launcher && !runs:
		x.problem("pipeline install", "%s is missing or cannot run: every command of the client fails", launcher)
	case prefix == launcher:
		switch c, err := kernel.FindCapability(x.Self, x.State); {
		case err != nil:
			x.warn("", "what can confine commands is not kept: %v", err)
		case c.Engine == "":
			x.warn("install bubblewrap, then: pipeline doctor", "%s", c)
		default:
			x.pass("%s", c)
		}
	case x.Opened.Policy != nil && slices.ContainsFunc(slices.Collect(x.Opened.Policy.EveryRule),
		func(r *fsm.Rule) bool { return r.Verdict == fsm.Confine }):
		x.warn("pipeline install", "the client's settings name no launcher: of rules that confine, `else` counts")
	}
}
