package transcript

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// A timedCall is one that is not yet ordered among the others.
type timedCall struct {
	Call
	event  string
	agent  string // the id of its agent
	use    string // its tool call, or the one that started the agent
	begins bool   // its agent begins with it
	ends   bool
}

// An openCall is a tool call that has no result yet.
type openCall struct {
	name  string
	input json.RawMessage
}

// A reader turns the lines of one file into calls.
type reader struct {
	calls        []timedCall
	open         map[string]openCall
	refused      map[string]bool
	agent        string // the agent whose file it is; empty for the main agent's
	agentType    string
	last         line // the latest answer that called no tool
	hasFinalText bool
}

func (r *reader) addCall(l line, event string, with map[string]any) *timedCall {
	p := map[string]any{"hook_event_name": event}
	maps.Copy(p, with)
	if r.agent != "" {
		p["agent_id"], p["agent_type"] = r.agent, r.agentType
	}
	r.calls = append(r.calls, timedCall{Call: Call{Time: l.time, Dir: l.dir, ID: l.id, Payload: p}, event: event,
		agent: r.agent})
	return &r.calls[len(r.calls)-1]
}

// mainCalls are the main agent's.
func (f *file) mainCalls() []timedCall {
	r := &reader{open: map[string]openCall{}, refused: f.findRefused()}
	if len(f.lines) > 0 {
		r.addCall(f.lines[0], "SessionStart", map[string]any{"source": "startup"})
	}
	for _, l := range f.lines {
		switch {
		case l.isSidechain: // an older client wrote its agents' calls here, without their agents
			f.unattributed += len(l.blocks("tool_use"))
		case l.kind == "system" && l.sub == "compact_boundary":
			r.addCall(l, "SessionStart", map[string]any{"source": "compact"})
		default:
			r.takeLine(l)
		}
	}
	r.endTurn("Stop")
	return r.calls
}

// agentCalls are those of one agent, from its start to its end.
func (f *file) agentCalls(path string) []timedCall {
	n := ReadNote(path)
	r := &reader{open: map[string]openCall{}, refused: f.findRefused(), agent: AgentOf(path), agentType: n.Type}
	if n.Type == "" || len(f.lines) == 0 { // a compaction, or no agent
		return nil
	}
	start := r.addCall(f.lines[0], "SubagentStart", nil)
	start.use, start.begins = n.UseID, true
	for _, l := range f.lines[1:] {
		r.takeLine(l)
	}
	r.endTurn("SubagentStop")
	for i := range r.calls {
		if e := r.calls[i].event; e == "SubagentStop" || e == "StopFailure" {
			r.calls[i].use, r.calls[i].ends = n.UseID, true
			r.calls[i].Payload["agent_transcript_path"] = path
		}
	}
	return r.calls
}

// findRefused are the calls that the client refused before it asked a hook.
func (f *file) findRefused() map[string]bool {
	out := map[string]bool{}
	for _, l := range f.lines {
		for _, b := range l.blocks("tool_result") {
			if b.Get("is_error").Bool() && strings.HasPrefix(b.Get("content").String(), "<tool_use_error>") {
				out[b.Get("tool_use_id").Str] = true
			}
		}
	}
	return out
}

func (r *reader) takeLine(l line) {
	switch {
	case l.kind == "assistant" && l.isMeta: // the API's error, in place of the agent's text
		r.hasFinalText = false
		r.addCall(l, "StopFailure", map[string]any{"last_assistant_message": l.text()})
	case l.kind == "assistant":
		r.takeAnswer(l)
	case l.kind == "user" && len(l.blocks("tool_result")) > 0:
		for _, b := range l.blocks("tool_result") {
			r.takeResult(l, b)
		}
	case l.kind == "user" && !l.isMeta && isPrompt(l.text()):
		r.takePrompt(l)
	}
}

// isPrompt reports whether a text is a prompt to the model, and not a remark of the client.
func isPrompt(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && !slices.ContainsFunc([]string{"<local-command-", "<bash-", "[Request interrupted"},
		func(own string) bool { return strings.HasPrefix(text, own) })
}

func (r *reader) takeAnswer(l line) {
	uses := l.blocks("tool_use")
	for _, b := range uses {
		id := b.Get("id").Str
		if r.refused[id] {
			continue
		}
		ask := openCall{b.Get("name").Str, json.RawMessage(b.Get("input").Raw)}
		r.open[id] = ask
		r.addCall(l, "PreToolUse", describeTool(id, ask)).use = id
	}
	r.hasFinalText = len(uses) == 0 && l.text() != "" || r.hasFinalText && len(uses) == 0
	if l.text() != "" {
		r.last = l
	}
}

func describeTool(id string, a openCall) map[string]any {
	return map[string]any{"tool_name": a.name, "tool_use_id": id, "tool_input": a.input}
}

func (r *reader) takeResult(l line, b gjson.Result) {
	id := b.Get("tool_use_id").Str
	ask, ok := r.open[id]
	if !ok {
		return
	}
	delete(r.open, id)
	with := describeTool(id, ask)
	if b.Get("is_error").Bool() {
		with["error"] = b.Get("content").String()
		r.addCall(l, "PostToolUseFailure", with).use = id
		return
	}
	if l.response.Exists() {
		with["tool_response"] = json.RawMessage(l.response.Raw)
	}
	r.addCall(l, "PostToolUse", with).use = id
}

// takePrompt: a prompt ends the turn before it.
func (r *reader) takePrompt(l line) {
	if r.agent != "" {
		if r.hasFinalText {
			r.endTurn("SubagentStop")
			r.addCall(l, "SubagentStart", nil).begins = true // woken by a message
		}
		return
	}
	r.endTurn("Stop")
	r.addCall(l, "UserPromptSubmit", map[string]any{"prompt": l.text()})
}

// endTurn ends a turn with its last text.
func (r *reader) endTurn(event string) {
	if !r.hasFinalText {
		return
	}
	r.hasFinalText = false
	r.addCall(r.last, event, map[string]any{"last_assistant_message": r.last.text()})
}

// orderCalls orders the calls of all agents by time, and adds to each Stop which agents were
// running then.
func orderCalls(calls []timedCall) []Call {
	adjustStarts(calls)
	slices.SortStableFunc(calls, func(a, b timedCall) int { return a.Time.Compare(b.Time) })
	running := map[string]bool{}
	var out []Call
	for _, c := range calls {
		switch {
		case c.begins:
			running[c.agent] = true
		case c.ends:
			delete(running, c.agent)
		case c.event == "Stop":
			c.Payload["background_tasks"] = listTasks(running)
		}
		out = append(out, c.Call)
	}
	return out
}

func listTasks(running map[string]bool) []any {
	out := []any{}
	for _, id := range slices.Sorted(maps.Keys(running)) {
		out = append(out, map[string]any{"id": id, "type": "subagent", "status": "running"})
	}
	return out
}

// adjustStarts lets an agent begin after the call that starts it, which the clock is too
// coarse to show.
func adjustStarts(calls []timedCall) {
	at := map[string]time.Time{}
	for _, c := range calls {
		if c.event == "PreToolUse" {
			at[c.use] = c.Time
		}
	}
	for i := range calls {
		c := &calls[i]
		if from, ok := at[c.use]; ok && c.begins && !c.Time.After(from) {
			c.Time = from.Add(time.Microsecond)
		}
	}
}
