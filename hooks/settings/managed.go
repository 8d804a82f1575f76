package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// CheckDropIns refuses files in the folder beside the managed settings whose word counts
// over that of the file: managed-settings.d, in the order of their names (both clients
// read it). They may set what they like but what keeps our hooks from running.
func CheckDropIns(managedFile string) error {
	files, _ := filepath.Glob(strings.TrimSuffix(managedFile, ".json") + ".d/*.json") // the pattern is fine
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the managed settings: %w", err)
		}
		d, err := parse(src)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		is := func(name string, kind hujson.Kind) bool {
			v := value(d.root, name)
			return v != nil && v.Value.Kind() == kind
		}
		switch {
		case is("disableAllHooks", 't'):
			return fmt.Errorf("%s: disableAllHooks is true: the client would run no hook", file)
		case is("allowManagedHooksOnly", 'f'):
			return fmt.Errorf("%s: allowManagedHooksOnly is false: hooks of other files run beside ours", file)
		case value(d.root, "policyHelper") != nil:
			return fmt.Errorf("%s: it names a policyHelper, whose answer counts in place of the settings", file)
		}
	}
	return nil
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

// Any is a hook of any type: its event, and what it runs or asks.
type Any struct{ Event, Text string }

// AllHooks lists the hooks of any type that count, in the order of the file.
func AllHooks(src []byte) ([]Any, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	var out []Any
	for _, event := range countingMembers(value(d.root, "hooks")) {
		for _, group := range elements(&event.Value) {
			for _, hook := range elements(value(&group, "hooks")) {
				a := Any{Event: nameOf(event)}
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

// A ManagedInstall is what the settings of the machine's administrator are to say for us.
type ManagedInstall struct {
	Hooks  []Entry
	Deny   []string // rules of permissions.deny
	Helper string   // the program that prints these settings; "" for none
}

// recordKey is our key in the file. It names what we added beside the hooks, which cannot
// be told from what a person wrote. The clients ignore a key that they do not know
// (2.1.197 and 2.1.330, tried).
const recordKey = "pipeline"

// helperPatience is how long the client waits for the helper, in milliseconds.
const helperPatience = "10000"

// InstallManaged returns managed settings with our hooks, and without any of other files;
// with the denials, and with the helper. What it added before is replaced. It refuses a
// file in which our hooks would not run for a reason that a person has to decide about.
// UninstallManaged gives the first bytes back.
func InstallManaged(src []byte, want ManagedInstall) (out []byte, err error) {
	base, err := UninstallManaged(src)
	if err != nil {
		return nil, err
	}
	m, err := ReadManaged(base)
	switch {
	case err != nil:
		return nil, err
	case m.Helper != "":
		return nil, fmt.Errorf("it names the policyHelper %s, whose answer counts in place of this file", m.Helper)
	case m.DisableAll:
		return nil, errors.New("disableAllHooks is true: the client would run no hook")
	}
	out, _, err = Install(base, want.Hooks)
	if err != nil {
		return nil, err
	}
	e := &managedEdit{}
	if e.d, err = parse(out); err != nil {
		return nil, err
	}
	e.requireHooksOnly(m)
	if e.addDenials(want.Deny); want.Helper != "" {
		e.addMember(nil, "policyHelper", func(s style, indent string) string {
			return s.renderBlock("{", []string{s.renderPair("path", quote(want.Helper)),
				s.renderPair("timeoutMs", helperPatience)}, "}", indent)
		})
	}
	added, denied := e.added, e.denied
	e.addMember(nil, recordKey, func(s style, indent string) string {
		return s.renderBlock("{", []string{s.renderPair("added", s.renderStrings(added, indent+s.unit)),
			s.renderPair("denied", s.renderStrings(denied, indent+s.unit))}, "}", indent)
	})
	return e.d.bytes(), e.err
}

// A managedEdit adds to a file, and notes what.
type managedEdit struct {
	d      document
	added  []string // members, by their path
	denied []string // elements of permissions.deny
	err    error    // the first; nothing is done after it
}

// requireHooksOnly keeps hooks of other files from running beside ours.
func (e *managedEdit) requireHooksOnly(m Managed) {
	if m.HooksOnly {
		return
	}
	const key = "allowManagedHooksOnly"
	if value(e.d.root, key) != nil {
		e.err = errors.New(key + " is there, and not true")
		return
	}
	e.addMember(nil, key, func(style, string) string { return "true" })
}

// addDenials adds rules to permissions.deny, and what is missing of the way there.
func (e *managedEdit) addDenials(rules []string) {
	there := stringsIn(value(value(e.d.root, "permissions"), "deny"))
	rules = slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return slices.Contains(there, r) })
	if len(rules) == 0 || e.err != nil {
		return
	}
	list := func(s style, indent string) string { return s.renderStrings(rules, indent) }
	e.denied = rules
	permissions := value(e.d.root, "permissions")
	deny := value(permissions, "deny")
	switch {
	case permissions == nil:
		e.addMember(nil, "permissions", func(s style, indent string) string {
			return s.renderBlock("{", []string{s.renderPair("deny", list(s, indent+s.unit))}, "}", indent)
		})
		e.added = append(e.added, "permissions.deny")
	case permissions.Value.Kind() != '{':
		e.err = errors.New(describeMismatch("permissions", *permissions, "an object"))
	case deny == nil:
		e.addMember([]string{"permissions"}, "deny", list)
	case deny.Value.Kind() != '[':
		e.err = errors.New(describeMismatch("permissions.deny", *deny, "an array"))
	default:
		for _, r := range rules {
			e.insertValue([]string{"permissions", "deny"}, func(style, string) string { return quote(r) })
		}
	}
}

// addMember adds a member to the object at a path, and notes it.
func (e *managedEdit) addMember(at []string, name string, body render) {
	e.insertValue(at, func(s style, indent string) string { return s.renderPair(name, body(s, indent)) })
	if name != recordKey {
		e.added = append(e.added, strings.Join(append(slices.Clone(at), name), "."))
	}
}

func (e *managedEdit) insertValue(at []string, body render) {
	if e.err == nil {
		containerOf(e.d.valueAt(at)).insertItem(e.d.text, styleOf(e.d), body)
		e.d, e.err = e.d.reparse()
	}
}

// UninstallManaged returns managed settings without what InstallManaged added. What
// somebody else wrote since stays.
func UninstallManaged(src []byte) ([]byte, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	if err := d.checkUnique("permissions", "policyHelper", "allowManagedHooksOnly", recordKey); err != nil {
		return nil, err
	}
	record := value(d.root, recordKey)
	if record == nil {
		out, _, err := Uninstall(src)
		return out, err
	}
	added, denied := stringsIn(value(record, "added")), stringsIn(value(record, "denied"))
	d, err = d.removeAt(nil, recordKey)
	for _, rule := range slices.Backward(denied) {
		if err == nil {
			d, err = d.removeDenial(rule)
		}
	}
	for _, name := range slices.Backward(added) {
		at := strings.Split(name, ".")
		if v := d.valueAt(at); err == nil && v != nil && (at[0] != "permissions" || isEmpty(v)) {
			d, err = d.removeAt(at[:len(at)-1], at[len(at)-1])
		}
	}
	if err != nil {
		return nil, err
	}
	out, _, err := Uninstall(d.bytes())
	return out, err
}

// removeAt takes a member out of the object at a path, if it is there.
func (d document) removeAt(at []string, name string) (document, error) {
	v := d.valueAt(at)
	i, ok := effective(v)[name]
	switch {
	case !ok:
		return d, nil
	case len(at) == 0:
		return d.removeMember(i)
	}
	containerOf(v).removeItem(d.text, i)
	return d.reparse()
}

func (d document) removeDenial(rule string) (document, error) {
	deny := d.valueAt([]string{"permissions", "deny"})
	for i, v := range slices.Backward(elements(deny)) {
		if text, ok := stringIn(&v); ok && text == rule {
			containerOf(deny).removeItem(d.text, i)
			return d.reparse()
		}
	}
	return d, nil
}

// checkUnique refuses a file that has one of the keys twice: it is in doubt what counts.
func (d document) checkUnique(names ...string) error {
	last := effective(d.root)
	for i, m := range members(d.root) {
		if name := nameOf(m); i != last[name] && slices.Contains(names, name) {
			return d.errorAt(m.Name.StartOffset, fmt.Sprintf("%q occurs more than once", name))
		}
	}
	return nil
}

// valueAt is what stands at a path of keys; nil for nothing.
func (d document) valueAt(keys []string) *hujson.Value {
	v := d.root
	for _, key := range keys {
		v = value(v, key)
	}
	return v
}

func isEmpty(v *hujson.Value) bool { return len(members(v))+len(elements(v)) == 0 }

func (s style) renderStrings(list []string, indent string) string {
	quoted := make([]string, len(list))
	for i, text := range list {
		quoted[i] = quote(text)
	}
	if len(quoted) == 0 {
		return "[]"
	}
	return s.renderBlock("[", quoted, "]", indent)
}
