package qwen

// hookContext is where the client puts the text that a hook has for an agent that starts.
const hookContext = "${hook_context}"

// DefineAgent writes a definition with a place for the text that hooks give the agent.
func (h Host) DefineAgent(source []byte) []byte {
	return append(h.Adapter.DefineAgent(source), "\n"+hookContext+"\n"...)
}
