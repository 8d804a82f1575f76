package config

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
)

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{"1m": time.Minute, "30m": 30 * time.Minute, "2h": 2 * time.Hour,
		"7d": 7 * 24 * time.Hour, "90m": 90 * time.Minute,
		"": 0, "0m": 0, "0": 0, "30": 0, "m": 0, "-5m": 0, "1.5h": 0, "30 m": 0, "30s": 0, "1w": 0, "2h30m": 0,
		"none": 0, "never": 0, "99999999999d": 0, "5M": 0} {
		got, err := Span(text)
		if (err == nil) != (want > 0) || err == nil && got != want {
			t.Errorf("%q: %v, %v; expected %v", text, got, err, want)
		}
	}
}

// TestActivateCompiles to strict unless it says otherwise, and to nothing where nothing switches the policy on.
func TestActivateCompiles(t *testing.T) {
	for text, want := range map[string]fsm.Activation{
		"version: 1\n": {},
		"version: 1\nactivate: {when: [x, \"a/**/*.json\"]}\n": {When: []string{"x", "a/**/*.json"},
			Level: fsm.Strict},
		"version: 1\nactivate: {skills: [s], level: guidance}\n": {Skills: []string{"s"}, Level: fsm.Guidance},
		"version: 1\nlevel: off\nactivate: {commands: [c], level: ask}\n": {Commands: []string{"c"},
			Level: fsm.AskFirst},
	} {
		if diff := cmp.Diff(want, compiledText(t, text).Activate, asWritten()); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestBypassAndTalkCompile(t *testing.T) {
	defaults := compiledText(t, "version: 1\n")
	if diff := cmp.Diff(fsm.BypassRules{Env: []fsm.Input{{Name: "PIPELINE_BYPASS", Value: "1"}},
		Longest: 2 * time.Hour}, defaults.Bypass); diff != "" {
		t.Error(diff)
	}
	if defaults.Talk != (fsm.TalkLimits{PerPrompt: 40_000, PerSession: 400_000}) {
		t.Errorf("%+v", defaults.Talk)
	}
	own := compiledText(t, "version: 1\nbypass: {env: {}, longest: none}\ntalk: {per_prompt: 0}\n")
	if len(own.Bypass.Env) > 0 || own.Bypass.Longest != 0 || own.Talk != (fsm.TalkLimits{PerSession: 400_000}) {
		t.Errorf("%+v, %+v", own.Bypass, own.Talk)
	}
}

// Each section has the place where it is written, for problems that are found in it.
func TestPlacesOfSections(t *testing.T) {
	p := compiledText(t, "version: 1\nactivate: {skills: [s]}\nhold: {until: [tasks]}\ntasks: {from: [host]}\n")
	got := []string{p.Activate.Place, p.Hold.Place, p.Tasks.Place}
	if want := []string{"pipeline.yaml:2", "pipeline.yaml:3", "pipeline.yaml:4"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRemindTimes: how often a session is reminded; without a number 20 times.
func TestRemindTimes(t *testing.T) {
	for given, want := range map[string]int{"": 20, ", times: 3": 3, ", times: 0": 0} {
		p := compiledText(t, "version: 1\nremind: {after_agent: x"+given+"}\n")
		if p.Remind.Times != want {
			t.Errorf("%q: %d, expected %d", given, p.Remind.Times, want)
		}
	}
}

// TestTimes: a gate and a check have their own times, or the usual ones.
func TestTimes(t *testing.T) {
	text := "version: 1\nhold: {gate: {run: make%[1]s}}\nchecks:\n  - {name: a, files: [x], run: y%[1]s}\n"
	for given, want := range map[string][2]time.Duration{
		"": {gateTime, checkTime}, ", timeout: 3s": {3 * time.Second, 3 * time.Second},
	} {
		p := compiledText(t, fmt.Sprintf(text, given))
		if got := [2]time.Duration{p.Hold.Gate.Timeout, p.Checks[0].Timeout}; got != want {
			t.Errorf("%q: %v, expected %v", given, got, want)
		}
	}
}
