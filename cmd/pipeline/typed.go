package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// The hook itself answers the commands that a person types into the client as a prompt
// (/pipeline …): no model is asked. guard.TypedCommands lists them.

// typedCommand reads the command in an event, if the main agent is given one that is no
// notification. A prompt fires two events, in either order. The client expands only
// what is typed (by experiment: its clock submits the same text and never expands it),
// so that event is the one to answer. Of a client whose prompts give no orders it is a
// prompt like any other.
func typedCommand(e fsm.Event) (words []string, answers, ok bool) {
	if e.Host.NoCommands || !e.Agent.IsMain() || e.Origin != fsm.Person ||
		e.Kind != fsm.Prompt && e.Kind != fsm.PromptExpansion {
		return nil, false, false
	}
	words, ok = guard.ParseTyped(e.Text)
	return words, e.Kind == fsm.PromptExpansion, ok
}

// answerTyped runs a typed command, records it, and answers in the model's place.
func (r *hookCall) answerTyped(e fsm.Event, words []string) error {
	by := "asked in the client"
	if !guard.OnlyReads(words) {
		by = "by " + userName() + ", typed into the client"
	}
	text, _ := redact.Text(strings.Join(words, " "))
	note := journal.Record{Event: fsm.Event{Time: e.Time, Kind: journal.Order}, Reason: visible.Shorten(text, 300),
		Rule: guard.RuleOrder, Notes: []string{by}}
	var out string
	err := r.requireTypist(e, words)
	if err == nil {
		out, err = r.runTyped(words)
	}
	if err != nil {
		out = err.Error()
		line, _, _ := strings.Cut(out, "\n")
		note.Verdict, note.Notes = fsm.Deny.String(), []string{"not carried out: " + visible.Shorten(line, 300)}
	}
	st := store(r.open, 2*time.Second)
	err = nil
	if st.Has(e.Session) {
		err = st.Note(e.Session, note)
	}
	d := fsm.Decision{Verdict: fsm.Deny, Rule: guard.RuleOrder, Reason: "pipeline: " + strings.TrimSpace(out)}
	return errors.Join(err, r.reply(d))
}

// requireTypist refuses what no person has typed. What only reads is anyone's.
func (r *hookCall) requireTypist(e fsm.Event, words []string) error {
	if guard.OnlyReads(words) {
		return nil
	}
	why := r.host.CheckAttended()
	if s, err := store(r.open, 0).Last(e.Session); why == nil && err == nil && s.IsScheduled(e.Text) {
		why = errors.New("it was scheduled")
	}
	if why == nil {
		return nil
	}
	command := words[0]
	if command == "to" {
		command = "reset --to STATE"
	}
	return fmt.Errorf("this command was not accepted (%v). Only a person may give it: "+
		"type it into the client's window, or in a terminal of your own run: pipeline %s", why, command)
}

// runTyped carries a command out, and returns what it prints.
func (r *hookCall) runTyped(words []string) (string, error) {
	o := newOverrider(r.open, r.session)
	switch word, rest := words[0], words[1:]; word {
	case "status":
		return r.typedStatus()
	case "mode":
		return r.typedMode(o, rest)
	case "bypass":
		return r.typedBypass(o, rest)
	case "once":
		return "guidance for the next turn, until it ends: the agent is warned and not stopped",
			o.AllowOnce(joinWords(rest))
	case "reset", "to":
		return r.typedReset(word, rest)
	case "approve", "reject":
		return r.typedApproval(word, joinWords(rest))
	case "help":
		return guard.TypedHelp(), nil
	default:
		return "", fmt.Errorf("no command %s.\n%s", quote(word), guard.TypedHelp())
	}
}

// pickOwn is the session that the command was typed into.
func (r *hookCall) pickOwn(wait time.Duration) picked {
	return picked{Opened: r.open, store: store(r.open, wait), id: r.session, how: "this one"}
}

func (r *hookCall) typedStatus() (string, error) {
	s := r.pickOwn(0)
	if !s.store.Has(s.id) {
		return "nothing of this session has been recorded yet", nil
	}
	v, err := s.store.View(s.id)
	if err != nil {
		return "", err
	}
	return r.capture(func(p *program) error { printOverview(p, s, v); return nil })
}

func (r *hookCall) typedMode(o hooks.Overrider, args []string) (string, error) {
	if len(args) > 0 {
		level, why := args[0], joinWords(args[1:])
		if level == "clear" || level == "--clear" {
			level = ""
		} else if _, ok := fsm.ParseLevel(level); !ok {
			return "", unknownLevel(level)
		}
		if err := o.SetMode(level, why); err != nil {
			return "", err
		}
	}
	s, err := o.Store.Last(o.Session)
	if err != nil {
		return "", err
	}
	now, err := levelInForce(r.program, r.open, s, o.Now)
	if err != nil {
		return "", err
	}
	return r.capture(func(p *program) error { printLevel(p, now); return nil })
}

// typedBypass reads [on] DURATION [--rule R] [--agent A] REASON, off, or status.
func (r *hookCall) typedBypass(o hooks.Overrider, args []string) (string, error) {
	if len(args) > 0 && args[0] == "on" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return "", errors.New("bypass needs a duration and a reason: /pipeline bypass 30m REASON")
	case args[0] == "off":
		ended, err := o.EndBypasses()
		if len(ended) == 0 {
			return "no bypass is on", err
		}
		return describeEnded(ended), err
	case args[0] == "status":
		return r.typedMode(o, nil)
	}
	d, b, err := parseBypass(args)
	if err != nil {
		return "", err
	}
	if b, err = o.StartBypass(b, d); err != nil {
		return "", err
	}
	text := hooks.DescribeBypass(b) + ". It is recorded, and shown until it ends"
	if more := hooks.DescribeUncovered(o.Policy.Ceiling, b); more != "" {
		text += "; " + more
	}
	return text, nil
}

func parseBypass(args []string) (d time.Duration, b fsm.Bypass, err error) {
	if args[0] == "--for" && len(args) > 1 {
		args = args[1:]
	}
	if d, err = config.Span(strings.TrimPrefix(args[0], "--for=")); err != nil {
		return d, b, fmt.Errorf("found duration %s, expected one such as 30m or 2h: /pipeline bypass 30m REASON",
			quote(args[0]))
	}
	var why []string
	for i := 1; i < len(args); i++ {
		switch {
		case args[i] == "--rule" && i+1 < len(args):
			i++
			b.Rule = args[i]
		case args[i] == "--agent" && i+1 < len(args):
			i++
			b.Agent = args[i]
		default:
			why = append(why, args[i])
		}
	}
	if b.Why = joinWords(why); b.Why == "" {
		return d, b, errors.New("bypass needs a reason: /pipeline bypass 30m REASON")
	}
	return d, b, nil
}

func (r *hookCall) typedReset(word string, args []string) (string, error) {
	s, to := r.pickOwn(2*time.Second), ""
	if word == "to" && len(args) > 0 {
		to, args = args[0], args[1:]
	}
	why := joinWords(args)
	if why == "" && to != "" {
		why = "typed without a reason"
	}
	if why == "" {
		return "", fmt.Errorf("%s needs a reason: /pipeline reset REASON, or /pipeline to STATE REASON", word)
	}
	if err := checkTarget(s.Policy, to); err != nil {
		return "", err
	}
	return r.capture(func(p *program) error { return resetSession(p, s, to, why) })
}

// typedApproval answers for the result that the person has seen: approve HASH, or reject REASON.
func (r *hookCall) typedApproval(word, rest string) (string, error) {
	s := r.pickOwn(2 * time.Second)
	a, err := findApproval(s)
	if err != nil {
		return "", err
	}
	kind, why := fsm.Approve, ""
	if word == "reject" {
		if kind, why = fsm.Reject, rest; why == "" {
			return "", errors.New("reject needs a reason: /pipeline reject REASON")
		}
	} else if err := a.CheckSeen(rest); err != nil {
		return "", fmt.Errorf("%w (pipeline approve in a terminal shows it)", err)
	}
	return r.capture(func(p *program) error { return answerApproval(p, s, a, kind, why) })
}

// capture returns what a function prints.
func (p *program) capture(print func(p *program) error) (string, error) {
	var b bytes.Buffer
	quiet := *p
	quiet.out = &b
	err := print(&quiet)
	return b.String(), err
}
