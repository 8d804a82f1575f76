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
	for _, s := range sections() {
		var documented []string
		for _, d := range s.docs {
			documented = append(documented, d.name)
			if len(d.text) < 10 || strings.HasSuffix(d.text, ".") {
				t.Errorf("%s: %q says too little, or too much", d.name, d.text)
			}
		}
		written := names(types[s.prefix])
		if s.prefix != "" {
			written = slices.DeleteFunc(written, func(name string) bool { return !slices.Contains(documented, name) })
		}
		if d := cmp.Diff(written, documented); d != "" {
			t.Errorf("%s: -written +documented\n%s", s.prefix, d)
		}
	}
}

// names are the members that a type is written with.
func names(t reflect.Type) (out []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			name = "hash" // the only one that is written by hand
		}
		out = append(out, name)
	}
	return out
}
