//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// notices are what a person reads of an answer.
func notices(answer string) string {
	_, rest, _ := strings.Cut(answer, `"systemMessage":"`)
	text, _, _ := strings.Cut(rest, `","`)
	return text
}

const readCall = `"tool_name":"Bash","tool_use_id":"u1","tool_input":{"command":"ls"}`

// TestWeaker: when calls pass that were refused before, the person reads it at the next call, at the next
// prompt and when the next session starts, whatever it was that made them pass.
func TestWeaker(t *testing.T) {
	file := func(s *agentShell, from, to string) {
		name := filepath.Join(s.dir, "pipeline.yaml")
		body, err := os.ReadFile(name)
		if text := strings.Replace(string(body), from, to, 1); err != nil || text == string(body) {
			t.Fatalf("%v: %q is not in the config", err, from)
		} else if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		change func(s *agentShell)
		want   string
	}{
		"level": {func(s *agentShell) { file(s, "level: strict", "level: off") },
			"the level was strict and is off now"},
		"softer": {func(s *agentShell) { file(s, "level: strict", "level: guidance") },
			"the level was strict and is guidance now"},
		"rule": {func(s *agentShell) { file(s, "deny: &edit", "allow: &edit") },
			"the config lets pass what it refused before: "},
		"agents": {func(s *agentShell) {
			file(s, "agents: [context-refiner]",
				"agents: [context-refiner, c-developer]")
		}, "the config lets pass what it refused before: "},
		"variable": {func(s *agentShell) { s.env = append(s.env, "PIPELINE_LEVEL=observe") },
			"the level was strict and is observe now (environment: PIPELINE_LEVEL)"},
		"order": {func(s *agentShell) {
			order := s.command("mode", "off", "a", "script")
			order.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out, err := order.CombinedOutput()
			if err == nil || !strings.Contains(string(out),
				"mode is for a person, and no terminal controls this process") {
				t.Fatalf("%v: %s", err, out)
			}
			if out, err := s.command("log").CombinedOutput(); !strings.Contains(string(out),
				"mode, which no terminal controls, given by ") {
				t.Errorf("%v: %s", err, out)
			}
		}, ""},
		"harmless": {func(s *agentShell) { file(s, "level: strict", "level:  strict # as ever") }, ""},
		"stricter": {func(s *agentShell) { file(s, "budget: 2", "budget: 1") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAgentShell(t)
			if told := notices(s.hook("PreToolUse", readCall)); told != "" {
				t.Fatalf("before: %s", told)
			}
			c.change(s)
			for _, event := range []struct{ kind, fields string }{
				{"PreToolUse", readCall}, {"UserPromptSubmit", `"prompt":"go on","prompt_id":"p9"`},
			} {
				if told := notices(s.hook(event.kind, event.fields)); !strings.Contains(told, c.want) || c.want == "" &&
					told != "" {
					t.Errorf("at %s: %q, expected %q", event.kind, told, c.want)
				}
			}
			if told := notices(s.hook("UserPromptSubmit",
				`"prompt":"and on","prompt_id":"p10"`)); strings.Contains(told, "now") {
				t.Errorf("told for a third time: %s", told)
			}
			s.session = "s2"
			if told := notices(s.hook("SessionStart", `"source":"startup"`)); !strings.Contains(told, c.want) {
				t.Errorf("a new session: %q, expected %q", told, c.want)
			}
			s.session = "s3"
			if told := notices(s.hook("SessionStart", `"source":"startup"`)); strings.Contains(told, "was strict") ||
				strings.Contains(told, "refused before") {
				t.Errorf("the session after that: %q", told)
			}
		})
	}
}

// TestConfigGone: a project whose config is taken away keeps what was last in force, for new sessions too,
// until a person says otherwise.
func TestConfigGone(t *testing.T) {
	s := newAgentShell(t)
	if err := os.Remove(filepath.Join(s.dir, "pipeline.yaml")); err != nil {
		t.Fatal(err)
	}
	s.session = "s2"
	told := notices(s.hook("SessionStart", `"source":"startup"`))
	if !strings.Contains(told,
		"is gone: its last good form stays in force; a person ends that with: pipeline mode off") {
		t.Errorf("told %q", told)
	}
	write := `"tool_name":"Write","tool_use_id":"u2","tool_input":{"file_path":"` + s.dir + `/a.go","content":"x"}`
	if answer := s.hook("PreToolUse", write); !strings.Contains(answer, `"deny"`) {
		t.Errorf("a write passes: %s", answer)
	}
	if out, err := s.command("mode", "off", "done", "with", "it").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if answer := s.hook("PreToolUse", write); strings.Contains(answer, `"deny"`) {
		t.Errorf("a person has ended it: %s", answer)
	}
}

// TestNamesake: a person reads that another program has our name.
func TestNamesake(t *testing.T) {
	s := newAgentShell(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pipeline"), []byte("#!/bin/true\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "PATH="+dir+":/usr/bin:/bin")
	s.session = "s2"
	if told := notices(s.hook("SessionStart", `"source":"startup"`)); !strings.Contains(told,
		dir+"/pipeline is what PATH finds as pipeline") {
		t.Errorf("told %q", told)
	}
}
