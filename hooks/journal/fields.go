package journal

import (
	"fmt"
	"strings"
)

// Dispute is the kind of the record by which a person says that a denial was wrong.
const Dispute = "dispute"

// A doc says what a member of a record means.
type doc struct{ name, text string }

// fieldDocs documents the members of a record in the order in which they are written. A test holds it to the types.
func fieldDocs() []doc {
	return []doc{
		{"v", "version of the record's form; a reader takes every version up to its own"},
		{"n", "number in the session: 1 for the first, without a gap"},
		{"time", "when it happened, RFC 3339"},
		{"kind", "the event: session-start, prompt, tool-request, agent-start, …; dispute, order, reset, rotated are our own"},
		{"agent_id", "the client's id of the agent that did it; left out for the main agent"},
		{"agent", "that agent's type, as the client says it"},
		{"basis", "how it is known who did it: what in the call said so"},
		{"tool", "tool of a call, under its current name"},
		{"use", "pairs a call with its result"},
		{"starts", "agent, skill or script that a call starts: how, type, name"},
		{"verdict", "answer: warn, ask or deny; left out when nothing objected"},
		{"would", "what level strict would have said, where that differs"},
		{"rule", "what decided: the rule's name, or pipeline, protect, …"},
		{"type", "what reports call the rule: READ_LIMIT_EXCEEDED"},
		{"where", "where the rule is written: pipeline.yaml:93"},
		{"reason", "what the agent was told, with the remedy; of a reset and a dispute: the person's reason"},
		{"of", "number of the record that a dispute is about"},
		{"moves", "firings of the machine: trigger, agent, from, to"},
		{"texts", "SHA-256 hashes of the captured texts, which are files in context/"},
		{"notes", "what was noticed: recovered state, a wait for the lock, who reset"},
		{"role", "whose rules a call met: orchestrator or subagent"},
		{"level", "level in force: strict, ask, guidance, observe, off"},
		{"said", "characters that were injected into the context of the agent that the event is about"},
		{"input", "what was decided on: see below"},
		{"us", "microseconds that pipeline took until the record was made, the wait for the lock included"},
		{"error", "what went wrong in pipeline itself"},
		{"policy", "fingerprint of the policy in force"},
		{"session", "the session after it: state, counters, agents, captures"},
		{"prev", "hash of the record before; left out in the first"},
		{"hash", "first 128 bits of the SHA-256 of all that stands before it in the line; always last"},
	}
}

// inputDocs documents the members of input.
func inputDocs() []doc {
	return []doc{
		{"dir", "working directory of whoever called"},
		{"parts", "what a call comes to: each command (words) and file (path) of it, with its tool"},
		{"args", "other arguments of a tool, as far as rules asked for them"},
		{"env", "environment variables, as far as rules asked for them"},
		{"result", "how a tool's call ended"},
		{"source", "of a session's start or end: why; of a reset: the state to go to; of rotated: the file that it goes on from"},
		{"origin", "of a prompt: notification; left out for a person"},
		{"notice", "what a notification says"},
		{"tasks", "what ran in the background when a turn ended"},
		{"spawn", "the client's own note of how an agent was started"},
		{"orders", "what persons had ordered about the level: a mode, and what is lifted"},
		{"present", "at a session's start: a file that is there, of those that switch the policy on"},
		{"skill", "skill or slash command that is used"},
		{"gate", "what became of the command that stood in the way: which, and whether it succeeded"},
		{"checks", "what became of the checks of an edit, or of a turn's edits"},
		{"absent", "file that an agent's last message names and that does not exist"},
		{"text", "beginning of what an agent said last, secrets taken out"},
		{"length", "of that text as a whole, in bytes"},
		{"held", "a stop that had been held back before"},
		{"cut", "something was cut or made unreadable: it cannot be replayed exactly"},
	}
}

// Fields is the documentation of a record, a member a line.
func Fields() string {
	var b strings.Builder
	for _, d := range fieldDocs() {
		fmt.Fprintf(&b, "  %-9s %s\n", d.name, d.text)
	}
	for _, d := range inputDocs() {
		fmt.Fprintf(&b, "  input.%-7s %s\n", d.name, d.text)
	}
	return b.String()
}
