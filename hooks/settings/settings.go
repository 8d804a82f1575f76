// Package settings registers our hooks in the settings file of a host that keeps them as
// Claude Code does, and takes them out again.
//
// The file is the user's: what is not ours keeps every byte, comments, trailing commas,
// line ends and odd indentation included. Install adds to the parsed file, and no value of
// theirs is printed again.
//
// What a file was before is kept beside our state: see File. Without that, or where somebody
// has changed the file since, uninstall takes out what is ours, and each container that then
// holds nothing.
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

// Edit returns src with exactly the wanted entries of ours, without any of them uninstalled.
func (f Format) Edit(src []byte, want []Entry) (out []byte, changed bool, err error) {
	if len(want) == 0 {
		out, err = f.uninstall(src, nil)
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
	d, err := parse(src, "hooks")
	hooks := value(d.root, "hooks")
	if err == nil { // in none of these it is in doubt what counts
		err = cmp.Or(d.checkKind("hooks", hooks, '{'), d.checkUnique(hooks))
	}
	for _, m := range members(hooks) {
		if err == nil {
			err = d.checkKind("hooks."+nameOf(m), &m.Value, '[')
		}
	}
	if err != nil {
		return nil, err
	}
	there, _ := f.findHooks(d)
	missing, stays := slices.Clone(ours), map[hujson.ValueTrimmed]bool{}
	// Each wanted entry takes one that is right already if there is any, else one that can be rewritten.
	for _, fits := range []func(Hook, Entry) bool{Hook.isEqual, Hook.canBecome} {
		missing = slices.DeleteFunc(missing, func(e Entry) bool {
			i := slices.IndexFunc(there, func(t Hook) bool { return t.Ours && !stays[t.at.Value] && fits(t, e) })
			if i < 0 {
				return false
			}
			found := there[i]
			if !found.isForAll() {
				prune(found.group, func(name string, _ *hujson.Value) bool { return name == "matcher" })
			}
			if !found.isEqual(e) {
				d.replace(found.at, f.handler(e))
			}
			stays[found.at.Value] = true
			return true
		})
	}
	prune(d.root, func(name string, v *hujson.Value) bool { return name == "hooks" && f.pruneHooks(v, stays) })
	for _, e := range missing {
		if err := d.append(map[string][]handler{"hooks": {f.handler(e)}}, "hooks", e.Event); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

// uninstall returns src without our entries, our status line and our launcher, without what else
// isOurs selects at the top, and without what then holds nothing; no bytes where that is the whole
// file. Ours are found wherever they stand, in a second hooks object too.
func (f Format) uninstall(src []byte, isOurs func(name string, v *hujson.Value) bool) ([]byte, error) {
	d, err := parse(src)
	if err != nil {
		return nil, err
	}
	isEmpty := prune(d.root, func(name string, v *hujson.Value) bool {
		switch name {
		case "hooks":
			return f.pruneHooks(v, nil)
		case statusKey:
			text, _ := stringIn(statusCommand(v))
			return isOurStatus(text)
		case environmentKey:
			return prune(v, func(name string, v *hujson.Value) bool {
				text, _ := stringIn(v)
				return name == prefixKey && isOurLauncher(text)
			})
		}
		return isOurs != nil && isOurs(name, v)
	})
	if isEmpty && lastComment(d.root.BeforeExtra) == 0 && lastComment(d.root.AfterExtra) == 0 {
		return nil, nil
	}
	return d.bytes(), nil
}

// pruneHooks takes our entries out of the hooks of a file, but for those that stay. A group goes with
// its last hook. It reports whether nothing is left.
func (f Format) pruneHooks(hooks *hujson.Value, stays map[hujson.ValueTrimmed]bool) bool {
	isOurs := func(_ string, hook *hujson.Value) bool { return f.readHook(hook).Ours && !stays[hook.Value] }
	return prune(hooks, func(_ string, event *hujson.Value) bool {
		return prune(event, func(_ string, group *hujson.Value) bool {
			isEmpty := false
			for _, m := range members(group) {
				isEmpty = nameOf(m) == "hooks" && prune(&m.Value, isOurs) || isEmpty
			}
			return isEmpty
		})
	})
}

// A handler is a hook as the file has it.
type handler struct {
	Type      string   `json:"type"`
	Command   string   `json:"command"`
	Args      []string `json:"args,omitempty"`
	Timeout   int      `json:"timeout,omitempty"`
	OnFailure string   `json:"onFailure,omitempty"`
}

func (f Format) handler(e Entry) handler {
	h := handler{Type: "command", Command: e.Command, Args: e.Args, Timeout: e.Timeout}
	if f.Shell {
		h.Command, h.Args = e.Line(), nil
	}
	if f.Millis {
		h.Timeout *= 1000
	}
	if e.OnFailureBlock {
		h.OnFailure = "block"
	}
	return h
}
