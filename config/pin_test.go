package config

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
)

// TestPinned: a session's project is found wherever the client runs, and its config stays in force.
func TestPinned(t *testing.T) {
	p := newGround(t, "project/configs/pipeline.yaml")
	p.folder("project/.git")
	p.folder("project/deep/er")
	if HasState(p.World) {
		t.Error("there is state before any call")
	}
	o, err := Open(p.World)
	if err != nil || o.Policy == nil {
		t.Fatal(err, o.Problems)
	}
	if o.Project.HasPinned("s1") {
		t.Error("a session is pinned that never began")
	}
	if _, ok := FindPinned(p.World, "s1"); ok {
		t.Error("a session was found that never began")
	}
	if err := o.Project.Pin("s1"); err != nil {
		t.Fatal(err)
	}
	p.file("project/deep/er/pipeline.yaml", strings.Replace(tiny, "version: 1", "version: 1\nlevel: off", 1))
	if err := os.Rename(p.path("project/.git"), p.path("project/.git2")); err != nil {
		t.Fatal(err)
	}
	deep := p.from("project/deep/er")
	if near, _ := Open(deep.World); near.Project.Root == o.Project.Root || near.Project.HasPinned("s1") {
		t.Errorf("the nearer config was not found: %+v", near.Project)
	}
	found, ok := FindPinned(deep.World, "s1")
	if !ok || found.Root != o.Project.Root || found.Home != o.Project.Home || found.Owner != o.Project.Owner {
		t.Fatalf("found %+v, expected %+v", found, o.Project)
	}
	kept, err := OpenPinned(found, deep.World)
	if err != nil || kept.Policy == nil || kept.Policy.Fingerprint != o.Policy.Fingerprint || kept.Stale {
		t.Errorf("opened %+v, %v", kept, err)
	}
	p.remove("project/configs")
	gone, err := OpenPinned(found, deep.World)
	if err != nil || gone.Policy == nil || !gone.Stale || len(gone.Notes) != 1 {
		t.Errorf("without its config: %+v, %v", gone, err)
	}
}

// TestPinnedFileIsOdd: what cannot be a root is none.
func TestPinnedFileIsOdd(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	file := filepath.Join(p.Home, ".local/state/pipeline/x/sessions/s1/root")
	for _, text := range []string{"", "\n", "relative\nalso\n", "/only"} {
		write(t, file, text)
		if got, ok := FindPinned(p.World, "s1"); ok {
			t.Errorf("%q: found %+v", text, got)
		}
	}
}

// TestDirInWorkTree: state in the work tree is refused.
func TestDirInWorkTree(t *testing.T) {
	for dir, refused := range map[string]bool{"state": true, ".": true, "../state": true, "../../state": false,
		"~/state": false, "~": true, ".pipeline/x": true} {
		p := newGround(t, "project/sub/pipeline.yaml")
		p.folder("project/.git")
		p.file("project/sub/pipeline.yaml", tiny+"dir: '"+dir+"'\n")
		o, err := Open(p.from("project/sub").World)
		got := err == nil && len(o.Problems) == 1 && strings.Contains(o.Problems[0].String(), "in the work tree")
		if got != refused {
			t.Errorf("dir: %s: refused %t: %v %v", dir, got, o.Problems, err)
		}
	}
}
