package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newModeCommand(p *program) command {
	return command{
		Usage:     "Show or set how strictly the pipeline is applied",
		ArgsUsage: `[LEVEL ["REASON"] | clear | status]`,
		Description: `Without a LEVEL, or with status, it prints the level in force, where it comes
from, who set it, when and why, and which live sessions have another. LEVEL
is strict, ask, guidance, observe or off. It holds for all sessions of the
project, future ones too, until mode clear. The first of these counts: a
session's own mode, PIPELINE_LEVEL, the project's mode, what activate
switched on, the config. Only a person may set it.`,
		UsageText: `pipeline mode
pipeline mode guidance "a quick fix"
pipeline mode clear`,
		Flags: flags{
			namedSessionFlag("only for the session"),
			boolFlag("clear", "the same as the word clear: go back to the config's level"),
			jsonFlag(),
		},
		Action: p.inProject(runMode),
	}
}

func runMode(c invocation, o opened) error {
	words, clears := c.Args().Slice(), c.Bool("clear")
	if len(words) > 0 && clears || len(words) > 1 && (words[0] == "clear" || words[0] == "status") {
		return usagef("mode: either a level or --clear, and nothing after clear or status")
	}
	if clears {
		words = []string{"clear"}
	}
	s, err := namedSession(c, o)
	if err != nil {
		return err
	}
	level, err := setMode(o.newOverrider(s.ID), words)
	if err != nil {
		return err
	}
	now, err := o.levelInForce(s)
	c.report(err)
	if s.ID == "" {
		now.Sessions = o.listOtherLevels(now)
	}
	if c.Bool("json") {
		return c.printJSON(now)
	}
	c.printLevel(now)
	for _, other := range now.Sessions {
		c.printf("session %s has a level of its own: %s, from %s\n", other.Session, c.paint(other.Level),
			describeLevelOrigin(other))
		for _, b := range other.Bypass {
			c.printf("  %s\n", hooks.DescribeBypass(b.Bypass))
		}
	}
	if level != "" && now.Level != level {
		c.sayf("%s counts more", now.From)
	}
	return nil
}

// setMode carries out LEVEL [REASON] or clear. Without words, or with status, it sets nothing. It returns the level
// that was asked for, which is empty for the config's.
func setMode(o hooks.Overrider, words []string) (level string, err error) {
	if len(words) == 0 || words[0] == "status" {
		return "", nil
	}
	if level = words[0]; level == "clear" || level == "--clear" {
		level = ""
	} else if _, ok := fsm.ParseLevel(level); !ok {
		return "", expectOneOf("unknown level", level, fsm.LevelNames())
	}
	return level, o.SetMode(level, joinWords(words[1:]))
}

// namedSession is the session that --session names. The zero session stands for the whole project.
func namedSession(c invocation, o opened) (s fsm.Session, err error) {
	id := c.String("session")
	if id == "" {
		return s, nil
	}
	i, err := o.findSession(id)
	if err == nil {
		s, err = o.store.Last(i.ID)
	}
	return s, err
}

// A standingLevel is the level in force for a session, or for one that would begin now.
type standingLevel struct {
	fsm.Mode                  // its From: a file and line, mode, environment, activation, once, or what locks it
	Config   string           `json:"config"` // the config's level
	Where    string           `json:"where"`  // and where it is written
	Session  string           `json:"session,omitempty"`
	Bypass   []session.Bypass `json:"bypass"`

	Sessions []standingLevel `json:"sessions,omitempty"` // of the project: live sessions that have another
}

// levelInForce follows the rules that the hooks follow.
func (o opened) levelInForce(s fsm.Session) (standingLevel, error) {
	all, err := o.store.Overrides()
	here := o.getenv(hooks.EnvLevel)
	o = o.asClientOf(s.ID)
	out := standingLevel{Session: s.ID, Bypass: []session.Bypass{}}
	out.Config, out.Where = o.levelOfFiles()
	out.Level, out.From = o.Policy.Level.String(), out.Where
	if o.getenv(hooks.EnvLevel) == out.Level { // another value was rejected
		out.From = "environment " + hooks.EnvLevel
	}
	if on := o.Policy.Activate.Level; s.Machine.ActivatedBy != "" && on > o.Policy.Level {
		out.Level, out.From = on.String(), s.Machine.ActivatedBy
	}
	overrides := o.newHandler(o.Opened, o.store).FindOverrides(s.ID, time.Now())
	if m := overrides.Mode; m != nil {
		out.Mode = *m
		if m.From == "environment" {
			out.From = "environment " + hooks.EnvLevel
		}
	}
	if strings.HasPrefix(out.From, "environment") && o.getenv(hooks.EnvLevel) != here {
		out.From += " of its client"
	}
	for _, b := range overrides.Bypasses {
		l := session.Bypass{Bypass: b}
		for _, kept := range all.Bypasses {
			if kept.Bypass == b && (kept.Session == "" || kept.Session == s.ID) {
				l = kept
			}
		}
		out.Bypass = append(out.Bypass, l)
		if level, _ := fsm.ParseLevel(out.Level); l.Once && level > fsm.Guidance {
			out.Mode = fsm.Mode{Level: fsm.Guidance.String(), From: "once", By: l.By, Since: l.Since, Why: l.Why}
		}
	}
	e := fsm.Event{Facts: fsm.Facts{Overrides: overrides}}
	if level := o.Policy.EffectiveLevel(s, e).String(); level != out.Level {
		from := "locked by " + o.Policy.Ceiling.Place + ", above " + out.Level + " from " + describeLevelOrigin(out)
		out.Mode = fsm.Mode{Level: level, From: from, Why: out.Why}
	}
	return out, err
}

// listOtherLevels lists what live sessions have where it is not what the project has.
func (o opened) listOtherLevels(project standingLevel) (out []standingLevel) {
	live, err := o.live()
	o.report(err)
	for _, i := range live {
		s, err := o.store.Last(i.ID)
		if err != nil {
			o.report(err)
			continue
		}
		l, _ := o.levelInForce(s) // the project's has had the same error
		if l.Level != project.Level || len(l.Bypass) != len(project.Bypass) {
			out = append(out, l)
		}
	}
	return out
}

// describeLevelOrigin returns where a level comes from, who set it and when.
func describeLevelOrigin(l standingLevel) string {
	from := l.From
	if l.By != "" {
		from += ", by " + l.By
	}
	if !l.Since.IsZero() {
		from += ", since " + formatTime(l.Since)
	}
	return from
}

func (p *program) printLevel(l standingLevel) {
	p.printf("level   %s\nfrom    %s\n", p.paint(l.Level), describeLevelOrigin(l))
	if l.Why != "" && !strings.HasPrefix(l.From, "environment") {
		p.printf("reason  %s\n", l.Why)
	}
	if l.Level != l.Config {
		p.printf("config  %s (%s)\n", l.Config, l.Where)
	}
	for _, b := range l.Bypass {
		p.printf("bypass  %s\n", hooks.DescribeBypass(b.Bypass))
	}
}

func newOnceCommand(p *program) command {
	return command{
		Usage:     "Give a session guidance instead of refusals until its turn ends: for a quick fix",
		ArgsUsage: `["REASON"]`,
		Description: `Until the current turn ends (or the next one, if none is under way), the
agent is warned and not stopped. Only a person may run it.`,
		UsageText: `pipeline once "a typo"`,
		Flags:     flags{sessionFlag()},
		Action: p.inLiveSession(func(c invocation, s picked) error {
			if last, _ := s.store.Tail(s.ID); last.Ended() { // one that cannot be read may be live
				return fmt.Errorf("session %s has ended: there is no turn left to allow", s.ID)
			}
			if err := s.newOverrider(s.ID).AllowOnce(joinWords(c.Args().Slice())); err != nil {
				return err
			}
			c.printf("session %s: guidance until its turn ends\n", s)
			return nil
		}),
	}
}

// asClientOf is the program and the project as the hooks of a session's client saw them at
// its last call: with the variables of that client which set the level or a bypass, and
// not those of this terminal.
func (o opened) asClientOf(session string) opened {
	if session == "" {
		return o
	}
	last, err := journal.Tail(o.store.Path(session))
	if err != nil || last.Policy == "" {
		return o
	}
	set := map[string]string{}
	if then, err := o.Project.FindPolicy(last.Policy); err == nil && !changedSince(o.Opened, last.Event.Time) {
		set[hooks.EnvLevel] = ""
		if written, _ := o.levelOfFiles(); then.Level.String() != written {
			set[hooks.EnvLevel] = then.Level.String()
		}
		o.Policy = then
	}
	for _, b := range o.Policy.Bypass.Env {
		set[b.Name] = ""
		for _, l := range last.Event.Facts.Overrides.Bypasses {
			if l.From == "environment" && l.Why == b.Name+"="+b.Value {
				set[b.Name] = b.Value
			}
		}
	}
	client := *o.program
	client.getenv = o.withVariables(set)
	o.program = &client
	return o
}

// withVariables is the environment with other values for some variables.
func (p *program) withVariables(set map[string]string) func(string) string {
	return func(name string) string {
		if value, ok := set[name]; ok {
			return value
		}
		return p.getenv(name)
	}
}

// changedSince reports whether a file of the config was written after a time.
func changedSince(o config.Opened, at time.Time) bool {
	for _, f := range o.Project.Files {
		if info, err := os.Stat(f); err != nil || info.ModTime().After(at) {
			return true
		}
	}
	return false
}

// levelOfFiles is the level that the config's files give, without the environment, and where it is written.
func (o opened) levelOfFiles() (level, where string) {
	w := o.world(o.Project.Root, "")
	w.Getenv = o.withVariables(map[string]string{hooks.EnvLevel: ""})
	c, origins, problems, err := config.Load(o.Project, w)
	if err != nil || len(problems) > 0 {
		return o.Policy.Level.String(), "config"
	}
	return c.Level, origins.Of("level").String()
}
