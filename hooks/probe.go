package hooks

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/clients"
)

// ProbeVersion compares a client on PATH with the versions that its adapter was tried with.
func ProbeVersion(ctx context.Context, client string) Finding {
	tested := clients.Tested(client)
	oldest, newest := tested[len(tested)-1], tested[0]
	program, err := exec.LookPath(client)
	if err != nil {
		return Finding{Status: Warning, What: client + " is not on PATH: its version is not known"}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "--version").Output()
	version := regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(string(out))
	switch {
	case err != nil || version == "":
		return Finding{Status: Warning, What: program + " does not print its version",
			Remedy: "run it by hand: " + program + " --version"}
	case isBefore(version, oldest):
		return Finding{Status: Problem, Remedy: "update it: npm install --global " + clients.Package(client),
			What: fmt.Sprintf("%s is version %s: too old, pipeline was tried with %s", program, version, oldest)}
	case isBefore(newest, version):
		return Finding{Status: OK, What: fmt.Sprintf("%s is version %s, newer than any that pipeline was tried with (%s)",
			program, version, newest)}
	}
	return Finding{Status: OK, What: fmt.Sprintf("%s is version %s, which pipeline was tried with", program, version)}
}

// isBefore compares two versions number by number.
func isBefore(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m < n
		}
	}
	return false
}
