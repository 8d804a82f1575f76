package settings

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func managedWish(deny ...string) ManagedInstall {
	return ManagedInstall{Hooks: ours("PreToolUse", "Stop"), Deny: deny}
}

// TestManagedInstall: what was there stays, what we need is there, and uninstalling gives the first bytes back.
func TestManagedInstall(t *testing.T) {
	wish := managedWish("Agent(leaf)", "WebFetch")
	wish.Helper = "/etc/claude-code/helper"
	for _, src := range []string{
		"", "{}", "{}\n", "\ufeff{}", `{"env":{"A":"b"}}`, "{\n\t\"permissions\": {}\n}\n", `{"permissions": {"deny": []}}`,
		"{\n  \"permissions\": {\n    \"deny\": [\n      \"WebFetch\",\n      \"Read(.env)\"\n    ]\n  }\n}\n",
		`{"allowManagedHooksOnly": true, "permissions": {"allow": ["Read"], "deny": ["Agent(x)"], "ask": []}}`,
		"{\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  },\r\n  \"permissions\": {\r\n    \"allow\": [\"Read\"]\r\n" +
			"  }\r\n}\r\n",
	} {
		out, err := InstallManaged([]byte(src), wish)
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		var got struct {
			Permissions struct{ Deny []string }
			HooksOnly   bool                  `json:"allowManagedHooksOnly"`
			Helper      struct{ Path string } `json:"policyHelper"`
		}
		if err := json.Unmarshal(bytes.TrimPrefix(out, []byte(byteOrderMark)), &got); err != nil {
			t.Errorf("%q: %v in %s", src, err, out)
		}
		deny := strings.Join(got.Permissions.Deny, " ")
		if !got.HooksOnly || got.Helper.Path != wish.Helper || !strings.Contains(deny, "Agent(leaf)") ||
			strings.Count(deny, "WebFetch") != 1 {
			t.Errorf("%q became %s", src, out)
		}
		if why := blocks(out, wish.Hooks); why != "" {
			t.Errorf("%q: %s", src, why)
		}
		if again, err := InstallManaged(out, wish); err != nil || !bytes.Equal(again, out) {
			t.Errorf("%q: a second install: %v\n%s\nbefore\n%s", src, err, again, out)
		}
		less, err := InstallManaged(out, managedWish())
		if err != nil || bytes.Contains(less, []byte("Agent(leaf)")) || bytes.Contains(less, []byte("policyHelper")) {
			t.Errorf("%q: what is wanted no more stays: %v\n%s", src, err, less)
		}
		for _, installed := range [][]byte{less, out} {
			_, back := roundTrip(t, []byte(src), UninstallManaged, to(string(installed)))
			if string(back) != src {
				t.Errorf("%q came back as %q", src, back)
			}
			if back, err := UninstallManaged(installed); err != nil ||
				!cmp.Equal(decode(t, back), decode(t, []byte(src))) {
				t.Errorf("%q, without its original, came back as %q: %v", src, back, err)
			}
		}
	}
}

func TestManagedInstallRefuses(t *testing.T) {
	for src, want := range map[string]string{
		`{"disableAllHooks": true}`:                        "the client would run no hook",
		`{"allowManagedHooksOnly": false}`:                 "allowManagedHooksOnly is there, and not true",
		`{"policyHelper": {"path": "/x"}}`:                 "names the policyHelper /x",
		`{"permissions": []}`:                              "expected an object",
		`{"permissions": {"deny": "x"}}`:                   "expected an array",
		`{"permissions": {}, "permissions": {"deny": []}}`: "occurs twice",
		`{"hooks"`: "line 1",
	} {
		if out, err := InstallManaged([]byte(src), managedWish("WebFetch")); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q\n%s", src, err, want, out)
		}
	}
}

// TestManagedKeepsOthers: what an administrator wrote beside ours stays when ours goes.
func TestManagedKeepsOthers(t *testing.T) {
	out, err := InstallManaged(nil, managedWish("Agent(leaf)"))
	if err != nil {
		t.Fatal(err)
	}
	out = bytes.Replace(out, []byte(`"Agent(leaf)"`), []byte(`"Agent(theirs)", "Agent(leaf)"`), 1)
	out = bytes.Replace(out, []byte("{"), []byte(`{"model": "x",`), 1)
	back, err := UninstallManaged(out)
	if text := strings.Join(strings.Fields(string(back)), ""); err != nil ||
		text != `{"model":"x","permissions":{"deny":["Agent(theirs)"]}}` {
		t.Errorf("left: %v %s", err, back)
	}
}

// TestManagedIsExact: any file comes back byte for byte.
func TestManagedIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawFile(t)
		wish := ManagedInstall{Hooks: drawEntries(t, "ours"),
			Deny: []string{"Agent(leaf)", "WebFetch"}[:rapid.IntRange(0, 2).Draw(t, "deny")]}
		if rapid.Bool().Draw(t, "helper") {
			wish.Helper = "/x"
		}
		if before, _ := UninstallManaged(src); !bytes.Equal(before, src) || len(wish.Hooks) == 0 {
			t.Skip("it has something of ours, or there is nothing to install")
		}
		given := bytes.Clone(src)
		out, err := InstallManaged(given, wish)
		if err != nil || !bytes.Equal(given, src) {
			t.Fatalf("%v, written over: %q\n%s", err, given, src)
		}
		if _, back := roundTrip(t, src, UninstallManaged, to(string(out))); !bytes.Equal(back, src) {
			t.Fatalf("%q\nbecame %q\ncame back as %q", src, out, back)
		}
		back, err := UninstallManaged(out)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "meaning without the original", decode(t, src), decode(t, back))
	})
}
