package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
)

// smallConfig refuses a command and a tool of a server, asks about a command, and holds a turn once.
const smallConfig = `version: 1
orchestrator:
  rules:
    - {name: no-touching, deny: [Bash], commands: [touch], reason: Nobody touches files here.}
    - {name: no-pinging, deny: [mcp__my-demo__ping], reason: Nobody pings here.}
    - {name: folders, ask: [Bash], commands: [mkdir], reason: A person decides about folders.}
hold:
  tries: 3
  gate: {run: 'test -e .git/held || { touch .git/held; echo the gate has run; exit 1; }'}
`

// installed is a project with that config, and a client in which the hooks are registered and a server's tools run.
func installed(t *testing.T, c e2e.Client) *onHost {
	t.Helper()
	s := &onHost{enforced: &enforced{e2e.NewProject(t), e2e.NewModel(t).InOrder(), t}}
	s.Git()
	s.Write("configs/pipeline.yaml", smallConfig)
	c.Serve(s.Project, "my-demo")
	s.pipeline("install", "--host", c.Name())
	return s
}

// TestClientHostsServer: a server's tool is judged under the name that the config uses, whatever the client calls it.
func TestClientHostsServer(t *testing.T) {
	e2e.EachClient(t, func(t *testing.T, c e2e.Client) {
		t.Parallel()
		s := installed(t, c)
		s.Say("main", c.Ask("my-demo", "ping"), c.Ask("my-demo", "pong"), e2e.Text("done"), e2e.Text("really done"))

		options := allow(c)
		if c.Name() == "claude" {
			options = []e2e.Option{e2e.Allow("mcp__my-demo")}
		}
		run := c.Run(t, s.Project, s.Model, "ping", options...)

		run.WantTold(t, "main", "Nobody pings here.", "this is pong")
		run.WantNotTold(t, "main", "this is ping")
		for _, r := range s.records(run.Session) {
			if r.Event.Kind == fsm.ToolRequest && (r.Verdict == fsm.Deny.String()) != (r.Rule == "no-pinging") {
				t.Errorf("%s: %s by %s", r.Event.Tool.Name, r.Verdict, r.Rule)
			}
		}
	})
}

// TestClientHostsWindow: at a window a person sees what is refused, is asked where the client can ask, and a turn is
// held once.
func TestClientHostsWindow(t *testing.T) {
	e2e.EachClient(t, func(t *testing.T, c e2e.Client) {
		t.Parallel()
		s := installed(t, c)
		s.Say("main", c.Shell("touch touched"), c.Shell("mkdir folder"), e2e.Text("that is all"),
			e2e.Text("really all"))
		var options []e2e.Option
		if c.Name() == "claude" {
			options = allow(c)
		}

		w := c.Open(t, s.Project, s.Model, options...)
		w.Say("build me a thing")
		w.Wait("(rule no-touching)")
		asks := c.Name() != "codex"
		if asks {
			w.Wait("A person decides about folders.")
			w.Until("take the answer", func() bool { // a question that has just appeared may take no key yet
				w.Press("Enter") // yes
				time.Sleep(500 * time.Millisecond)
				_, err := os.Stat(s.Path("folder"))
				return err == nil
			})
		}
		w.Wait("really all")
		t.Log(w.Screen())
		w.Close()

		for name, want := range map[string]bool{"touched": false, "folder": asks} {
			if _, err := os.Stat(s.Path(name)); (err == nil) != want {
				t.Errorf("%s is there: %v", name, err == nil)
			}
		}
		run := &e2e.Run{Session: s.sessions()[0], Requests: s.Requests()}
		run.WantTold(t, "main", "Nobody touches files here.", "the gate has run")
		if got := strings.Contains(run.ToldTo("main"), "lets no hook ask"); got == asks {
			t.Errorf("the question became a denial: %v", got)
		}
		s.wantPrompts(run, 1)
		s.wantHolds(run, 1)
	})
}
