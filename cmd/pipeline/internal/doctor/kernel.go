package doctor

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
)

// checkKernel tries what can confine commands here, and looks whether the client runs them through
// our launcher.
func checkKernel(x *exam, out *findings) {
	launcher := filepath.Join(x.State, kernel.LauncherName)
	switch prefix := x.getenv(claude.PrefixVariable); {
	case prefix != "" && prefix != launcher:
		out.warn("take "+claude.PrefixVariable+" out of the environment, then: pipeline install",
			"the client runs commands through %s: nothing confines them", prefix)
	case prefix == launcher && !canRun(launcher):
		out.problem("pipeline install", "%s is missing or cannot run: every command of the client fails", launcher)
	case prefix == launcher:
		switch c, err := kernel.FindCapability(x.Self, x.State); {
		case err != nil:
			out.warn("", "what can confine commands is not kept: %v", err)
		case c.Engine == "":
			out.warn("install bubblewrap, then: pipeline doctor", "%s", c)
		default:
			out.pass("%s", c)
		}
	case x.Opened.Policy != nil && slices.ContainsFunc(slices.Collect(x.Opened.Policy.EveryRule),
		func(r *fsm.Rule) bool { return r.Verdict == fsm.Confine }):
		out.warn("pipeline install", "the client's settings name no launcher: of rules that confine, `else` counts")
	}
}

func canRun(file string) bool {
	info, err := os.Stat(file)
	return err == nil && !info.IsDir() && system.CanRun(file)
}
