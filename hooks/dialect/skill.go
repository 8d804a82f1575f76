package dialect

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pipeline/pipeline/fsm"
)

// DefineSkill writes a skill, or a command that the user types, as the host reads it. Where a
// project has no commands for the host, a command is a skill: the user calls it all the same.
func (a Adapter) DefineSkill(name string, source []byte, isCommand bool) (file string, text []byte) {
	d, places := a.Dialect, a.Places()
	file, task := places.SkillFile(places.Project, name), "(the user's message has it)"
	if isCommand && places.Commands != "" {
		file, task = places.CommandFile(places.Project, name), d.Arguments
	}
	var fields struct {
		Description string
		Hint        string `yaml:"argument-hint"`
		Typed       bool   `yaml:"disable-model-invocation"`
		Context     string
		Agent       string
	}
	head, body, _ := CutHead(source)
	_ = yaml.Unmarshal(head, &fields) // a test reads each of those that are shipped
	var b bytes.Buffer
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %q\n", name, fields.Description)
	if fields.Hint != "" {
		fmt.Fprintf(&b, "argument-hint: %q\n", fields.Hint)
	}
	if fields.Typed {
		b.WriteString("disable-model-invocation: true\n")
	}
	b.WriteString("---\n")
	if fields.Context == "fork" { // which is Claude Code's alone
		fmt.Fprintf(&b, "Do not do this yourself. Start the agent %s for it (%s, %s), with all of the text\n"+
			"below and the user's message. Its final message is the result.\n\n",
			fields.Agent, d.Starter.Tool, d.Starter.Agent)
	}
	b.WriteString(d.words().Translate(strings.ReplaceAll(string(body), "$ARGUMENTS", task)))
	return file, b.Bytes()
}

// words are what the host's model calls its tools.
func (d *Dialect) words() (out fsm.Words) {
	for _, t := range d.ListTools() {
		out = append(out, fsm.Word{Tool: t.Canonical, Said: t.Said})
	}
	return out
}

// findTyped is the skill or command that a prompt names first, "" for none. Whether there is
// such a one the policy knows: it has names of its own.
func (d *Dialect) findTyped(prompt string) string {
	for word := range strings.FieldsSeq(prompt) {
		name, ok := strings.CutPrefix(word, d.Folders.Typed(""))
		isOther := func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
		if ok && name != "" && !strings.ContainsFunc(name, isOther) {
			return name
		}
	}
	return ""
}
