package settings

import (
	"bytes"
	"slices"

	"github.com/tailscale/hujson"
)

// update rewrites entries where they stand: the hook alone, or its whole group
// where the matcher is wrong too.
func (d document) update(want map[int]Entry) []byte {
	var edits []edit
	for i, f := range d.ours() {
		e, ok := want[i]
		if !ok {
			continue
		}
		target, body := &elements(d.event(f.path))[f.path.group], style.group
		if f.matches(e) {
			target, body = &elements(d.list(f.path))[f.path.handler], style.handler
		}
		s := styleOf(d)
		s.inline = oneLine(d.text[target.StartOffset:target.EndOffset])
		text := body(s, e, lineIndent(d.text, target.StartOffset))
		edits = append(edits, edit{target.StartOffset, target.EndOffset, text})
	}
	return splice(d.text, edits...)
}

// add writes one entry, with what containers are missing for it.
func (d document) add(e Entry) []byte {
	s := styleOf(d)
	if d.root == nil {
		return append(bytes.Clone(d.text), s.root(e)+s.eol...)
	}
	at, body := d.root, style.hooks
	if hooks := value(d.root, "hooks"); hooks != nil {
		at, body = hooks, style.event
		if event := value(hooks, e.Event); event != nil {
			at, body = event, style.group
		}
	}
	return containerOf(at).insert(d.text, s, func(s style, indent string) string { return body(s, e, indent) })
}

// remove takes one entry out, and with it each container around it that then
// holds nothing and that Install made.
func (d document) remove(p path) []byte {
	list, event, hooks := containerOf(d.list(p)), containerOf(d.event(p)), containerOf(d.hooks(p))
	root := containerOf(d.root)
	switch {
	case len(list.items) > 1:
		return list.remove(d.text, p.handler)
	case !event.plain(d.text):
		return event.remove(d.text, p.group)
	case !hooks.plain(d.text):
		return hooks.remove(d.text, p.event)
	case !d.made(root):
		return root.remove(d.text, p.hooks)
	}
	return bytes.Clone(d.text[:d.root.StartOffset])
}

// made: Install wrote the whole file, into nothing or into whitespace.
func (d document) made(root container) bool {
	before, after := d.text[:d.root.StartOffset], d.text[d.root.EndOffset:]
	return root.plain(d.text) && blank(before) && (len(after) == 0 || lineEnd(after) == string(after))
}

func (d document) hooks(p path) *hujson.Value { return &members(d.root)[p.hooks].Value }

func (d document) event(p path) *hujson.Value { return &members(d.hooks(p))[p.event].Value }

func (d document) list(p path) *hujson.Value {
	return &members(&elements(d.event(p))[p.group])[p.list].Value
}

// frontToBack puts those entries first whose event is there already, in the order
// of the file: what has to be made is written behind them.
func (d document) frontToBack(entries []Entry) []Entry {
	there := counting(value(d.root, "hooks"))
	place := func(e Entry) int {
		if i, ok := there[e.Event]; ok {
			return i
		}
		return len(there)
	}
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b Entry) int { return place(a) - place(b) })
	return sorted
}
