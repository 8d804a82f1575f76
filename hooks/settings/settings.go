// Package settings registers our hooks in the settings file of a host that keeps them as
// Claude Code does, and takes them out again.
//
// The file is the user's: what is not ours keeps every byte, comments, trailing commas,
// line ends and odd indentation included. So no value of theirs is ever printed again: the
// parser says where each value stands, and an edit inserts and removes text between them.
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
		out, err = f.uninstall(src)
	} else {
		out, err = f.install(src, want)
	}
	return out, err == nil && !bytes.Equal(src, out), err
}

// install returns src with our entries as ours wants them: missing ones are added, others
// are updated in place, those of events no longer wanted are removed. A second call changes
// nothing. A src of no bytes is a file that does not exist.
//
// It refuses what it cannot read and what leaves in doubt which text counts: a root or hooks
// that is no object, an event that is no array, hooks or an event written twice (the client
// would take the last).
//
// A file with comments or trailing commas is edited like any other, but the clients do not
// read such a file at all: ask Blocks about the result.
func (f Format) install(src []byte, ours []Entry) ([]byte, error) {
	for _, e := range ours {
		if e.Event == "" || !f.isOurs(e) {
			return nil, fmt.Errorf("entry for %s: %q %q would not be recognized as ours", e.Event, e.Command, e.Args)
		}
	}
	d, err := parse(src)
	if err == nil {
		err = d.checkWritable()
	}
	if err != nil {
		return nil, err
	}
	// Adding goes from front to back: uninstall, going back, meets each line as it was.
	update, remove, add := planChanges(f.findOurs(d), ours)
	for i, e := range update {
		if err != nil {
			break
		}
		if there := f.findOurs(d)[i]; there.hasMatcher(e) { // the hook alone
			d, err = d.replace(there.handler, f.handler(e))
		} else {
			d, err = d.replace(there.group, f.group(e))
		}
	}
	for _, i := range slices.Backward(remove) {
		if err == nil {
			d, err = d.remove(f.findOurs(d)[i].path)
		}
	}
	for _, e := range d.sortExistingFirst(add) {
		if err == nil {
			d, err = d.add(f.group(e), "hooks", e.Event)
		}
	}
	return d.bytes(), err
}

// uninstall returns src without our entries, our status line and our launcher. No bytes left
// means that install made the file, and that it is to be removed. Ours are found wherever
// they stand, in a second hooks object too.
func (f Format) uninstall(src []byte) ([]byte, error) {
	d, err := parse(src)
	for p := f.findLast(d); err == nil && p != nil; p = f.findLast(d) {
		d, err = d.remove(p)
	}
	if err != nil {
		return nil, err
	}
	return d.bytes(), nil
}

// findLast is where the last thing of ours stands; nil if there is none.
func (f Format) findLast(d document) []place {
	if found := f.findOurs(d); len(found) > 0 {
		return found[len(found)-1].path
	}
	if p := d.findStatusLine(); p != nil {
		return p
	}
	return d.findPrefix()
}

func (f Format) group(e Entry) object {
	var g object
	if e.Matcher != "" {
		g = append(g, member{"matcher", e.Matcher})
	}
	return append(g, member{"hooks", list{f.handler(e)}})
}

func (f Format) handler(e Entry) object {
	h := object{{"type", "command"}, {"command", e.Command}}
	switch {
	case f.Shell:
		h[1].value = e.Line()
	case e.Args != nil:
		h = append(h, member{"args", words(e.Args)})
	}
	if f.Millis {
		e.Timeout *= 1000
	}
	if e.Timeout > 0 {
		h = append(h, member{"timeout", e.Timeout})
	}
	if e.OnFailureBlock {
		h = append(h, member{"onFailure", "block"})
	}
	return h
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
	slices.SortStableFunc(entries, func(a, b Entry) int { return place(a) - place(b) })
	return entries
}
