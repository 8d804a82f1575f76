package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/survey"
	"github.com/agent-pipeline/pipeline/configs"
)

// asked is a program with a person who gives these answers, and what is printed.
func asked(answers string) (*program, *bytes.Buffer) {
	var out bytes.Buffer
	return &program{console{in: strings.NewReader(answers), out: &out, err: &out, getenv: os.Getenv}}, &out
}

func TestChoose(t *testing.T) {
	lines := []string{"default  one", "everyday  two"}
	for answers, want := range map[string]int{"\n": 1, "2\n": 2, "everyday\n": 2, "7\nnone\n0\n2\n": 2, "q\n": 0, "": 0,
		"2": 2} {
		p, out := asked(answers)
		if n, err := p.choose("Presets:", lines...); n != want || err != nil {
			t.Errorf("%q: %d, %v", answers, n, err)
		}
		const explains = `found "none", expected a number from 1 to 2, or a name`
		if explained := strings.Contains(out.String(), explains); explained != strings.Contains(answers, "none") {
			t.Errorf("%q: %s", answers, out)
		}
		if !strings.Contains(out.String(), "Presets:\n  1  default  one\n  2  everyday  two\n") {
			t.Error(out)
		}
	}
}

func TestConfirm(t *testing.T) {
	for answers, want := range map[string]bool{"\n": true, "y\n": true, "Yes\n": true, "n\n": false,
		"what\nno\n": false} {
		p, out := asked(answers)
		if yes, err := p.confirm("Sure?"); yes != want || err != nil {
			t.Errorf("%q: %v, %v", answers, yes, err)
		}
		if explained := strings.Contains(out.String(), "expected y or n"); explained != strings.HasPrefix(answers,
			"what") {
			t.Errorf("%q: %s", answers, out)
		}
	}
	p, _ := asked("")
	if yes, err := p.confirm("Sure?"); yes || !errors.Is(err, errStopped) {
		t.Errorf("a person who has gone: %v, %v", yes, err)
	}
}

// TestOfferPresets: each preset is offered with a sentence, what it would write is shown, and a person can look at
// another.
func TestOfferPresets(t *testing.T) {
	p, out := asked("everyday\nn\n2\ny\n")
	i := &initialization{invocation: invocation{program: p}, dir: t.TempDir(), format: "yaml",
		project: survey.Project{Agents: []survey.Agent{{Name: "my-dev"}}}}
	if err := i.offerPresets(); err != nil || i.preset != "default" {
		t.Fatalf("chose %q: %v\n%s", i.preset, err, out)
	}
	for _, name := range configs.Presets() {
		if configs.Summary(name) == "" || !strings.Contains(out.String(), name) ||
			!strings.Contains(out.String(), configs.Summary(name)) {
			t.Errorf("%s is not offered, or has no sentence", name)
		}
	}
	for _, want := range []string{"small things are free, larger changes are planned", "languages: [my-dev]",
		"IDLE ── context-gatherer"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not shown:\n%s", want, out)
		}
	}
	if left, _ := os.ReadDir(i.dir); len(left) > 0 {
		t.Error("something was written")
	}
	i.program, _ = asked("q\n")
	if err := i.offerPresets(); !errors.Is(err, errStopped) {
		t.Errorf("stopped: %v", err)
	}
}

// TestPresetsPage: docs/presets.md says of each preset what init says.
func TestPresetsPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repo(t), "docs/presets.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range configs.Presets() {
		if row := "| `" + name + "` | " + configs.Summary(name) + " |\n"; !strings.Contains(string(page), row) {
			t.Errorf("docs/presets.md has no row %q", row)
		}
	}
}
