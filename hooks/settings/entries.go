package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A Hook is a hook of type command that counts, ours or not.
type Hook struct {
	Entry
	Exec bool // started without a shell: it has args, even if empty (2.1.197 and 2.1.329, tried)
	// Muted is the name of a field because of which it does not always run, or is not
	// waited for.
	Muted string
	Ours  bool // Install recognizes it as ours
}

// Hooks lists the command hooks of a settings file, or of a plugin's hooks.json, in the
// order of the file. It also reads files that the clients ignore: see Ignored.
func Hooks(src []byte) ([]Hook, error) {
	d, err := parse(src)
	var out []Hook
	all, _ := Format{}.findHooks(d)
	for _, there := range all {
		if there.isCommand {
			out = append(out, there.Hook)
		}
	}
	return out, err
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
	return isProgram(e.Command) && len(e.Args) >= 3 && slices.Equal(e.Args[:3], []string{"hook", "--host", f.host()})
}

// isProgram reports whether a path is that of a pipeline.
func isProgram(path string) bool {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return name == Bare || name == Bare+".exe"
}

// A found hook is one of any type in a file.
type found struct {
	Hook
	isCommand bool
	text      string // what it runs or asks
	at, group *hujson.Value
	alone     bool   // the only hook of its group
	odd       bool   // it holds what Install does not write
	hasty     bool   // it is given less than a second
	bad       string // why the client drops the file
}

// findHooks lists the hooks that count, in the order of the file, and says what makes a client drop the
// file: "" for nothing. 2.1.329 drops only the entry in events other than PreToolUse and PermissionRequest,
// but 2.1.197 drops the file: so every event counts. A key other than hooks may break the file as well;
// those are not checked.
func (f Format) findHooks(d document) (all []found, malformed string) {
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

func (f Format) readHook(hook *hujson.Value) (out found) {
	for _, key := range []string{"command", "url", "tool", "prompt"} {
		if text, _ := stringIn(value(hook, key)); out.text == "" {
			out.text = text
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
	out.Command = command
	if out.isCommand = kind == "command" && command != ""; !out.isCommand {
		return out
	}
	out.Args, out.Exec = stringsIn(args), args != nil
	if f.Shell && !out.Exec {
		out.Command, out.Args = splitLine(command)
	}
	out.Ours = f.isOurs(out.Entry)
	if f.Millis {
		seconds /= 1000
	}
	out.Timeout, out.OnFailureBlock = int(seconds), mode == "block"
	out.hasty = timeout != nil && seconds < 1
	out.odd = timeout != nil && (!isNumber || float64(out.Timeout) != seconds || seconds <= 0) ||
		onFailure != nil && !out.OnFailureBlock
	for _, m := range countingMembers(hook) {
		name := nameOf(m)
		if slices.Contains([]string{"if", "async", "asyncRewake"}, name) && m.Value.Value.Kind() != 'f' {
			out.Muted = name
		}
		out.odd = out.odd || !slices.Contains([]string{"type", "command", "args", "timeout", "onFailure"}, name)
	}
	return out
}

// isEqual: f says what e says, in any layout.
func (f found) isEqual(e Entry) bool {
	return f.Event == e.Event && f.Command == e.Command && slices.Equal(f.Args, e.Args) &&
		f.Timeout == e.Timeout && f.OnFailureBlock == e.OnFailureBlock && !f.odd && f.isForAll()
}

// canBecome: f can be rewritten as e where it stands, without touching a hook of the user's, who may have
// put one into our group.
func (f found) canBecome(e Entry) bool { return f.Event == e.Event && (f.alone || f.isForAll()) }

// isForAll: the matcher of f lets everything through.
func (f found) isForAll() bool { return slices.Contains([]string{"", "*", ".*"}, f.Matcher) }

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// quoteWord writes a word for a shell.
func quoteWord(word string) string {
	if word == "" || strings.Trim(word, alphanumeric+"_-./+:@%") != "" {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// Line is an entry as a shell reads it.
func (e Entry) Line() string {
	return strings.Join(append([]string{quoteWord(e.Command)}, e.Args...), " ")
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
