package journal

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestFields: every member of a record is documented, in its order, and nothing else
// is. Of an event only what is recorded is documented, which a test of package hooks
// checks.
func TestFields(t *testing.T) {
	types := map[string]reflect.Type{"": reflect.TypeFor[Record](), "event.": reflect.TypeFor[fsm.Event](),
		"event.agent.": reflect.TypeFor[fsm.Agent](), "event.tool.": reflect.TypeFor[fsm.Tool](),
		"event.facts.": reflect.TypeFor[fsm.Facts]()}
	documented := map[string][]string{}
	whole := strings.ReplaceAll(Fields(), "\n"+strings.Repeat(" ", 24), " ") // a long text takes more lines
	for line := range strings.Lines(whole) {
		path, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if text = strings.TrimSpace(text); len(text) < 10 || strings.HasSuffix(text, ".") {
			t.Errorf("%s: %q says too little, or too much", path, text)
		}
		prefix := path[:strings.LastIndexByte(path, '.')+1]
		documented[prefix] = append(documented[prefix], path[len(prefix):])
	}
	if len(documented) != len(types) {
		t.Errorf("documented are the objects %v", documented)
	}
	for prefix, names := range documented {
		written := listNames(types[prefix])
		if prefix != "" {
			written = slices.DeleteFunc(written, func(name string) bool { return !slices.Contains(names, name) })
		}
		if d := cmp.Diff(written, names); d != "" {
			t.Errorf("%s: -written +documented\n%s", prefix, d)
		}
	}
}

// listNames are the members that a type is written with.
func listNames(t reflect.Type) (out []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			name = "hash" // the only one that is written by hand
		}
		out = append(out, name)
	}
	return out
}
