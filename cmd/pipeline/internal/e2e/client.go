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

// A Client is a version of an agent client that a host's adapter serves.
type Client struct {
	driver
	Version Version
}

// A driver knows how a client is installed, pointed at the model and told what to do.
type driver interface {
	name() string
	needs() []string                       // further npm packages
	program() []string                     // its command line: patterns below node_modules
	configure(p *Project, m *Model)        // writes its own settings, which lead to the model
	register(p *Project, hooks hookTable)  // writes hooks into the user's settings
	env(p *Project, m *Model) []string     // beside HOME and PATH
	args(prompt, session string) []string  // in print mode; session is one to go on with, or ""
	agent(p *Project, name, marker string) // defines an agent, who speaks as the marker says
	start(agent, prompt string) []Turn     // starts an agent and waits for its result
	shell(line string) Turn                // runs a shell command
	write(path, text string) Turn          // makes a file
	serve(p *Project, server, file string) // registers a server of tools (MCP), which is a program
	ask(server, tool string) Turn          // calls a tool of a server
	window(p *Project) []string            // the arguments for a person, who has answered what is asked once
	isReady(screen string) bool            // whether the window takes a prompt
}

// A hookTable says which command an event runs.
type hookTable map[string]string

// settings is the form that most clients have, and what they call a time of half a minute.
func (h hookTable) settings(timeout int) map[string]any {
	hooks := map[string]any{}
	for event, command := range h {
		entry := map[string]any{"type": "command", "command": command, "timeout": timeout}
		hooks[event] = []any{map[string]any{"hooks": []any{entry}}}
	}
	return map[string]any{"hooks": hooks}
}

func drivers() []driver { return []driver{claude{}, codex{}, copilot{}, qwen{}} }

// Name is how --host names it.
func (c Client) Name() string { return c.name() }

// Start is what a model says to start an agent and to wait for its result.
func (c Client) Start(agent, prompt string) []Turn { return c.start(agent, prompt) }

// Shell is what a model says to run a shell command.
func (c Client) Shell(line string) Turn { return c.shell(line) }

// Write is what a model says to make a file.
func (c Client) Write(path, text string) Turn { return c.write(path, text) }

// Ask is what a model says to call a tool of a server.
func (c Client) Ask(server, tool string) Turn { return c.ask(server, tool) }

// Serve registers the test's server of tools under a name. Its tools are ping and pong, and
// answer with their name.
func (c Client) Serve(p *Project, server string) {
	file := p.Home + "/server.sh"
	writeFile(p.t, file, serverScript)
	if err := os.Chmod(file, 0o755); err != nil {
		p.t.Fatal(err)
	}
	c.serve(p, server, file)
}

// Define defines an agent in the client's own form.
func (c Client) Define(p *Project, name, marker string) { c.agent(p, name, marker) }

// Run runs the client once, in print mode, and waits for its end. Whatever the exit code,
// the run is returned; a run that does not end fails the test.
func (c Client) Run(t testing.TB, p *Project, m *Model, prompt string, opts ...Option) *Run {
	t.Helper()
	in := call{timeout: 2 * time.Minute}
	for _, o := range opts {
		o(&in)
	}
	c.configure(p, m)
	before := len(m.Requests())
	command := append(c.Install(t), c.args(prompt, in.session)...)
	if p.Within != nil {
		command = p.Within(append(command, in.args...))
		in.args = nil
	}
	run := p.start(t, command, append(p.env(), c.env(p, m)...), in)
	run.Version = c.Version
	run.Requests = m.Requests()[before:]
	return run
}

// Claude runs Claude Code: see Client.Run.
func (p *Project) Claude(t testing.TB, v Version, m *Model, prompt string, opts ...Option) *Run {
	t.Helper()
	return Client{claude{}, v}.Run(t, p, m, prompt, opts...)
}

func (p *Project) start(t testing.TB, command, env []string, c call) *Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), c.timeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], c.args...)...)
	cmd.Dir, cmd.Env = p.Dir, append(env, c.env...)
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

// env is what every client gets: nothing of the developer's own. No client needs the
// machine's node.
func (p *Project) env() []string {
	return []string{"HOME=" + p.Home, "PATH=/usr/bin:/bin"}
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
	session string
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
func Resume(session string) Option { return func(c *call) { c.session = session } }

// Continue goes on with the newest session of the project.
func Continue() Option { return Arg("-c") }

// Fork makes a resumed run a session of its own.
func Fork() Option { return Arg("--fork-session") }

// ForkOf makes the run of Codex or Qwen Code a session of its own, which goes on where another one is.
func ForkOf(session string) Option { return Resume(forkOf + session) }

const forkOf = "fork of "

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
