package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"

	"github.com/tailscale/hujson"
)

// Managed is what the settings of the machine's administrator say about hooks
// (2.1.330, tried on Linux).
type Managed struct {
	DisableAll bool          // no hook runs, not even one of theirs
	HooksOnly  bool          // hooks of other files do not run
	Helper     string        // a program that prints the settings, in place of the file
	Patience   time.Duration // how long the client waits for it; 0 for its default
}

// ScopeManaged is the scope of the machine's administrator.
const ScopeManaged = "managed"

// CheckDropIns refuses files in the folder beside the managed settings whose word counts
// over that of the file: managed-settings.d, in the order of their names (both clients
// read it). They may set what they like but what keeps our hooks from running.
func CheckDropIns(managedFile string) error {
	for _, file := range system.Glob(strings.TrimSuffix(managedFile, ".json")+".d", "*.json") {
		src, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the managed settings: %w", err)
		}
		d, err := parse(src)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		switch {
		case d.isTrue("disableAllHooks"):
			return fmt.Errorf("%s: disableAllHooks is true: the client would run no hook", file)
		case kindOf(value(d.root, hooksOnlyKey)) == 'f':
			return fmt.Errorf("%s: allowManagedHooksOnly is false: hooks of other files run beside ours", file)
		case value(d.root, helperKey) != nil:
			return fmt.Errorf("%s: it names a policyHelper, whose answer counts in place of the settings", file)
		}
	}
	return nil
}

// ReadManaged reads a file of managed settings, or what a helper prints.
func ReadManaged(src []byte) (Managed, error) {
	d, err := parse(src)
	m := Managed{DisableAll: d.isTrue("disableAllHooks"), HooksOnly: d.isTrue(hooksOnlyKey)}
	helper := value(d.root, helperKey)
	m.Helper, _ = stringIn(value(helper, "path"))
	ms, _ := numberIn(value(helper, "timeoutMs"))
	m.Patience = time.Duration(ms) * time.Millisecond
	return m, err
}

// A ManagedInstall is what the settings of the machine's administrator are to say for us.
type ManagedInstall struct {
	Hooks  []Entry
	Deny   []string // rules of permissions.deny
	Helper string   // the program that prints these settings; "" for none
}

const (
	hooksOnlyKey = "allowManagedHooksOnly"
	helperKey    = "policyHelper"
	// recordKey is our key in the file. It names what we added beside the hooks, which cannot
	// be told from what a person wrote. The clients ignore a key that they do not know
	// (2.1.197 and 2.1.330, tried).
	recordKey = "pipeline"
)

// helperPatience is how long the client waits for the helper, in milliseconds.
const helperPatience = 10000

// InstallManaged returns managed settings with our hooks, and without any of other files;
// with the denials, and with the helper. What it added before is replaced. It refuses a
// file in which our hooks would not run for a reason that a person has to decide about.
func InstallManaged(src []byte, want ManagedInstall) ([]byte, error) {
	base, err := UninstallManaged(src)
	m, _ := ReadManaged(base) // it was parsed before
	switch {
	case err != nil:
		return nil, err
	case m.Helper != "":
		return nil, fmt.Errorf("it names the policyHelper %s, whose answer counts in place of this file", m.Helper)
	case m.DisableAll:
		return nil, errors.New("disableAllHooks is true: the client would run no hook")
	}
	out, err := Format{}.install(base, want.Hooks)
	d, _ := parse(out) // we wrote it
	set := func(v any, name string) {
		if err == nil {
			err = d.set(v, name)
		}
	}
	added, denied := []string{}, []string{}
	if !m.HooksOnly {
		if value(d.root, hooksOnlyKey) != nil {
			return nil, errors.New(hooksOnlyKey + " is there, and not true")
		}
		set(true, hooksOnlyKey)
		added = append(added, hooksOnlyKey)
	}
	there := stringsIn(value(d.root, "permissions", "deny"))
	for _, rule := range want.Deny {
		if err == nil && !slices.Contains(there, rule) {
			err = d.append(rule, "permissions", "deny")
			denied = append(denied, rule)
		}
	}
	if want.Helper != "" {
		set(map[string]any{"path": want.Helper, "timeoutMs": helperPatience}, helperKey)
		added = append(added, helperKey)
	}
	set(map[string][]string{"added": added, "denied": denied}, recordKey)
	if out = d.bytes(); err != nil || isSame(src, out) {
		return src, err
	}
	return out, nil
}

// isSame reports whether two settings files mean the same.
func isSame(a, b []byte) bool {
	var values [2]any
	for i, src := range [][]byte{a, b} {
		d, _ := parse(src)
		text, err := hujson.Standardize(bytes.Clone(d.text)) // it writes over what it is given
		if err != nil || json.Unmarshal(text, &values[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// UninstallManaged returns managed settings without what InstallManaged added. What
// somebody else wrote since stays.
func UninstallManaged(src []byte) ([]byte, error) {
	d, err := parse(src, "permissions", helperKey, hooksOnlyKey, recordKey)
	if err != nil {
		return nil, err
	}
	ours := value(d.root, recordKey)
	added, denied := stringsIn(value(ours, "added")), stringsIn(value(ours, "denied"))
	isDenied := func(_ string, v *hujson.Value) bool {
		text, _ := stringIn(v)
		i := slices.Index(denied, text)
		if i >= 0 { // once: a person may have written it too
			denied = slices.Delete(denied, i, i+1)
		}
		return i >= 0
	}
	return Format{}.uninstall(src, func(name string, v *hujson.Value) bool {
		switch name {
		case recordKey:
			return true
		case hooksOnlyKey, helperKey:
			return slices.Contains(added, name)
		case "permissions":
			return prune(v, func(name string, v *hujson.Value) bool { return name == "deny" && prune(v, isDenied) })
		}
		return false
	})
}
