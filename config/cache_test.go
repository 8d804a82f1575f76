package config

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

const broken = "version: 1\ninitial: B\n"

// A config with problems is not in force: the previous one stays, with the problems
// reported.
func TestLastGoodStays(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	good := p.open().Policy.Fingerprint
	for range 2 {
		p.file("project/pipeline.yaml", broken)
		o := p.open()
		if !o.Stale || o.Policy == nil || o.Policy.Fingerprint != good || len(o.Problems) != 1 ||
			o.Problems[0].Line != 2 {
			t.Errorf("%+v", o)
		}
	}
	p.file("project/pipeline.yaml", tiny)
	if o := p.open(); o.Stale || o.Problems != nil {
		t.Errorf("%+v", o)
	}
}

// The last good one is the last that was in force, also if that came from the cache.
func TestLastGoodIsTheLast(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	a := p.open().Policy.Fingerprint
	p.file("project/pipeline.yaml", tiny+"level: ask\n")
	p.open()
	p.file("project/pipeline.yaml", tiny)
	p.open()
	p.file("project/pipeline.yaml", broken)
	if got := p.open().Policy.Fingerprint; got != a {
		t.Errorf("%s, want %s", got, a)
	}
}

func TestNoLastGood(t *testing.T) {
	p := newGround(t)
	p.file("project/pipeline.yaml", broken)
	if o := p.open(); o.Policy != nil || o.Stale || len(o.Problems) != 1 {
		t.Errorf("%+v", o)
	}
}

// What somebody loosened in his own environment is not the last good one of a session that did not.
func TestLastGoodKeepsToItsEnvironment(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	p.open()
	loose := p.with("PIPELINE_LEVEL", "off")
	loose.open()
	p.file("project/pipeline.yaml", broken)
	if o := p.open(); o.Policy.Level != fsm.Strict {
		t.Errorf("level %v", o.Policy.Level)
	}
	if o := loose.open(); o.Policy.Level != fsm.Off {
		t.Errorf("level %v", o.Policy.Level)
	}
	wrong := p.with("PIPELINE_LEVEL", "of") // of which there never was a good one
	if o := wrong.open(); !o.Stale || o.Policy.Level != fsm.Strict {
		t.Errorf("%+v", o)
	}
}

func TestGood(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	first := p.open()
	p.file("project/pipeline.yaml", strings.ReplaceAll(tiny, "A", "B"))
	p.open()
	p.Version = "next"
	policy, err := first.Project.FindPolicy(first.Policy.Fingerprint)
	if err != nil || policy.Initial != "A" {
		t.Errorf("%v %v", policy, err)
	}
	for _, fp := range []string{"", "000000000000", "../../../../x", "zzzzzzzzzzzz", first.Policy.Fingerprint[:11],
		"*"} {
		if _, err := first.Project.FindPolicy(fp); err == nil {
			t.Errorf("%q is a policy", fp)
		}
	}
}

func TestVanished(t *testing.T) {
	p := newGround(t, ".git/HEAD", "project/configs/pipeline.yaml")
	if _, was := OpenVanished(p.World); was {
		t.Error("vanished before it was there")
	}
	good := p.open()
	p.remove("project/configs")
	deep := p.from("project/deep").withFolder("project/deep")
	if o := deep.open(); !o.None {
		t.Errorf("%+v", o)
	}
	gone, was := OpenVanished(deep.World)
	got := gone.Project
	if !was || got.Home != good.Project.Home || got.Root != p.path("project") {
		t.Fatalf("%v %+v", was, got)
	}
	if policy, ok := openLastGood(got, deep.World); !ok || policy.Fingerprint != good.Policy.Fingerprint {
		t.Errorf("%v %+v", ok, policy)
	}
	if _, was := OpenVanished(p.from("nowhere").World); was {
		t.Error("a folder that is not there has lost one")
	}
	if _, was := OpenVanished(p.from("other").withFolder("other").World); was {
		t.Error("a folder that had none has lost one")
	}
}

// A linked worktree's config is not its main worktree's, though their state is one.
func TestLastGoodOfWorktrees(t *testing.T) {
	p := linked(t, "project/pipeline.yaml")
	p.file("linked/pipeline.yaml", tiny+"level: ask\n")
	p.open()
	other := p.from("linked")
	other.open()
	p.file("project/pipeline.yaml", broken)
	p.file("linked/pipeline.yaml", broken)
	if a, b := p.open(), other.open(); a.Policy.Level != fsm.Strict || b.Policy.Level != fsm.AskFirst {
		t.Errorf("%v and %v", a.Policy.Level, b.Policy.Level)
	}
}

// A folder that cannot be looked into is an error, and the last good policy holds.
func TestLastGoodWhenNothingCanBeTold(t *testing.T) {
	p := newGround(t, "project/configs/pipeline.yaml")
	p.open()
	p.remove("project/configs")
	if err := os.Symlink("configs", p.path("project/configs")); err != nil { // a loop
		t.Fatal(err)
	}
	p.remove("project/.claude")
	if err := os.MkdirAll(p.path("project/.claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipeline.yaml", system.Join(p.path("project/.claude"), "pipeline.yaml")); err != nil {
		t.Fatal(err)
	}
	o, err := Open(p.World)
	if err == nil || !o.Stale || o.Policy == nil {
		t.Errorf("%v %+v", err, o)
	}
}

// TestPolicyOfAnotherForm: bytes that were written for another form of policies are not read, unless the version in
// their key determines the form. So it is with the last good policy, and with one that is found by its fingerprint.
func TestPolicyOfAnotherForm(t *testing.T) {
	p := newGround(t, "project/pipeline.yaml")
	project := p.open().Project
	k := policyKey(project, p.World)
	file := p.cached()[0]
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[len(magic+k)] ^= 1
	end := len(b) - 8
	overwrite(t, file, binary.LittleEndian.AppendUint64(b[:end:end], sumBytes(b[:end])))
	if _, err := readPolicy(system.Dir(file), k, true); err != nil {
		t.Errorf("of a version that determines the form: %v", err)
	}
	if _, err := readPolicy(system.Dir(file), k, false); err == nil {
		t.Error("the form was not compared")
	}
	if _, err := project.FindPolicy(k[:fingerprintLen]); err == nil {
		t.Error("found by its fingerprint")
	}
	if _, ok := openLastGood(project, p.World); ok {
		t.Error("opened as the last good one")
	}
	if string(makeHead("k")) == string(fnv.New64a().Sum([]byte(magic+"k"))) {
		t.Error("the head does not depend on the form")
	}
}

// TestLargestFile: a file is read up to the size that it may have.
func TestLargestFile(t *testing.T) {
	file := system.Join(t.TempDir(), "x")
	overwrite(t, file, []byte("12345"))
	for most, fits := range map[int64]bool{4: false, 5: true, 6: true} {
		if _, err := readPrivate(file, most); (err == nil) != fits {
			t.Errorf("5 bytes, at most %d: %v", most, err)
		}
	}
}

// TestNewestPoliciesStay: the oldest policies go first. What a killed process left goes after an hour.
func TestNewestPoliciesStay(t *testing.T) {
	dir, now := t.TempDir(), time.Now().Truncate(time.Second)
	put := func(name string, age time.Duration) {
		overwrite(t, system.Join(dir, name), []byte("x"))
		if err := os.Chtimes(system.Join(dir, name), now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for i := range keep + 5 { // the last by name are the newest
		name := fmt.Sprintf("%02d%s", i, ending)
		put(name, time.Duration(keep+5-i)*24*time.Hour)
		if i >= 5 {
			want = append(want, name)
		}
	}
	put("left", time.Hour+time.Second)
	put("maybe-in-use", time.Hour)
	pruneOld(dir, now)
	var got []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want = append(want, "maybe-in-use"); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, expected %q (%v)", got, want, err)
	}
}
