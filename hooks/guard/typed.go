package guard

import (
	"fmt"
	"slices"
	"strings"
)

// RuleOrder marks the answer to a typed command: its prompt goes no further.
const RuleOrder = "order"

// A TypedCommand is one that a person can type into the client as a prompt: /pipeline
// WORD …
type TypedCommand struct {
	Word  string
	Usage string // what help shows behind /pipeline; empty leaves the word out
	Help  string
}

// TypedCommands is the one list of them.
func TypedCommands() []TypedCommand {
	return []TypedCommand{
		{"status", "status", "show the session's state"},
		{"reset", "reset REASON", "back to the initial state"},
		{"to", "to STATE REASON", "to a state, keeping the captured context"},
		{"approve", "approve [HASH]", "agree to the result that waits for you"},
		{"reject", "reject REASON", "send it back, with the reason"},
		{"once", "once [REASON]", "guidance for the next turn: for a quick fix"},
		{"bypass", "bypass 30m REASON", "suspend the pipeline for this session; bypass off; bypass status"},
		{"mode", "mode LEVEL [REASON]", "strict, ask, guidance, observe or off, for this session; mode clear"},
		{"help", "", ""},
	}
}

// IsTyped reports whether there is a command of that name.
func IsTyped(word string) bool {
	return slices.ContainsFunc(TypedCommands(), func(c TypedCommand) bool { return c.Word == word })
}

// OnlyReads reports whether a typed command changes nothing: then anyone may give it.
// One that does not exist is answered with the list.
func OnlyReads(words []string) bool {
	switch words[0] {
	case "status", "help":
		return true
	case "bypass":
		return slices.Equal(words[1:], []string{"status"})
	case "mode":
		return len(words) == 1
	}
	return !IsTyped(words[0])
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

// carriesCommand reports whether a text has a typed command in it, also with a plugin's name before it: given to an
// agent as a prompt, it would run. In a path such as /usr/pipeline no command begins.
func carriesCommand(text string) bool {
	words := strings.Fields(text)
	for i, w := range words[:max(1, len(words))-1] {
		slash := strings.LastIndexByte(w, '/')
		begins := slash == 0 || slash > 0 && strings.IndexByte("'\"`;(=,", w[slash-1]) >= 0
		isWord := func(c TypedCommand) bool { return strings.HasPrefix(words[i+1], c.Word) }
		if begins && (w[slash+1:] == "pipeline" || strings.HasSuffix(w, ":pipeline")) &&
			slices.ContainsFunc(TypedCommands(), isWord) {
			return true
		}
	}
	return false
}

// personsCommands is the reason why an agent's attempt to type a command is refused.
const personsCommands = "what the pipeline enforces (its commands are typed by a person)"
