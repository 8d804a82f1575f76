package journal

import (
	"fmt"
	"strings"
)

// A doc says what a member of a record means.
type doc struct{ name, text string }

// A section documents the members of one object of a record.
type section struct {
	prefix string
	docs   []doc
}

// sections documents a record: the members of each object in the order in which they
// are written. Tests hold them to the types, and to what is recorded.
func sections() []section {
	return []section{{"", recordDocs()}, {"event.", eventDocs()}, {"event.agent.", agentDocs()},
		{"event.tool.", toolDocs()}, {"event.facts.", factDocs()}}
}

func recordDocs() []doc {
	return []doc{
		{"v", "version of the record's form; a reader takes every version up to its own"},
		{"n", "number in the session: 1 for the first, without a gap"},
		{"event", "what was decided on, without secrets: see below"},
		{"text_length", "length of the event's text in bytes, where less of it is recorded"},
		{"cut", "a part of the event is missing: it cannot be replayed exactly"},
		{"verdict", "answer: warn, ask or deny; left out when nothing objected"},
		{"strict_verdict", "the verdict of level strict, where that differs"},
		{"rule", "what decided: the rule's name, or pipeline, protect, …"},
		{"rule_type", "what reports call the rule: READ_LIMIT_EXCEEDED"},
		{"where", "where the rule is written: pipeline.yaml:93"},
		{"reason", "what the agent read, with the remedy; of a reset and a dispute: the person's reason"},
		{"limits", "where a confined shell line could write: folders, and what in them was read-only"},
		{"of", "number of the record that a dispute is about"},
		{"moves", "firings of the machine: trigger, agent, from, to"},
		{"texts", "SHA-256 hashes of the captured texts, which are files in context/"},
		{"notes", "what was noticed: recovered state, a wait for the lock, who reset"},
		{"bypassed", "rules whose objections a bypass let pass"},
		{"proposed", "agent type that the reason proposes to delegate to"},
		{"forked_from", "of a session's start: the session that it was forked from"},
		{"spooled", "of a late event: the file in which it waited"},
		{"recovered", "the session before it was not in the journal, but in state.json or lost"},
		{"after_end", "the session had ended, and this record does not bring it back"},
		{"repeated", "the call was reported before, by another registration of the hooks: it is counted once"},
		{"role", "whose rules a call met: orchestrator or subagent"},
		{"level", "level in force: strict, ask, guidance, observe, off"},
		{"injected_chars", "characters that were injected into the context of the agent that the event is about"},
		{"took_us", "microseconds that pipeline took until the record was made, the wait for the lock included"},
		{"error", "what went wrong in pipeline itself"},
		{"policy", "fingerprint of the policy in force"},
		{"session", "the session after it: state, counters, agents, captures"},
		{"prev", "hash of the record before; left out in the first"},
		{"hash", "first 128 bits of the SHA-256 of all that stands before it in the line; always last"},
	}
}

func eventDocs() []doc {
	return []doc{
		{"kind", "session-start, prompt, tool-request, agent-start, …; dispute, order, reset, rotated are our own"},
		{"time", "when it happened, RFC 3339"},
		{"agent", "who did it; without an id it is the main agent"},
		{"tool", "the tool call that it is about"},
		{"dir", "working directory of the caller"},
		{"text", "beginning of an agent's last message or of an error; never a person's words"},
		{"prompt", "of a prompt: the client's id for it"},
		{"origin", "of a prompt: notification, or own for what pipeline said itself; left out for a person"},
		{"source", "of a session's start or end: why; of a reset: the state to go to; of rotated: the previous file"},
		{"notice", "what a notification says"},
		{"tasks", "what ran in the background when a turn or an agent ended"},
		{"host", "in what the client differs from Claude Code: its name, and what it cannot do or does besides"},
		{"late", "it waited for the session's lock, and its client had its answer before"},
		{"refused", "of a late event: why the call was refused when it was made"},
		{"held", "a stop that had been held back before"},
		{"facts", "what else was known when it was decided"},
	}
}

func agentDocs() []doc {
	return []doc{
		{"id", "the client's id of this run; left out for the main agent"},
		{"type", "the agent's type, as the client says it"},
		{"teammate", "it is a member of a team"},
		{"basis", "what in the call says who did it"},
		{"parent", "the agent that started it, where the client says so; the session's id for the main agent"},
	}
}

func toolDocs() []doc {
	return []doc{
		{"name", "the tool, under its current name"},
		{"native", "what the client calls the tool, where that differs"},
		{"use", "pairs a call with its result"},
		{"digest", "of its command, which is not kept: a result with another one was not judged"},
		{"starts", "agent, skill or script that a call starts: how, type, name"},
		{"input", "other arguments of a tool, as far as rules asked for them"},
		{"parts", "each command (words) and file (path) of a call, with its tool; of a result: the files written"},
		{"skill", "skill or slash command that is used"},
		{"planned", "of a result: the user has approved a plan"},
		{"unasked", "of an approved plan: the client did not ask the user, so it moves nothing"},
		{"listed", "of a result: it carries the whole list of open tasks"},
		{"unknown", "of a request: pipeline does not know a tool of this name"},
		{"result", "how a tool's call ended"},
		{"over", "of a result: agents, by id or name, that it reports to have failed or to be gone"},
	}
}

func factDocs() []doc {
	return []doc{
		{"spawn", "the client's own note of how an agent was started"},
		{"env", "environment variables, as far as rules asked for them"},
		{"overrides", "overrides in force: a mode, and bypasses"},
		{"gate", "what became of the command that stood in the way: which, and whether it succeeded"},
		{"checks", "what became of the checks of an edit, or of a turn's edits"},
		{"absent", "file that an agent's last message names and that does not exist"},
		{"present", "at a session's start: a file that is there, of those that switch the policy on"},
		{"kernel", "of a shell line and of an agent's start: what can confine commands"},
		{"worktrees", "of an agent that is held to a worktree: the project's folder in each"},
		{"tokens", "what the calling agent's model has used, where a limit asks for it"},
		{"ticket", "of a shell line that has run: whether a rule confined it, and whether it ran within its limits"},
		{"judged", "what the session was judged by before, where that differs, and what passes now that did not"},
		{"tampered", "of a changed configuration: why the hooks would not run with it"},
	}
}

// Fields is the documentation of a record, one member a line.
func Fields() string {
	var b strings.Builder
	for _, s := range sections() {
		for _, d := range s.docs {
			fmt.Fprintf(&b, "  %-21s %s\n", s.prefix+d.name, d.text)
		}
	}
	return b.String()
}
