package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// summary is what came of it in a paragraph.
func (r *replaying) summarize() string {
	t := r.out.Tally
	if r.out.Mode == "transcripts" {
		return r.wouldHave()
	}
	text := fmt.Sprintf("%s, %s: %s.", plural(t.Sessions, "session"), plural(t.Calls, "tool call"),
		r.describeManner())
	if t.Differ == 0 {
		text += fmt.Sprintf(" All %d that were judged again are decided as they were.", t.Judged)
	} else {
		text += fmt.Sprintf(" %d of %d would be decided otherwise: %s.", t.Differ, t.Judged,
			strings.Join(countTurns(t), ", "))
	}
	if t.Moves > 0 {
		text += fmt.Sprintf(" %s would move the pipeline otherwise.", plural(t.Moves, "other event"))
	}
	return text + r.describeLeftOut()
}

func (r *replaying) describeManner() string {
	if r.sequential {
		return "each session followed the policy from its beginning"
	}
	return "each call was judged from the recorded session before it"
}

// describeLeftOut says what was not decided again.
func (r *replaying) describeLeftOut() (text string) {
	t := r.out.Tally
	for _, left := range []struct {
		count       int
		thing, what string
	}{
		{t.Calls - t.Judged - t.Quarantined, "call", "could not be replayed."},
		{t.Quarantined, "call", "more were made by agents that would not have been started."},
		{t.Unsure, "answer", "rest on something that could not be replayed."},
		{t.Doubled, "call", "had been reported twice, by two registrations, and counted once."},
		{r.out.Damaged, "line", "could not be read."},
	} {
		if left.count > 0 {
			text += " " + plural(left.count, left.thing) + " " + left.what
		}
	}
	return text
}

// countTurns counts the changes of verdict: "pass to deny 3".
func countTurns(t *rehearse.Tally) []string {
	var order []string
	times := map[string]int{}
	for _, c := range t.Rules {
		turn := c.Was + " to " + c.Would
		if c.Was == c.Would {
			turn = c.Was + " for another reason"
		}
		if times[turn] == 0 {
			order = append(order, turn)
		}
		times[turn] += c.Times
	}
	for i, turn := range order {
		order[i] = fmt.Sprintf("%s %d", turn, times[turn])
	}
	return order
}

func (r *replaying) printTally() {
	r.printf("%s\n", r.out.Summary)
	for _, why := range slices.Sorted(maps.Keys(r.out.Skipped)) {
		r.printf("  not replayable: %d, %s\n", r.out.Skipped[why], why)
	}
	if len(r.out.Rules) == 0 {
		return
	}
	r.printf("\n")
	t := r.table()
	fmt.Fprintln(t, "RULE\tWHERE\tTIMES\tWAS\tWOULD BE")
	for _, c := range r.out.Rules {
		was := describeDecision(c.Was, c.WasRule)
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", nameRule(c.Rule), c.Where, c.Times, was, c.Would)
	}
	t.Flush()
	for _, c := range r.out.Rules {
		r.printf("\n%s\n", r.bold(nameRule(c.Rule)+": "+describeChange(c)))
		for _, e := range c.Examples {
			r.printExample(e)
		}
	}
}

func describeChange(c *rehearse.Change) string {
	if c.Was == "" {
		return c.Would
	}
	return describeDecision(c.Was, c.WasRule) + " → " + c.Would
}

func describeDecision(verdict, rule string) string {
	if verdict == "" {
		return "-"
	}
	if rule == "" {
		return verdict
	}
	return verdict + " by " + rule
}

func nameRule(rule string) string {
	if rule == "" {
		return rehearse.NoRule
	}
	return rule
}

func (r *replaying) printExample(e rehearse.Example) {
	in := ""
	if e.State != "" {
		in = " in " + e.State
	}
	r.printf("  %s  %s%s: %s\n", e.Time.Local().Format(time.DateTime), e.Agent, in, e.Call)
	if e.Reason != "" {
		r.printf("    %s\n", visible.Shorten(e.Reason, 200))
	}
}
