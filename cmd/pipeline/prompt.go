package main

import "github.com/urfave/cli/v2"

func (p *program) promptCommand() *cli.Command {
	return command(cli.Command{
		Name:  "prompt",
		Usage: "print the questions that the main agent is to ask itself before each call, made from the rules",
		Description: "Put it where your client reads its instructions, if the config does not have it told at the start of a session.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 no config or it could not be read.",
		Action: p.prompt,
	})
}

func (p *program) prompt(c *cli.Context) error {
	o, err := p.project(c)
	if err != nil {
		return err
	}
	p.printf("%s\n", o.Policy.SelfCheckText())
	return nil
}
