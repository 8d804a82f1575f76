package transcript

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// A made call is one that is not yet in its place among the others.
type made struct {
	Call
	event  string
	agent  string // the id of the agent that it is about
	use    string // the tool call that it is about, or that started the agent
	begins bool   // the agent that it is about begins with it
	ends   bool
}

// An asked is a tool call that has no result yet.
type asked struct {
	name  string
	input json.RawMessage
}

// A reader turns the lines of one file into calls.
type reader struct {
	calls []made
	open  map[string]asked
	agent string // the agent whose file it is; empty for the main agent's
	kind  string
	last  line // the latest answer that called no tool
	said  bool
}

func (r *reader) add(l line, event string, with map[string]any) *made {
	p := map[string]any{"hook_event_name": event}
	for k, v := range with {
		p[k] = v
	}
	if r.agent != "" {
		p["agent_id"], p["agent_type"] = r.agent, r.kind
	}
	r.calls = append(r.calls, made{Call: Call{Time: l.time, Dir: l.dir, ID: l.id, Payload: p}, event: event,
		agent: r.agent})
	return &r.calls[len(r.calls)-1]
}

// mainCalls are the main agent's.
func (f *file) mainCalls() []made {
	r := &reader{open: map[string]asked{}}
	refused := f.refused()
	if len(f.lines) > 0 {
		r.add(f.lines[0], "SessionStart", map[string]any{"source": "startup"})
	}
	for _, l := range f.lines {
		switch {
		case l.aside: // an older client wrote its agents' doings among the main agent's, and not whose they are
			f.aside += len(l.blocks("tool_use"))
		case l.kind == "system" && l.sub == "compact_boundary":
			r.add(l, "SessionStart", map[string]any{"source": "compact"})
		default:
			r.line(l, refused)
		}
	}
	r.stop("Stop")
	return r.calls
}

// agentCalls are those of one agent, from its start to its end.
func (f *file) agentCalls(path string, n note) []made {
	id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "agent-"), ".jsonl")
	r := &reader{open: map[string]asked{}, agent: id, kind: n.Type}
	if n.Type == "" || len(f.lines) == 0 { // a compaction, or nobody
		return nil
	}
	start := r.add(f.lines[0], "SubagentStart", nil)
	start.use, start.begins = n.UseID, true
	refused := f.refused()
	for _, l := range f.lines[1:] {
		r.line(l, refused)
	}
	r.stop("SubagentStop")
	for i := range r.calls {
		if e := r.calls[i].event; e == "SubagentStop" || e == "StopFailure" {
			r.calls[i].use, r.calls[i].ends = n.UseID, true
			r.calls[i].Payload["agent_transcript_path"] = path
		}
	}
	return r.calls
}

// refused are the calls that the client turned down itself before any hook was asked.
func (f *file) refused() map[string]bool {
	out := map[string]bool{}
	for _, l := range f.lines {
		for _, b := range l.blocks("tool_result") {
			if text := b.Get("content"); b.Get("is_error").Bool() && strings.HasPrefix(text.String(),
				"<tool_use_error>") {
				out[b.Get("tool_use_id").Str] = true
			}
		}
	}
	return out
}

func (r *reader) line(l line, refused map[string]bool) {
	switch {
	case l.kind == "assistant" && l.meta: // the API's error, in the agent's place
		r.said = false
		r.add(l, "StopFailure", map[string]any{"last_assistant_message": l.text()})
	case l.kind == "assistant":
		r.answer(l, refused)
	case l.kind == "user" && len(l.blocks("tool_result")) > 0:
		for _, b := range l.blocks("tool_result") {
			r.result(l, b)
		}
	case l.kind == "user" && !l.meta && spoken(l.text()):
		r.prompt(l)
	}
}

// spoken reports whether a text was put to the model as a prompt, and is no remark of the client's.
func spoken(text string) bool {
	text = strings.TrimSpace(text)
	for _, own := range []string{"<local-command-", "<bash-", "[Request interrupted"} {
		if strings.HasPrefix(text, own) {
			return false
		}
	}
	return text != ""
}

func (r *reader) answer(l line, refused map[string]bool) {
	uses := l.blocks("tool_use")
	for _, b := range uses {
		id := b.Get("id").Str
		if refused[id] {
			continue
		}
		ask := asked{b.Get("name").Str, json.RawMessage(b.Get("input").Raw)}
		r.open[id] = ask
		r.add(l, "PreToolUse", r.about(id, ask)).use = id
	}
	r.said = len(uses) == 0 && l.text() != "" || r.said && len(uses) == 0
	if l.text() != "" {
		r.last = l
	}
}

func (r *reader) about(id string, a asked) map[string]any {
	return map[string]any{"tool_name": a.name, "tool_use_id": id, "tool_input": a.input}
}

func (r *reader) result(l line, b gjson.Result) {
	id := b.Get("tool_use_id").Str
	ask, ok := r.open[id]
	if !ok {
		return
	}
	delete(r.open, id)
	with := r.about(id, ask)
	if b.Get("is_error").Bool() {
		with["error"] = b.Get("content").String()
		r.add(l, "PostToolUseFailure", with).use = id
		return
	}
	if l.response.Exists() {
		with["tool_response"] = json.RawMessage(l.response.Raw)
	}
	r.add(l, "PostToolUse", with).use = id
}

// prompt: somebody speaks. Whoever had said his last word before has ended his turn with it.
func (r *reader) prompt(l line) {
	if r.agent != "" {
		if r.said {
			r.stop("SubagentStop")
			r.add(l, "SubagentStart", nil).begins = true // woken by a message
		}
		return
	}
	r.stop("Stop")
	r.add(l, "UserPromptSubmit", map[string]any{"prompt": l.text()})
}

// stop ends a turn with the last words that were said in it.
func (r *reader) stop(event string) {
	if !r.said {
		return
	}
	r.said = false
	r.add(r.last, event, map[string]any{"last_assistant_message": r.last.text()})
}

// inOrder puts the calls of all agents in the order in which they were made, and tells each Stop who was running then.
func inOrder(calls []made) []Call {
	settle(calls)
	slices.SortStableFunc(calls, func(a, b made) int { return a.Time.Compare(b.Time) })
	running := map[string]bool{}
	var out []Call
	for _, c := range calls {
		switch {
		case c.begins:
			running[c.agent] = true
		case c.ends:
			delete(running, c.agent)
		case c.event == "Stop":
			c.Payload["background_tasks"] = tasks(running)
		}
		out = append(out, c.Call)
	}
	return out
}

func tasks(running map[string]bool) []any {
	out := []any{}
	for id := range running {
		out = append(out, map[string]any{"id": id, "type": "subagent", "status": "running"})
	}
	slices.SortFunc(out, func(a, b any) int {
		return cmp.Compare(a.(map[string]any)["id"].(string), b.(map[string]any)["id"].(string))
	})
	return out
}

// settle mends what the clock is too coarse for: an agent begins after the call that starts it.
func settle(calls []made) {
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
