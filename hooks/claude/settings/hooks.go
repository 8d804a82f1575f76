package settings

import (
	"encoding/json"
	"fmt"
)

// A Hook is a hook of type command that counts, whoever's it is.
type Hook struct {
	Entry
	Exec bool // started as it is, without a shell: it has args, if only an empty list (2.1.197 and 2.1.329, tried)
	// Muted is the name of a field because of which it does not always run, or is not waited for.
	Muted string
	Ours  bool // Install would know it as ours
}

// Hooks lists the command hooks of a settings file, or of a plugin's hooks.json, in the order of the file. It reads what
// the clients may not: ask Ignored about that.
func Hooks(src []byte) ([]Hook, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	var out []Hook
	hooks := value(d.root, "hooks")
	last := counting(hooks)
	for i, event := range members(hooks) {
		name := nameOf(event)
		if i != last[name] {
			continue
		}
		for _, group := range elements(&event.Value) {
			list := elements(value(&group, "hooks"))
			for h := range list {
				f := read(&list[h])
				if f.Command == "" {
					continue
				}
				f.Event, f.Matcher = name, matcherOf(&group)
				out = append(out, Hook{f.Entry, value(&list[h], "args") != nil, f.muted, f.known()})
			}
		}
	}
	return out, nil
}

// Ignored says why the clients do not read a settings file at all; "" if they do.
func Ignored(src []byte) string {
	d, err := parse(src)
	if err == nil {
		err = d.strict()
	}
	if err != nil {
		return err.Error()
	}
	return d.malformed()
}

// Enabled lists the plugins that a settings file switches on (true) or off, by name@marketplace. Of a file that the
// clients do not read that is none.
func Enabled(src []byte) (map[string]bool, error) {
	var file struct {
		Plugins map[string]bool `json:"enabledPlugins"`
	}
	d, err := parse(src)
	if err != nil || d.root == nil {
		return nil, err
	}
	if err := json.Unmarshal(d.text, &file); err != nil {
		return nil, fmt.Errorf("read enabledPlugins: %w", err)
	}
	return file.Plugins, nil
}
