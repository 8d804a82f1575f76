package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newModeCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "mode",
		Usage:     "Show or set how strictly the pipeline is applied",
		ArgsUsage: `[LEVEL ["REASON"]]`,
		Description: "Without a LEVEL: the one in force, where it comes from, since when, by whom and why. LEVEL\n" +
			"is strict, ask, guidance, observe or off. It holds for all sessions of the project, future\n" +
			"ones too, until `mode --clear`. What counts, in this order: a session's own mode,\n" +
			"PIPELINE_LEVEL, the project's mode, automatic activation, the config. Only a person may set\n" +
			"it.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 no config, or it could not be saved.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "only for the session with this `ID`"},
			&cli.BoolFlag{Name: "clear", Usage: "go back to the config's level"},
			&cli.BoolFlag{Name: "json", Usage: "print what is in force as JSON"},
		},
		Action: func(c *cli.Context) error { return runMode(p, c) },
	}
}

func runMode(p *program, c *cli.Context) error {
	level, why := c.Args().First(), strings.Join(c.Args().Tail(), " ")
	if _, ok := fsm.ParseLevel(level); level != "" && !ok {
		return unknownLevel(level)
	}
	if level != "" && c.Bool("clear") {
		return usageError{"mode: either a level or --clear"}
	}
	o, s, err := openForSession(p, c)
	if err != nil {
		return err
	}
	if level != "" || c.Bool("clear") {
		if err := newOverrider(o, s.ID).SetMode(level, why); err != nil {
			return err
		}
	}
	now, err := levelInForce(p, o, s, time.Now())
	if err != nil {
		p.sayf("%v", err)
	}
	if c.Bool("json") {
		return p.json(now)
	}
	printLevel(p, now)
	if level != "" && now.Level != level {
		p.sayf("%s counts more", now.From)
	}
	return nil
}

func unknownLevel(level string) error {
	names := strings.Join(fsm.LevelNames(), ", ")
	return usageError{fmt.Sprintf("unknown level %s: expected one of %s", quote(level), names)}
}

// openForSession opens the project, and the session that --session names. The zero
// session stands for the whole project.
func openForSession(p *program, c *cli.Context) (config.Opened, fsm.Session, error) {
	o, err := p.project(c)
	if err != nil || c.String("session") == "" {
		return o, fsm.Session{}, err
	}
	st := store(o, 0)
	items, err := st.List()
	if err != nil {
		return o, fsm.Session{}, err
	}
	id, err := resolveSession(items, c.String("session"))
	if err != nil {
		return o, fsm.Session{}, err
	}
	s, err := st.Last(id)
	return o, s, err
}

// A standingLevel is the level in force for a session, or for one that would begin now.
type standingLevel struct {
	Level   string         `json:"level"`
	From    string         `json:"from"` // a file and line, mode, environment, activation, once
	By      string         `json:"by,omitempty"`
	Since   time.Time      `json:"since,omitzero"`
	Why     string         `json:"why,omitempty"`
	Config  string         `json:"config"` // the config's level
	Where   string         `json:"where"`  // and where it is written
	Session string         `json:"session,omitempty"`
	Bypass  []session.Lift `json:"bypass"`
}

// levelInForce follows the rules that the hooks follow.
func levelInForce(p *program, o config.Opened, s fsm.Session, now time.Time) (standingLevel, error) {
	st := store(o, 0)
	all, err := st.Orders()
	out := standingLevel{Config: o.Policy.Level.String(), Where: findLevelPlace(p, o), Session: s.ID,
		Bypass: []session.Lift{}}
	out.Level, out.From = out.Config, out.Where
	if on := o.Policy.Activate.Level; s.Machine.ActivatedBy != "" && on > o.Policy.Level {
		out.Level, out.From = on.String(), s.Machine.ActivatedBy
	}
	overrides := p.handler(o, 0).FindOverrides(s.ID, now)
	if m := overrides.Mode; m != nil {
		out.Level, out.From, out.By, out.Since, out.Why = m.Level, m.From, m.By, m.Since, m.Why
		if m.From == "environment" {
			out.From = "environment " + hooks.EnvLevel
		}
	}
	for _, b := range overrides.Bypasses {
		l := session.Lift{Bypass: b}
		for _, kept := range all.Lifts {
			if kept.Bypass == b && (kept.Session == "" || kept.Session == s.ID) {
				l = kept
			}
		}
		out.Bypass = append(out.Bypass, l)
	}
	for _, l := range out.Bypass {
		if level, _ := fsm.ParseLevel(out.Level); l.Once && level > fsm.Guidance {
			out.Level, out.From, out.By, out.Since, out.Why = fsm.Guidance.String(), "once", l.By, l.Since, l.Why
		}
	}
	return out, err
}

// findLevelPlace returns where the config's level is written.
func findLevelPlace(p *program, o config.Opened) string {
	_, origins, _, err := config.Load(o.Project, p.world(o.Project.Root, ""))
	if err != nil || origins == nil {
		return "config"
	}
	by, _ := origins.Of("level")
	return by.String()
}

func printLevel(p *program, l standingLevel) {
	p.printf("level   %s\n", p.bold(l.Level))
	from := l.From
	if l.By != "" {
		from += ", by " + l.By
	}
	if !l.Since.IsZero() {
		from += ", since " + l.Since.Local().Format(time.DateTime)
	}
	p.printf("from    %s\n", from)
	if l.Why != "" && l.From != "environment "+hooks.EnvLevel {
		p.printf("reason  %s\n", l.Why)
	}
	if l.Level != l.Config {
		p.printf("config  %s (%s)\n", l.Config, l.Where)
	}
	for _, b := range l.Bypass {
		p.printf("bypass  %s\n", hooks.DescribeBypass(b.Bypass))
	}
}
