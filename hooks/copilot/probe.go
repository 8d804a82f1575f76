package copilot

import (
	"context"

	"github.com/agent-pipeline/pipeline/hooks"
)

// Probe looks at the program. Whether a folder is trusted it does not say: the user's hooks
// run in any.
func (h Host) Probe(ctx context.Context, _ string) []hooks.Finding {
	return []hooks.Finding{hooks.ProbeVersion(ctx, h.Name())}
}
