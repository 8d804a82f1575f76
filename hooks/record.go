package hooks

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// newRecord makes the record of a call: the event, redacted, and what was decided and
// answered.
func newRecord(p *fsm.Policy, e fsm.Event, d fsm.Decision) *journal.Record {
	r := &journal.Record{Rule: d.Rule, RuleType: d.RuleType, Where: d.Where, Reason: d.Reason, Limits: d.Limits,
		Moves: d.Moves,
		Notes: d.Notes, Bypassed: d.Bypassed, Proposed: d.Proposed, ForkedFrom: d.ForkedFrom, Policy: p.Fingerprint,
		Level: d.Level.String(), InjectedChars: d.InjectedChars, Repeated: d.Repeated}
	switch {
	case e.Kind != fsm.ToolRequest:
	case e.Agent.IsOrchestrator():
		r.Role = "orchestrator"
	default:
		r.Role = "subagent"
	}
	r.Event, r.Cut = Redact(e, p.AuditInput)
	if len(r.Event.Text) != len(e.Text) && !slices.Contains(personal[:], e.Kind) {
		r.TextLength = len(e.Text)
	}
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
		r.Reason, _ = shortenText(r.Reason, textRoom(p.AuditInput))
	}
	if e.Kind == fsm.Reset || e.Kind == fsm.Reject {
		r.Reason = e.Text
	}
	r.Reason = redact.Text(r.Reason)
	r.Notes = slices.Clone(r.Notes)
	for i, n := range r.Notes {
		r.Notes[i] = redact.Text(n)
	}
	for _, t := range d.Texts {
		r.Texts = append(r.Texts, t.Ref.Hash)
	}
	return r
}

// Redact makes the form of an event that is recorded: without secrets, without a
// person's words, and short. How is the config's audit.input: none, summary or full. It
// reports whether a part that a decision can depend on is missing.
//
// What is left out is listed with its reason in the test of this file. A new field of
// fsm.Event is recorded as it is, and fails that test until somebody decides.
func Redact(e fsm.Event, how string) (out fsm.Event, cut bool) {
	out, cut = e, e.Tool.Prompt != "" || e.Tool.Plan != "" || e.Tool.Task != nil ||
		len(e.Tool.Todos)+len(e.Crons) > 0 ||
		e.Facts.Graph != ""
	out.Session, out.Notes, out.Crons, out.Text = "", nil, nil, ""
	t := &out.Tool
	t.Paths, t.Command, t.Message, t.Prompt, t.Plan, t.Task, t.Todos = nil, "", "", "", "", nil, nil
	t.Opaque = false
	f := &out.Facts
	f.Captured, f.Parent, f.Earlier, f.Scratch, f.Graph, f.Opening = nil, nil, nil, "", "", nil
	if g := f.Gate; g != nil {
		f.Gate = &fsm.GateResult{Key: g.Key, OK: g.OK} // without what the command printed
	}
	f.Checks = nil
	for _, c := range e.Facts.Checks {
		f.Checks = append(f.Checks, fsm.CheckResult{Name: c.Name, OK: c.OK, Missing: c.Missing})
	}
	var missing, secret bool
	for _, values := range [...]*map[string]string{&t.Input, &f.Env} {
		*values = maps.Clone(*values) // they are the event's
		for name, value := range *values {
			if shown := begin(redact.Value(name, begin(value, maxInput+overlap)), maxInput); shown != value {
				(*values)[name], cut = shown, true
			}
		}
	}
	switch e.Kind {
	case fsm.ToolRequest:
		t.Parts, missing = redactParts(e.Tool.Parts, e.Tool.Command, textRoom(how))
	case fsm.ToolResult: // its request has the rest
		t.Parts = nil
		for _, path := range fsm.EditedFiles(e.Tool) {
			t.Parts = append(t.Parts, fsm.Part{Tool: "Write", Path: path})
		}
	default:
		t.Parts = nil
	}
	if !slices.Contains(personal[:], e.Kind) {
		out.Text, secret = shortenText(e.Text, textRoom(how))
	}
	cut = cut || missing || secret
	if how == "none" { // what kind of thing was done stays, and to which file: no words and no texts
		cut = cut || len(t.Input) > 0 || out.Text != "" || f.Tampered != ""
		t.Input, out.Text, f.Tampered = nil, "", ""
		for i := range t.Parts { // they came from the input
			t.Parts[i].Words = nil
		}
	}
	return out, cut
}

// personal are the events whose text is a person's, which is not recorded.
var personal = [...]fsm.Kind{fsm.Prompt, fsm.PromptExpansion, fsm.Reset, fsm.Reject}

// shortRoom and fullRoom are how much of a text or a command a record keeps, in bytes.
const (
	shortRoom = 400
	fullRoom  = 64 << 10
)

func textRoom(how string) int {
	if how == "full" {
		return fullRoom
	}
	return shortRoom
}

// overlap is how much more than is kept of a text is searched for secrets: one that stands
// where the text is cut is found whole.
const overlap = 4 << 10

// shortenText takes secrets out of a text and keeps its beginning. It reports whether
// there was a secret.
func shortenText(text string, room int) (string, bool) {
	text = begin(text, room+overlap)
	shown := redact.Text(text)
	return begin(shown, room), shown != text
}

// begin is a text's beginning, of so many bytes at most.
func begin(text string, room int) string {
	if len(text) <= room {
		return text
	}
	for room > 0 && !utf8.RuneStart(text[room]) {
		room--
	}
	return text[:room]
}

// redactParts takes secrets out of the parts of a call and keeps the first of them. It
// reports whether words or parts are missing.
func redactParts(parts []fsm.Part, written string, room int) (out []fsm.Part, cut bool) {
	bounded := make([][]string, len(parts)) // what is not kept of a long line costs no time
	for i, p := range parts {
		for k, left := 0, room+overlap; k < len(p.Words) && left > 0; k++ {
			w := begin(p.Words[k], room+overlap)
			left -= len(w)
			bounded[i] = append(bounded[i], w)
		}
	}
	left := 2 * room
	words, cut := redact.Line(bounded, begin(written, room+overlap))
	for i, p := range parts {
		size, all, path := 0, len(p.Words), p.Path
		p.Words = nil
		for _, w := range words[i] { // the first of them, as they are shown
			if size += len(w); size > room && len(p.Words) > 0 {
				p.Words, cut = append(p.Words, "…"), true
				break
			}
			valid := strings.ToValidUTF8(begin(w, room), "�")
			p.Words, cut = append(p.Words, valid), cut || valid != w
		}
		p.Path = redact.Text(path)
		cut = cut || p.Path != path || len(words[i]) < all
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
