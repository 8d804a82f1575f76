package doctor

import "github.com/agent-pipeline/pipeline/hooks/clients"

// checkTyped: on what does it rest that a person typed a command into the client?
func (x *exam) checkTyped() []Finding {
	switch x.Basis {
	case clients.NoBasis:
		return []Finding{warn("give commands in a terminal of your own: pipeline mode, pipeline bypass, …",
			"commands that are typed into a client started here are refused: neither the environment of a process "+
				"nor its terminal can be seen")}
	case clients.ByEnvironment:
		return []Finding{pass("/pipeline commands count as a person's by %s", x.Basis)}
	}
	return []Finding{pass("/pipeline commands count as a person's by less than on Linux: %s", x.Basis)}
}
