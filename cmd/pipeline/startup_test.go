package main

import (
	"io"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// Every package that is linked initializes itself in every hook call, whether the call
// uses it or not. What that may cost is the start budget.
const (
	mostAllocs = 20  // of a package that is not on the list; in contrast to times they do not depend on the load
	allAllocs  = 700 // of all packages together
	mostBytes  = 13 << 20
)

// costlyStarts are the packages that may take more, with the allocations that each may
// make.
func costlyStarts() map[string]struct {
	allocs int
	reason string
} {
	return map[string]struct {
		allocs int
		reason string
	}{
		"go.yaml.in/yaml/v3": {280, "reads configs with exact positions; compiles two regexps, fills three maps"},
		"mvdan.cc/sh/v3/fileutil": {110,
			"comes with the shell's parser; compiles two regexps that only its printer uses"},
		"github.com/urfave/cli/v2": {40, "the command line; compiles a regexp"},
		"unicode":                  {20, "fills the maps of its tables, because regexp names them"},
		"internal/godebug":         {15, "reads GODEBUG, which only this test sets"},
	}
}

// TestStartBudget: a new dependency, or a table at package level, that makes each hook
// call slower fails here. `make bench` measures times.
func TestStartBudget(t *testing.T) {
	costly := costlyStarts()
	starts := traceStart(t)
	sum := 0
	for name, s := range starts {
		sum += s.allocs
		may, listed := costly[name]
		switch {
		case listed && s.allocs > may.allocs:
			t.Errorf("%s makes %d allocations when it starts, at most %d are budgeted: %s", name, s.allocs, may.allocs,
				may.reason)
		case !listed && (s.allocs > mostAllocs):
			t.Errorf("%s makes %d allocations when it starts, and is not in the budget", name, s.allocs)
		}
	}
	for name := range costly {
		if _, linked := starts[name]; !linked {
			t.Errorf("%s is in the budget and takes nothing: remove it there", name)
		}
	}
	if sum > allAllocs {
		t.Errorf("all packages make %d allocations when they start, at most %d are budgeted", sum, allAllocs)
	}
}

// TestStackGrowsFirst: the stack grows before the packages that would make it double
// several times.
func TestStackGrowsFirst(t *testing.T) {
	starts := traceStart(t)
	first, linked := starts["github.com/agent-pipeline/pipeline/cmd/pipeline/internal/stack"]
	if !linked {
		t.Fatal("the stack is not grown")
	}
	for _, name := range []string{"regexp/syntax", "unicode", "go.yaml.in/yaml/v3", "github.com/urfave/cli/v2"} {
		if s, linked := starts[name]; linked && s.at < first.at {
			t.Errorf("%s initializes before the stack grows", name)
		}
	}
}

type start struct {
	at     int // in the order of starts
	allocs int
}

// traceStart runs a hook call, and returns what each package allocated when it started. The
// runtime's own is not traced as ours.
func traceStart(t *testing.T) map[string]start {
	cmd := exec.Command(binary(), "hook", "--host", "claude", "pre-tool-use")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"GODEBUG=inittrace=1", "HOME=" + cmd.Dir}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	starts := map[string]start{}
	for line := range strings.Lines(string(out)) {
		// init internal/godebug @0.43 ms, 0.087 ms clock, 448 bytes, 11 allocs
		f := strings.Fields(line)
		if len(f) != 11 || f[0] != "init" || f[1] == "runtime" {
			continue
		}
		allocs, err := strconv.Atoi(f[9])
		if err != nil {
			t.Fatalf("cannot read %q", line)
		}
		starts[f[1]] = start{len(starts), allocs}
	}
	if len(starts) < 10 {
		t.Fatalf("only %d packages were traced: %s", len(starts), out)
	}
	return starts
}

// TestBinarySize: what is linked is mapped, checked and walked through by every start.
func TestBinarySize(t *testing.T) {
	info, err := os.Stat(binary())
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > mostBytes {
		t.Errorf("the binary has %d bytes, at most %d are budgeted: what was linked?", info.Size(), mostBytes)
	}
}

// TestLongPayload: a short call keeps the collector as it is; a long one ends before it pays.
func TestLongPayload(t *testing.T) {
	for size, want := range map[int]int{longPayload - 1: 100, longPayload: -1} {
		debug.SetGCPercent(100)
		if n, err := io.Copy(io.Discard, &patientReader{r: strings.NewReader(strings.Repeat("x",
			size))}); int(n) != size || err != nil {
			t.Errorf("read %d of %d bytes: %v", n, size, err)
		}
		if got := debug.SetGCPercent(100); got != want {
			t.Errorf("%d bytes: the collector is at %d, expected %d", size, got, want)
		}
	}
	debug.SetMemoryLimit(math.MaxInt64)
}
