package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/agent-pipeline/pipeline/fsm"
)

// checkTemplate renders a text twice: with every capture filled in, and with every one
// empty, so that both branches of an `if` are seen.
func (k *checker) checkTemplate(p trail, text string) {
	t, err := template.New("").Option("missingkey=error").Parse(text)
	for _, content := range []string{"text", ""} {
		if err == nil {
			err = t.Execute(new(shortText), k.exampleData(content))
		}
	}
	if err != nil {
		k.reportTemplate(p, err)
	}
}

func (k *checker) exampleData(content string) fsm.TemplateData {
	data := fsm.TemplateData{
		State: "STATE", Agent: "agent", Session: "session", Scratch: "/tmp/scratch", Left: "what is left",
		Context: map[string]string{}, Earlier: map[string]*fsm.Earlier{}, Groups: map[string]string{},
	}
	for name := range k.Groups {
		data.Groups[name] = content
	}
	for _, name := range k.captureNames() {
		data.Context[name] = content
		if data.Earlier[name] = nil; content != "" {
			data.Earlier[name] = &fsm.Earlier{Text: content, When: content, Changed: content}
		}
	}
	return data
}

// shortText is where an example goes: it takes no more than a text may have.
type shortText int

func (s *shortText) Write(b []byte) (int, error) {
	if *s += shortText(len(b)); *s > maxSource {
		return 0, errors.New("the text is too long")
	}
	return len(b), nil
}

// reportTemplate explains the engine's error, such as "template: :2:7: executing …: map
// has no entry for key", at the line of the file where the text is a block.
func (k *checker) reportTemplate(p trail, err error) {
	text := strings.TrimPrefix(err.Error(), "template: :")
	n := 1
	if number, rest, ok := strings.Cut(text, ":"); ok {
		if _, scanErr := fmt.Sscan(number, &n); scanErr == nil {
			text = strings.TrimLeft(rest, "0123456789: ")
		}
	}
	message := "found an invalid template: " + text
	hint := "the fields are .State, .Agent, .Session, .Scratch, .Groups.NAME, .Context.NAME and .Earlier.NAME " +
		"(.Text, .When, .Changed)"
	if _, name, ok := strings.Cut(text, "map has no entry for key "); ok {
		name = strings.Trim(name, `"`)
		want := k.checkCaptured
		if strings.Contains(text, "<.Groups.") {
			want = wantOneOf(slices.Sorted(maps.Keys(k.Groups)), "the name of a group", "groups")
		}
		message, hint = want(name)
	} else if _, rest, ok := strings.Cut(text, `executing "" at `); ok {
		message = "found a template that cannot be rendered: " + strings.TrimSuffix(rest, " in type fsm.TemplateData")
	}
	at := k.origins.at[p]
	if line := at.value.at.line + n; at.block && line <= len(at.lines) {
		k.add(p, at.problemAt(spot{line, indentOf(at.lines[line-1]) + 1}, message, hint))
		return
	}
	k.report(p, message, hint)
}
