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

// missed returns the files that a line has changed and of which Parse says nothing. A
// line that runs unknown code misses nothing.
func missed(calls []Call, changed []string) (out []string) {
	for _, c := range calls {
		if c.Code {
			return nil
		}
	}
	for _, file := range changed {
		if !slices.ContainsFunc(calls, func(c Call) bool { return c.mayChange(path.Join(projectDir, file)) }) {
			out = append(out, file)
		}
	}
	return out
}

// mayChange reports whether a call says that it may write or delete a file of the
// sandbox.
func (c Call) mayChange(file string) bool {
	if c.Kind != Write && c.Kind != Delete {
		return false
	}
	name := c.Path
	if c.Pattern != "" {
		name = c.Pattern
	} else if name == Unknown {
		return true
	}
	dir := projectDir
	switch {
	case strings.HasPrefix(name, "/"):
		dir = ""
	case strings.HasPrefix(name, "~"):
		name, dir = strings.TrimPrefix(name, "~"), sandboxHome
	case c.Dir == Unknown:
		return true
	case strings.HasPrefix(c.Dir, "/"):
		dir = c.Dir
	case strings.HasPrefix(c.Dir, "~"):
		dir = sandboxHome + c.Dir[1:]
	default:
		dir = path.Join(projectDir, c.Dir)
	}
	if c.Pattern == "" {
		name = path.Join(dir, name)
		return file == name || strings.HasPrefix(file, strings.TrimSuffix(name, "/")+"/")
	}
	ok, err := regexp.MatchString("^"+regexp.QuoteMeta(dir)+"/?"+patternExpr(name)+"(/.*)?$", file)
	return ok || err != nil
}

// patternExpr is Call.Pattern as a regular expression.
func patternExpr(pattern string) string {
	quoted := regexp.QuoteMeta(strings.TrimPrefix(pattern, "./"))
	return strings.NewReplacer(regexp.QuoteMeta(Unknown), ".*", `/\*\*/`, "/(.*/)?", `\*\*`, ".*", `\*`, "[^/]*", `\?`, "[^/]",
		`@\(`, "(", `\|`, "|", `\)`, ")", `\[`, "[", `\]`, "]", "|./", "|", "(./", "(").Replace(quoted)
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
				j := judged{trial: tr, calls: parse(tr.Line)}
				began := time.Now()
				j.ran = s.run(tr)
				if d := time.Since(began); d > 200*time.Millisecond && os.Getenv("SHELL_SLOW") != "" {
					t.Logf("SLOW %v %s %q", d, tr.Shell, tr.Line)
				}
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

// readLines reads lines of shell from testdata: "$ " begins one, "> " goes on with it.
func readLines(t testing.TB, name string) (out []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	must(t, err)
	for i, l := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		switch mark, text, _ := strings.Cut(l, " "); mark {
		case "$":
			out = append(out, text)
		case ">":
			out[len(out)-1] += "\n" + text
		case "", "#":
		default:
			t.Fatalf("%s:%d: a line begins with $, > or #", name, i+1)
		}
	}
	return out
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAttacks: lines that change a file of the project in a way that looks harmless.
func TestAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a thousand lines")
	}
	for name := range sandboxShells() {
		t.Run(name, func(t *testing.T) {
			var lines []trial
			for _, file := range []string{"attacks.txt", "attacks-" + name + ".txt"} {
				for _, l := range readLines(t, file) {
					lines = append(lines, trial{name, l})
				}
			}
			real := 0
			judgeLines(t, lines, func(j judged) {
				if len(j.Changed) > 0 {
					real++
				} else if testing.Verbose() {
					t.Logf("changes nothing: %q: %s", j.Line, j.Said)
				}
				if len(j.miss) > 0 {
					t.Errorf("%s: %q changes %v\ncalls: %s", j.Shell, j.Line, j.miss, shown(j.calls))
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
	count, seed := 900, uint64(1)
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
	for _, file := range []string{"attacks.txt", "attacks-bash.txt", "attacks-zsh.txt", "attacks-dash.txt", "found.txt"} {
		g.seeds = append(g.seeds, readLines(t, file)...)
	}
	var lines []trial
	shells := []string{"bash", "zsh", "dash"}
	for _, l := range readLines(t, "found.txt") {
		for _, sh := range shells {
			lines = append(lines, trial{sh, l})
		}
	}
	for i := range count {
		lines = append(lines, trial{shells[i%3], g.line()})
	}
	ran, changing, unknown, misses := 0, 0, 0, 0
	judgeLines(t, lines, func(j judged) {
		ran++
		if len(j.Changed) > 0 {
			changing++
		}
		if slices.ContainsFunc(j.calls, func(c Call) bool { return c.Code }) {
			unknown++
		}
		if len(j.miss) > 0 {
			if misses++; misses <= 40 {
				t.Errorf("%s: %s\nchanges %q\ncalls: %s\nas a test: %q", j.Shell, j.Line, j.miss, shown(j.calls), j.Line)
			}
		}
	})
	t.Logf("seed %d: %d lines ran, %d changed a file, %d run unknown code, %d misses", seed, ran, changing, unknown, misses)
}
