package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// problemsOf are the problems of a config, one a line.
func problemsOf(t *testing.T, text string) string {
	t.Helper()
	file := t.TempDir() + "/pipeline.yaml"
	write(t, file, text)
	_, problems, err := buildPolicy(alone(file), World{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range problems {
		out = append(out, fmt.Sprintf("%d %s", p.Line, p.Message))
	}
	return strings.Join(out, "\n")
}

// mistaken checks that a config has the one problem whose message begins so, or none.
func mistaken(t *testing.T, text, want string) {
	t.Helper()
	got := problemsOf(t, text)
	if _, message, _ := strings.Cut(got, " "); strings.Contains(got, "\n") || !strings.HasPrefix(message, want) ||
		(want == "") != (got == "") {
		t.Errorf("%s: %s", text, got)
	}
}

// TestGateMistakes: a gate is a command that ends, or a person.
func TestGateMistakes(t *testing.T) {
	for gate, want := range map[string]string{
		"{run: make}": "", "{run: make, timeout: 30s, tries: 2}": "", "{person: look}": "",
		"{person: look, timeout: none}":     "",
		"{tries: 2}":                        "found a gate without `run` and `person`, expected one of them",
		"{run: make, person: look}":         "found `person` beside `run`, expected one of them",
		"{person: look, tries: 2}":          "found `tries` beside `person`, expected it beside `run`",
		"{person: look, timeout: 30s}":      `found "30s", expected none: a person is waited for`,
		"{run: make, timeout: none}":        "found none, expected a duration such as 30s: a command must end",
		"{run: make, timeout: 9m}":          "",
		"{run: make, timeout: 541s}":        "found 541s, expected at most 9m0s",
		"{run: make, timeout: 2h}":          "found 2h, expected at most 9m0s",
		"{run: make, timeout: 30 s}":        `found "30 s", expected a duration such as 30s`,
		"{run: make, timeout: 30s, per: x}": `found unknown key "per"`,
	} {
		mistaken(t, "version: 1\ninitial: A\nstates:\n  A: {moves: [{agent: a, to: A, gate: "+gate+"}]}\n", want)
	}
}

// TestTries: how often something is tried where the config does not say.
func TestTries(t *testing.T) {
	p := compiledText(t, "version: 1\ninitial: A\nstates: {A: {moves: [{agent: a, to: A, gate: {run: make}}]}}\n"+
		"hold: {until: [tasks]}\nagents: {a: {description: x, returns: ok}}\n")
	got := []int{p.States[0].Triggers[0].Gate.Tries, p.Hold.Tries, p.Agents[0].Tries}
	if !slices.Equal(got, []int{3, 3, 2}) {
		t.Errorf("%v", got)
	}
}

// TestHoldMistakes: a hold says what a turn is held for, and that is no person.
func TestHoldMistakes(t *testing.T) {
	for hold, want := range map[string]string{
		"{until: [checks]}": "", "{gate: {run: make}}": "", "{gate: {run: make}, tries: 2}": "",
		"{tries: 2}":                         "found `hold` without `until` or `gate`",
		"{say: x}":                           "found `hold` without `until` or `gate`",
		"{gate: {run: make, timeout: none}}": "found none, expected a duration such as 30s: a command must end",
		"{gate: {person: look}}":             "found `person`, expected `run`: a turn cannot wait for a person",
	} {
		mistaken(t, "version: 1\nchecks: [{name: c, files: [\"*.go\"], run: make}]\nhold: "+hold+"\n", want)
	}
}

// TestTalkMistakes: a limit on injected text is none, or leaves room for one message.
func TestTalkMistakes(t *testing.T) {
	for n, want := range map[int]bool{0: true, 1: false, 999: false, 1000: true} {
		for _, key := range []string{"per_prompt", "per_session"} {
			got := problemsOf(t, fmt.Sprintf("version: 1\ntalk: {%s: %d}\n", key, n))
			if (got == "") != want || !want && !strings.Contains(got, "expected at least 1000 characters") {
				t.Errorf("%s: %d: %s", key, n, got)
			}
		}
	}
}

// TestUnknownAnchor: an anchor that is nowhere is named at its place, on the first line too.
func TestUnknownAnchor(t *testing.T) {
	for text, want := range map[string]string{
		"version: *x\n":             "1 found *x, expected an anchor &x before it",
		"version: 1\ninitial: *x\n": "2 found *x, expected an anchor &x before it",
	} {
		if got := problemsOf(t, text); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestTemplateMistakes: what is wrong with a text's template is on its line, also in a block.
func TestTemplateMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"    inject: \"{{ .Nothing }}\"\n":                 "6 ",
		"    inject: \"{{ \"\n":                            "6 ",
		"    inject: |\n      one\n      {{ .Nothing }}\n": "8 ",
		"    inject: |\n      one\n      two {{ end }}\n":  "8 ",
		"    inject: |\n      one\n      {{ .Nothing }}":   "8 ",
		"    capture: c\n    inject: \"{{ with .Earlier.c }}{{ with .Text }}{{ .Nothing }}{{ end }}{{ end }}\"\n": "7 ",
	} {
		got := problemsOf(t, "version: 1\ninitial: A\nstates:\n  A:\n    agents: [a]\n"+text)
		if !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestWhenChecksRun: a check runs after an edit, or when its config says.
func TestWhenChecksRun(t *testing.T) {
	for at, want := range map[string][]string{"": {fsm.AtEdit}, ", at: [turn_end]": {fsm.AtTurnEnd},
		", at: [edit, turn_end]": {fsm.AtEdit, fsm.AtTurnEnd}} {
		p := compiledText(t, "version: 1\nchecks: [{name: c, files: ['*.go'], run: make"+at+"}]\n")
		if got := p.Checks[0].At; !slices.Equal(got, want) {
			t.Errorf("%q: %q", at, got)
		}
	}
}

// TestWhenSessionsOpen: what the main agent reads as a session begins, it reads at each kind of beginning, unless its
// config says at which.
func TestWhenSessionsOpen(t *testing.T) {
	all := []string{"startup", "resume", "clear", "compact", "fork"}
	for text, want := range map[string][]string{"": nil, "session_start: {inject: x}": all,
		"session_start: {files: [a.md]}": all, "session_start: {inject: x, on: [clear]}": {"clear"},
		"session_start: {on: [clear]}": {"clear"}} {
		if got := compiledText(t, "version: 1\n"+text+"\n").Opening.On; !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
