package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// mostConfined is how many lines of a list are run in each shell under each engine; make fuzz runs all.
const mostConfined = 60

// TestConfinedLinesChangeNothing runs attacks, and harmless lines, as an agent's before there is a plan:
// whatever is thought of them, the kernel keeps the project as it is. Landlock covers no modes and times.
func TestConfinedLinesChangeNothing(t *testing.T) {
	const program = "pipeline-confines"
	if out, err := exec.Command("go", "build", "-o", filepath.Join(builtDir, program),
		"../../cmd/pipeline").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, engine := range []string{"bubblewrap", "landlock"} {
		confine := []string{"/mnt/" + program, "confine", "--try", engine, `{"writable": ["/tmp", "/home/u/.cache"]}`,
			`exec "$@"`, "sh"}
		t.Run(engine, func(t *testing.T) {
			if got := newSandbox(t).run(trial{Shell: "dash", Line: "echo confined",
				Confine: confine}); got.Said != "confined\n" {
				if os.Getenv("CI") != "" {
					t.Fatalf("it does not run in the sandbox: %+v", got)
				}
				t.Skipf("it does not run in the sandbox: %+v", got)
			}
			for _, name := range shells() {
				var lines []trial
				all := append(attacks(t, name), readLines(t, "found.txt")...)
				step := max(1, len(all)/mostConfined)
				if os.Getenv("SHELL_FUZZ") != "" {
					step = 1
				}
				for i := 0; i < len(all); i += step {
					lines = append(lines, trial{Shell: name, Line: all[i], Confine: confine,
						Contents: engine == "landlock"})
				}
				judgeLines(t, lines, func(j judged) {
					if len(j.Changed) > 0 {
						t.Errorf("%s: %q changes %q", j.Shell, j.Line, j.Changed)
					}
				})
				t.Logf("%s: %d lines", name, len(lines))
			}
		})
	}
}
