// Test-windows runs the tests of this module and a round trip of hook calls as Windows
// programs, under Wine. What fails there is listed with its reason in exceptions.txt: a
// failure that is not listed is an error, and so is a listed one that passes. Wine itself
// fails at times, above all when it starts a program. So a test that ends otherwise than
// expected runs again, alone, and what the second run says counts; all this is printed.
//
//	go run ./scripts/test-windows [-only REGEXP]
//
// It needs wine64 and gcc-mingw-w64-x86-64 (Debian's names).
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	module = "github.com/agent-pipeline/pipeline"
	tags   = "-tags=urfave_cli_no_docs,urfave_cli_no_suggest"
	here   = "scripts/test-windows"
)

func main() {
	only := flag.String("only", "", "run the packages that match `REGEXP`, and compare no list")
	flag.Parse()
	if err := run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "test-windows:", err)
		os.Exit(1)
	}
}

func run(only string) error {
	known, err := readExceptions(filepath.Join(here, "exceptions.txt"))
	if err != nil {
		return err
	}
	w, err := prepareWine()
	if err != nil {
		return err
	}
	defer w.stop()
	if err := w.roundTrip(); err != nil {
		return fmt.Errorf("hook round trip: %w", err)
	}
	fmt.Println("hook round trip: ok")
	packages, err := listPackages(only)
	if err != nil {
		return err
	}
	results := w.runTests(packages, known)
	if err := w.runAgain(results, known); err != nil {
		return err
	}
	return compare(results, known, only == "")
}

// An exception is a test, or with the name * a package, and why it cannot pass here.
type exception struct{ pkg, test string }

func readExceptions(path string) (map[exception]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := map[exception]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s: found %q, expected a package, a test and a reason", path, lines.Text())
		}
		out[exception{fields[0], fields[1]}] = strings.Join(fields[2:], " ")
	}
	return out, nil
}

func listPackages(only string) ([]string, error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	const tested = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"
	cmd := exec.Command("go", "list", tags, "-f", tested, "./...")
	cmd.Env = windows()
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var packages []string
	for p := range strings.FieldsSeq(string(out)) {
		if p = strings.TrimPrefix(p, module+"/"); pattern.MatchString(p) {
			packages = append(packages, p)
		}
	}
	return packages, nil
}

func windows(more ...string) []string {
	return append(os.Environ(), append([]string{"GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"}, more...)...)
}

// A wine is a prefix in which Go programs run.
type wine struct {
	dir string // of this repository
	bin string // what is built
	env []string
}

func prepareWine() (*wine, error) {
	for _, tool := range []string{"wine", "x86_64-w64-mingw32-gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return nil, fmt.Errorf("%w (Debian: apt-get install wine wine64 gcc-mingw-w64-x86-64)", err)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	memory := "/dev/shm" // Wine waits for the disk at each of many small writes
	if _, err := os.Stat(memory); err != nil {
		memory = ""
	}
	bin, err := os.MkdirTemp(memory, "pipeline-windows-")
	if err != nil {
		return nil, err
	}
	w := &wine{dir: dir, bin: bin}
	w.env = windows("CI=", // Wine has no browser and no graphviz: their tests may skip
		"WINEPREFIX="+filepath.Join(bin, "prefix"), "WINEDEBUG=-all",
		"WINEDLLOVERRIDES=bcryptprimitives=n;mscoree,mshtml=;winemenubuilder.exe=d")
	if err := os.Mkdir(filepath.Join(bin, "prefix"), 0o755); err != nil {
		return w, err
	}
	// Without -p Wine's server ends between two programs. One that starts just then does not.
	if out, err := w.run(time.Minute, dir, "", "wineserver", "-p"); err != nil {
		return w, fmt.Errorf("start Wine's server: %w: %s", err, out)
	}
	if out, err := w.run(2*time.Minute, dir, "", "wineboot", "-i"); err != nil {
		return w, fmt.Errorf("make a prefix: %w: %s", err, out)
	}
	dll := filepath.Join(bin, "prefix/drive_c/windows/system32/bcryptprimitives.dll")
	source := filepath.Join(here, "dll/prng.c")
	gcc := exec.Command("x86_64-w64-mingw32-gcc", "-shared", "-O2", "-o", dll, source, "-ladvapi32")
	if out, err := gcc.CombinedOutput(); err != nil {
		return w, fmt.Errorf("build %s: %w: %s", dll, err, out)
	}
	return w, errors.Join(w.writeOverlay(), w.build("./cmd/pipeline", "pipeline.exe"))
}

// writeOverlay has package os delete files without FileDispositionInfoEx, which Wine 8 does
// not have. Package os has that way for older versions of Windows.
func (w *wine) writeOverlay() error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "src/internal/syscall/windows/at_windows.go")
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const before, after = "var TestDeleteatFallback bool", "var TestDeleteatFallback = true"
	if !strings.Contains(string(source), before) {
		return fmt.Errorf("%s has no TestDeleteatFallback any more", path)
	}
	mine := filepath.Join(w.bin, "at_windows.go")
	return errors.Join(os.WriteFile(mine, []byte(strings.Replace(string(source), before, after, 1)), 0o644),
		os.WriteFile(w.overlay(), fmt.Appendf(nil, `{"Replace":{%q:%q}}`, path, mine), 0o644))
}

func (w *wine) overlay() string { return filepath.Join(w.bin, "overlay.json") }

func (w *wine) build(pkg, name string) error {
	args := []string{"build", tags, "-overlay", w.overlay(), "-o", filepath.Join(w.bin, name), pkg}
	if strings.HasSuffix(name, ".test.exe") {
		args = append([]string{"test", "-c"}, args[1:]...)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = windows()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}

// run runs a program of the prefix and returns what it prints. A pipe would stay open:
// Wine's own processes inherit it.
func (w *wine) run(limit time.Duration, dir, stdin, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	f, err := os.CreateTemp(w.bin, "output-")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, w.env, strings.NewReader(stdin), f, f
	err = errors.Join(cmd.Run(), f.Close())
	text, failed := os.ReadFile(f.Name())
	return string(text), errors.Join(err, failed)
}

// runProgram runs a program of Windows. A program that leaves with 1 and prints nothing was
// not started by Wine: ours say what is wrong. It is tried again, and that is printed.
func (w *wine) runProgram(limit time.Duration, dir, stdin, program string, args ...string) (string, error) {
	for try := 1; ; try++ {
		out, err := w.run(limit, dir, stdin, "wine", append([]string{program}, args...)...)
		var exit *exec.ExitError
		if try == 3 || out != "" || !errors.As(err, &exit) || exit.ExitCode() != 1 {
			return out, err
		}
		fmt.Printf("Wine did not start %s %v, try %d\n", filepath.Base(program), args, try)
	}
}

// stop ends the processes of the prefix and removes it.
func (w *wine) stop() {
	_, _ = w.run(time.Minute, w.dir, "", "wineserver", "-k")
	_, _ = w.run(time.Minute, w.dir, "", "wineserver", "-w")
	_ = os.RemoveAll(w.bin)
}

// A result is how a test ended, and all that it printed.
type result struct {
	failed bool
	log    string
}

// runTests runs the tests of packages, two packages at a time.
func (w *wine) runTests(packages []string, known map[exception]string) map[exception]result {
	results := map[exception]result{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	for _, pkg := range packages {
		if _, skip := known[exception{pkg, "*"}]; skip {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			began := time.Now()
			found := w.runPackage(pkg, "")
			mu.Lock()
			defer mu.Unlock()
			failed := 0
			for test, r := range found {
				results[exception{pkg, test}] = r
				if r.failed {
					failed++
				}
			}
			fmt.Printf("%-36s %3d passed, %2d failed, %s\n", pkg, len(found)-failed, failed,
				time.Since(began).Round(time.Second))
		})
	}
	wg.Wait()
	return results
}

var verdictLine = regexp.MustCompile(`(?m)^--- (PASS|FAIL): (\S+)`)

// runPackage runs the tests of a package, or one of them.
func (w *wine) runPackage(pkg, test string) map[string]result {
	log := "windows-" + strings.ReplaceAll(pkg, "/", "-") + ".log"
	name := strings.ReplaceAll(pkg, "/", "-") + ".test.exe"
	if err := w.build("./"+pkg, name); err != nil {
		return map[string]result{"(build)": {failed: true, log: err.Error()}}
	}
	path := filepath.Join(w.bin, name)
	defer os.Remove(path)
	dir := filepath.Join(w.dir, pkg)
	args := []string{"-test.v", "-test.short", "-test.timeout=30m"}
	if test != "" {
		log = strings.TrimSuffix(log, ".log") + "-again.log"
		args = append(args, "-test.run=^"+test+"$")
	}
	out, err := w.runProgram(31*time.Minute, dir, "", path, args...)
	text := strings.ReplaceAll(out, "\r\n", "\n")
	found := map[string]result{}
	for _, m := range verdictLine.FindAllStringSubmatch(text, -1) {
		_, log, _ := strings.Cut(text, "=== RUN   "+m[2]+"\n")
		log, _, _ = strings.Cut(log, m[0])
		found[m[2]] = result{failed: m[1] == "FAIL", log: log}
	}
	if err != nil && !strings.HasSuffix(strings.TrimSpace(text), "FAIL") { // it did not come to its end
		found["(end)"] = result{failed: true, log: text[max(0, len(text)-2000):]}
	}
	_ = os.MkdirAll("bin", 0o755)
	_ = os.WriteFile(filepath.Join("bin", log), []byte(text), 0o644)
	return found
}

// mostAgain is how many tests may need a second run. More of them are no chance.
const mostAgain = 3

// runAgain runs each test that ended otherwise than expected once more, alone, and keeps what
// it says then. A package that does not build or does not come to its end is not run again.
func (w *wine) runAgain(results map[exception]result, known map[exception]string) error {
	var odd []exception
	for e, r := range results {
		if _, listed := known[e]; r.failed != listed && strings.HasPrefix(e.test, "Test") {
			odd = append(odd, e)
		}
	}
	if len(odd) > mostAgain {
		fmt.Printf("%d tests ended otherwise than expected: too many to run them again\n", len(odd))
		return nil
	}
	for _, e := range odd {
		first := results[e]
		fmt.Printf("%s %s %s, which is not expected; it runs again\n%s", e.pkg, e.test, first.verdict(), first.log)
		again, ran := w.runPackage(e.pkg, e.test)[e.test]
		if !ran {
			return fmt.Errorf("%s %s does not run alone", e.pkg, e.test)
		}
		fmt.Printf("%s %s %s when it runs again\n", e.pkg, e.test, again.verdict())
		results[e] = again
	}
	return nil
}

func (r result) verdict() string {
	if r.failed {
		return "fails"
	}
	return "passes"
}

// compare reports failures that are not listed, and with whole also listed ones that pass
// or that no test has any more.
func compare(results map[exception]result, known map[exception]string, whole bool) error {
	var wrong []string
	passed, failed := 0, 0
	for e, r := range results {
		_, listed := known[e]
		switch {
		case r.failed && !listed:
			wrong = append(wrong, fmt.Sprintf("%s %s fails (the whole is in bin/windows-%s.log):\n%s", e.pkg, e.test,
				strings.ReplaceAll(e.pkg, "/", "-"), r.log))
		case r.failed:
			failed++
		default:
			passed++
		}
	}
	for e := range known {
		if r, ran := results[e]; whole && !r.failed && e.test != "*" {
			how := "passes"
			if !ran {
				how = "is not there or is skipped"
			}
			wrong = append(wrong, fmt.Sprintf("%s %s is listed as failing and %s: take it from exceptions.txt",
				e.pkg, e.test, how))
		}
	}
	fmt.Printf("%d passed, %d failed as listed\n", passed, failed)
	if len(wrong) > 0 {
		slices.Sort(wrong)
		return errors.New("\n  " + strings.Join(wrong, "\n  "))
	}
	return nil
}
