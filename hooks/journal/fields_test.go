package journal

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFields: every member of a record is documented, in its order, and nothing else is.
func TestFields(t *testing.T) {
	for _, tt := range []struct {
		typ  reflect.Type
		docs []doc
	}{{reflect.TypeFor[Record](), fieldDocs()}, {reflect.TypeFor[Input](), inputDocs()}} {
		var documented []string
		for _, d := range tt.docs {
			documented = append(documented, d.name)
			if len(d.text) < 10 || strings.HasSuffix(d.text, ".") {
				t.Errorf("%s: %q says too little, or too much", d.name, d.text)
			}
		}
		if d := cmp.Diff(names(tt.typ), documented); d != "" {
			t.Errorf("%s: -written +documented\n%s", tt.typ, d)
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
