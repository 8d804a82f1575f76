package config

import (
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/agent-pipeline/pipeline/fsm"
)

// checkTemplate checks a text by filling it in twice: with every capture there, and with every one empty, so that both
// branches of an `if` are seen.
func (k *checker) checkTemplate(p trail, text string) {
	if text == "" {
		return
	}
	t, err := template.New("").Option("missingkey=error").Parse(text)
	for _, content := range []string{"text", ""} {
		if err == nil {
			err = t.Execute(new(short), k.exampleData(content))
		}
	}
	if err != nil {
		k.reportTemplate(p, err)
	}
}

func (k *checker) exampleData(content string) fsm.TemplateData {
	told := fsm.TemplateData{State: "STATE", Agent: "agent", Session: "session", Scratch: "/tmp/scratch", Left: "what is left", Context: map[string]string{}, Earlier: map[string]*fsm.Earlier{}}
	for _, name := range k.captureNames() {
		told.Context[name] = content
		if told.Earlier[name] = nil; content != "" {
			told.Earlier[name] = &fsm.Earlier{Text: content, When: content, Changed: content}
		}
	}
	return told
}

// short is where an example goes: it takes no more than a text may have.
type short int

func (s *short) Write(b []byte) (int, error) {
	if *s += short(len(b)); *s > maxSource {
		return 0, errors.New("the text grows beyond all bounds")
	}
	return len(b), nil
}

// reportTemplate puts the engine's error, "template: :2:7: executing …: map has no entry for key", into our words, at
// the line of the file where that can be told.
func (k *checker) reportTemplate(p trail, err error) {
	text := strings.TrimPrefix(err.Error(), "template: :")
	n := 1
	if number, rest, ok := strings.Cut(text, ":"); ok {
		if _, scanErr := fmt.Sscan(number, &n); scanErr == nil {
			text = strings.TrimLeft(rest, "0123456789: ")
		}
	}
	message := "found a template that cannot be read: " + text
	hint := "the fields are .State, .Agent, .Session, .Scratch, .Context.NAME and .Earlier.NAME (.Text, .When, .Changed)"
	if _, name, ok := strings.Cut(text, "map has no entry for key "); ok {
		name = strings.Trim(name, `"`)
		message = fmt.Sprintf("found capture %s, expected one that a state captures", quoteShort(name))
		hint = hintCapture(name, k.captureNames())
	} else if _, rest, ok := strings.Cut(text, `executing "" at `); ok {
		message = "found a template that cannot be filled in: " + strings.TrimSuffix(rest, " in type fsm.TemplateData")
	}
	k.reportLine(p, n, message, hint)
}

// reportLine reports about the nth line of a text, which is a line of the file if the text is a block.
func (k *checker) reportLine(p trail, n int, message, hint string) {
	at := k.origins.at[p]
	if !at.block || at.value.line+n > len(at.lines) {
		k.report(p, message, hint)
		return
	}
	if k.origins.bad[p.section()] {
		return
	}
	line := at.value.line + n
	k.problems = append(k.problems, at.problemAt(spot{line, indentOf(at.lines[line-1]) + 1}, message, hint))
}
