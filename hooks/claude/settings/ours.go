package settings

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// known: Uninstall would recognise e. The command's name and the first three
// arguments are what makes an entry ours, wherever it stands and whatever else it
// says.
func (e Entry) known() bool {
	name := e.Command[strings.LastIndexAny(e.Command, `/\`)+1:]
	if name != "pipeline" && name != "pipeline.exe" {
		return false
	}
	return len(e.Args) >= 3 && slices.Equal(e.Args[:3], []string{"hook", "--host", "claude"})
}

// A path leads to a hook: the index in each container on the way.
type path struct {
	hooks, event, group, list, handler int
}

// found is an entry of ours in a file.
type found struct {
	Entry
	path path
	dead bool // a later member of the same name hides it from the client
	sole bool // the only hook of its group
	odd  bool // it holds what Install does not write
	// muted is the name of a field because of which the hook does not always run,
	// or is not waited for.
	muted string
	hasty bool // it is given less than a second
}

// ours lists our entries in the order of the file, those that do not count
// included.
func (d document) ours() []found {
	var all []found
	roots := counting(d.root)
	for h, hooks := range members(d.root) {
		if nameOf(hooks) != "hooks" {
			continue
		}
		events := counting(&hooks.Value)
		for e, event := range members(&hooks.Value) {
			name := nameOf(event)
			for _, f := range oursIn(event) {
				f.Event, f.path.hooks, f.path.event = name, h, e
				f.dead = f.dead || h != roots["hooks"] || e != events[name]
				all = append(all, f)
			}
		}
	}
	return all
}

func oursIn(event hujson.ObjectMember) []found {
	var all []found
	for g, group := range elements(&event.Value) {
		lists := counting(&group)
		for l, list := range members(&group) {
			if nameOf(list) != "hooks" {
				continue
			}
			for _, f := range oursInList(&list.Value) {
				f.path.group, f.path.list = g, l
				f.dead = l != lists["hooks"]
				f.Matcher = matcherOf(&group)
				all = append(all, f)
			}
		}
	}
	return all
}

func oursInList(list *hujson.Value) []found {
	var all []found
	hooks := elements(list)
	for i := range hooks {
		if f := read(&hooks[i]); f.known() {
			f.path.handler = i
			f.sole = len(hooks) == 1
			all = append(all, f)
		}
	}
	return all
}

// matcherOf never takes for "all" what the client would refuse.
func matcherOf(group *hujson.Value) string {
	v := value(group, "matcher")
	if s, ok := stringIn(v); ok || v == nil {
		return s
	}
	return "what is no string"
}

// read takes a hook object apart. One that is not of type command has no Command
// in the result, so that it is not known.
func read(hook *hujson.Value) found {
	var f found
	if kind, _ := stringIn(value(hook, "type")); kind != "command" {
		return f
	}
	f.Command, _ = stringIn(value(hook, "command"))
	f.Args = texts(value(hook, "args"))
	last := counting(hook)
	for i, m := range members(hook) {
		if name := nameOf(m); i == last[name] {
			f.field(name, &m.Value)
		}
	}
	return f
}

func (f *found) field(name string, v *hujson.Value) {
	switch name {
	case "type", "command", "args":
	case "timeout":
		seconds, ok := numberIn(v)
		f.Timeout = int(seconds)
		f.odd = f.odd || !ok || float64(f.Timeout) != seconds || seconds <= 0
		f.hasty = seconds < 1
	case "onFailure":
		mode, _ := stringIn(v)
		f.OnFailureBlock = mode == "block"
		f.odd = f.odd || mode != "block"
	case "if", "async", "asyncRewake":
		f.odd = true
		if v.Value.Kind() != 'f' {
			f.muted = name
		}
	default:
		f.odd = true
	}
}

// texts is nil unless v is an array of strings.
func texts(v *hujson.Value) []string {
	var all []string
	for _, e := range elements(v) {
		s, ok := stringIn(&e)
		if !ok {
			return nil
		}
		all = append(all, s)
	}
	return all
}
