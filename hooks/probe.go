package hooks

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// ProbeVersion compares a client on PATH with the versions that its adapter was tried with.
func ProbeVersion(ctx context.Context, client string) Finding {
	program, err := exec.LookPath(client)
	if err != nil {
		return Finding{Status: Warning, What: client + " is not on PATH: its version is not known",
			Remedy: "put it on PATH, or if you use it no more: pipeline uninstall --host " + client}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	said, err := exec.CommandContext(ctx, program, "--version").Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		said = append(said, failed.Stderr...)
	}
	version, ok := clients.ParseVersion(string(said))
	oldest, newest := clients.TestedRange(client)
	f := Finding{Status: OK, What: fmt.Sprintf("%s is version %s", program, version)}
	switch {
	case err != nil || !ok:
		line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
		if line == "" && err != nil {
			line = err.Error()
		}
		if ctx.Err() != nil {
			line = "no answer within 10 seconds"
		}
		return Finding{Status: Warning, What: program + " does not print its version: " + visible.Shorten(line, 200),
			Remedy: "run it by hand: " + program + " --version"}
	case version.Before(oldest):
		f.Status, f.Remedy = Problem, "update it: npm install --global "+clients.Package(client)
		f.What += fmt.Sprintf(": too old, pipeline was tested with %s", oldest)
	case newest.Before(version):
		f.What += fmt.Sprintf(", newer than any that pipeline was tested with (%s)", newest)
	default:
		f.What += ", which pipeline was tested with"
	}
	return f
}
