package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// anchors writes a project's heads.jsonl.
func (st Store) anchors(t *testing.T, list ...Anchor) {
	t.Helper()
	for _, a := range list {
		if err := writeAnchor(st.Dir, a); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnchorsAreCompacted: when there are too many anchors, those go that nothing depends on.
// What is known of sessions and of the clock stays the same.
func TestAnchorsAreCompacted(t *testing.T) {
	st := store(t)
	now := time.Now().UTC().Truncate(time.Second)
	at := func(session string, seq int64, hoursAgo int) Anchor {
		return Anchor{Session: session, Head: journal.Head{Seq: seq, Hash: fmt.Sprintf("%032d", seq)},
			Time: now.Add(-time.Duration(hoursAgo) * time.Hour)}
	}
	cleared := func(session string, hoursAgo int) Anchor {
		a := at(session, 0, hoursAgo)
		a.Cleared = true
		return a
	}
	fault := at("faulty", 3, 200)
	fault.Fault = "the journal was cut"
	again := at("cut-again", 1, 75)
	again.Fault = fault.Fault
	for i := range int64(3000) {
		st.anchors(t, at("long", i+1, 100))
	}
	st.anchors(t, at("faulty", 1, 300), at("faulty", 2, 300), fault, at("faulty", 4, 100),
		at("gone", 1, 90), at("gone", 2, 90), at("gone", 3, 90),
		at("put-away", 1, 90), at("put-away", 2, 90), cleared("put-away", 80),
		at("again", 8, 90), at("again", 9, 90), cleared("again", 80), at("again", 1, 70), at("again", 2, 60),
		at("cut-again", 7, 95), cleared("cut-again", 85), at("cut-again", 1, 80), again,
		at("clock-set-back", 1, 10), cleared("clock-set-back", 30),
		at("lately", 1, 23), at("lately", 2, 22), cleared("lately", 21), at("young", 1, 5), at("young", 2, 2))
	path := filepath.Join(st.Dir, headsName)
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(string(body), "\n", "\n{\"session\":\"lo\n", 1)) // half a line
	for _, id := range []string{"long", "faulty", "again", "young"} {
		write(t, filepath.Join(st.Path(id), "journal.jsonl"), "")
	}

	before, text := st.knownByAnchors(t, now), read(t, path)
	for _, limit := range []int{1 << 20, len(text)} {
		if err := st.compactAnchors(now, int64(limit)); err != nil || read(t, path) != text {
			t.Errorf("%d bytes, of which %d are kept: %v", len(text), limit, err)
		}
	}
	if _, err := st.Housekeep(now, fsm.Retention{}); err != nil {
		t.Fatal(err)
	}
	if after := st.knownByAnchors(t, now); !reflect.DeepEqual(before, after) {
		t.Errorf("it is known\n%v, expected\n%v", after, before)
	}
	var kept []string
	all, err := st.readAnchors("")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		kept = append(kept, fmt.Sprint(a.Session, " ", a.Seq))
	}
	want := "long 3000, faulty 3, faulty 4, gone 3, again 2, cut-again 1, cut-again 1, lately 0, young 1, young 2"
	if got := strings.Join(kept, ", "); got != want {
		t.Errorf("%d are left, …%s, expected\n%s", len(kept), got[max(0, len(got)-300):], want)
	}
	if err := st.compactAnchors(now, 0); err != nil {
		t.Error(err)
	}
	if again, _ := st.readAnchors(""); len(again) != len(all) {
		t.Errorf("%d anchors are left of %d: that saves little", len(again), len(all))
	}
}

// TestHalfIsSaved: anchors are compacted if that saves half of them, and not if it saves less.
func TestHalfIsSaved(t *testing.T) {
	for _, c := range []struct{ old, live, want int }{{2, 0, 1}, {3, 0, 1}, {2, 1, 3}, {2, 2, 4}, {4, 2, 3}} {
		st, now := store(t), time.Now().UTC().Truncate(time.Second)
		for i := range c.old + c.live {
			id := fmt.Sprint("s", max(0, i+1-c.old))
			st.anchors(t, Anchor{Session: id, Head: journal.Head{Seq: int64(i)},
				Time: now.Add(time.Duration(i-9999) * time.Minute)})
		}
		if err := st.compactAnchors(now, 0); err != nil {
			t.Fatal(err)
		}
		if all, err := st.readAnchors(""); err != nil || len(all) != c.want {
			t.Errorf("%+v: %d are left, %v", c, len(all), err)
		}
	}
}

// TestNewestAnchorStays: the clock is compared with it, whatever became of its session.
func TestNewestAnchorStays(t *testing.T) {
	st := store(t)
	now := time.Now().UTC()
	for i := range 10 {
		st.anchors(t, Anchor{Session: fmt.Sprint("s", i), Time: now.Add(-time.Duration(99-i) * time.Hour),
			Cleared: true})
	}
	before, err := st.readClock(now)
	if err != nil || before.fault == "" {
		t.Fatalf("%+v, %v: expected a clock that has jumped", before, err)
	}
	if err := st.compactAnchors(now, 0); err != nil {
		t.Fatal(err)
	}
	all, err := st.readAnchors("")
	if err != nil || len(all) != 1 || all[0].Session != "s9" {
		t.Errorf("%+v, %v", all, err)
	}
	if after, err := st.readClock(now); err != nil || after.fault != before.fault {
		t.Errorf("%q, %v, expected %q", after.fault, err, before.fault)
	}
}

// knownByAnchors is what readers learn from anchors: of each session the last record and the
// faults, which sessions have vanished, and what the clock is compared with.
func (st Store) knownByAnchors(t *testing.T, now time.Time) map[string]any {
	t.Helper()
	gone, err := st.Vanished()
	if err != nil {
		t.Fatal(err)
	}
	c, err := st.readClock(now)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]any{"vanished": gone, "clock": c.fault}
	for _, id := range []string{"long", "faulty", "again", "young", "put-away", "gone"} {
		list, err := st.readAnchors(id)
		if err != nil {
			t.Fatal(err)
		}
		faults := 0
		for _, a := range list {
			known[id] = a
			if a.Fault != "" {
				faults++
			}
		}
		known[id+" faults"] = faults
		if id != "put-away" {
			known[id+" heard"] = c.heard[id]
		}
	}
	return known
}

// TestCompactionIsKilled: whenever a process is killed that compacts, and whatever others
// append meanwhile, every anchor that was appended is there.
func TestCompactionIsKilled(t *testing.T) {
	st := store(t)
	now := time.Now().UTC()
	var appended []string
	compactions, random := 0, rand.New(rand.NewPCG(6, 3))
	for round := range 25 {
		c := start(t, st, "compact", fmt.Sprint("old", round), nil)
		if !c.out.Scan() || round == 0 && c.out.Text() != compacted {
			t.Fatalf("the child said %q", c.out.Text())
		}
		end := time.Now().Add(time.Duration(random.Int64N(int64(60 * time.Millisecond))))
		for i := 0; i < 3 || time.Now().Before(end); i++ {
			id := fmt.Sprintf("new%d.%d", round, i)
			if err := appendAnchor(st.Dir, Anchor{Session: id, Head: journal.Head{Seq: 1}, Time: now}); err != nil {
				t.Fatal(err)
			}
			appended = append(appended, `{"session":"`+id+`",`)
			time.Sleep(time.Duration(random.Int64N(int64(3 * time.Millisecond))))
		}
		_ = c.Process.Kill()
		for ok := true; ok; ok = c.out.Scan() {
			if c.out.Text() == compacted {
				compactions++
			}
		}
		_ = c.Wait()
	}
	body, err := os.ReadFile(filepath.Join(st.Dir, headsName))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range appended {
		if !bytes.Contains(body, []byte(line)) {
			t.Errorf("lost: %s", line)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(st.Dir, headsName+"[0-9]*")); len(left) > 0 {
		t.Logf("%d temporary files are left", len(left))
		sweepTemporary(st.Dir, ".", now.Add(2*time.Hour))
		if left, _ = filepath.Glob(filepath.Join(st.Dir, headsName+"[0-9]*")); len(left) > 0 {
			t.Errorf("they are not swept: %s", left)
		}
	}
	t.Logf("%d anchors, %d compactions", len(appended), compactions)
}

// compacted is what a child says that has compacted. Only the first child must: of the
// others the young anchors may be too many.
const compacted = "compacted"

// compact appends old anchors and compacts them, until it is killed. It appends under the
// lock, as hooks do: Wine does not append in one step.
func compact(st Store, name string) {
	path := filepath.Join(st.Dir, headsName)
	line, _ := json.Marshal(Anchor{Session: name, Head: journal.Head{Seq: 1}, Time: time.Now().Add(-48 * time.Hour)})
	old := bytes.Repeat(append(line, '\n'), 300)
	for first := true; ; first = false {
		unlock, err := lock(filepath.Join(st.Dir, headsLock), time.Minute)
		if err != nil {
			fail(err)
		}
		f, err := system.Open(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
		if err != nil {
			fail(err)
		}
		if _, err = f.Write(old); errors.Join(err, f.Close()) != nil {
			fail(err)
		}
		unlock()
		before, _ := os.Stat(path)
		if err := st.compactAnchors(time.Now(), 0); err != nil {
			fail(err)
		}
		switch after, _ := os.Stat(path); {
		case after.Size() < before.Size():
			fmt.Println(compacted)
		case first:
			fmt.Println("begun")
		}
	}
}
