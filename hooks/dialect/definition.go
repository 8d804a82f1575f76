package dialect

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
)

// A Definition is what the file of an agent says. Most clients read it in Markdown, with a
// head between two lines of dashes.
type Definition struct {
	Name, Description string
	Tools             []string // all where there are none
	Without           []string
	Text              string
}

// ParseDefinition reads an agent's file in Markdown. Without a head or a name the file is
// no agent to the client either.
func ParseDefinition(body []byte) Definition {
	head, text, ok := CutHead(body)
	if !ok {
		return Definition{}
	}
	var fields struct {
		Name, Description string
		Tools             any
		Without           any `yaml:"disallowedTools"`
	}
	if yaml.Unmarshal(head, &fields) != nil { // a colon in a description, which the client accepts
		fields.Name, fields.Description = findLine(head, "name", ":"), findLine(head, "description", ":")
		fields.Tools, fields.Without = findLine(head, "tools", ":"), findLine(head, "disallowedTools", ":")
	}
	return Definition{Name: fields.Name, Description: strings.Join(strings.Fields(fields.Description), " "),
		Tools: listTools(fields.Tools), Without: listTools(fields.Without), Text: string(text)}
}

// markdown writes a definition as Copilot and Qwen Code read it, with the host's names of
// the tools. What it has no name for is left out.
func (d *Dialect) markdown(def Definition) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "---\nname: %s\ndescription: %q\n", def.Name, def.Description)
	all, tools := d.ListTools(), []string{}
	for _, name := range def.Tools {
		if i := slices.IndexFunc(all, func(t Tool) bool { return t.Canonical == name }); i >= 0 {
			tools = append(tools, all[i].Native)
		}
	}
	if len(tools) > 0 {
		fmt.Fprintf(&b, "tools: [%s]\n", strings.Join(tools, ", "))
	}
	fmt.Fprintf(&b, "---\n%s", def.Text)
	return b.Bytes()
}

// ListDefined lists the agents that are defined in a host's two folders, and in further
// files: each by the name that its file says, in YAML or TOML, else by the file's.
func ListDefined(places hooks.Places, further ...string) (names []string) {
	project := places.Project
	places.Project = ""
	pattern := places.AgentFile("*")
	for _, file := range slices.Concat(system.Glob(project, pattern), system.Glob(places.User, pattern), further) {
		body, err := os.ReadFile(file)
		if err != nil {
			continue // the client cannot read it either
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		inTOML := strings.Trim(findLine(body, "name", "="), `"'`)
		names = append(names, cmp.Or(ParseDefinition(body).Name, inTOML, name))
	}
	return names
}

// listTools reads a list of tools, or a line with commas between them. What a tool may be
// given, in parentheses, is left out.
func listTools(value any) (out []string) {
	words, _ := value.([]any)
	if line, ok := value.(string); ok {
		for _, word := range strings.Split(line, ",") {
			words = append(words, word)
		}
	}
	for _, word := range words {
		name, _, _ := strings.Cut(fmt.Sprint(word), "(")
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// findLine is the rest of the line that begins with a key and a separator.
func findLine(text []byte, key, separator string) string {
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, separator); strings.TrimRight(name, " \t") == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// CutHead parts a definition into what is between the first two lines of dashes, and the
// text below.
func CutHead(body []byte) (head, text []byte, ok bool) {
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	first, rest, _ := bytes.Cut(body, []byte("\n"))
	if string(bytes.TrimRight(first, " \t")) != "---" {
		return nil, nil, false
	}
	head, rest, ok = bytes.Cut(rest, []byte("\n---"))
	_, text, _ = bytes.Cut(rest, []byte("\n"))
	return head, text, ok
}
