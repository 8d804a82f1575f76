package settings

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A Hook is a hook that counts, ours or not. One of another type than command has no Command.
type Hook struct {
	Entry
	Text string // what it runs or asks
	Exec bool   // started without a shell: it has args, even if empty (2.1.197 and 2.1.329, tried)
	// Muted is the name of a field because of which it does not always run, or is not
	// waited for.
	Muted string
	Ours  bool // Install recognizes it as ours

	at, group *hujson.Value
	alone     bool   // the only hook of its group
	odd       bool   // it holds what Install does not write
	hasty     bool   // it is given less than a second
	bad       string // why the client drops the file
}

// Hooks lists the hooks of a settings file, or of a plugin's hooks.json, in the order of the file. It also
// reads files that the clients ignore: see Ignored.
func Hooks(src []byte) ([]Hook, error) {
	d, err := parse(src)
	all, _ := Format{}.findHooks(d)
	return all, err
}

// Keys lists the keys at the top of a settings file.
func Keys(src []byte) (names []string, err error) {
	d, err := parse(src)
	for _, m := range members(d.root) {
		names = append(names, nameOf(m))
	}
	return names, err
}

// Environment is what a settings file adds to the environment of the client, and so of
// every hook (2.1.197 and 2.1.329, tried).
func Environment(src []byte) (map[string]string, error) {
	d, err := parse(src)
	out := map[string]string{}
	for _, m := range countingMembers(value(d.root, "env")) {
		if text, ok := stringIn(&m.Value); ok {
			out[nameOf(m)] = text
		}
	}
	return out, err
}

// Enabled lists which plugins a settings file switches on or off, by name@marketplace.
func Enabled(src []byte) (map[string]bool, error) {
	d, err := parse(src)
	out := map[string]bool{}
	for _, m := range countingMembers(value(d.root, "enabledPlugins")) {
		out[nameOf(m)] = kindOf(&m.Value) == 't'
	}
	return out, err
}

// Bare is the name by which a file that teammates share names us.
const Bare = "pipeline"

// sharedCall begins, in such a file, the shell line of a hook.
const sharedCall = "exec " + Bare + " hook --host claude "

// Shared is the entry of a file that teammates share. One who has no pipeline reads the
// note, if the event has one; their client reports no error at each call. An entry that
// blocks on failure stays as it is: without pipeline it blocks.
func (e Entry) Shared(note string) Entry {
	if e.OnFailureBlock || len(e.Args) != 4 {
		return e
	}
	absent := "exit 0"
	if note != "" {
		absent = "{ echo '{\"systemMessage\":\"" + note + "\"}'; exit 0; }"
	}
	e.Command, e.Args = "command -v "+Bare+" >/dev/null || "+absent+"; "+sharedCall+e.Args[3], nil
	return e
}

// Program is what the hook starts, where that is known without a shell: "" if not.
func (h Hook) Program() string {
	if h.Exec {
		return h.Command
	}
	if h.Ours {
		return Bare
	}
	words := strings.Fields(h.Command)
	if len(words) == 0 || strings.ContainsAny(words[0], "\"'$`\\=;|&<>(){}*?~") {
		return ""
	}
	return words[0]
}

// isOurs: the name of the command and the first three arguments make an entry ours,
// wherever it stands and whatever else it says; so does a line of Shared.
func (f Format) isOurs(e Entry) bool {
	if e.Args == nil {
		_, event, ok := strings.Cut(e.Command, "; "+sharedCall)
		return ok && strings.HasPrefix(e.Command, "command -v ") && !strings.ContainsAny(event, " ;|&<>")
	}
	return isProgram(e.Command) && len(e.Args) >= 3 &&
		slices.Equal(e.Args[:3], []string{"hook", "--host", cmp.Or(f.Host, "claude")})
}

// isProgram reports whether a path is that of a pipeline.
func isProgram(path string) bool {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return name == Bare || name == Bare+".exe"
}

// findHooks lists the hooks that count, in the order of the file, and says what makes a client drop the
// file: "" for nothing. 2.1.329 drops only the entry in events other than PreToolUse and PermissionRequest,
// but 2.1.197 drops the file: so every event counts. A key other than hooks may break the file as well;
// those are not checked.
func (f Format) findHooks(d document) (all []Hook, malformed string) {
	if off := kindOf(value(d.root, "disableAllHooks")); off != 0 && off != 'f' && off != 't' {
		malformed = "disableAllHooks is not a boolean"
	}
	for _, event := range countingMembers(value(d.root, "hooks")) {
		for g, group := range elements(&event.Value) {
			list, matcher := value(&group, "hooks"), value(&group, "matcher")
			text, isText := stringIn(matcher)
			bad := ""
			switch {
			case kindOf(&group) != '{':
				bad = "not an object"
			case matcher != nil && !isText:
				bad, text = "matcher is not a string", "what is no string" // which the client never takes for "all"
			case kindOf(list) != '[':
				bad = "hooks is not an array"
			}
			hooks := elements(list)
			for i := range hooks {
				there := f.readHook(&hooks[i])
				there.Event, there.Matcher = nameOf(event), text
				there.at, there.group, there.alone = &hooks[i], &group, len(hooks) == 1
				all, bad = append(all, there), cmp.Or(bad, there.bad)
			}
			if bad != "" && malformed == "" {
				malformed = fmt.Sprintf("hooks.%s[%d]: %s", nameOf(event), g, bad)
			}
		}
	}
	return all, malformed
}

func (f Format) readHook(hook *hujson.Value) (out Hook) {
	for _, key := range []string{"command", "url", "tool", "prompt"} {
		if text, _ := stringIn(value(hook, key)); out.Text == "" {
			out.Text = text
		}
	}
	kind, _ := stringIn(value(hook, "type"))
	command, hasCommand := stringIn(value(hook, "command"))
	args, timeout, onFailure := value(hook, "args"), value(hook, "timeout"), value(hook, "onFailure")
	seconds, isNumber := numberIn(timeout)
	mode, _ := stringIn(onFailure)
	switch {
	case !slices.Contains([]string{"command", "prompt", "agent", "http", "mcp_tool"}, kind):
		out.bad = "type is not one that a hook can have"
	case kind == "command" && !hasCommand:
		out.bad = "command is not a string"
	case args != nil && (kindOf(args) != '[' || len(stringsIn(args)) != len(elements(args))):
		out.bad = "args is not an array of strings"
	case timeout != nil && (!isNumber || !(seconds > 0)):
		out.bad = "timeout is not a number above 0"
	case onFailure != nil && mode != "block" && mode != "continue":
		out.bad = "onFailure is neither block nor continue"
	}
	if kind != "command" || command == "" {
		return out
	}
	out.Command, out.Args, out.Exec = command, stringsIn(args), args != nil
	if f.Shell && !out.Exec {
		out.Command, out.Args = splitLine(command)
	}
	out.Ours = f.isOurs(out.Entry)
	if f.Millis {
		seconds /= 1000
	}
	out.Timeout, out.OnFailureBlock = int(seconds), mode == "block"
	out.hasty = timeout != nil && seconds < 1
	out.odd = out.bad != "" || float64(out.Timeout) != seconds || mode == "continue"
	for _, m := range countingMembers(hook) {
		name := nameOf(m)
		if slices.Contains([]string{"if", "async", "asyncRewake"}, name) && m.Value.Value.Kind() != 'f' {
			out.Muted = name
		}
		out.odd = out.odd || !slices.Contains([]string{"type", "command", "args", "timeout", "onFailure"}, name)
	}
	return out
}

// isEqual: h says what e says, in any layout.
func (h Hook) isEqual(e Entry) bool {
	return h.Event == e.Event && h.Command == e.Command && slices.Equal(h.Args, e.Args) &&
		h.Timeout == e.Timeout && h.OnFailureBlock == e.OnFailureBlock && !h.odd && h.isForAll()
}

// canBecome: h can be rewritten as e where it stands, without touching a hook of the user's, who may have
// put one into our group.
func (h Hook) canBecome(e Entry) bool { return h.Event == e.Event && (h.alone || h.isForAll()) }

// isForAll: the matcher of h lets everything through.
func (h Hook) isForAll() bool { return slices.Contains([]string{"", "*", ".*"}, h.Matcher) }

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// QuoteWord writes a word for a shell.
func QuoteWord(word string) string {
	if word == "" || strings.Trim(word, alphanumeric+"_-./+:@%") != "" {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// Line is an entry as a shell reads it.
func (e Entry) Line() string {
	return strings.Join(append([]string{QuoteWord(e.Command)}, e.Args...), " ")
}

// splitLine reads what Line writes. Of another line the program may be cut short.
func splitLine(line string) (program string, args []string) {
	program, rest, _ := strings.Cut(line, " ")
	if strings.HasPrefix(line, "'") {
		const quoted = "\x00"
		program, rest, _ = strings.Cut(strings.ReplaceAll(line[1:], `'\''`, quoted), "'")
		program, rest = strings.ReplaceAll(program, quoted, "'"), strings.ReplaceAll(rest, quoted, `'\''`)
	}
	return program, strings.Fields(rest)
}

// Blocks says why our hooks would not run if src were the settings: "" if they would. want
// is what Install was last given for this file. nil means that we are not registered in
// it: then only disableAllHooks matters, which counts for the hooks of every file.
//
// A timeout or onFailure other than wanted does not count, since the hook runs: a newer
// binary may want others than the one that installed. Claude Code reads strict JSON only
// (2.1.197 and 2.1.329, tried): one comment or trailing comma, and it ignores the file.
// Then nothing of ours in it runs.
func (f Format) Blocks(src []byte, want []Entry) (reason string) {
	d, err := parseStrict(src, f.Comments)
	switch {
	case err == nil && d.isTrue("disableAllHooks"):
		return "disableAllHooks is true"
	case len(want) == 0:
		return ""
	case err != nil:
		return "the client ignores the file: " + err.Error()
	}
	there, malformed := f.findHooks(d)
	if malformed != "" {
		return "the client ignores the file: " + malformed
	}
	for _, e := range want {
		if reason := describeMissing(there, e); reason != "" {
			return reason
		}
	}
	return ""
}

// Ignored says why the clients do not read a settings file at all; "" if they do.
func Ignored(src []byte) string {
	d, err := parseStrict(src, false)
	if err != nil {
		return err.Error()
	}
	_, malformed := Format{}.findHooks(d)
	return malformed
}

// parseStrict refuses what our parser reads beyond JSON, but for comments where the client reads them too.
func parseStrict(src []byte, comments bool) (document, error) {
	d, err := parse(src)
	if d.root == nil || err != nil {
		return d, err
	}
	strict, err := hujson.Standardize(bytes.Clone(d.text)) // it writes over what it is given
	for i := 0; err == nil && i < len(strict); i++ {
		if strict[i] == d.text[i] {
			continue
		}
		n := commentAt(d.text[i:])
		if n == 0 || !comments {
			err = d.errorAt(i, "a comment or a comma too many")
		}
		i += n - 1
	}
	return d, err
}

// describeMissing says what is wrong with the entry that should be e.
func describeMissing(there []Hook, e Entry) string {
	reason := fmt.Sprintf("the entry for %s is gone", e.Event)
	for _, f := range there {
		if !f.Ours || f.Event != e.Event {
			continue
		}
		difference := ""
		switch {
		case f.Command != e.Command:
			difference = fmt.Sprintf("runs %s instead of %s", f.Command, e.Command)
		case !slices.Equal(f.Args, e.Args):
			difference = fmt.Sprintf("has other arguments: %q", f.Args)
		case !f.isForAll():
			difference = fmt.Sprintf("is only for %s", f.Matcher)
		case f.Muted != "":
			difference = fmt.Sprintf("has %q set", f.Muted)
		case f.hasty:
			difference = "is given less than a second"
		default:
			return ""
		}
		reason = fmt.Sprintf("the entry for %s %s", e.Event, difference)
	}
	return reason
}

// Matches reports whether a matcher lets a tool through, as the clients apply it (2.1.197
// and 2.1.329, tried): a list of names where it has only letters, digits, blanks and any
// of _-|, else a JavaScript expression that may match anywhere. Case counts. Task is Agent
// too. An expression that only JavaScript has leaves the answer uncertain.
func Matches(matcher, tool string) (yes, certain bool) {
	names := []string{tool}
	if tool == "Agent" {
		names = append(names, "Task")
	}
	switch {
	case matcher == "" || matcher == "*":
		return true, true
	case strings.Trim(matcher, alphanumeric+"_-|, ") == "":
		for _, m := range strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' }) {
			yes = yes || slices.Contains(names, strings.TrimSpace(m))
		}
		return yes, true
	}
	re, err := regexp.Compile(matcher)
	if err != nil {
		return false, !strings.Contains(matcher, "(?") && !strings.Contains(matcher, `\`)
	}
	return slices.ContainsFunc(names, re.MatchString), true
}
