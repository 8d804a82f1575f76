package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// Blocks says why our hooks would not run if src were the settings: "" if they
// would. want is what Install was last given for this file; nil means that we are
// not registered in it, and then only disableAllHooks matters, which counts for
// the hooks of every file.
//
// A timeout or onFailure other than wanted does not count, as the hook runs: a
// newer binary may want others than the one that installed. A file that the
// clients do not read has no effect of its own, but nothing of ours in it runs.
// They read strict JSON only (2.1.197 and 2.1.329, tried): one comment or trailing
// comma, and the file is ignored whole.
func Blocks(src []byte, want []Entry) (reason string) {
	d, err := parse(src)
	if err == nil {
		err = d.strict()
	}
	if err != nil && len(want) == 0 {
		return ""
	}
	if err != nil {
		return "the client ignores the file: " + err.Error()
	}
	if off := value(d.root, "disableAllHooks"); off != nil && off.Value.Kind() == 't' {
		return "disableAllHooks is true"
	}
	if len(want) == 0 {
		return ""
	}
	if bad := d.malformed(); bad != "" {
		return "the client ignores the file: " + bad
	}
	there := d.ours()
	for _, e := range want {
		if reason := lacks(there, e); reason != "" {
			return reason
		}
	}
	return ""
}

// strict refuses what our parser reads beyond JSON.
func (d document) strict() error {
	if d.root == nil {
		return nil
	}
	var raw json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(d.text, &raw); errors.As(err, &syntax) {
		at := min(max(int(syntax.Offset)-1, 0), len(d.text))
		return d.errorAt(at, "a comment or a comma too many")
	}
	return nil
}

// lacks says what is wrong with the entry that should be e.
func lacks(there []found, e Entry) string {
	reason := fmt.Sprintf("the entry for %s is gone", e.Event)
	for _, f := range there {
		if f.dead || f.Event != e.Event {
			continue
		}
		difference := f.differs(e)
		if difference == "" {
			return ""
		}
		reason = fmt.Sprintf("the entry for %s %s", e.Event, difference)
	}
	return reason
}

func (f found) differs(e Entry) string {
	switch {
	case f.Command != e.Command:
		return fmt.Sprintf("runs %s instead of %s", f.Command, e.Command)
	case !slices.Equal(f.Args, e.Args):
		return fmt.Sprintf("has other arguments: %q", f.Args)
	case !f.matches(e):
		return fmt.Sprintf("is only for %s", f.Matcher)
	case f.muted != "":
		return fmt.Sprintf("has %q set", f.muted)
	case f.hasty:
		return "is given less than a second"
	}
	return ""
}

// malformed says what makes a client drop the file. Where 2.1.329 drops only the
// entry (in events other than PreToolUse and PermissionRequest), 2.1.197 drops
// the file, so every event counts; a key other than hooks may break it as well,
// which is not looked at.
func (d document) malformed() string {
	if off := value(d.root, "disableAllHooks"); off != nil && off.Value.Kind() != 'f' {
		return "disableAllHooks is no boolean"
	}
	hooks := value(d.root, "hooks")
	last := counting(hooks)
	for i, event := range members(hooks) {
		if i != last[nameOf(event)] {
			continue
		}
		for g, group := range elements(&event.Value) {
			if bad := badGroup(&group); bad != "" {
				return fmt.Sprintf("hooks.%s[%d]: %s", nameOf(event), g, bad)
			}
		}
	}
	return ""
}

func badGroup(group *hujson.Value) string {
	list := value(group, "hooks")
	switch {
	case group.Value.Kind() != '{':
		return "not an object"
	case !isText(value(group, "matcher"), true):
		return "matcher is no string"
	case list == nil || list.Value.Kind() != '[':
		return "hooks is no array"
	}
	for _, hook := range elements(list) {
		if bad := badHook(&hook); bad != "" {
			return bad
		}
	}
	return ""
}

func badHook(hook *hujson.Value) string {
	kind, _ := stringIn(value(hook, "type"))
	args := value(hook, "args")
	timeout := value(hook, "timeout")
	seconds, isNumber := numberIn(timeout)
	onFailure := value(hook, "onFailure")
	mode, _ := stringIn(onFailure)
	switch {
	case !slices.Contains([]string{"command", "prompt", "agent", "http", "mcp_tool"}, kind):
		return "type is none that a hook can have"
	case kind == "command" && !isText(value(hook, "command"), false):
		return "command is no string"
	case args != nil && (args.Value.Kind() != '[' || len(texts(args)) != len(elements(args))):
		return "args is no array of strings"
	case timeout != nil && (!isNumber || !(seconds > 0)):
		return "timeout is no number above 0"
	case onFailure != nil && mode != "block" && mode != "continue":
		return "onFailure is neither block nor continue"
	}
	return ""
}

func isText(v *hujson.Value, orAbsent bool) bool {
	_, ok := stringIn(v)
	return ok || v == nil && orAbsent
}
