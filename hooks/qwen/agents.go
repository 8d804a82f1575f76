package qwen

import "github.com/agent-pipeline/pipeline/hooks/dialect"

// hookContext is where the client puts the text that a hook has for an agent that starts.
const hookContext = "${hook_context}"

// DefineAgent writes a definition with the client's own names of tools, and a place for what
// the agent is told.
func (h Host) DefineAgent(source []byte) []byte {
	d := dialect.ParseDefinition(source)
	d.Text += "\n" + hookContext + "\n"
	return d.Markdown(h.dialect().NativeTool)
}

// DefinedAgents are those of the project and the user, and the client's own.
func (h Host) DefinedAgents() (defined, builtin []string) {
	return dialect.ListDefined(h.Places()),
		[]string{"general-purpose", "Explore", "fork", "statusline-setup", "review-agent"}
}
