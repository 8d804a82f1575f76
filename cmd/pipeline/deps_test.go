package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/agent-pipeline/pipeline"

// rooms are the directions in which packages may not import, and why.
func rooms() map[string]map[string]string {
	return map[string]map[string]string{
		"fsm": {"os": "it reads no file and no environment", "net": "nor the network",
			"io/ioutil":        "nor a file by its old name",
			module + "/config": "config compiles to fsm, not the other way",
			module + "/hooks":  "fsm knows no clients and no disk", "log": "it decides, others log"},
		"fsm/diagram": {"os": "as fsm", "net": "as fsm", module + "/hooks": "as fsm", module + "/config": "as fsm",
			module + "/scripts/browsertest": "it is for tests"},
		"fsm/tasks": {"os": "it reads no file and no environment", "net": "nor the network",
			"regexp":        "its patterns cost every hook call",
			module + "/fsm": "fsm uses the graph, not the other way", module + "/hooks": "below hooks",
			module + "/config": "as fsm"},
		"cmd/pipeline/internal/doctor": {"net/http": "it asks no one outside",
			"github.com/natefinch/atomic": "what it repairs is done by install"},
		"fsm/verify": {"os": "as fsm", "net": "as fsm", "log": "as fsm",
			module + "/config": "it checks what is compiled", module + "/hooks": "as fsm"},
		"fsm/shell": {"os": "it reads a line, not files",
			module + "/fsm": "fsm uses the parser, not the other way"},
		"config": {module + "/hooks": "config and hooks do not know each other",
			"github.com/urfave/cli/v2": "config has no command line"},
		"hooks": {module + "/config": "config and hooks do not know each other",
			"github.com/urfave/cli/v2": "hooks have no command line"},
		"hooks/guard": {module + "/config": "as hooks", module + "/hooks": "below hooks",
			module + "/hooks/session": "it judges a call alone"},
		"hooks/session": {module + "/config": "as hooks", module + "/hooks": "below hooks"},
		"hooks/journal": {module + "/config": "as hooks", module + "/hooks": "below hooks"},
		"hooks/export": {module + "/config": "as hooks", module + "/hooks": "below hooks",
			"net/http": "its start costs every hook call"},
		"hooks/report": {module + "/config": "as hooks", module + "/hooks": "below hooks",
			"html/template": "its start costs every hook call", "net/http": "so does its"},
		"hooks/statusline": {module + "/config": "as hooks", module + "/hooks": "below hooks",
			"golang.org/x/term": "it draws, and knows no terminal"},
		"config/system": {module + "/config": "it is the lowest room", module + "/hooks": "as config",
			module + "/fsm": "as config"},
		"hooks/clients": {module + "/config": "as hooks", module + "/hooks": "below hooks",
			module + "/fsm": "it knows programs, not policies"},
		"hooks/visible": {module + "/config": "as hooks", module + "/hooks": "below hooks",
			module + "/fsm": "it knows characters, not policies"},
		"fsm/redact": {"os": "as fsm", "regexp": "its patterns cost every hook call",
			module + "/fsm": "fsm uses it, not the other way"},
		"hooks/rehearse": {module + "/config": "as hooks", "github.com/urfave/cli/v2": "as hooks",
			module + "/hooks/claude": "it is given its host"},
		"hooks/claude": {module + "/config": "as hooks", module + "/hooks/session": "a host knows no disk of ours"},
		"hooks/claude/live": {module + "/config": "as hooks", module + "/hooks": "below hooks",
			"encoding/json": "it costs each process that uses it"},
		"hooks/settings": {module + "/fsm": "it edits a file, no more", module + "/hooks": "below hooks"},
	}
}

// owners are the outside packages that one place owns.
func owners() map[string][]string {
	return map[string][]string{
		"github.com/looplab/fsm":      {"fsm"},
		"github.com/knadh/koanf/v2":   {"config"},
		"github.com/urfave/cli/v2":    {"cmd/pipeline"},
		"mvdan.cc/sh/v3/syntax":       {"fsm/shell"},
		"github.com/natefinch/atomic": {"config/system"},
		"golang.org/x/term":           {"cmd/pipeline"},
		"github.com/tailscale/hujson": {"hooks/settings"},
	}
}

// TestRooms holds the packages to the plan of the house.
func TestRooms(t *testing.T) {
	imports := imported(t)
	for pkg, not := range rooms() {
		if len(imports[pkg]) == 0 {
			t.Errorf("%s: no such package", pkg)
		}
		for _, dep := range imports[pkg] {
			if why, bad := not[dep]; bad {
				t.Errorf("%s imports %s: %s", pkg, dep, why)
			}
		}
	}
	for dep, may := range owners() {
		for pkg, deps := range imports {
			if contains(deps, dep) && !contains(may, pkg) {
				t.Errorf("%s imports %s, which is %s's", pkg, dep, strings.Join(may, "' or "))
			}
		}
	}
}

func imported(t *testing.T) map[string][]string {
	cmd := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", module+"/...")
	cmd.Env = os.Environ()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		all[strings.TrimPrefix(f[0], module+"/")] = f[1:]
	}
	return all
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

// TestNamesDifferInMoreThanCase: macOS and Windows, and the Go module's archive, cannot hold both of
// two files whose names differ in case alone.
func TestNamesDifferInMoreThanCase(t *testing.T) {
	git := exec.Command("git", "ls-files")
	git.Dir = repo(t)
	out, err := git.Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for name := range strings.Lines(string(out)) {
		lower := strings.ToLower(name)
		if seen[lower] != "" {
			t.Errorf("%s and %s", strings.TrimSpace(seen[lower]), strings.TrimSpace(name))
		}
		seen[lower] = name
	}
}
