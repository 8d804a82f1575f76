package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Orders that a person types into the client as a prompt. The hook answers them itself, so that no model is asked.

// ordered reads the order in an event, if there is one: only of what the main agent is given to do, and only of what is
// no notification. One prompt fires two events, in either order; only what is typed is expanded (by experiment: what the
// client's clock gives is submitted, word for word the same, and never expanded), so orders are taken from there, and the
// other event is let pass without a word.
func ordered(e fsm.Event) (words []string, typed, ok bool) {
	if !e.Agent.IsMain() || e.Origin != fsm.Person || e.Kind != fsm.Prompt && e.Kind != fsm.PromptExpansion {
		return nil, false, false
	}
	words, ok = hooks.Order(e.Text)
	return words, e.Kind == fsm.PromptExpansion, ok
}

// order carries out what a person has typed, and answers in the place of the model.
func (r *hookRun) order(e fsm.Event, words []string) error {
	d := fsm.Decision{Verdict: fsm.Deny, Rule: hooks.RuleOrder}
	st := store(r.open, 2*time.Second)
	var said string
	err := r.mayOrder(e, words)
	if err == nil {
		said, err = r.carryOut(e, words)
	}
	note := journal.Record{Event: fsm.Event{Time: e.Time, Kind: journal.Order}, Reason: orderText(words),
		Rule: hooks.RuleOrder, Notes: []string{givenBy(words)}}
	if err != nil {
		said = err.Error()
		note.Verdict, note.Notes = fsm.Deny.String(), []string{"not carried out: " + firstLine(said)}
	}
	if st.Has(e.Session) {
		err = st.Note(e.Session, note)
	} else {
		err = nil
	}
	d.Reason = "pipeline: " + strings.TrimSpace(said)
	return errors.Join(err, r.reply(d))
}

// givenBy says who gave an order, as far as it is known: whoever merely asks is not looked at.
func givenBy(words []string) string {
	if asksOnly(words) {
		return "asked in the client"
	}
	return "by " + who() + ", typed into the client"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return cut(line, 300)
}

// orderText is the order as it is recorded: its words, without what looks like a secret.
func orderText(words []string) string {
	text, _ := fsm.RedactText(strings.Join(words, " "))
	return cut(text, 300)
}

// mayOrder refuses what no person has typed.
func (r *hookRun) mayOrder(e fsm.Event, words []string) error {
	if asksOnly(words) {
		return nil
	}
	why := r.attended()
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
	return fmt.Errorf("this order was not taken (%v). An order is a person's: type it into the client's window, or in a terminal of your own run: pipeline %s", why, command)
}

// asksOnly reports whether an order changes nothing: it is anybody's then. One that there is not is answered with those
// that there are.
func asksOnly(words []string) bool {
	switch words[0] {
	case "mode":
		return len(words) == 1
	case "bypass":
		return len(words) == 2 && words[1] == "status"
	case "reset", "to", "once":
		return false
	}
	return true
}

// carryOut does what is ordered, and says what was done.
func (r *hookRun) carryOut(e fsm.Event, words []string) (string, error) {
	o := r.ordering(r.open, e.Session, who())
	what, rest := words[0], words[1:]
	switch what {
	case "status":
		return r.statusText(e.Session)
	case "mode":
		return r.orderMode(o, rest)
	case "bypass":
		return r.orderBypass(o, rest)
	case "once":
		return "guidance for the next turn, until it ends: the agent is told what it may not, and stopped by nothing",
			o.once(reasonOf(rest))
	case "reset", "to":
		return r.orderReset(e, what, rest)
	case "help":
		return orderHelp, nil
	}
	return "", fmt.Errorf("no order %s.\n%s", quote(what), orderHelp)
}

const orderHelp = `orders that you can type here:
  /pipeline status                  where the session stands
  /pipeline reset REASON            back to the initial state
  /pipeline to STATE REASON         to a state, the captured context being kept
  /pipeline once [REASON]           guidance for the next turn: for a quick fix
  /pipeline bypass 30m REASON       lift the pipeline for this session; bypass off; bypass status
  /pipeline mode LEVEL [REASON]     strict, ask, guidance, observe or off, for this session; mode clear`

func (r *hookRun) orderMode(o ordering, args []string) (string, error) {
	if len(args) > 0 {
		level, why := args[0], reasonOf(args[1:])
		if level == "clear" || level == "--clear" {
			level = ""
		} else if _, ok := fsm.ParseLevel(level); !ok {
			return "", unknownLevel(level)
		}
		if err := o.mode(level, why); err != nil {
			return "", err
		}
	}
	s, err := o.store.Last(o.session)
	if err != nil {
		return "", err
	}
	now, err := r.levelNow(r.open, s, o.now)
	return "\n" + r.text(func(p *program) { p.printLevel(now) }), err
}

// orderBypass reads [on] DURATION [--rule R] [--agent A] REASON, off, or status.
func (r *hookRun) orderBypass(o ordering, args []string) (string, error) {
	if len(args) > 0 && args[0] == "on" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return "", errors.New("bypass wants a duration and a reason: /pipeline bypass 30m REASON")
	case args[0] == "off":
		n, err := o.unlift()
		return fmt.Sprintf("%d bypass(es) ended", n), err
	case args[0] == "status":
		return r.orderMode(o, nil)
	}
	d, l, err := bypassWords(args)
	if err != nil {
		return "", err
	}
	if l, err = o.lift(l, d); err != nil {
		return "", err
	}
	return hooks.Describe(l) + ". It is recorded, and shown until it ends", nil
}

// reasonOf is a reason as it is typed, with or without quotes around it.
func reasonOf(words []string) string { return strings.Trim(strings.Join(words, " "), `"' `) }

func bypassWords(args []string) (d time.Duration, l fsm.Bypass, err error) {
	if args[0] == "--for" && len(args) > 1 {
		args = args[1:]
	}
	if d, err = config.Span(strings.TrimPrefix(args[0], "--for=")); err != nil {
		return d, l, fmt.Errorf("how long is %s? expected a duration such as 30m or 2h: /pipeline bypass 30m REASON", quote(args[0]))
	}
	var why []string
	for i := 1; i < len(args); i++ {
		switch {
		case args[i] == "--rule" && i+1 < len(args):
			i++
			l.Rule = args[i]
		case args[i] == "--agent" && i+1 < len(args):
			i++
			l.Agent = args[i]
		default:
			why = append(why, args[i])
		}
	}
	if l.Why = reasonOf(why); l.Why == "" {
		return d, l, errors.New("bypass wants a reason: /pipeline bypass 30m REASON")
	}
	return d, l, nil
}

func (r *hookRun) orderReset(e fsm.Event, what string, args []string) (string, error) {
	s := picked{Opened: r.open, store: store(r.open, 2*time.Second), id: e.Session, how: "this one"}
	to := ""
	if what == "to" && len(args) > 0 {
		to, args = args[0], args[1:]
	}
	why := reasonOf(args)
	if why == "" && what == "to" && to != "" {
		why = "typed without a reason"
	}
	if why == "" {
		return "", errors.New("it wants a reason: /pipeline reset REASON, or /pipeline to STATE REASON")
	}
	if err := target(s, to); err != nil {
		return "", err
	}
	return r.text(func(p *program) { err := p.resetTo(s, to, why); fail(p, err) }), nil
}

func fail(p *program, err error) {
	if err != nil {
		p.printf("%v\n", err)
	}
}

// text is what a part of the program prints.
func (r *hookRun) text(print func(p *program)) string {
	var b bytes.Buffer
	p := *r.program
	p.out = &b
	print(&p)
	return b.String()
}

func (r *hookRun) statusText(id string) (string, error) {
	s := picked{Opened: r.open, store: store(r.open, 0), id: id, how: "this one"}
	if !s.store.Has(id) {
		return "nothing of this session has been recorded yet", nil
	}
	v, err := s.store.View(id)
	if err != nil {
		return "", err
	}
	return "\n" + r.text(func(p *program) { p.overview(s, v) }), nil
}
