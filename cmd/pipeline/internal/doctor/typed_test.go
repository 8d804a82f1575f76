package doctor

import (
	"testing"

	"github.com/agent-pipeline/pipeline/hooks/clients"
)

// TestTyped: on what a typed command is accepted, and that it is not where nothing is seen.
func TestTyped(t *testing.T) {
	for basis, want := range map[clients.Basis]struct {
		status Status
		text   string
	}{
		clients.ByEnvironment: {OK, "the environment that it was started with"},
		clients.ByParents:     {OK, "on less evidence than on Linux: the processes above the client, and its terminal"},
		clients.NoBasis:       {Warning, "are refused"},
	} {
		w := healthy(t)
		w.Basis = basis
		w.want("typed", want.status, want.text)
	}
}
