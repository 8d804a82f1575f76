package hooks

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// leftOut lists what of an event is never recorded, and why.
func leftOut() map[string]string {
	return map[string]string{
		"event.session":             "the record's session has its id",
		"event.notes":               "they are among the record's notes",
		"event.crons":               "prompts are not recorded; the record is marked as cut",
		"event.tool.paths":          "the parts have them, absolute and with links resolved",
		"event.tool.command":        "the parts have it, without secrets",
		"event.tool.opaque":         "the parts have it, as a command that cannot be known",
		"event.tool.prompt":         "prompts are not recorded; the record is marked as cut",
		"event.tool.plan":           "a text without bounds; the record is marked as cut",
		"event.tool.task":           "an agent's text; the record is marked as cut",
		"event.tool.todos":          "an agent's texts; the record is marked as cut",
		"event.tool.message":        "an agent's text; only what it comes to, the parts, is decided on",
		"event.facts.captured":      "the texts are files of their own",
		"event.facts.parent":        "it is in the parent's journal; a note says that the session was forked",
		"event.facts.earlier":       "texts that are only injected",
		"event.facts.scratch":       "a path that is only injected",
		"event.facts.graph":         "a text without bounds; the record is marked as cut",
		"event.facts.opening":       "texts that are only injected",
		"event.facts.gate.output":   "what a command printed can hold secrets",
		"event.facts.checks.output": "what a command printed can hold secrets",
	}
}

// TestRedactKnowsEveryField: each field of an event is recorded, or is listed as left
// out with a reason. What is recorded is documented.
func TestRedactKnowsEveryField(t *testing.T) {
	var full fsm.Event
	fill(reflect.ValueOf(&full).Elem())
	recorded := map[string]bool{}
	for _, kind := range fsm.Kinds() {
		full.Kind = kind
		out, _ := Redact(full, "full")
		walk("event", reflect.ValueOf(out), recorded)
	}
	reasons, docs := leftOut(), journal.Fields()
	for path, kept := range recorded {
		if _, left := reasons[path]; kept == left {
			t.Errorf("%s: recorded %v, listed as left out %v", path, kept, left)
		}
		delete(reasons, path)
		documented := strings.Contains(docs, "  "+path+" ")
		if deep := strings.Count(path, ".") > 1 && !isDocumentedObject(path); !deep && documented != kept {
			t.Errorf("%s: recorded %v, documented %v", path, kept, documented)
		}
	}
	for path := range reasons {
		t.Errorf("%s is listed as left out, and does not exist", path)
	}
}

func isDocumentedObject(path string) bool {
	parts := strings.Split(path, ".")
	return len(parts) == 3 && (parts[1] == "agent" || parts[1] == "tool" || parts[1] == "facts")
}

// fill sets every field that can be reached, twice in lists.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*fsm.Session]() { // never recorded, and deep
			v.Set(reflect.ValueOf(&fsm.Session{ID: "x"}))
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		fill(e)
		v.SetMapIndex(reflect.ValueOf("x"), e)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 0)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
		if p, ok := v.Addr().Interface().(*fsm.Part); ok {
			p.Tool = "Write" // a result's part is recorded when it is an edit
		}
	}
}

// walk notes for each member below a value whether it is set.
func walk(path string, v reflect.Value, set map[string]bool) {
	if path != "event" {
		set[path] = set[path] || !v.IsZero()
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice {
		if v.Kind() == reflect.Slice && v.Len() == 0 || v.Kind() == reflect.Pointer && v.IsNil() {
			return
		}
		if v.Kind() == reflect.Slice {
			v = v.Index(0)
			continue
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[time.Time]() {
		return
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name != "-" { // nothing of it is in the JSON form
			walk(path+"."+name, v.Field(i), set)
		}
	}
}

// TestRedactIsNoAlias: redacting changes nothing of the event itself.
func TestRedactIsNoAlias(t *testing.T) {
	var e, same fsm.Event
	fill(reflect.ValueOf(&e).Elem())
	fill(reflect.ValueOf(&same).Elem())
	for _, kind := range fsm.Kinds() {
		for _, how := range []string{"none", "summary", "full"} {
			e.Kind, same.Kind = kind, kind
			Redact(e, how)
			if !reflect.DeepEqual(e, same) {
				t.Fatalf("%s, %s: changed", kind, how)
			}
		}
	}
}
