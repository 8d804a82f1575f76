package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/config/system"
)

func newExportCommand(p *program) command {
	return command{
		Usage: "Send the records to an OpenTelemetry collector",
		Description: `Each record is sent as a log, each turn and each agent's run as a span, at
least once: a cursor for each session moves when the collector has taken the
records. While the collector is away they wait in the journals. Texts are
redacted again. Headers are read from OTEL_EXPORTER_OTLP_HEADERS. The program
pipeline-export does the work.`,
		UsageText: `pipeline export --otlp https://collector.example:4318
pipeline export --otlp http://127.0.0.1:4318 --insecure --all --follow`,
		Flags: flags{
			textFlag("otlp", "send to the collector at this `URL`, to which /v1/logs is added"),
			boolFlag("follow", "continue with new records", "f"),
			boolFlag("all", "the sessions of all of the user's projects"),
			boolFlag("insecure", "allow http, to a collector on this machine"),
			boolFlag("logs-only", "send no spans"),
		},
		Action: p.action(runExport),
	}
}

func runExport(c invocation) error {
	if !c.IsSet("otlp") {
		return usagef("missing --otlp URL")
	}
	args := []string{"-all", "--", c.stateFolder()} // it looks for projects that begin meanwhile
	if !c.Bool("all") {
		o, err := c.openProject()
		if err != nil {
			return err
		}
		args = []string{"-project", filepath.Base(o.Project.Owner), "--", o.store.Dir}
	}
	for _, flag := range []string{"follow", "insecure", "logs-only"} {
		if c.Bool(flag) {
			args = append([]string{"-" + flag}, args...)
		}
	}
	const name = "pipeline-export"
	self, _ := system.EvalSymlinks(findProgram()) // unknown: then PATH decides
	for _, file := range []string{system.Join(system.Dir(self), name), name} {
		if path, err := exec.LookPath(file); err == nil {
			err = system.Exec(path, append([]string{"-otlp", c.String("otlp")}, args...))
			return fmt.Errorf("start %s: %w", path, err)
		}
	}
	return hinted{errors.New(name + " is neither beside pipeline nor on PATH"),
		"go install github.com/agent-pipeline/pipeline/cmd/pipeline-export@latest"}
}
