package settings

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

// Environment is what a settings file adds to the client's environment, and with it to that of every hook (2.1.197 and
// 2.1.329, tried).
func Environment(src []byte) (map[string]string, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	env := value(d.root, "env")
	for name := range counting(env) {
		if text, ok := stringIn(value(env, name)); ok {
			out[name] = text
		}
	}
	return out, nil
}

// Enabled tells which plugins a settings file switches on or off, by name@marketplace.
func Enabled(src []byte) (map[string]bool, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	plugins := value(d.root, "enabledPlugins")
	for name := range counting(plugins) {
		out[name] = value(plugins, name).Value.Kind() == 't'
	}
	return out, nil
}
