package main

import (
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

func newBypassCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "bypass",
		Usage:     "Suspend the pipeline for a while",
		ArgsUsage: `on "REASON" | off | status`,
		Description: "During a bypass nothing is refused, and each call is recorded with the verdict that it would\n" +
			"have had. It ends by the clock; until then it is shown at each start, in the status and in\n" +
			"reports. What protects pipeline itself stays. Only a person may change it.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 no config, or it could not be saved.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "for", Value: "30m", Usage: "how long: 30m, 2h; at most `bypass.longest`"},
			&cli.StringFlag{Name: "rule", Usage: "only for this `RULE`; pipeline is what the states do not admit"},
			&cli.StringFlag{Name: "agent", Usage: "only for calls by agents of this `TYPE`, or that start one"},
			&cli.StringFlag{Name: "session", Usage: "only for the session with this `ID`"},
			&cli.BoolFlag{Name: "json", Usage: "print what is on as JSON"},
		},
		Action: func(c *cli.Context) error { return runBypass(p, c) },
	}
}

func runBypass(p *program, c *cli.Context) error {
	verb, why := c.Args().First(), strings.TrimSpace(strings.Join(c.Args().Tail(), " "))
	switch {
	case verb == "on" && why == "":
		return usageError{`missing reason: pipeline bypass on --for 30m "why"`}
	case verb != "on" && verb != "off" && verb != "status", verb != "on" && why != "":
		return missingSubcommand(`on "REASON"`, "off", "status")
	}
	d, err := config.Span(c.String("for"))
	if err != nil {
		return usageError{"found --for " + quote(c.String("for")) + ", expected a duration such as 30m or 2h"}
	}
	o, s, err := openForSession(p, c)
	if err != nil {
		return err
	}
	override := newOverrider(o, s.ID)
	switch verb {
	case "on":
		_, err = override.StartBypass(fsm.Bypass{Rule: c.String("rule"), Agent: c.String("agent"), Why: why}, d)
	case "off":
		_, err = override.EndBypasses()
	}
	if err != nil {
		return err
	}
	return printBypasses(p, c, o, s)
}

func printBypasses(p *program, c *cli.Context, o config.Opened, s fsm.Session) error {
	all, err := store(o, 0).Orders()
	if err != nil {
		p.sayf("%v", err)
	}
	now, err := levelInForce(p, o, s, time.Now())
	if err != nil {
		return err
	}
	if s.ID == "" { // the project: then those of all sessions
		for _, l := range all.Lifts {
			if l.Session != "" && time.Now().Before(l.Until) {
				now.Bypass = append(now.Bypass, l)
			}
		}
	}
	if c.Bool("json") {
		return p.json(now.Bypass)
	}
	if len(now.Bypass) == 0 {
		p.printf("no bypass is on\n")
	}
	for _, l := range now.Bypass {
		where := ""
		if l.Session != "" {
			where = " in session " + l.Session
		}
		p.printf("%s%s\n", hooks.DescribeBypass(l.Bypass), where)
	}
	return nil
}
