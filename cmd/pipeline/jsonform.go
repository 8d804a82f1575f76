package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/report"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// jsonForms are the documents that commands print with --json, by the command's path.
func jsonForms() map[string]any {
	return map[string]any{
		"pipeline audit verify":  auditDoc{},
		"pipeline bypass off":    []session.Bypass{},
		"pipeline bypass on":     []session.Bypass{},
		"pipeline bypass status": []session.Bypass{},
		"pipeline check":         []config.Problem{},
		"pipeline doctor":        diagnosis{},
		"pipeline explain":       rehearse.Explanation{},
		"pipeline gate":          gateDoc{},
		"pipeline mode":          standingLevel{},
		"pipeline readiness":     report.Readiness{},
		"pipeline replay":        replayed{},
		"pipeline report":        report.Report{},
		"pipeline route":         []candidate{},
		"pipeline score":         choice{},
		"pipeline session":       []sessionDoc{},
		"pipeline session list":  []sessionDoc{},
		"pipeline session show":  shownDoc{},
		"pipeline status":        session.View{},
		"pipeline tasks":         tasksDoc{},
		"pipeline tasks check":   tasksDoc{},
		"pipeline test":          testResult{},
		"pipeline verify":        []verify.Finding{},
		"pipeline version":       versionDoc{},
		"pipeline why":           whyDoc{},
	}
}

// describeJSON lists the members of the document that a command prints with --json.
func describeJSON(path string) string {
	switch path {
	case "pipeline config":
		return "the config, as its schema describes it\n"
	case "pipeline log":
		return "one record a line, see above\n"
	}
	doc, ok := jsonForms()[path]
	if !ok {
		return ""
	}
	var b strings.Builder
	t := reflect.TypeOf(doc)
	prefix := ""
	if t.Kind() == reflect.Slice {
		prefix, t = "[].", t.Elem()
	}
	writeMembers(&b, prefix, t, 0)
	return b.String()
}

// deepest is how many objects inside of each other are described.
const deepest = 2

// writeMembers writes the members of an object, one a line.
func writeMembers(b *strings.Builder, prefix string, t reflect.Type, depth int) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		ft := f.Type
		for ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		if f.Anonymous && name == "" && ft.Kind() == reflect.Struct {
			writeMembers(b, prefix, ft, depth)
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		word, suffix, inner := describeType(ft)
		if strings.Contains(options, "omit") {
			word += ", may be missing"
		}
		fmt.Fprintf(b, "%s  %s\n", padRight(prefix+name, 36), word)
		if inner != nil && depth < deepest {
			writeMembers(b, prefix+name+suffix+".", inner, depth+1)
		}
	}
}

// describeType is a type in words. Where there are objects in it: their type, and how the
// name of a member leads to them.
func describeType(t reflect.Type) (word, suffix string, inner reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time", "", nil
	case t == reflect.TypeFor[time.Duration]():
		return "nanoseconds", "", nil
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "text", "", nil
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return "value", "", nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false", "", nil
	case reflect.String:
		return "text", "", nil
	case reflect.Slice, reflect.Array:
		word, suffix, inner = describeType(t.Elem())
		return "list: " + word, "[]" + suffix, inner
	case reflect.Map:
		word, suffix, inner = describeType(t.Elem())
		return "by name: " + word, ".NAME" + suffix, inner
	case reflect.Struct:
		return "object", "", t
	case reflect.Interface:
		return "value", "", nil
	}
	return "number", "", nil
}
