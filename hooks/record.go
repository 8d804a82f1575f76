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
		Tool: e.Tool.Name, UseID: e.Tool.UseID, Starts: e.Tool.Starts, Rule: d.Rule, RuleType: d.RuleType, Where: d.Where, Reason: d.Reason,
		Moves: d.Moves, Notes: d.Notes, Policy: p.Fingerprint, Level: d.Level.String(), InjectedChars: d.InjectedChars, Role: role(e), Input: input(p, e)}
	if d.Verdict > fsm.Pass {
		r.Verdict = d.Verdict.String()
	}
	if d.StrictVerdict != d.Verdict {
		r.StrictVerdict = d.StrictVerdict.String()
	}
	if p.AuditInput == "none" {
		r.Reason = "" // it names what was done
	}
	if d.Hold { // it quotes what commands have printed
		r.Reason, _ = beginning(r.Reason, room(p))
	}
	if e.Kind == fsm.Reset {
		r.Reason = e.Text
	}
	for _, t := range d.Texts {
		r.Texts = append(r.Texts, t.Ref.Hash)
	}
	return r
}

func role(e fsm.Event) string {
	if e.Kind != fsm.ToolRequest {
		return ""
	}
	if e.Agent.IsMain() || strings.EqualFold(e.Agent.Type, "fork") {
		return "orchestrator"
	}
	return "subagent"
}

// longest is how much of a text and of a command a record keeps, in bytes; with audit.input: full it is whole.
const (
	longest = 400
	whole   = 64 << 10
)

func room(p *fsm.Policy) int {
	if p.AuditInput == "full" {
		return whole
	}
	return longest
}

// input is what was decided on. Of a result only that it came is kept: its parts were recorded with the request.
func input(p *fsm.Policy, e fsm.Event) *journal.Input {
	in := &journal.Input{Gate: gateOf(e), Checks: checksOf(e), Absent: e.Facts.Absent, Orders: orders(e), Present: e.Facts.Present, Skill: e.Tool.Skill, Dir: e.Dir, Args: e.Tool.Input, Env: e.Facts.Env, Source: e.Source, Tasks: e.Tasks, Spawn: e.Facts.Spawn, Held: e.Held}
	if e.Kind == fsm.ToolRequest {
		in.Parts, in.Cut = kept(e.Tool.Parts, room(p))
	}
	if e.Tool.Result != (fsm.Result{}) {
		in.Result = &e.Tool.Result
	}
	if e.Origin == fsm.Notification {
		in.Origin, in.Notice = "notification", &e.Notice
	}
	if e.Kind != fsm.Prompt && e.Kind != fsm.PromptExpansion && e.Kind != fsm.Reset { // what a person says is nobody's business
		var secret bool
		in.Text, secret = beginning(e.Text, room(p))
		in.Length, in.Cut = len(e.Text), in.Cut || secret
	}
	if p.AuditInput == "none" {
		silence(in)
	}
	return in
}

// gateOf and checksOf are what became of the commands that were run, without what they printed.
func gateOf(e fsm.Event) *fsm.GateResult {
	if e.Facts.Gate == nil {
		return nil
	}
	return &fsm.GateResult{Key: e.Facts.Gate.Key, OK: e.Facts.Gate.OK}
}

func checksOf(e fsm.Event) (out []fsm.CheckResult) {
	for _, c := range e.Facts.Checks {
		out = append(out, fsm.CheckResult{Name: c.Name, OK: c.OK, Missing: c.Missing})
	}
	return out
}

// silence leaves of an input what kind of thing was done, and to which file: no words, no texts.
func silence(in *journal.Input) {
	for i := range in.Parts {
		in.Cut = in.Cut || len(in.Parts[i].Words) > 0
		in.Parts[i].Words = nil
	}
	in.Cut = in.Cut || len(in.Args) > 0 || in.Text != ""
	in.Args, in.Text = nil, ""
}

func beginning(text string, room int) (string, bool) {
	text, secret := fsm.RedactText(text)
	if len(text) <= room {
		return text, secret
	}
	for n := room; n > 0; n-- {
		if utf8.RuneStart(text[n]) {
			return text[:n], secret
		}
	}
	return "", secret
}

// kept are the parts of a call without secrets, and short.
func kept(parts []fsm.Part, room int) (out []fsm.Part, cut bool) {
	left := 2 * room
	for _, p := range parts {
		p.Words, cut = words(p.Words, room, cut)
		for _, w := range p.Words {
			left -= len(w) + 1
		}
		if left -= len(p.Path); left < 0 && len(out) > 0 {
			return out, true
		}
		out = append(out, p)
	}
	return out, cut
}

func words(in []string, room int, cut bool) ([]string, bool) {
	var out []string
	size, prev := 0, ""
	for _, w := range in {
		short, secret := fsm.RedactWord(prev, w)
		prev = w
		if size += len(short); size > room && len(out) > 0 {
			return append(out, "…"), true
		}
		valid := strings.ToValidUTF8(short[:min(len(short), room)], "�")
		out, cut = append(out, valid), cut || secret || valid != short
	}
	return out, cut
}
