package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
)

// confined reads a config whose section `confinement` has this text, for a person whose home is a folder of its own.
func confined(t *testing.T, section string) (d Draft, home string) {
	t.Helper()
	home = system.Join(system.Clean(t.TempDir()), "home")
	file := system.Join(t.TempDir(), "pipeline.yaml")
	write(t, file, "version: 1\nconfinement: "+strings.ReplaceAll(section, "HOME", home)+"\n")
	d, err := Read(alone(file), World{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	return d, home
}

// TestConfinementMistakes: what confined commands may write is named as folders, none of which holds the home folder.
func TestConfinementMistakes(t *testing.T) {
	const folder, narrow = "expected a folder such as ~/.cache, or @ignored",
		"expected a folder that does not hold the whole home folder"
	for section, want := range map[string]string{
		"{writable: [~/.cache, '@ignored', HOME/x, build]}": "",
		"{writable: ['@ignored', 'HOME/*']}":                folder,
		"{writable: ['~/x?']}":                              folder,
		"{writable: ['~/']}":                                narrow,
		"{writable: ['~']}":                                 folder,
		"{writable: ['HOME/..']}":                           narrow,
	} {
		d, _ := confined(t, section)
		if want == "" && len(d.Problems) > 0 || want != "" && (len(d.Problems) != 1 || d.Problems[0].Line != 2 ||
			!strings.HasSuffix(d.Problems[0].Message, want)) {
			t.Errorf("%s: %v", section, d.Problems)
		}
	}
}

// TestConfinementCompiles: what a config names replaces the usual folders and the usual exempt programs, each for
// itself.
func TestConfinementCompiles(t *testing.T) {
	for section, want := range map[string]struct{ caches, own, ignored, sudo, tool bool }{
		"{writable: [~/own], exempt: [tool]}":            {own: true, tool: true},
		"{writable: [~/own, '@ignored']}":                {own: true, ignored: true, sudo: true},
		"{exempt: [tool]}":                               {caches: true, ignored: true, tool: true},
		"{writable: ['@ignored'], exempt: [tool, sudo]}": {ignored: true, tool: true, sudo: true},
	} {
		d, home := confined(t, section)
		if d.Policy == nil {
			t.Fatalf("%s: %v", section, d.Problems)
		}
		c := d.Policy.Confinement
		got := want
		got.caches, got.own = slices.Contains(c.Writable, home+"/.cache"), slices.Contains(c.Writable, home+"/own")
		got.ignored, got.sudo = c.Ignored, slices.Contains(c.Exempt, "sudo")
		got.tool = slices.Contains(c.Exempt, "tool")
		isOdd := func(place string) bool { return !system.IsAbs(place) || strings.Contains(place, "@") }
		if got != want || slices.ContainsFunc(c.Writable, isOdd) {
			t.Errorf("%s: %+v", section, c)
		}
	}
}
