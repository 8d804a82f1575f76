package main

import (
	"runtime"

	"github.com/urfave/cli/v2"
)

func newVersionCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "print the version",
		Description: "Exit codes: 0 fine, 2 wrong usage.",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print it as JSON"}},
		Action: func(c *cli.Context) error {
			if c.Bool("json") {
				return p.json(map[string]string{"version": version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
			}
			p.printf("pipeline %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}
