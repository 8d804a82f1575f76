package hooks

import (
	"os"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
)

// TestOffLeavesNoTrace of a session that nothing switches on.
func TestOffLeavesNoTrace(t *testing.T) {
	h := handler(t)
	h.Policy.Level, h.Policy.Activate = fsm.Off, fsm.Activation{When: []string{"*.on"}, Skills: []string{"on"},
		Level: fsm.Strict}
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	h.answer(t, NoCall{}, request("back"))
	if n := len(h.records(t, "s1")); n > 0 {
		t.Fatalf("%d records", n)
	}
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Skill", UseID: "k", Skill: "on"}})
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Deny {
		t.Errorf("%s after it was switched on", d.Verdict)
	}
	if r := h.records(t, "s1"); len(r) != 2 || r[0].Event.Tool.Skill != "on" {
		t.Errorf("recorded %+v", r)
	}
}

// TestFilesSwitchOn at a session's start, and off again.
func TestFilesSwitchOn(t *testing.T) {
	h := handler(t)
	h.Policy.Level, h.Policy.Activate = fsm.Off, fsm.Activation{When: []string{"features/*.json"}, Level: fsm.Strict}
	begins := fsm.Event{Kind: fsm.SessionStart, Source: "startup"}
	write(t, filepath.Join(h.Root, "features", "x.json"), "")
	h.answer(t, NoCall{}, begins)
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Deny {
		t.Errorf("%s while the file is there", d.Verdict)
	}
	if r := h.records(t, "s1")[0]; r.Event.Facts.Present != "features/x.json" {
		t.Errorf("recorded %+v", r.Event)
	}
	if err := os.Remove(filepath.Join(h.Root, "features", "x.json")); err != nil {
		t.Fatal(err)
	}
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Deny {
		t.Errorf("%s though only a start looks for files", d.Verdict)
	}
	h.answer(t, NoCall{}, begins)
	if d := h.answer(t, NoCall{}, request("back")); d.Verdict != fsm.Pass {
		t.Errorf("%s when it is gone", d.Verdict)
	}
}

// TestPresent: which files switch on. Nothing outside the project does, nor what a link
// leads to.
func TestPresent(t *testing.T) {
	h := handler(t)
	for _, name := range []string{"features/a.json", "deep/er/b.yaml", "dir.on/x", "brace{s}.txt"} {
		write(t, filepath.Join(h.Root, name), "")
	}
	outside := filepath.Join(filepath.Dir(h.Root), "outside")
	write(t, outside+"/c.out", "")
	link(t, outside, filepath.Join(h.Root, "linked"))
	link(t, outside+"/gone", filepath.Join(h.Root, "gone.on"))
	for pattern, want := range map[string]string{
		"features/*.json":   "features/a.json",
		"**/*.yaml":         "deep/er/b.yaml",
		"**":                "brace{s}.txt",
		"*.yaml":            "",
		"features":          "",
		"dir.on":            "",
		"dir.on/**":         "dir.on/x",
		"{none,features}/*": "features/a.json",
		"linked/*.out":      "",
		"**/*.out":          "",
		"../outside/*":      "",
		"/etc/passwd":       "",
		"none/*":            "",
	} {
		h.Policy.Activate.When = []string{"never", pattern}
		if got := h.findPresent(); got != want {
			t.Errorf("%s: %q, expected %q", pattern, got, want)
		}
	}
	link(t, h.Root, h.Root+"-link")
	h.Root, h.Policy.Activate.When = h.Root+"-link", []string{"features/*.json"}
	if _, err := os.Lstat(h.Root); err != nil {
		return // the system makes no links
	}
	if got := h.findPresent(); got != "features/a.json" {
		t.Errorf("through a link to the project: %q", got)
	}
}
