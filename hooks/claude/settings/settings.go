// Package settings registers our hooks in a Claude Code settings file, and
// takes them out again.
//
// The file is the user's: what is not ours keeps every byte, comments, trailing
// commas, line ends and odd indentation included. So nothing is ever printed
// from a decoded value; text is only cut out and put in, at places that the
// parser told.
//
// # Exactness
//
// Install followed by Uninstall gives the first bytes back, and no side file is
// needed for it: the layout of what Install writes says what Uninstall has to
// undo. A container (the array of an event, the hooks object, the file itself)
// that Install had to make holds our text in plain layout. One that stood there
// empty gets our text after a blank line, or after a space where everything is
// on one line; it stays when it is empty again. If somebody formats the file in
// between, that hint is lost: then a container of which nothing but ours is left
// goes with it, which means the same to the client, and whitespace may differ.
//
// Our group objects are ours whole: a comment written inside one goes with it,
// a hook added to one stays.
package settings

import (
	"bytes"
	"fmt"
	"slices"
)

// Entry is one hook registration of ours.
type Entry struct {
	Event   string   // the client's name of the event, e.g. PreToolUse
	Command string   // the binary; its base name is pipeline or pipeline.exe
	Args    []string // begin with hook, --host, claude
	Timeout int      // seconds; 0: the client's default
	// OnFailureBlock makes a hook that crashes or is late block the call. Older
	// clients ignore it, and newer ones heed it only where a hook can block.
	OnFailureBlock bool
	Matcher        string // which tools or agents; "" is all
}

// Install returns src with our entries as ours wants them: missing ones are
// added, others are brought up to date in place, those of events no longer
// wanted are taken out. A second call changes nothing. A src of no bytes is a
// file that does not exist.
//
// It refuses, with a *SyntaxError, what it cannot read or what would leave in
// doubt which text counts: a root or hooks that is no object, an event that is
// no array, hooks or an event written twice (the client would take the last).
//
// A file with comments or trailing commas is edited like any other, but the
// clients do not read such a file at all: ask Blocks about the result.
func Install(src []byte, ours []Entry) (out []byte, changed bool, err error) {
	for _, e := range ours {
		if e.Event == "" || !e.known() {
			return nil, false, fmt.Errorf("entry for %s: %q %q would not be known as ours", e.Event, e.Command, e.Args)
		}
	}
	d, err := parse(src)
	if err != nil {
		return nil, false, err
	}
	if err := d.refuseDoubt(); err != nil {
		return nil, false, err
	}
	out, err = install(d, ours)
	return out, !bytes.Equal(src, out), err
}

// install updates, then removes, then adds. Adding goes from front to back, so
// that Uninstall, going back, meets each line as it was when we wrote into it.
func install(d document, ours []Entry) ([]byte, error) {
	p := plan(d.ours(), ours)
	d, err := d.with(d.update(p.update))
	if err != nil {
		return nil, err
	}
	for _, i := range slices.Backward(p.remove) {
		if d, err = d.with(d.remove(d.ours()[i].path)); err != nil {
			return nil, err
		}
	}
	for _, e := range d.frontToBack(p.add) {
		if d, err = d.with(d.add(e)); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

// Uninstall returns src without our entries and without our status line. No bytes
// left means that the file was made by Install and is to be removed. Ours are found
// wherever they stand, in a second hooks object too.
func Uninstall(src []byte) (out []byte, changed bool, err error) {
	d, err := parse(src)
	if err != nil {
		return nil, false, err
	}
	for found := d.ours(); len(found) > 0; found = d.ours() {
		if d, err = d.with(d.remove(found[len(found)-1].path)); err != nil {
			return nil, false, err
		}
	}
	for i := d.ourStatusLine(); i >= 0; i = d.ourStatusLine() {
		if d, err = d.with(d.removeMember(i)); err != nil {
			return nil, false, err
		}
	}
	out = d.bytes()
	return out, !bytes.Equal(src, out), nil
}

// Find lists our entries that count, in the order of the file. Of a key that is
// written twice the last counts, as for the client.
func Find(src []byte) ([]Entry, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, f := range d.ours() {
		if !f.dead {
			entries = append(entries, f.Entry)
		}
	}
	return entries, nil
}
