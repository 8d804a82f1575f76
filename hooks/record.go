package hooks

import (
	"strings"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// record is what is kept of a call: what was asked, what was decided on, and what was answered.
func record(p *fsm.Policy, e fsm.Event, d fsm.Decision) journal.Record {
	r := journal.Record{Time: e.Time, Kind: e.Kind.String(), Agent: e.Agent.ID, Type: e.Agent.Type, Basis: e.Agent.Basis,
		Tool: e.Tool.Name, UseID: e.Tool.UseID, Starts: e.Tool.Starts, Rule: d.Rule, RuleIs: d.Type, Where: d.Where, Reason: d.Reason,
		Moves: d.Moves, Notes: d.Notes, Policy: p.Fingerprint, Level: p.Level.String(), Role: role(e), Input: input(e)}
	if d.Verdict > fsm.Pass {
		r.Verdict = d.Verdict.String()
	}
	if d.Would != d.Verdict {
		r.Would = d.Would.String()
	}
	if e.Kind == fsm.Reset {
		r.Reason = e.Text
	}
	for _, t := range d.Store {
		r.Texts = append(r.Texts, t.Ref.Hash)
	}
	return r
}

func role(e fsm.Event) string {
	if e.Kind != fsm.ToolRequest {
		return ""
	}
	if e.Agent.Main() || strings.EqualFold(e.Agent.Type, "fork") {
		return "orchestrator"
	}
	return "subagent"
}

// longest is how much of a text and of a command a record keeps, in bytes.
const longest = 400

// input is what was decided on. Of a result only that it came is kept: its parts were recorded with the request.
func input(e fsm.Event) *journal.Input {
	in := &journal.Input{Dir: e.Dir, Args: e.Tool.Input, Env: e.Facts.Env, Source: e.Source, Tasks: e.Tasks, Spawn: e.Facts.Spawn, Held: e.Held}
	if e.Kind == fsm.ToolRequest {
		in.Parts, in.Cut = kept(e.Tool.Parts)
	}
	if e.Tool.Result != (fsm.Result{}) {
		in.Result = &e.Tool.Result
	}
	if e.Origin == fsm.Notification {
		in.Origin, in.Notice = "notification", &e.Notice
	}
	if e.Kind != fsm.Prompt && e.Kind != fsm.Reset { // what a person says is nobody's business
		in.Text, in.Length = beginning(e.Text), len(e.Text)
	}
	return in
}

func beginning(text string) string {
	text, _ = redactText(text)
	if len(text) <= longest {
		return text
	}
	for n := longest; n > 0; n-- {
		if utf8.RuneStart(text[n]) {
			return text[:n]
		}
	}
	return ""
}

// kept are the parts of a call without secrets, and short.
func kept(parts []fsm.Part) (out []fsm.Part, cut bool) {
	room := 2 * longest
	for _, p := range parts {
		p.Words, cut = words(p.Words, cut)
		for _, w := range p.Words {
			room -= len(w) + 1
		}
		if room -= len(p.Path); room < 0 && len(out) > 0 {
			return out, true
		}
		out = append(out, p)
	}
	return out, cut
}

func words(in []string, cut bool) ([]string, bool) {
	var out []string
	size := 0
	for i, w := range in {
		prev := ""
		if i > 0 {
			prev = in[i-1]
		}
		short, secret := redact(prev, w)
		cut = cut || secret
		if size += len(short); size > longest && i > 0 {
			return append(out, "…"), true
		}
		if len(short) > longest {
			short, cut = short[:longest], true
		}
		out = append(out, strings.ToValidUTF8(short, "�"))
	}
	return out, cut
}
