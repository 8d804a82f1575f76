package main

import "github.com/urfave/cli/v2"

func newPromptCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "prompt",
		Usage: "Print the questions that the main agent asks itself before each call, made from the rules",
		Description: "Add it to your client's instructions, unless the config already injects it at the start of a\n" +
			"session.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 no config or it could not be read.",
		UsageText: "pipeline prompt",
		Action: func(c *cli.Context) error {
			o, err := p.openProject(c)
			if err != nil {
				return err
			}
			p.printf("%s\n", o.Policy.SelfCheckText())
			return nil
		},
	}
}
