// Package settings registers our hooks in the settings file of a host that keeps them as
// Claude Code does, and takes them out again.
//
// The file is the user's: what is not ours keeps every byte, comments, trailing commas,
// line ends and odd indentation included. So no value of theirs is ever printed again: the
// parser's tree holds the bytes between the values, and an edit inserts and removes items.
//
// # Exactness
//
// Install followed by Uninstall gives the first bytes back, without a side file: the layout
// of what Install writes says what Uninstall has to undo. A container (the array of an
// event, the hooks object, the file itself) that Install made holds our text in plain
// layout. One that stood there empty gets our text after a blank line, or after a space
// where everything is on one line; it stays when it is empty again. If somebody formats
// the file in between, that hint is lost: then a container that is left with nothing but
// ours goes too. That means the same to the client, and whitespace may differ.
//
// Our group objects are ours as a whole: a comment written inside one goes with it, a hook
// added to one stays.
package settings

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// Entry is one hook registration.
type Entry struct {
	Event   string   // the client's name of the event, such as PreToolUse
	Command string   // the binary; its base name is pipeline or pipeline.exe
	Args    []string // begin with hook, --host and the host's name
	Timeout int      // seconds; 0: the client's default
	// OnFailureBlock makes a hook that crashes or is late block the call. Older clients
	// ignore it, and newer ones honor it only where a hook can block.
	OnFailureBlock bool
	Matcher        string // which tools or agents; "" is all
}

// A Format is how a host writes a hook down. The zero Format is Claude Code's.
type Format struct {
	Host   string // as --host names it; "" for claude
	Shell  bool   // a command is one line for a shell, without args
	Millis bool   // timeouts count milliseconds

	Comments bool // the client reads comments
}

func (f Format) host() string { return cmp.Or(f.Host, "claude") }

// Edit returns src with exactly the wanted entries of ours, without any of them uninstalled.
func (f Format) Edit(src []byte, want []Entry) (out []byte, changed bool, err error) {
	if len(want) == 0 {
		return f.Uninstall(src)
	}
	return f.Install(src, want)
}

// Install returns src with our entries as ours wants them: missing ones are added, others
// are updated in place, those of events no longer wanted are removed. A second call changes
// nothing. A src of no bytes is a file that does not exist.
//
// It refuses, with a *SyntaxError, what it cannot read and what leaves in doubt which text
// counts: a root or hooks that is no object, an event that is no array, hooks or an event
// written twice (the client would take the last).
//
// A file with comments or trailing commas is edited like any other, but the clients do not
// read such a file at all: ask Blocks about the result.
func Install(src []byte, ours []Entry) (out []byte, changed bool, err error) {
	return Format{}.Install(src, ours)
}

// Install is the same in another host's format.
func (f Format) Install(src []byte, ours []Entry) (out []byte, changed bool, err error) {
	for _, e := range ours {
		if e.Event == "" || !f.isOurs(e) {
			return nil, false, fmt.Errorf("entry for %s: %q %q would not be recognized as ours", e.Event, e.Command,
				e.Args)
		}
	}
	d, err := f.parse(src)
	if err == nil {
		err = d.checkWritable()
	}
	if err != nil {
		return nil, false, err
	}
	// Adding goes from front to back: Uninstall, going back, meets each line as it was.
	p := planChanges(d.findOurs(), ours)
	d, err = d.updateEntries(p.update)
	for _, i := range slices.Backward(p.remove) {
		if err == nil {
			d, err = d.removeEntry(d.findOurs()[i].path)
		}
	}
	for _, e := range d.sortExistingFirst(p.add) {
		if err == nil {
			d, err = d.addEntry(e)
		}
	}
	if err != nil {
		return nil, false, err
	}
	out = d.bytes()
	return out, !bytes.Equal(src, out), nil
}

// Uninstall returns src without our entries, our status line and our launcher. No bytes left
// means that Install made the file, and that it is to be removed. Ours are found wherever
// they stand, in a second hooks object too.
func Uninstall(src []byte) (out []byte, changed bool, err error) { return Format{}.Uninstall(src) }

// Uninstall is the same in another host's format.
func (f Format) Uninstall(src []byte) (out []byte, changed bool, err error) {
	d, err := f.parse(src)
	for found := d.findOurs(); err == nil && len(found) > 0; found = d.findOurs() {
		d, err = d.removeEntry(found[len(found)-1].path)
	}
	for i := d.findStatusLine(); err == nil && i >= 0; i = d.findStatusLine() {
		d, err = d.removeMember(i)
	}
	if err == nil {
		d, err = d.removePrefix()
	}
	if err != nil {
		return nil, false, err
	}
	out = d.bytes()
	return out, !bytes.Equal(src, out), nil
}

// updateEntries rewrites entries where they stand: the hook alone, or its whole group where
// the matcher is wrong too.
func (d document) updateEntries(want map[int]Entry) (document, error) {
	if len(want) == 0 {
		return d, nil
	}
	for i, f := range d.findOurs() {
		e, ok := want[i]
		if !ok {
			continue
		}
		target, body := &elements(d.eventAt(f.path))[f.path.group], style.renderGroup
		if f.hasMatcher(e) {
			target, body = &elements(d.listAt(f.path))[f.path.handler], style.renderHandler
		}
		s := styleOf(d)
		s.inline = isOneLine(d.text[target.StartOffset:target.EndOffset])
		target.Value = mustParse(body(s, e, lineIndent(d.text, target.StartOffset))).Value
	}
	return d.reparse()
}

// addEntry writes one entry, with the containers that are missing for it.
func (d document) addEntry(e Entry) (document, error) {
	s := styleOf(d)
	if d.root == nil {
		return d.withText(s.renderRoot(e) + s.eol)
	}
	at, body := d.root, style.renderHooks
	if hooks := value(d.root, "hooks"); hooks != nil {
		at, body = hooks, style.renderEvent
		if event := value(hooks, e.Event); event != nil {
			at, body = event, style.renderGroup
		}
	}
	containerOf(at).insertItem(d.text, s, func(s style, indent string) string { return body(s, e, indent) })
	return d.reparse()
}

// withText puts text behind a file that holds nothing but whitespace.
func (d document) withText(text string) (document, error) {
	return d.format.parse(slices.Concat(d.bom, d.text, []byte(text)))
}

// removeEntry takes one entry out, and with it each container around it that Install made
// and that then holds nothing.
func (d document) removeEntry(p path) (document, error) {
	list, event, hooks := containerOf(d.listAt(p)), containerOf(d.eventAt(p)), containerOf(d.hooksAt(p))
	switch {
	case list.countItems() > 1:
		list.removeItem(d.text, p.handler)
	case !event.isPlain():
		event.removeItem(d.text, p.group)
	case !hooks.isPlain():
		hooks.removeItem(d.text, p.event)
	default:
		return d.removeMember(p.hooks)
	}
	return d.reparse()
}

// removeMember takes a member out of the root, and with it the file where Install made it,
// in place of nothing or of whitespace.
func (d document) removeMember(i int) (document, error) {
	root, after := containerOf(d.root), d.root.AfterExtra
	if root.isPlain() && isBlank(d.root.BeforeExtra) && (len(after) == 0 || lineEnd(after) == string(after)) {
		return d.format.parse(slices.Concat(d.bom, d.text[:d.root.StartOffset]))
	}
	root.removeItem(d.text, i)
	return d.reparse()
}

func (d document) hooksAt(p path) *hujson.Value { return &members(d.root)[p.hooks].Value }

func (d document) eventAt(p path) *hujson.Value { return &members(d.hooksAt(p))[p.event].Value }

func (d document) listAt(p path) *hujson.Value {
	return &members(&elements(d.eventAt(p))[p.group])[p.list].Value
}

// sortExistingFirst puts the entries first whose event is there already, in the order of
// the file: what has to be made is written behind them.
func (d document) sortExistingFirst(entries []Entry) []Entry {
	there := effective(value(d.root, "hooks"))
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
