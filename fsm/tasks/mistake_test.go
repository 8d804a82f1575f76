package tasks_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

func TestTell(t *testing.T) {
	all := []tasks.Mistake{{Where: "a", What: "one"}, {What: "note", Note: true}, {Where: "b", What: "two"},
		{Where: "c", What: "thrée"}}
	for limit, want := range map[int]string{
		100: "a: one; b: two; c: thrée", 24: "a: one; b: two; c: thrée", 23: "a: one; and 2 more",
		18: "a: one; and 2 more", 17: "a: one; b: two; …", 5: "a: o…"} {
		if got := tasks.DescribeMistakes(all, limit); got != want || utf8.RuneCountInString(got) > limit {
			t.Errorf("%d: %q", limit, got)
		}
	}
	if got := tasks.DescribeMistakes(all[1:2], 100); got != "note" {
		t.Errorf("a note alone: %q", got)
	}
	_, mistakes := tasks.Parse([]byte(read(t, "testdata/mistakes/types.json")))
	if got := tasks.DescribeMistakes(mistakes, 400); !strings.HasSuffix(got, "more") || len(got) < 300 {
		t.Errorf("%q", got)
	}
}
