package main

import "github.com/urfave/cli/v2"

func newPromptCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "prompt",
		Usage: "print the questions that the main agent is to ask itself before each call, made from the rules",
		Description: "Put it where your client reads its instructions, if the config does not have it told at the start of a session.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 no config or it could not be read.",
		Action: func(c *cli.Context) error { return printPrompt(p, c) },
	}
}

func printPrompt(p *program, c *cli.Context) error {
	o, err := p.project(c)
	if err != nil {
		return err
	}
	p.printf("%s\n", o.Policy.SelfCheckText())
	return nil
}
