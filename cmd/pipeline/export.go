package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/hooks/export"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newExportCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "export",
		Usage: "Send the records to an OpenTelemetry collector",
		Description: "Each record is sent as a log, each turn and each agent's run as a span, at least once:\n" +
			"a cursor for each session moves when the collector has taken the records. While the collector\n" +
			"is away they wait in the journals. Texts are redacted again. Headers are read from\n" +
			"OTEL_EXPORTER_OTLP_HEADERS. The program pipeline-export does the work.\n\n" +
			"With --check it sends nothing: it looks up in the journals each call that the client itself\n" +
			"has told the collector of. The file is what the collector's file exporter has written.\n" +
			"Exit codes: 0 fine, 1 calls without a record or a file without calls, 2 wrong usage, 3 not\n" +
			"everything was sent, or it could not be read.",
		UsageText: "pipeline export --otlp https://collector.example:4318\n" +
			"pipeline export --otlp http://127.0.0.1:4318 --insecure --all --follow\n" +
			"pipeline export --check telemetry.jsonl --all",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "otlp", Usage: "send to the collector at this `URL`, to which /v1/logs is added"},
			&cli.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "continue with new records"},
			&cli.BoolFlag{Name: "once", Usage: "stop when all is sent, as without --follow"},
			&cli.BoolFlag{Name: "all", Usage: "the sessions of all of the user's projects"},
			&cli.BoolFlag{Name: "insecure", Usage: "allow http, to a collector on this machine"},
			&cli.BoolFlag{Name: "logs-only", Usage: "send no spans"},
			&cli.StringFlag{Name: "check", Usage: "compare the client's telemetry in this `FILE` with the records"},
			&cli.BoolFlag{Name: "json", Usage: "print the result of --check as JSON"},
		},
		Action: func(c *cli.Context) error { return runExport(p, c) },
	}
}

func runExport(p *program, c *cli.Context) error {
	switch {
	case c.IsSet("otlp") == c.IsSet("check"):
		return usageError{"missing --otlp URL or --check FILE, one of them"}
	case c.Bool("once") && c.Bool("follow"):
		return usageError{"found --once and --follow, expected one of them"}
	}
	projects, args, err := projectsToExport(p, c)
	switch {
	case err != nil:
		return err
	case c.IsSet("check"):
		return checkTelemetry(p, c, projects)
	}
	for _, flag := range []string{"follow", "insecure", "logs-only"} {
		if c.Bool(flag) {
			args = append([]string{"-" + flag}, args...)
		}
	}
	path, err := findExporter()
	if err != nil {
		return err
	}
	err = system.Exec(path, append([]string{"-otlp", c.String("otlp")}, args...))
	return fmt.Errorf("start %s: %w", path, err)
}

// projectsToExport are the projects, and how pipeline-export names them: it looks for
// those that begin meanwhile.
func projectsToExport(p *program, c *cli.Context) (projects []export.Project, args []string, err error) {
	if !c.Bool("all") {
		o, err := p.openProject(c)
		if err != nil {
			return nil, nil, err
		}
		one := export.Project{Name: filepath.Base(o.Project.Owner), Dir: store(o, 0).Dir}
		return []export.Project{one}, []string{"-project", one.Name, "--", one.Dir}, nil
	}
	dir := filepath.Join(p.stateBase(), "pipeline")
	projects, err = export.ListProjects(dir)
	return projects, []string{"-all", "--", dir}, err
}

const exporter = "pipeline-export"

// findExporter looks for the program beside this one, then on PATH.
func findExporter() (string, error) {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), exporter)); err == nil {
				return path, nil
			}
		}
	}
	path, err := exec.LookPath(exporter)
	if err != nil {
		return "", hinted{errors.New(exporter + " is neither beside pipeline nor on PATH"),
			"go install github.com/agent-pipeline/pipeline/cmd/pipeline-export@latest"}
	}
	return path, nil
}

func checkTelemetry(p *program, c *cli.Context, projects []export.Project) error {
	in, err := os.Open(c.String("check"))
	if err != nil {
		return err
	}
	defer in.Close()
	telemetry, err := export.ReadTelemetry(in)
	if err != nil {
		return err
	}
	result, err := telemetry.Compare(projects)
	if err != nil {
		return err
	}
	return failIf(len(result.Findings) > 0, p.printResult(c, result, func() { printCheck(p, result) }))
}

func printCheck(p *program, c export.Check) {
	for _, f := range c.Findings {
		p.printf("%s", cmp.Or(f.Session, "-"))
		if f.Call != "" {
			at := f.Time.Local().Format("01-02 15:04:05")
			p.printf("  %s  %s  %s", at, visible.Line(f.Tool), visible.Line(f.Call))
		}
		p.printf("  %s\n", f.What)
	}
	p.printf("%s, %s and %s before a call in the telemetry, %s\n", visible.Count(c.Sessions, "session"),
		visible.Count(c.Calls, "call"), visible.Count(c.Hooks, "hook run"), visible.Count(len(c.Findings), "finding"))
	if c.Skipped > 0 {
		p.sayf("%d lines are no telemetry and were left out", c.Skipped)
	}
	if c.Sessions == 0 {
		p.hint("is the client's telemetry switched on, with its logs, and does the collector write it into this file?")
	}
}
