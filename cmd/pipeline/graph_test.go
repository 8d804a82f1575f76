package main

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestPowers: the matrix tells what is silent otherwise: who may do what, where.
func TestPowers(t *testing.T) {
	shipped, err := os.ReadFile("../../configs/pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	find := func(text, state, agent, since string) string {
		dir := t.TempDir()
		all := verify.ListPowers(compileText(t, dir, text), dir)
		for _, line := range strings.Split(drawPowers(all), "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%q is too wide", line)
			}
		}
		for _, w := range all {
			for _, a := range w.Agents {
				if w.State == state && a == agent && w.Since == since {
					return strings.Join([]string{w.Write, w.Leave, w.Build, w.Unknown}, " ")
				}
			}
		}
		return ""
	}
	text := string(shipped)
	bare := text[:strings.Index(text, "# What all other agents may do")] +
		text[strings.Index(text, "agents:                               # which"):]
	bare = bare[:strings.Index(bare, "\nnever:")]
	perState := strings.Replace(text, "admitted_in: &early", "states: &early", 1)
	helpers := edit(t, text, "  COMPLETE:\n    agents: [context-gatherer]",
		"  COMPLETE:\n    agents: [context-gatherer]\n    helpers: [bash-*]")
	for _, c := range []struct{ name, text, state, agent, since, want string }{
		{"the main agent", text, "EXECUTING", "main agent", "", "deny ask deny confine"},
		{"a planner", text, "REFINING", "strategic-orchestrator", "", "deny ask confine confine"},
		{"a builder", text, "EXECUTING", "bash-*", "", "pass ask pass pass"},
		{"a builder still at work", text, "GATHERING", "bash-*", "EXECUTING", ""},
		{"a builder elsewhere", text, "COMPLETE", "bash-*", "", ""},
		{"a builder as a helper", helpers, "COMPLETE", "bash-*", "", "deny ask confine confine"},
		{"without rules for agents", bare, "IDLE", "context-gatherer", "", "pass pass pass pass"},
		{"by the session's state", perState, "GATHERING", "bash-*", "EXECUTING", "deny ask pass pass"},
		{"no states", "version: 1\nsubagents: {rules: [{name: no, deny: [Bash], agents: [x-*]}]}\n", "", "x-*", "",
			"pass deny deny deny"},
		{"no states, the rest", "version: 1\nsubagents: {rules: [{name: no, deny: [Bash], agents: [x-*]}]}\n", "",
			"any other", "", "pass pass pass pass"},
	} {
		if got := find(c.text, c.state, c.agent, c.since); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
