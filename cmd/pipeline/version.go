package main

import (
	"runtime"

	"github.com/urfave/cli/v2"
)

// version is set by the linker: -ldflags "-X main.version=1.2.3".
var version = "dev"

// A versionDoc is the document of `version --json`.
type versionDoc struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "Print the version",
		Description: "Exit codes: 0 fine, 2 wrong usage.",
		UsageText:   "pipeline version --json",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print it as JSON"}},
		Action: func(c *cli.Context) error {
			platform := runtime.GOOS + "/" + runtime.GOARCH
			if c.Bool("json") {
				return p.json(versionDoc{version, runtime.Version(), platform})
			}
			p.printf("pipeline %s (%s, %s)\n", version, runtime.Version(), platform)
			return nil
		},
	}
}
