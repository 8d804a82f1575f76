package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// namesRecord reports whether the argument of explain is a record, as `pipeline log` names it.
func namesRecord(arg string) bool {
	return regexp.MustCompile(`^([^(){}\s]+:)?[0-9]+$`).MatchString(arg)
}

// A recordDoc is a record with all that explains it.
type recordDoc struct {
	Record   journal.Record    `json:"record"`
	Before   string            `json:"state_before,omitempty"`
	Decider  string            `json:"decider,omitempty"` // the rule, or the state whose list decided
	Parts    []rehearse.Ruling `json:"parts"`
	NotAgain string            `json:"not_judged_again,omitempty"` // why the parts are not known
	Rule     []string          `json:"rule_text"`                  // how the rule is written
	Edited   bool              `json:"config_changed"`             // the config is another by now
	Disputed bool              `json:"disputed"`
}

func explainRecord(p *program, c *cli.Context) error {
	if c.IsSet("state") || c.IsSet("agent") || c.Bool("fresh") {
		return usageError{"explain SESSION:N judges the record as it was: --state, --agent and --fresh are for a call"}
	}
	o, err := p.openProject(c)
	if err != nil {
		return err
	}
	st := store(o, 0)
	id, n, err := findRecord(st, c.String("session"), c.Args().First())
	if err != nil {
		return err
	}
	d, err := readRecord(o, st, id, n)
	if err != nil {
		return err
	}
	return p.printResult(c, d, func() { printRecord(p, id, d) })
}

// readRecord reads a record, and judges it again.
func readRecord(o config.Opened, st session.Store, id string, n int64) (recordDoc, error) {
	d := recordDoc{Parts: []rehearse.Ruling{}, Rule: []string{}}
	var before journal.Record
	_, err := journal.Read(st.Path(id), func(r journal.Record) bool {
		switch {
		case r.Seq == n-1:
			before = r
		case r.Seq == n:
			d.Record = r
		}
		d.Disputed = d.Disputed || r.Event.Kind == journal.Dispute && r.Of == n
		return true
	})
	r := d.Record
	switch {
	case err != nil:
		return d, err
	case r.Seq == 0:
		return d, fmt.Errorf("session %s has no readable record %d", id, n)
	}
	d.Before = before.State.Machine.State
	d.Decider = r.Decider()
	d.Rule, d.Edited = quoteConfig(o, r.Where), changedSince(o, r.Event.Time)
	if r.Event.Kind == fsm.ToolRequest {
		d.Parts, err = judgeAgain(o, st, before, r)
		if err != nil {
			d.NotAgain = err.Error()
		}
	}
	return d, nil
}

// judgeAgain puts a call before the policy of then, from the session before it.
func judgeAgain(o config.Opened, st session.Store, before, r journal.Record) ([]rehearse.Ruling, error) {
	policy := o.Policy
	if r.Policy != policy.Fingerprint {
		var err error
		if policy, err = config.FindPolicy(o.Project.Home, r.Policy); err != nil {
			return []rehearse.Ruling{}, errors.New("that policy is no longer kept")
		}
	}
	again := &rehearse.Replay{Policy: policy, Base: &st, Older: findKeptPolicy(o)}
	again.Follow(before)
	out, _ := again.Next(r)
	if out.Skipped != "" {
		return []rehearse.Ruling{}, errors.New(out.Skipped)
	}
	return out.Rulings(), nil
}

// quotedLines is how much of a rule is shown.
const quotedLines = 8

// quoteConfig is how a rule is written: from its place on, up to the next of its depth.
func quoteConfig(o config.Opened, where string) []string {
	name, number, _ := strings.Cut(where, ":")
	at, err := strconv.Atoi(number)
	i := slices.IndexFunc(o.Project.Files, func(f string) bool { return filepath.Base(f) == name })
	if err != nil || i < 0 {
		return []string{}
	}
	body, err := os.ReadFile(o.Project.Files[i])
	lines := strings.Split(string(body), "\n")
	if err != nil || at < 1 || at > len(lines) {
		return []string{}
	}
	depth := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	out := lines[at-1 : at]
	for _, l := range lines[at:] {
		if len(out) == quotedLines || depth(l) <= depth(out[0]) {
			break
		}
		out = append(out[:len(out):len(out)], l)
	}
	return out
}

// printRecord prints what is known, one statement a line.
func printRecord(p *program, id string, d recordDoc) {
	r, e := d.Record, d.Record.Event
	p.printf("%s\n\n", p.bold(fmt.Sprintf("%s:%d", id, r.Seq)))
	t := p.newTable()
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, p.paint(singleLine(text)))
		}
	}
	row("event", strings.TrimSpace(e.Kind.String()+" "+e.Tool.Name)+", "+e.Time.Local().Format(time.DateTime))
	row("caller", describeCaller(r))
	row("state", describeStates(d))
	row("level", r.Level)
	if m := e.Facts.Overrides.Mode; m != nil {
		row("mode", m.Origin())
	}
	for _, b := range e.Facts.Overrides.Bypasses {
		row("bypass", hooks.DescribeBypass(b))
	}
	row("answer", describeAnswer(d))
	row("bypassed", strings.Join(r.Bypassed, ", "))
	row("proposed", r.Proposed)
	for _, m := range r.Moves {
		row("move", m.From+" → "+m.To+" by "+m.Trigger)
	}
	for _, n := range r.Notes {
		row("note", n)
	}
	if d.Disputed {
		row("disputed", "a person says that it was wrong")
	}
	row("error", r.Error)
	t.Flush()
	if d.NotAgain != "" {
		p.printf("\nits parts cannot be judged again: %s\n", d.NotAgain)
	}
	if len(d.Parts) > 0 {
		p.printf("\n")
		printParts(p, d.Parts)
	}
	if r.Reason != "" {
		p.printf("\n%s\n%s\n", p.bold("reason"), r.Reason)
	}
	if len(d.Rule) > 0 {
		now := ""
		if d.Edited {
			now = " (as written now: the config has changed since)"
		}
		p.printf("\n%s%s\n%s\n", p.bold(r.Where), now, strings.Join(d.Rule, "\n"))
	}
}

func describeCaller(r journal.Record) string {
	a := r.Event.Agent
	if a.IsMain() {
		return "main"
	}
	return strings.TrimSpace(a.Type + " " + a.ID)
}

func describeStates(d recordDoc) string {
	after := d.Record.State.Machine.State
	if d.Before == "" || d.Before == after {
		return after
	}
	return d.Before + " → " + after
}

// describeAnswer is the verdict, and what decided.
func describeAnswer(d recordDoc) string {
	r := d.Record
	if r.Verdict == "" && r.StrictVerdict == "" && d.Decider == "" {
		if r.Event.Kind == fsm.ToolRequest {
			return "pass: nothing objected"
		}
		return ""
	}
	out := rehearse.Ruling{Verdict: cmp.Or(r.Verdict, "pass"),
		Strict: cmp.Or(r.StrictVerdict, r.Verdict, "pass"), Bypassed: len(r.Bypassed) > 0}.VerdictText()
	if d.Decider != "" {
		out += " by " + rehearse.Ruling{Rule: d.Decider, Where: r.Where}.String()
	}
	return out
}
