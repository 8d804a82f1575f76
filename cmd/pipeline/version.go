package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"
)

// version is set by the linker: -ldflags "-X main.version=1.2.3".
var version string

// findVersion is the version that the linker was given, else that of the module, which go
// install knows: "dev" where neither is known.
func findVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// A versionDoc is the document of `version --json`.
type versionDoc struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func newVersionCommand(p *program) *cli.Command {
	return &cli.Command{
		Usage:     "Print the version",
		UsageText: "pipeline version --json",
		Flags:     []cli.Flag{jsonFlag()},
		Action:    p.action(printVersion),
	}
}

func printVersion(p *program, c *cli.Context) error {
	d := versionDoc{findVersion(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	return p.printResult(c, d, func() { p.printf("pipeline %s (%s, %s)\n", d.Version, d.Go, d.Platform) })
}
