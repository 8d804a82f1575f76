package settings

import "time"

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

// ManagedFile is where the client of an operating system looks for them; "" where that is
// not known. The paths other than Linux's are from the client's documentation.
func ManagedFile(goos string) string {
	switch goos {
	case "linux":
		return "/etc/claude-code/managed-settings.json"
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return ""
}

// ReadManaged reads a file of managed settings, or what a helper prints.
func ReadManaged(src []byte) (Managed, error) {
	d, err := parse(src)
	if err != nil {
		return Managed{}, err
	}
	isTrue := func(name string) bool {
		v := value(d.root, name)
		return v != nil && v.Value.Kind() == 't'
	}
	m := Managed{DisableAll: isTrue("disableAllHooks"), HooksOnly: isTrue("allowManagedHooksOnly")}
	helper := value(d.root, "policyHelper")
	m.Helper, _ = stringIn(value(helper, "path"))
	ms, _ := numberIn(value(helper, "timeoutMs"))
	m.Patience = time.Duration(ms) * time.Millisecond
	return m, nil
}

// Any is a hook of any type.
type Any struct{ Event, Matcher, Type, Text string }

// AllHooks lists the hooks of any type that count, in the order of the file.
func AllHooks(src []byte) ([]Any, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	var out []Any
	hooks := value(d.root, "hooks")
	last := effective(hooks)
	for i, event := range members(hooks) {
		if i != last[nameOf(event)] {
			continue
		}
		for _, group := range elements(&event.Value) {
			list := value(&group, "hooks")
			for _, hook := range elements(list) {
				a := Any{Event: nameOf(event), Matcher: matcherOf(&group)}
				a.Type, _ = stringIn(value(&hook, "type"))
				for _, key := range []string{"command", "url", "tool", "prompt"} {
					if text, ok := stringIn(value(&hook, key)); ok && a.Text == "" {
						a.Text = text
					}
				}
				out = append(out, a)
			}
		}
	}
	return out, nil
}
