package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/report"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newReplayCommand(p *program) command {
	return command{
		Usage: "Re-evaluate recorded sessions against another policy",
		Description: `Each recorded event is put before the policy again, in memory: nothing is
changed. Each is judged from the session as it was recorded before it,
because what really happened does not follow another policy. What was not
recorded in full is counted, never guessed.
Exit codes: 0 fine, whatever would differ, 1 the config has problems, 2 wrong
usage, 3 nothing recorded, or it could not be read.`,
		UsageText: "pipeline replay --config new.yaml --since 7d",
		Flags: flags{
			textFlag("config", "the policy of this `FILE`; without it the one in force"),
			textFlag("level", "with this `LEVEL`: strict, ask, guidance, observe"),
			textFlag("session", "only the session with this `ID`, or those that begin so"),
			textFlag("since", "only what is younger than `AGE`: 7d, 12h, or a date"),
			jsonFlag()},
		Action: p.action(runReplay),
	}
}

// replayed is the document of `replay --json`.
type replayed struct {
	Policy  string `json:"policy"`
	Level   string `json:"level"`
	Damaged int    `json:"damaged_lines"`
	*rehearse.Tally
	Summary string `json:"summary"`
}

func runReplay(c invocation) error {
	since, err := parseAge(c.String("since"), time.Now())
	if err != nil {
		return err
	}
	o, isNamed, err := openCandidate(c)
	if err != nil {
		return err
	}
	policy, level := *o.Policy, c.String("level") // a copy
	if level != "" {
		var ok bool
		if policy.Level, ok = fsm.ParseLevel(level); !ok || policy.Level == fsm.Off { // off would decide nothing
			return expectOneOf("unknown level", level, fsm.LevelNames()[1:])
		}
	}
	out := replayed{Policy: policy.Fingerprint, Level: policy.Level.String(), Tally: rehearse.NewTally()}
	items, err := o.selectSessions(c)
	if err != nil {
		return err
	}
	for _, i := range items {
		if i.Last.Before(since) {
			continue
		}
		again := &rehearse.Replay{Policy: &policy, Base: &o.store, Older: o.Project.FindPolicy,
			NoOverrides: level != "" || isNamed} // then persons' orders about the level do not count
		counted := 0
		damaged, err := journal.Read(o.store.Path(i.ID), func(r journal.Record) bool {
			if outcome, ok := again.Next(r); ok && r.Event.Time.After(since) {
				out.Add(outcome)
				counted = 1
			}
			return true
		})
		if err != nil {
			c.sayf("session %s: %v", i.ID, err)
		}
		out.Sessions, out.Damaged = out.Sessions+counted, out.Damaged+damaged
	}
	if out.Events == 0 {
		return errors.New("nothing was recorded in that time")
	}
	out.Sort()
	out.Summary = out.summarize()
	return c.printResult(out, func() { printTally(c, out) })
}

// openCandidate opens the policy to try: that of the file that --config names before the command or after it,
// which is put in force nowhere, or the one in force.
func openCandidate(c invocation) (o opened, isNamed bool, err error) {
	for _, ctx := range c.Lineage() {
		if ctx.Command != nil && ctx.IsSet("config") {
			w := c.here()
			w.Config = ctx.String("config")
			draft, err := compileConfig(w)
			if err == nil && len(draft.Problems) > 0 {
				c.printProblems(draft.Problems)
				err = errProblems
			}
			return opened{c.program, draft.Opened, store(draft.Opened, 0)}, true, err
		}
	}
	o, err = c.openProject()
	return o, false, err
}

// summarize says in a paragraph what the replay has shown.
func (t replayed) summarize() string {
	text := fmt.Sprintf("%s, %s: each call was judged from the recorded session before it.",
		visible.Count(t.Sessions, "session"), visible.Count(t.Calls, "tool call"))
	if t.Differ == 0 {
		text += fmt.Sprintf(" All %d that were judged again are decided as they were.", t.Judged)
	} else {
		times := map[string]int{} // "pass to deny"
		for _, c := range t.Rules {
			turn := c.Was + " to " + c.Would
			if c.Was == c.Would {
				turn = c.Was + " for another reason"
			}
			times[turn] += c.Times
		}
		text += fmt.Sprintf(" %d of %d would be decided otherwise: %s.", t.Differ, t.Judged,
			strings.Join(report.Frequent(times), ", "))
	}
	if t.Moves > 0 {
		text += fmt.Sprintf(" %s would move the pipeline otherwise.", visible.Count(t.Moves, "other event"))
	}
	for _, left := range []struct {
		count       int
		thing, what string
	}{
		{t.Calls - t.Judged - t.Quarantined, "call", "could not be replayed."},
		{t.Quarantined, "call", "more were made by agents that would not have been started."},
		{t.Doubled, "call", "had been reported twice, by two registrations, and counted once."},
		{t.Damaged, "line", "could not be read."},
	} {
		if left.count > 0 {
			text += " " + visible.Count(left.count, left.thing) + " " + left.what
		}
	}
	return text
}

func printTally(c invocation, t replayed) {
	c.printf("%s\n", t.Summary)
	for _, why := range slices.Sorted(maps.Keys(t.Skipped)) {
		c.printf("  not replayable: %d, %s\n", t.Skipped[why], why)
	}
	if len(t.Rules) == 0 {
		return
	}
	c.printf("\n")
	var examples strings.Builder
	rows := c.newTable("RULE", "WHERE", "TIMES", "WAS", "WOULD BE")
	for _, ch := range t.Rules {
		was := ch.Was
		if ch.WasRule != "" {
			was += " by " + ch.WasRule
		}
		rule := cmp.Or(ch.Rule, fsm.DefaultRule)
		rows.row(rule, ch.Where, ch.Times, was, ch.Would)
		fmt.Fprintf(&examples, "\n%s\n", c.bold(rule+": "+was+" → "+ch.Would))
		for _, e := range ch.Examples {
			in := ""
			if e.State != "" {
				in = " in " + e.State
			}
			fmt.Fprintf(&examples, "  %s  %s%s: %s\n", formatTime(e.Time), e.Agent, in, e.Call)
			if e.Reason != "" {
				fmt.Fprintf(&examples, "    %s\n", visible.Shorten(e.Reason, 200))
			}
		}
	}
	rows.Flush()
	c.printf("%s", &examples)
}
