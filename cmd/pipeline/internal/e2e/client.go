package e2e

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"
)

// apiKey is what the scripted model is asked with, and does not look at.
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
