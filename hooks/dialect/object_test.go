package dialect

import (
	"slices"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestListTexts: the elements of a list have its name, and a key that may be a path is a text of what it is in.
func TestListTexts(t *testing.T) {
	got := ListTexts(gjson.Parse(`{"a": "1", "b": {"c": ["2", 3, {"d": "4"}]},
		"files": {"src/x.go": "5", "y.go": null}}`))
	want := []fsm.Arg{{Name: "a", Text: "1"}, {Name: "b.c", Text: "2"}, {Name: "b.c.d", Text: "4"},
		{Name: "files", Text: "src/x.go"}, {Name: "files.src/x.go", Text: "5"}, {Name: "files", Text: "y.go"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
