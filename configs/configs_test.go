package configs

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestPresets(t *testing.T) {
	files := listNames("presets/*.yaml")
	for _, name := range files {
		if !slices.Contains(Presets(), name) {
			t.Errorf("preset %s is not listed", name)
		}
	}
	if got := Presets(); got[0] != "everyday" || len(got) != len(files)+2 {
		t.Errorf("presets %v", got)
	}
	for _, name := range Presets() {
		if text, ok := Preset(name); !ok || !bytes.Contains(text, []byte("version: 1")) {
			t.Errorf("preset %s is no config", name)
		}
	}
	for _, name := range []string{"", "none", "../pipeline", "presets/orchestrating.yaml"} {
		if _, ok := Preset(name); ok {
			t.Errorf("%q is a preset", name)
		}
	}
}

func TestAgents(t *testing.T) {
	for _, want := range []string{"context-gatherer", "context-refiner", "strategic-orchestrator"} {
		if text, ok := Agent(want); !ok || len(text) == 0 || !slices.Contains(Agents(), want) {
			t.Errorf("agent %s is not shipped", want)
		}
	}
	if _, ok := Agent("agents_test"); ok {
		t.Error("a test is an agent")
	}
}

func TestOthers(t *testing.T) {
	if !bytes.HasPrefix(Schema(), []byte("{")) {
		t.Error("the schema is no JSON")
	}
	// they are to be read in one go; the reference has the rest
	for _, name := range []string{"default", "orchestrating"} {
		if text, _ := Preset(name); bytes.Count(text, []byte("\n")) >= 105 {
			t.Errorf("preset %s has 105 lines or more", name)
		}
	}
	if text, _ := Preset("minimal"); strings.Count(string(text), "\n") != 9 {
		t.Errorf("the minimal config has not nine lines:\n%s", text)
	}
}
