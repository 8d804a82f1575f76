package dialect

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// An Object is what a tool was given or has answered. As for the client, a key counts only in
// its exact spelling, and of two that are equal the last counts.
type Object map[string]gjson.Result

// ObjectOf has no members where the JSON is no object.
func ObjectOf(v gjson.Result) Object {
	if !v.IsObject() {
		return nil
	}
	o := Object{}
	v.ForEach(func(k, v gjson.Result) bool { o[k.Str] = v; return true })
	return o
}

// Text is the first of the keys that holds a string. A tool of others may give any type to
// a key that we know.
func (o Object) Text(keys ...string) string {
	for _, k := range keys {
		if text := o[k].Str; text != "" {
			return text
		}
	}
	return ""
}

// HasKey reports whether a key is there and not null.
func (o Object) HasKey(key string) bool {
	v, ok := o[key]
	return ok && v.Type != gjson.Null
}

// CompleteTool says what a tool's input leaves open: whether it runs a command that is not there, and that a tool for
// a file may be about any where none is named.
func (p *Payload) CompleteTool(t *fsm.Tool, in Object) {
	command, ok := in["command"]
	t.Opaque = p.ToolName == Unknown || ok && command.Type != gjson.String ||
		!ok && (t.Name == "Bash" || t.Name == "Monitor")
	if len(t.Paths)+len(t.Files) == 0 && (fsm.ChangesFiles(t.Name) || t.Name == "Read") {
		t.Files = []fsm.FileUse{{Tool: t.Name, Path: shell.Unknown}}
	}
}

// ListTexts lists the texts in a value, each with the names that lead to it. The elements
// of a list have the list's name, and so has a key that may be a path.
func ListTexts(v gjson.Result) []fsm.Arg { return listTexts(nil, "", v, 0) }

func listTexts(out []fsm.Arg, name string, v gjson.Result, depth int) []fsm.Arg {
	if v.Type == gjson.String {
		return append(out, fsm.Arg{Name: name, Text: v.Str})
	}
	if !v.IsObject() && !v.IsArray() {
		return out
	}
	if depth > 100 {
		return append(out, fsm.Arg{Name: name, Text: v.Raw})
	}
	isObject := v.IsObject()
	v.ForEach(func(key, v gjson.Result) bool {
		below := name
		if isObject {
			if strings.ContainsAny(key.Str, "/.") {
				out = append(out, fsm.Arg{Name: name, Text: key.Str})
			}
			below = strings.TrimPrefix(name+"."+key.Str, ".")
		}
		out = listTexts(out, below, v, depth+1)
		return true
	})
	return out
}

// Input is what the tool was given, as far as a rule can ask for it: no structures.
func (p *Payload) Input() map[string]string {
	out := map[string]string{}
	for key, v := range ObjectOf(gjson.ParseBytes(p.ToolInput)) {
		switch v.Type {
		case gjson.String:
			out[key] = v.Str
		case gjson.True, gjson.False, gjson.Number:
			out[key] = v.Raw
		}
	}
	return out
}
