package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// typed is a client's call in a project with the default config, where session s1 is under way.
func typed(t *testing.T) *hookCall {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	text, err := os.ReadFile(filepath.Join(repo(t), "configs", "pipeline.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pipeline.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p := &program{console{in: bytes.NewReader(nil), out: &out, err: &out,
		getenv: func(k string) string { return map[string]string{"HOME": home}[k] }}}
	r := &hookCall{program: p, event: "user-prompt-expansion", session: "s1",
		host: claude.New(p.surroundings(config.Opened{}))}
	r.open = mustOpen(t, p, dir)
	r.does(t, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	return r
}

func mustOpen(t *testing.T, p *program, dir string) config.Opened {
	t.Helper()
	o, err := config.Open(p.world(dir, ""))
	if err != nil || o.Policy == nil {
		t.Fatal(err, o.Problems)
	}
	return o
}

func (r *hookCall) does(t *testing.T, e fsm.Event) fsm.Decision {
	t.Helper()
	e.Session, e.Time = "s1", time.Now().UTC()
	d, err := r.newHandler(r.open, store(r.open, time.Second)).Answer(hooks.NoCall{}, e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// judged is what becomes of a call that no state admits.
func (r *hookCall) judged(t *testing.T) fsm.Verdict {
	t.Helper()
	return r.does(t, fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Agent", UseID: "u",
		Starts: &fsm.Start{How: fsm.ByAgent, Type: "c-developer"}}}).Verdict
}

// TestOrdersAreCarriedOut: what each order does to the session it is typed in, and what it says.
func TestOrdersAreCarriedOut(t *testing.T) {
	for _, c := range []struct {
		order string
		says  string
		then  fsm.Verdict
	}{
		{"status", "state    IDLE", fsm.Deny},
		{"help", "/pipeline bypass 30m REASON", fsm.Deny},
		{"mode", "level   strict", fsm.Deny},
		{`mode guidance "a trial"`, "reason  a trial\n", fsm.Warn},
		{"mode off", "level   off", fsm.Pass},
		{"bypass 30m the build is on fire", "a bypass is on until ", fsm.Pass},
		{`bypass on 30m "why so"`, "why so). It is recorded", fsm.Pass},
		{"bypass on --for 30m why", "a bypass is on until ", fsm.Pass},
		{"bypass --for=5m why", "a bypass is on until ", fsm.Pass},
		{"bypass 5m --rule pipeline why", "for rule pipeline until", fsm.Pass},
		{"bypass 5m --agent nix-developer why", "for agent nix-developer until", fsm.Deny},
		{"bypass off", "no bypass is on", fsm.Deny},
		{"bypass status", "level   strict", fsm.Deny},
		{"once", "guidance for the next turn, until it ends", fsm.Warn},
		{"to EXECUTING I have a plan", "IDLE → EXECUTING", fsm.Pass},
		{"to EXECUTING", "IDLE → EXECUTING", fsm.Pass},
		{"reset the wrong task", "IDLE → IDLE", fsm.Deny},
	} {
		t.Run(c.order, func(t *testing.T) {
			r := typed(t)
			said, err := r.runTyped(strings.Fields(c.order))
			if err != nil || !strings.Contains(said, c.says) {
				t.Fatalf("%v, said %q, expected %q", err, said, c.says)
			}
			if got := r.judged(t); got != c.then {
				t.Errorf("%s afterwards, expected %s", got, c.then)
			}
		})
	}
}

// TestOrdersEnd what they began.
func TestOrdersEnd(t *testing.T) {
	r := typed(t)
	for _, c := range []struct {
		order string
		then  fsm.Verdict
	}{
		{"bypass 5m why", fsm.Pass}, {"bypass off", fsm.Deny}, {"mode observe", fsm.Pass}, {"mode strict", fsm.Deny},
		{"mode guidance", fsm.Warn},
		{"mode clear", fsm.Deny}, {"mode guidance", fsm.Warn}, {"mode --clear", fsm.Deny}, {"once", fsm.Warn},
	} {
		if _, err := r.runTyped(strings.Fields(c.order)); err != nil {
			t.Fatal(c.order, err)
		}
		if got := r.judged(t); got != c.then {
			t.Errorf("%s after %q, expected %s", got, c.order, c.then)
		}
	}
	if err := r.finishEvent(fsm.Event{Kind: fsm.TurnStop, Session: "s1", Agent: fsm.Agent{ID: "a1"}}); err != nil ||
		r.judged(t) != fsm.Warn {
		t.Error("a subagent has ended the turn", err)
	}
	if err := r.finishEvent(fsm.Event{Kind: fsm.TurnStop, Session: "s2"}); err != nil || r.judged(t) != fsm.Warn {
		t.Error("another session has ended the turn", err)
	}
	if err := r.finishEvent(fsm.Event{Kind: fsm.TurnStop, Session: "s1"}); err != nil || r.judged(t) != fsm.Deny {
		t.Error("the turn's end did not end it", err)
	}
}

// TestOrdersRefused in words that say how it is done, with nothing changed.
func TestOrdersRefused(t *testing.T) {
	r := typed(t)
	for order, says := range map[string]string{
		"nonsense":               "no command \"nonsense\"",
		"mode lax":               "expected one of off, observe, guidance, ask, strict",
		"bypass":                 "needs a duration and a reason",
		"bypass on":              "needs a duration and a reason",
		"bypass 30m":             "needs a reason",
		`bypass 30m ""`:          "needs a reason",
		"bypass why":             "found duration \"why\"",
		"bypass --for":           "found duration \"--for\"",
		"bypass 3h why":          "at most 2h",
		"bypass 5m --rule x why": "no rule \"x\"",
		"reset":                  "needs a reason",
		"to":                     "needs a reason",
		"reset to IDLE":          "/pipeline to IDLE REASON",
		"reset --to IDLE plan":   "/pipeline to IDLE REASON",
		"to NOWHERE now":         "no state \"NOWHERE\"",
	} {
		if said, err := r.runTyped(strings.Fields(order)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, said %q; expected %q", order, err, said, says)
		}
	}
	if got := r.judged(t); got != fsm.Deny {
		t.Errorf("%s afterwards", got)
	}
}

// TestWhoMayOrder: what was scheduled is refused even where a person sits, and looking is anybody's.
func TestWhoMayOrder(t *testing.T) {
	r := typed(t)
	for order, free := range map[string]bool{"status": true, "help": true, "mode": true, "bypass status": true,
		"mode off": false, "bypass off": false,
		"bypass": false, "once": false, "reset x": false, "to IDLE": false, "bypass status now": false,
		"status now": true} {
		if err := r.requireTypist(fsm.Event{Session: "s1", Text: "/pipeline " + order},
			strings.Fields(order)); (err == nil) != free {
			t.Errorf("%q unattended: %v", order, err)
		}
	}
}

// TestOrdered: which events bring an order, and which of them is answered.
func TestOrdered(t *testing.T) {
	for name, c := range map[string]struct {
		e         fsm.Event
		typed, ok bool
	}{
		"expanded":       {fsm.Event{Kind: fsm.PromptExpansion, Text: "/pipeline once"}, true, true},
		"submitted":      {fsm.Event{Kind: fsm.Prompt, Text: "/pipeline once"}, false, true},
		"a notification": {fsm.Event{Kind: fsm.Prompt, Origin: fsm.Notification, Text: "/pipeline once"}, false, false},
		"a subagent's": {fsm.Event{Kind: fsm.PromptExpansion, Agent: fsm.Agent{ID: "a"}, Text: "/pipeline once"},
			false, false},
		"what a tool says":  {fsm.Event{Kind: fsm.ToolResult, Text: "/pipeline once"}, false, false},
		"the turn's end":    {fsm.Event{Kind: fsm.TurnStop, Text: "/pipeline once"}, false, false},
		"another's command": {fsm.Event{Kind: fsm.PromptExpansion, Text: "/x:pipeline once"}, false, false},
	} {
		if _, typed, ok := typedCommand(c.e); ok != c.ok || ok && typed != c.typed {
			t.Errorf("%s: typed %v, an order %v", name, typed, ok)
		}
	}
}

// TestSpan writes durations as the config does.
func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{30 * time.Minute: "30m", 90 * time.Minute: "90m", 2 * time.Hour: "2h",
		48 * time.Hour: "2d", 25 * time.Hour: "25h"} {
		if got := hooks.FormatSpan(d); got != want {
			t.Errorf("%v: %s, expected %s", d, got, want)
		}
		if back, err := config.Span(want); err != nil || back != d {
			t.Errorf("%s is read as %v, %v", want, back, err)
		}
	}
}
