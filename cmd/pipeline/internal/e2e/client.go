package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"
)

// apiKey is what the scripted model gets and ignores.
const apiKey = "sk-local-test"

// Claude runs the client once, in print mode, and waits for its end. Whatever
// the exit code, the run is returned; a run that does not end fails the test.
func (p *Project) Claude(t testing.TB, v Version, m *Model, prompt string, opts ...Option) *Run {
	t.Helper()
	c := call{timeout: 2 * time.Minute}
	for _, o := range opts {
		o(&c)
	}
	before := len(m.Requests())
	run := p.start(t, Install(t, v), m, prompt, c)
	run.Version = v
	run.Requests = m.Requests()[before:]
	return run
}

func (p *Project) start(t testing.TB, binary string, m *Model, prompt string, c call) *Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, append(printArgs(prompt), c.args...)...)
	cmd.Dir, cmd.Env = p.Dir, append(p.env(m), c.env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second // a child of the client may hold its output open
	if err := cmd.Start(); err != nil {
		t.Fatalf("start client: %v", err)
	}
	go c.interrupt(ctx, cmd)
	err := cmd.Wait()
	if ctx.Err() != nil {
		t.Fatalf("client did not end in %s: %v\n%s\n%s", c.timeout, err, stdout.Bytes(), stderr.Bytes())
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatalf("run client: %v", err)
	}
	return newRun(t, cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.String())
}

func printArgs(prompt string) []string {
	return []string{"-p", prompt, "--model", "claude-sonnet-4-5", "--output-format", "stream-json", "--verbose"}
}

// env is all that the client gets: nothing of the developer's own client.
func (p *Project) env(m *Model) []string {
	return []string{
		"HOME=" + p.Home,
		"CLAUDE_CONFIG_DIR=" + p.ConfigDir,
		"CLAUDE_CODE_TMPDIR=" + p.tmp(),
		"PATH=/usr/bin:/bin", // both clients are programs of their own: no node
		"ANTHROPIC_BASE_URL=" + m.URL(),
		"ANTHROPIC_API_KEY=" + apiKey,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_AUTOUPDATER=1",
	}
}

func (c call) interrupt(ctx context.Context, cmd *exec.Cmd) {
	if c.signal != nil && c.when.wait(ctx) {
		_ = cmd.Process.Signal(c.signal) // it may have ended by itself
	}
}

// Option changes one run of the client.
type Option func(*call)

// call is one run before it starts.
type call struct {
	args    []string
	env     []string
	timeout time.Duration
	signal  os.Signal
	when    Cond
}

// Arg adds arguments as they are.
func Arg(args ...string) Option {
	return func(c *call) { c.args = append(c.args, args...) }
}

// Allow lists the tools that need no permission: "Bash Read Agent".
func Allow(tools string) Option { return Arg("--allowedTools", tools) }

// Resume goes on with a session.
func Resume(session string) Option { return Arg("-r", session) }

// Continue goes on with the newest session of the project.
func Continue() Option { return Arg("-c") }

// Fork makes a resumed run a session of its own.
func Fork() Option { return Arg("--fork-session") }

// Plugin loads a plugin for this run.
func Plugin(dir string) Option { return Arg("--plugin-dir", dir) }

// Env adds "NAME=value" to the client's environment.
func Env(env ...string) Option {
	return func(c *call) { c.env = append(c.env, env...) }
}

// Signal sends the client a signal as soon as the condition holds.
func Signal(s os.Signal, when Cond) Option {
	return func(c *call) { c.signal, c.when = s, when }
}

// Cond is something that a turn can wait for. It is polled from another goroutine than the
// test's.
type Cond func() bool

// All holds when every one of them does.
func All(conds ...Cond) Cond {
	return func() bool {
		for _, c := range conds {
			if !c() {
				return false
			}
		}
		return true
	}
}

// FileHas holds when the file exists and contains the text, such as a log that
// a hook writes.
func FileHas(path, text string) Cond {
	return func() bool {
		data, err := os.ReadFile(path)
		return err == nil && bytes.Contains(data, []byte(text))
	}
}

func (c Cond) wait(ctx context.Context) bool { return c.every(ctx, 10*time.Millisecond) }

// every waits like wait, and polls less often: for what costs a process.
func (c Cond) every(ctx context.Context, d time.Duration) bool {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for !c() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}
