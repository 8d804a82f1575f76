package e2e

import (
	"os"
	"time"
)

// Option changes one run of the client.
type Option func(*call)

// call is one run to be.
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

// Timeout ends the run, and fails the test, after d instead of two minutes.
func Timeout(d time.Duration) Option {
	return func(c *call) { c.timeout = d }
}

// Signal sends the client a signal as soon as the condition holds.
func Signal(s os.Signal, when Cond) Option {
	return func(c *call) { c.signal, c.when = s, when }
}
