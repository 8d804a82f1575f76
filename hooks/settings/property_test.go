package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

// decode gives what the text means, without what a missing container and an empty
// one have in common.
func decode(t rapid.TB, src []byte) map[string]any {
	t.Helper()
	std, err := hujson.Standardize(bytes.Clone(bytes.TrimPrefix(src, []byte(byteOrderMark))))
	if len(bytes.TrimSpace(src)) == 0 {
		std, err = []byte("{}"), nil
	}
	var v map[string]any
	if err == nil {
		err = json.Unmarshal(std, &v)
	}
	if err != nil {
		t.Fatalf("%v:\n%s", err, src)
	}
	if full, ok := withoutEmpty(v).(map[string]any); ok {
		return full
	}
	return map[string]any{}
}

// withoutEmpty is nil for a container that holds nothing but empty ones.
func withoutEmpty(v any) any {
	switch c := v.(type) {
	case map[string]any:
		for name, inner := range c {
			if c[name] = withoutEmpty(inner); c[name] == nil {
				delete(c, name)
			}
		}
		if len(c) == 0 {
			return nil
		}
	case []any:
		var full []any
		for _, inner := range c {
			if inner = withoutEmpty(inner); inner != nil {
				full = append(full, inner)
			}
		}
		if len(full) == 0 {
			return nil
		}
		return full
	}
	return v
}

// withoutOurs knows an entry of ours on its own terms: no one else names
// pipeline.
func withoutOurs(t rapid.TB, src []byte) map[string]any {
	v := decode(t, src)
	hooks, _ := v["hooks"].(map[string]any)
	for name, groups := range hooks {
		var kept []any
		for _, g := range groups.([]any) {
			if b, _ := json.Marshal(g); !bytes.Contains(b, []byte("pipeline")) {
				kept = append(kept, g)
			}
		}
		if hooks[name] = kept; len(kept) == 0 {
			delete(hooks, name)
		}
	}
	if len(hooks) == 0 {
		delete(v, "hooks")
	}
	if b, _ := json.Marshal(v["statusLine"]); bytes.Contains(b, []byte("pipeline")) {
		delete(v, "statusLine")
	}
	return v
}

// installAll installs entries and, as drawn, a status line before or after them.
func installAll(t *rapid.T, src []byte, entries []Entry) []byte {
	status := rapid.SampledFrom([]string{"", "before", "after"}).Draw(t, "status line")
	binary := rapid.SampledFrom([]string{"pipeline", "/it's a/pipeline", `C:\b & "c"\pipeline.exe`}).Draw(t, "binary")
	out := src
	if status == "before" {
		out = addStatus(t, out, binary)
	}
	out, _, err := Install(out, entries)
	if err != nil {
		t.Fatalf("%v:\n%s", err, src)
	}
	if status == "after" {
		out = addStatus(t, out, binary)
	}
	return out
}

// addStatus installs a status line, which must be there then, unless a person's is, and must not change at a second
// time.
func addStatus(t *rapid.T, src []byte, binary string) []byte {
	theirs, before, _ := StatusLine(src)
	out, kept, err := InstallStatusLine(src, binary, false)
	if err != nil {
		t.Fatalf("%v:\n%s", err, src)
	}
	what, is, err := StatusLine(out)
	if theirs != "" && !before {
		if kept != theirs || is || !bytes.Equal(src, out) {
			t.Fatalf("a person's status line %q was not kept: said %q\n%s", theirs, kept, out)
		}
		return out
	}
	if what != StatusCommand(binary) || !is || kept != "" || err != nil {
		t.Fatalf("status line %q, ours %v, kept %q, %v:\n%s", what, is, kept, err, out)
	}
	if again, _, err := InstallStatusLine(out, binary, false); err != nil || !bytes.Equal(again, out) {
		t.Fatalf("the second time: %v\n%s\n%s", err, out, again)
	}
	return out
}

// commentsOf lists the comments of a text. Blanks behind one are not part of it.
func commentsOf(src []byte) []string {
	tokens := regexp.MustCompile(`"(\\.|[^"\\])*"|/\*[^*]*\*/|//[^\r\n]*`)
	var all []string
	for _, m := range tokens.FindAll(src, -1) {
		if m[0] == '/' {
			all = append(all, strings.TrimRight(string(m), " \t"))
		}
	}
	return all
}

func same(t *rapid.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s: -want +got:\n%s", what, diff)
	}
}

func TestInstallUninstallIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, first, second := drawFile(t), drawEntries(t, "first"), drawEntries(t, "second")
		once := installAll(t, src, first)
		again, changed, err := Install(once, first)
		if err != nil || changed {
			t.Fatalf("the second install: %v, changed %v:\n%s\n%s", err, changed, once, again)
		}
		same(t, "not ours", decode(t, src), withoutOurs(t, once))
		same(t, "comments", commentsOf(src), commentsOf(once))
		found, _ := Find(once)
		same(t, "count", len(first), len(found))
		wantOriginal(t, src, to(string(once)))
		other, _, err := Install(once, second)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "not ours after another install", decode(t, src), withoutOurs(t, other))
		back, _, _ := Uninstall(other)
		same(t, "meaning after another install", decode(t, src), decode(t, back))
		same(t, "comments after another install", commentsOf(src), commentsOf(back))
	})
}

// What a person writes between install and uninstall stays, byte for byte, and exactly ours goes.
func TestEditsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, entries := drawFile(t), drawEntries(t, "entries")
		installed := installAll(t, src, entries)
		const theirs = "{ \"hooks\" :[ /*theirs*/ ] }"
		edited := bytes.Clone(installed)
		edits := 0
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			var ok bool
			if edited, ok = addByHand(t, edited, theirs); ok {
				edits++
			}
		}
		_, back := roundTrip(t, src, stripped, to(string(installed)), edited)
		same(t, "theirs", edits, bytes.Count(back, []byte(theirs)))
		same(t, "comments", commentsOf(edited), commentsOf(back))
		same(t, "meaning", withoutOurs(t, edited), decode(t, back))
		found, _ := Find(back)
		_, status, _ := StatusLine(back)
		same(t, "ours", 0, len(found))
		same(t, "our status line", false, status)
		once, _, err := Install(edited, entries)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "not ours, after an install", withoutOurs(t, edited), withoutOurs(t, once))
	})
}

// Whoever formats the file takes the hints away that the layout gave; what it
// means comes back all the same.
func TestFormattedInBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(writer{t: t, gaps: plainGaps}.file())
		installed := installAll(t, src, drawEntries(t, "entries"))
		var formatted bytes.Buffer
		var err error
		text := bytes.TrimPrefix(installed, []byte(byteOrderMark))
		if rapid.Bool().Draw(t, "compact") {
			err = json.Compact(&formatted, text)
		} else {
			err = json.Indent(&formatted, text, "", "  ")
		}
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := Uninstall(formatted.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		same(t, "meaning", decode(t, src), decode(t, back))
	})
}

// addByHand puts a group before or behind the others of some event, or a key
// before or behind the others of the root.
func addByHand(t *rapid.T, src []byte, group string) ([]byte, bool) {
	d, err := parse(src)
	if err != nil {
		t.Fatalf("%v:\n%s", err, src)
	}
	var at, key = d.root, fmt.Sprintf("%q:", "u"+fmt.Sprint(len(src)))
	if events := members(value(d.root, "hooks")); len(events) > 0 && rapid.Bool().Draw(t, "in an event") {
		at, key = &events[rapid.IntRange(0, len(events)-1).Draw(t, "event")].Value, ""
	}
	if at == nil {
		return src, false
	}
	before, behind := rapid.SampledFrom(gaps).Draw(t, "gap"), rapid.SampledFrom(gaps).Draw(t, "gap")
	text, where := before+key+group+behind, at.StartOffset+1
	if ends := ends(at); len(ends) > 0 {
		text += ","
		if rapid.Bool().Draw(t, "behind") {
			where, text = ends[len(ends)-1], ","+strings.TrimSuffix(text, ",")
		}
	}
	return slices.Concat(d.bom, d.text[:where], []byte(text), d.text[where:]), true
}

// ends are where the items of a container end.
func ends(v *hujson.Value) (out []int) {
	for _, m := range members(v) {
		out = append(out, m.Value.EndOffset)
	}
	for _, e := range elements(v) {
		out = append(out, e.EndOffset)
	}
	return out
}

// Find lists our entries that count, in the order of the file.
func Find(src []byte) ([]Entry, error) {
	all, err := Hooks(src)
	var ours []Entry
	for _, h := range all {
		if h.Ours {
			ours = append(ours, h.Entry)
		}
	}
	return ours, err
}

func FuzzInstall(f *testing.F) {
	for _, seed := range []string{"", "{}", "{\"hooks\":{\"Stop\":[1,/*\n*/]}}", "\ufeff{//\r\n}",
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"pipeline","args":["hook","--host","claude"],"timeout":1e99}]}]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		_ = blocks(src, nil)
		_ = blocks(src, ours("Stop"))
		out, _, err := Install(src, ours("PreToolUse", "Stop"))
		clean, _, cleanErr := Uninstall(src)
		if err != nil {
			return
		}
		if cleanErr != nil {
			t.Fatal(cleanErr)
		}
		if again, changed, err := Install(out, ours("PreToolUse", "Stop")); changed || err != nil {
			t.Fatalf("%v\n%q\n%q", err, out, again)
		}
		if status, kept, err := InstallStatusLine(out, "pipeline", false); err == nil && kept == "" {
			out = status
		}
		back, _, err := Uninstall(out)
		if found, _ := Find(back); err != nil || len(found) > 0 {
			t.Fatalf("%v\n%q\n%q", err, src, back)
		}
		if bytes.Equal(clean, src) {
			wantOriginal(t, src, to(string(out)))
		}
	})
}
