package hooks

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/settings"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// An Entry is one hook registration.
type Entry = settings.Entry

// An Installer is a host whose hooks we can register, in a settings file of Places.
type Installer interface {
	Host
	Entries(binary string, failClosed bool) []Entry
	// Edit returns the file with exactly the wanted hooks of pipeline; without any, none is left.
	// No bytes are a file that does not exist, or is to be removed.
	Edit(src []byte, want []Entry) (out []byte, changed bool, err error)
	// Blocks says why the host would not run the wanted hooks with this file; "" if it would.
	Blocks(src []byte, want []Entry) string
	// After is what a person must still do before the hooks in a file run.
	After(file string) []string
	// DefineAgent writes an agent's definition, which is in Claude Code's form, in the host's own.
	DefineAgent(source []byte) []byte
	// DefineSkill writes a skill of that form, or a command that the user types, in the host's own.
	DefineSkill(name string, source []byte, isCommand bool) (file string, text []byte)
	// DefinedAgents are the names of the agents that the host can start: those that are
	// defined, and its own.
	DefinedAgents() (defined, builtin []string)
}

// A Prober is a host that can find out on this machine whether it would call us.
type Prober interface {
	Installer
	// Probe looks at the program on PATH and at our registration. dir is where the host is started.
	Probe(dir string) []Finding
}

// A Status is what a check comes to.
type Status string

// A Problem means that calls go unjudged, or may; a Warning, that something else is not as it should be.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Problem Status = "problem"
)

// A Finding is one line of what doctor prints.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	What   string `json:"what"`
	Remedy string `json:"remedy,omitempty"` // a command, or a sentence
}

// ProbeVersion compares a client on PATH with the versions that its adapter was tried with.
func ProbeVersion(client string) Finding {
	program, err := exec.LookPath(client)
	if err != nil {
		return Finding{Status: Warning, What: client + " is not on PATH: its version is not known",
			Remedy: "put it on PATH, or if you use it no more: pipeline uninstall --host " + client}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	said, err := exec.CommandContext(ctx, program, "--version").Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		said = append(said, failed.Stderr...)
	}
	version, ok := clients.ParseVersion(string(said))
	if err == nil && ok {
		return JudgeVersion(client, program, version)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	if line == "" && err != nil {
		line = err.Error()
	}
	if ctx.Err() != nil {
		line = "no answer within 10 seconds"
	}
	return Finding{Status: Warning, What: program + " does not print its version: " + visible.Shorten(line, 200),
		Remedy: "run it by hand: " + program + " --version"}
}

// JudgeVersion compares the version that a program of a client has with those that its adapter was tried with.
func JudgeVersion(client, program string, version clients.Version) Finding {
	oldest, newest := clients.TestedRange(client)
	f, what := Finding{Status: OK}, ", within %s to %s, which pipeline was tested with"
	switch {
	case version.Before(oldest):
		f.Status, f.Remedy = Problem, "update it: npm install --global "+clients.Package(client)
		what = ": too old, pipeline was tested with %s to %s"
	case newest.Before(version):
		what = ", newer than any that pipeline was tested with, %s to %s"
	}
	f.What = fmt.Sprintf("%s is version %s"+what, program, version, oldest, newest)
	return f
}
