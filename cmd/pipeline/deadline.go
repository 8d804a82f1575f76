package main

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// answerTime is how long a judgement may take. A client that has waited in vain (Claude Code: as
// long as the registration says) lets the call through without a word.
const answerTime = 3 * time.Second

// watchClock answers in place of a judgement that takes too long, with the strictest verdict in hand:
// the one that was found and only could not be kept yet, or else what the call's text alone says.
func (r *hookCall) watchClock(e fsm.Event) {
	if e.Kind != fsm.ToolRequest || r.out != io.Writer(os.Stdout) { // the process is this one call
		return
	}
	time.AfterFunc(answerTime, func() {
		if !r.claimed.CompareAndSwap(false, true) {
			return
		}
		if d := r.inHand.Load(); d != nil {
			r.answerUnkept(*d)
		} else if what := r.newGuards(r.open).FindMentioned(e.Tool, e.Dir); what != "" {
			r.answerUnkept(fsm.Decision{Verdict: fsm.Deny, Rule: fsm.RulePipeline,
				Reason: "This call could not be judged in time, and it names " + what + ", which agents leave alone."})
		} else {
			r.answerLapse(errors.New("the call could not be judged within " + answerTime.String()))
		}
		os.Exit(r.code)
	})
}

// answerUnkept answers with a verdict that has no record.
func (r *hookCall) answerUnkept(d fsm.Decision) {
	what := "this call was answered and not recorded: that took longer than " + answerTime.String()
	d.Notices = append(d.Notices, what)
	if err := r.writeAnswer(r.call, d); err != nil {
		r.report(err)
	}
	r.logError(errors.New(what))
}
