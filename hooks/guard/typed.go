package guard

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// RuleOrder marks the answer to a typed command: its prompt goes no further.
const RuleOrder = "order"

// A TypedCommand is one that a person can type into the client as a prompt: /pipeline
// WORD …
type TypedCommand struct {
	Word  string
	Usage string // what help shows behind /pipeline; empty leaves the word out
	Help  string
	reads func(args []string) bool // the forms that change nothing
}

// TypedCommands is the one list of them.
func TypedCommands() []TypedCommand {
	always := func([]string) bool { return true }
	never := func([]string) bool { return false }
	return []TypedCommand{
		{"status", "status", "show the session's state", always},
		{"reset", "reset REASON", "back to the initial state", never},
		{"to", "to STATE REASON", "to a state, keeping the captured context", never},
		{"approve", "approve [HASH]", "agree to the result that waits for you", never},
		{"reject", "reject REASON", "send it back, with the reason", never},
		{"once", "once [REASON]", "guidance for the next turn: for a quick fix", never},
		{"bypass", "bypass 30m REASON", "suspend the pipeline for this session; bypass off; bypass status",
			func(args []string) bool { return len(args) == 1 && args[0] == "status" }},
		{"mode", "mode LEVEL [REASON]", "strict, ask, guidance, observe or off, for this session; mode clear",
			func(args []string) bool { return len(args) == 0 }},
		{"help", "", "", always},
	}
}

// FindTyped returns the command of that name.
func FindTyped(word string) (TypedCommand, bool) {
	for _, c := range TypedCommands() {
		if c.Word == word {
			return c, true
		}
	}
	return TypedCommand{}, false
}

// OnlyReads reports whether a typed command changes nothing: then anyone may give it.
// One that does not exist is answered with the list.
func OnlyReads(words []string) bool {
	c, ok := FindTyped(words[0])
	return !ok || c.reads(words[1:])
}

// TypedHelp lists the commands for a person.
func TypedHelp() string {
	var b strings.Builder
	b.WriteString("commands that you can type here:")
	for _, c := range TypedCommands() {
		if c.Usage != "" {
			fmt.Fprintf(&b, "\n  /pipeline %-24s%s", c.Usage, c.Help)
		}
	}
	return b.String()
}

// ParseTyped reads a prompt that is a command to us: "/pipeline bypass 30m reason",
// also with our own plugin's prefix. A command of the same name by others may be one
// that a model can call. Without a word it asks for the status.
func ParseTyped(prompt string) (words []string, ok bool) {
	words = strings.Fields(prompt)
	if len(words) == 0 || words[0] != "/pipeline" && words[0] != "/pipeline:pipeline" {
		return nil, false
	}
	if words = words[1:]; len(words) == 0 {
		words = []string{"status"}
	}
	return words, true
}

// carriesCommand reports whether a text has a typed command in it: given to an agent as a
// prompt, it would run.
func carriesCommand(text string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], "pipeline")
		if i < 0 {
			return false
		}
		before := text[:at+i]
		at += i + len("pipeline")
		after := strings.TrimLeftFunc(text[at:], unicode.IsSpace)
		isWord := func(c TypedCommand) bool { return strings.HasPrefix(after, c.Word) }
		if endsInSlash(before) && len(after) < len(text)-at && slices.ContainsFunc(TypedCommands(), isWord) {
			return true
		}
	}
}

// endsInSlash reports whether a text ends in the slash of a command, or in a plugin's
// name behind one.
func endsInSlash(before string) bool {
	if strings.HasSuffix(before, "/") {
		return endsWord(before[:len(before)-1])
	}
	plugin, ok := strings.CutSuffix(before, ":")
	if !ok {
		return false
	}
	i := strings.LastIndexByte(plugin, '/')
	return i >= 0 && !strings.ContainsAny(plugin[i:], " \t\n") && endsWord(plugin[:i])
}

// endsWord reports whether a word may begin after this: in a path such as /usr/pipeline
// none does.
func endsWord(before string) bool {
	return before == "" || strings.ContainsAny(before[len(before)-1:], " \t\r\n'\"`;(=,")
}

// personsCommands is the reason why an agent's attempt to type a command is refused.
const personsCommands = "what the pipeline enforces (its commands are typed by a person)"
