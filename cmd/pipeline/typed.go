package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// The hook itself answers the commands that a person types into the client as a prompt
// (/pipeline …): no model is asked. guard.TypedCommands lists them.

// answerTyped runs a typed command, records it, and answers in the model's place.
func (r *hookCall) answerTyped(e fsm.Event, words []string) error {
	by := "asked in the client"
	if !guard.OnlyReads(words) {
		by = "by " + userName() + ", typed into the client"
	}
	text := redact.Text(strings.Join(words, " "))
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
	word, rest, why := words[0], words[1:], joinWords(words[1:])
	var out bytes.Buffer
	quiet := *r.program
	quiet.out = &out
	s := picked{opened{&quiet, r.open, store(r.open, 2*time.Second)}, session.Item{ID: r.session}, "this one"}
	o := s.newOverrider(r.session)
	err := func() error {
		switch word {
		case "status":
			if !s.store.Has(s.ID) {
				s.printf("nothing of this session has been recorded yet\n")
				return nil
			}
			v, err := s.store.View(s.ID)
			if err == nil {
				printOverview(s, v, readLevel(s, v))
			}
			return err
		case "mode":
			return typedMode(s, o, rest)
		case "bypass":
			return typedBypass(s, o, rest)
		case "once":
			s.printf("guidance for the next turn, until it ends: the agent is warned and not stopped\n")
			return o.AllowOnce(why)
		case "reset", "to":
			to := ""
			if word == "to" && len(rest) > 0 {
				to, why = rest[0], cmp.Or(joinWords(rest[1:]), "typed without a reason")
			}
			if why == "" {
				return fmt.Errorf("%s needs a reason: /pipeline reset REASON, or /pipeline to STATE REASON", word)
			}
			if word == "reset" && len(rest) > 1 && strings.TrimLeft(rest[0], "-") == "to" &&
				slices.ContainsFunc(o.Policy.States, func(state fsm.State) bool { return state.Name == rest[1] }) {
				return fmt.Errorf("reset goes to the initial state; for another one: /pipeline to %s REASON", rest[1])
			}
			return resetSession(s, to, why)
		case "approve", "reject":
			return typedApproval(s, word, why)
		case "help":
			s.printf("%s\n", guard.TypedHelp())
			return nil
		default:
			return fmt.Errorf("no command %q.\n%s", word, guard.TypedHelp())
		}
	}()
	return out.String(), err
}

func typedMode(s picked, o hooks.Overrider, args []string) error {
	if _, err := setMode(o, args); err != nil {
		return err
	}
	last, err := o.Store.Last(o.Session)
	if err != nil {
		return err
	}
	now, err := s.levelInForce(last)
	if err == nil {
		s.printLevel(now)
	}
	return err
}

// typedBypass reads [on] DURATION [--rule R] [--agent A] REASON, off, or status.
func typedBypass(s picked, o hooks.Overrider, args []string) error {
	if len(args) > 0 && args[0] == "on" {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return errors.New("bypass needs a duration and a reason: /pipeline bypass 30m REASON")
	case args[0] == "off":
		ended, err := o.EndBypasses()
		s.printf("%s", cmp.Or(describeEnded(ended), "no bypass is on\n"))
		return err
	case args[0] == "status":
		return typedMode(s, o, nil)
	case args[0] == "--for" && len(args) > 1:
		args = args[1:]
	}
	d, err := config.Span(strings.TrimPrefix(args[0], "--for="))
	if err != nil {
		return fmt.Errorf("found duration %q, expected one such as 30m or 2h: /pipeline bypass 30m REASON", args[0])
	}
	var b fsm.Bypass
	var why []string
	for i := 1; i < len(args); i++ {
		into, isFlag := map[string]*string{"--rule": &b.Rule, "--agent": &b.Agent}[args[i]]
		if isFlag && i+1 < len(args) {
			i++
			*into = args[i]
		} else {
			why = append(why, args[i])
		}
	}
	if b.Why = joinWords(why); b.Why == "" {
		return errors.New("bypass needs a reason: /pipeline bypass 30m REASON")
	}
	if b, err = o.StartBypass(b, d); err != nil {
		return err
	}
	s.printf("%s. It is recorded, and shown until it ends", hooks.DescribeBypass(b))
	if more := hooks.DescribeUncovered(o.Policy.Ceiling, b); more != "" {
		s.printf("; %s", more)
	}
	return nil
}

// typedApproval answers for the result that the person has seen: approve HASH, or reject REASON.
func typedApproval(s picked, word, rest string) error {
	seen, err := findApproval(s)
	switch {
	case err != nil:
		return err
	case word == "reject" && rest == "":
		return errors.New("reject needs a reason: /pipeline reject REASON")
	case word == "reject":
		return answerApproval(s, seen, fsm.Reject, rest)
	}
	if err := seen.Machine.Approval.CheckSeen(rest); err != nil {
		return fmt.Errorf("%w (pipeline approve in a terminal shows it)", err)
	}
	return answerApproval(s, seen, fsm.Approve, "")
}
