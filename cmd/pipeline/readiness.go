package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
)

func newReadinessCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "readiness",
		Usage: "Decide whether the policy is ready to be enforced, or should be rolled back",
		Description: "Each criterion has a figure from the project's journals, a threshold, and go or no-go; n/a\n" +
			"does not count. Where the level is strict already, the red flags are what counts.\n" +
			"Exit codes: 0 go, 1 no-go or roll back, 2 wrong usage, 3 nothing recorded, or it could not\n" +
			"be read.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print it as JSON"}},
		Action: func(c *cli.Context) error { return runReadiness(p, c) },
	}
}

// A standing is the answer to: is it ready?
type standing struct {
	Verdict  string         `json:"verdict"` // go, no-go; keep, roll back
	Level    string         `json:"level"`
	First    time.Time      `json:"first"`
	Last     time.Time      `json:"last"`
	Criteria []criterion    `json:"criteria"`
	RedFlags []string       `json:"red_flags"`
	Denied   map[string]int `json:"denials"` // by rule: what strict denies or would deny
	Damaged  int            `json:"damaged_lines"`
	Review   review         `json:"next_review"`
}

// A criterion is one figure and what it must be.
type criterion struct {
	Name      string   `json:"criterion"`
	Figure    string   `json:"figure"`
	Threshold string   `json:"threshold"`
	Verdict   string   `json:"verdict"` // go, no-go, n/a
	Detail    []string `json:"detail,omitempty"`
}

// A review is when to look again.
type review struct {
	Due   time.Time `json:"due"`
	After string    `json:"after"` // the first record
}

const (
	isGo, noGo, notKnown = "go", "no-go", "n/a"
	keepOn, rollBack     = "keep", "roll back"
)

func runReadiness(p *program, c *cli.Context) error {
	o, err := p.project(c)
	if err != nil {
		return err
	}
	seen, err := observeAll(p, o)
	if err != nil {
		return err
	}
	out := seen.standing(time.Now())
	if c.Bool("json") {
		err = p.json(out)
	} else {
		printStanding(p, out)
	}
	if err == nil && (out.Verdict == noGo || out.Verdict == rollBack) {
		return errProblems
	}
	return err
}

// observeAll reads all that was recorded in the project.
func observeAll(p *program, o config.Opened) (*sightings, error) {
	seen, st := newSightings(o.Policy), store(o, 0)
	items, err := st.List()
	if err != nil {
		return nil, err
	}
	for _, i := range slices.Backward(items) { // the oldest first
		seen.begin()
		damaged, err := eachRecord(st, i.ID, func(r journal.Record) bool { seen.add(r); return true })
		seen.damaged += damaged
		if err != nil {
			p.sayf("session %s: %v", i.ID, err)
		}
	}
	if seen.records == 0 {
		return nil, errNoSession
	}
	p.ownErrors(o.Project.Home, seen)
	return seen, nil
}

// standing judges what was seen.
func (s *sightings) standing(now time.Time) standing {
	out := standing{Verdict: isGo, Level: s.policy.Level.String(), First: s.first, Last: s.last, Criteria: s.criteria(thresholdsOf(s.policy.Readiness), now),
		RedFlags: []string{}, Denied: s.denied, Damaged: s.damaged, Review: reviewAfter(s.first, now)}
	for _, c := range out.Criteria {
		if c.Verdict == noGo {
			out.Verdict = noGo
		}
	}
	if s.policy.Level != fsm.Strict {
		return out
	}
	out.RedFlags = append(out.RedFlags, s.redFlags(thresholdsOf(s.policy.Readiness))...)
	out.Verdict = keepOn
	if len(out.RedFlags) > 0 {
		out.Verdict = rollBack
	}
	return out
}

// reviewAfter is the next of the reviews that follow the first record.
func reviewAfter(first, now time.Time) review {
	for _, r := range []review{{first.Add(48 * time.Hour), "48 hours"}, {first.AddDate(0, 0, 7), "1 week"}, {first.AddDate(0, 0, 14), "2 weeks"},
		{first.AddDate(0, 0, 28), "4 weeks"}, {first.AddDate(0, 6, 0), "6 months"}} {
		if r.Due.After(now) {
			return r
		}
	}
	months := 12
	for !first.AddDate(0, months, 0).After(now) {
		months += 6
	}
	return review{first.AddDate(0, months, 0), fmt.Sprintf("%d months", months)}
}

func printStanding(p *program, s standing) {
	p.printf("%s (level %s, observed from %s to %s)\n\n", p.bold(s.Verdict), s.Level, s.First.Local().Format(time.DateOnly), s.Last.Local().Format(time.DateOnly))
	t := p.table()
	fmt.Fprintln(t, "CRITERION\tFIGURE\tTHRESHOLD\tVERDICT")
	for _, c := range s.Criteria {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Name, c.Figure, c.Threshold, c.Verdict)
	}
	t.Flush()
	for _, c := range s.Criteria {
		for _, d := range c.Detail {
			p.printf("  %s: %s\n", c.Name, d)
		}
	}
	if len(s.Denied) > 0 {
		p.printf("\nwhat strict denies, by rule: %s\n", strings.Join(frequent(s.Denied), ", "))
	}
	for _, f := range s.RedFlags {
		p.printf("red flag: %s\n", f)
	}
	if s.Verdict == rollBack {
		p.printf("to roll back, set: level: guidance\n")
	}
	if s.Damaged > 0 {
		p.printf("%s of the journals could not be read and count nowhere\n", rehearse.Count(s.Damaged, "line"))
	}
	p.printf("next review: %s (%s after the first record)\n", s.Review.Due.Local().Format(time.DateOnly), s.Review.After)
}
