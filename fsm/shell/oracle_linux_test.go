package shell

import (
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// leftover is the name of a file in which zip makes an archive. It stays where the pipe that
// zip writes to is closed before the archive is there.
var leftover = regexp.MustCompile(`^(.*/)?zi[A-Za-z0-9]{6}$`)

// missed returns the files that a line has changed and of which its calls say nothing. A
// line that runs unknown code misses nothing.
func missed(calls []Call, changed []string) (out []string) {
	if slices.ContainsFunc(calls, Call.runsAnything) {
		return nil
	}
	for _, file := range changed {
		if leftover.MatchString(file) {
			continue
		}
		if !slices.ContainsFunc(calls, func(c Call) bool { return c.mayChange(path.Join(projectDir, file)) }) {
			out = append(out, file)
		}
	}
	return out
}

// mayChange reports whether a call says that it may write or delete a file of the
// sandbox. It may then make the folders above, and files beside it: x.bak, x.pub.
func (c Call) mayChange(file string) bool {
	if c.Kind != Write && c.Kind != Delete {
		return false
	}
	if c.Path == Unknown || c.Dir == Unknown && !strings.HasPrefix(c.Path, "/") && !strings.HasPrefix(c.Path, "~") {
		return true
	}
	name := inSandbox(c.Path, inSandbox(c.Dir, projectDir))
	if c.Pattern == "" {
		return strings.HasPrefix(file, strings.TrimRight(name, "X")) || strings.HasPrefix(name, file+"/")
	}
	pattern := inSandbox(c.Pattern, inSandbox(c.Dir, projectDir))
	ok, err := regexp.MatchString("^"+patternExpr(pattern)+"(/.*)?$", file)
	return ok || err != nil || strings.HasPrefix(name+"/", file+"/")
}

// inSandbox returns the path that name means in a folder of the sandbox.
func inSandbox(name, dir string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return path.Clean(name)
	case name == "~" || strings.HasPrefix(name, "~/"):
		return path.Clean(sandboxHome + name[1:])
	}
	return path.Join(dir, name)
}

// patternExpr is Call.Pattern as a regular expression.
func patternExpr(pattern string) string {
	quoted := regexp.QuoteMeta(pattern)
	return strings.NewReplacer(regexp.QuoteMeta(Unknown), ".*", `/\*\*/`, "/(.*/)?", `\*\*`, ".*", `\*`, "[^/]*", `\?`,
		"[^/]",
		`@\(`, "(", `\|`, "|", `\)`, ")", `\[`, "[", `\]`, "]").Replace(quoted)
}

// judged is a line that a real shell has run.
type judged struct {
	trial
	ran
	calls []Call
	miss  []string
}

// judgeLines runs lines in several sandboxes at once, and calls each for every result.
func judgeLines(t *testing.T, lines []trial, each func(judged)) {
	t.Helper()
	work, results := make(chan trial), make(chan judged)
	var group sync.WaitGroup
	for range 2 {
		s := newSandbox(t)
		group.Go(func() {
			for tr := range work {
				j := judged{trial: tr, calls: parse(tr.Line, Options{Shell: tr.Shell})}
				j.ran = s.run(tr)
				j.miss = missed(j.calls, j.Changed)
				results <- j
			}
		})
	}
	go func() {
		for _, tr := range lines {
			work <- tr
		}
		close(work)
		group.Wait()
		close(results)
	}()
	for j := range results {
		if j.Failed != "" {
			t.Fatalf("%s: %q: the sandbox failed: %s", j.Shell, j.Line, j.Failed)
		}
		each(j)
	}
}

// TestAttacksAreReal runs the attacks: most change a file of the project, in each shell.
func TestAttacksAreReal(t *testing.T) {
	if os.Getenv("SHELL_FUZZ") == "" {
		t.Skip("takes minutes; make fuzz runs it")
	}
	for _, name := range shells() {
		t.Run(name, func(t *testing.T) {
			var lines []trial
			for _, l := range attacks(t, name) {
				lines = append(lines, trial{Shell: name, Line: l})
			}
			real := 0
			judgeLines(t, lines, func(j judged) {
				if len(j.Changed) > 0 {
					real++
				} else {
					t.Logf("%s: changes nothing: %q: %s", j.Shell, j.Line, j.Said)
				}
				if len(j.miss) > 0 {
					t.Errorf("%s: %q changes %q\ncalls: %s", j.Shell, j.Line, j.miss, shown(j.calls))
				}
			})
			t.Logf("%d of %d lines change a file", real, len(lines))
			if real < 300 {
				t.Errorf("%d lines change a file, want 300", real)
			}
		})
	}
}

// TestOracle: what Parse says of generated lines is what the shells do. SHELL_FUZZ gives
// their number, SHELL_FUZZ_SEED where they begin.
func TestOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a thousand lines")
	}
	count, seed := 400, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("SHELL_FUZZ")); err == nil {
		count, seed = n, uint64(time.Now().UnixNano())
	}
	if n, err := strconv.ParseUint(os.Getenv("SHELL_FUZZ_SEED"), 10, 64); err == nil {
		seed = n
	}
	g := &generator{Rand: rand.New(rand.NewPCG(seed, seed))}
	for _, e := range corpus(t) {
		g.seeds = append(g.seeds, e.line)
	}
	for _, name := range shells() {
		g.seeds = append(g.seeds, attacks(t, name)...)
	}
	var lines []trial
	shells := shells()
	for _, l := range readLines(t, "found.txt") {
		for _, sh := range shells {
			lines = append(lines, trial{Shell: sh, Line: l})
		}
	}
	for i := range count {
		lines = append(lines, trial{Shell: shells[i%3], Line: g.line()})
	}
	ran, changing, unknown, misses := 0, 0, 0, 0
	var again []trial
	judgeLines(t, lines, func(j judged) {
		ran++
		if len(j.Changed) > 0 {
			changing++
		}
		if slices.ContainsFunc(j.calls, Call.runsAnything) {
			unknown++
		}
		if len(j.miss) > 0 {
			again = append(again, trial{Shell: j.Shell, Line: j.Line})
		}
	})
	// A line that is killed on a busy machine leaves what it would have removed. A miss repeats.
	judgeLines(t, again, func(j judged) {
		if len(j.miss) == 0 {
			t.Logf("%s: %s\nmissed something once, and nothing when it ran again", j.Shell, j.Line)
		} else if misses++; misses <= 40 {
			t.Errorf("%s: %s\nchanges %q\ncalls: %s\nas a test: %q", j.Shell, j.Line, j.miss, shown(j.calls), j.Line)
		}
	})
	t.Logf("seed %d: %d lines ran, %d changed a file, %d run unknown code, %d misses", seed, ran, changing, unknown,
		misses)
}
