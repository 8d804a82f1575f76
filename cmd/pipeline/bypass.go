package main

import (
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newBypassCommand(p *program) command {
	only := namedSessionFlag("only for the session")
	asJSON := jsonFlag()
	return command{
		Usage: "Suspend the pipeline for a while",
		Description: `During a bypass nothing is refused, and each call is recorded with the
verdict that it would have had. It ends by the clock; until then it is shown
at each start, in the status and in reports. What protects pipeline itself
stays.`,
		UsageText: "pipeline bypass status\npipeline bypass on --for 1h \"the build is broken\"\npipeline bypass off",
		Subcommands: []*command{{
			Name:        "on",
			Usage:       "Begin a bypass",
			ArgsUsage:   `"REASON"`,
			Description: "Only a person may run it.",
			UsageText: `pipeline bypass on "the build is broken"
pipeline bypass on --for 2h --rule no-editing "small fixes"`,
			Flags: flags{
				valueFlag("for", "30m", "for this `DURATION`, such as 30m or 2h; at most bypass.longest of the config"),
				textFlag("rule", "only for this `RULE`; pipeline is what the states do not admit"),
				textFlag("agent", "only for calls by agents of this `TYPE`, or that start one"),
				only, asJSON},
			Action: p.inProject(runBypass),
		}, {
			Name:        "off",
			Usage:       "End the bypasses in force",
			Description: "It prints what it has ended. Only a person may run it.",
			UsageText:   "pipeline bypass off",
			Flags:       flags{only, asJSON},
			Action:      p.inProject(runBypass),
		}, {
			Name:      "status",
			Usage:     "Show the bypasses in force",
			UsageText: "pipeline bypass status --json",
			Flags:     flags{only, asJSON},
			Action:    p.inProject(runBypass),
		}},
	}
}

// runBypass carries a subcommand out, and prints what is in force then.
func runBypass(c invocation, o opened) error {
	s, err := namedSession(c, o)
	if err != nil {
		return err
	}
	switch c.Command.Name {
	case "on":
		b := fsm.Bypass{Rule: c.String("rule"), Agent: c.String("agent"), Why: joinWords(c.Args().Slice())}
		if b.Why == "" {
			return usagef(`missing reason: pipeline bypass on --for 30m "why"`)
		}
		d, err := config.Span(c.String("for"))
		if err != nil {
			return usagef("found --for %q, expected a duration such as 30m or 2h", c.String("for"))
		}
		if b, err = o.newOverrider(s.ID).StartBypass(b, d); err != nil {
			return err
		}
		if more := hooks.DescribeUncovered(o.Policy.Ceiling, b); more != "" {
			c.sayf("%s", more)
		}
	case "off":
		ended, err := o.newOverrider(s.ID).EndBypasses()
		if err != nil {
			return err
		}
		if !c.Bool("json") {
			c.printf("%s", describeEnded(ended))
		}
	}
	return printBypasses(c, o, s)
}

// describeEnded lists the bypasses that were ended.
func describeEnded(ended []session.Bypass) (lines string) {
	for _, l := range ended {
		lines += "no longer: " + describeBypass(l) + "\n"
	}
	return lines
}

func printBypasses(c invocation, o opened, s fsm.Session) error {
	all, err := o.store.Overrides()
	c.report(err)
	now, err := o.levelInForce(s)
	if err != nil {
		return err
	}
	if s.ID == "" { // the project: then those of all sessions
		for _, l := range all.Bypasses {
			if l.Session != "" && time.Now().Before(l.Until) {
				now.Bypass = append(now.Bypass, l)
			}
		}
		for _, other := range o.listOtherLevels(now) {
			for _, l := range other.Bypass {
				if l.From == "environment" {
					l.Session = other.Session
					now.Bypass = append(now.Bypass, l)
				}
			}
		}
	}
	return c.printResult(now.Bypass, func() {
		if len(now.Bypass) == 0 {
			c.printf("no bypass is on\n")
		}
		for _, l := range now.Bypass {
			c.printf("%s\n", describeBypass(l))
		}
	})
}

func describeBypass(l session.Bypass) string {
	if l.Session == "" {
		return hooks.DescribeBypass(l.Bypass)
	}
	return hooks.DescribeBypass(l.Bypass) + " in session " + l.Session
}
