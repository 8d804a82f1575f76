package claude_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// TestStatusPayloads holds what is read of every recorded payload of a status line.
func TestStatusPayloads(t *testing.T) {
	var out strings.Builder
	for _, client := range []string{"statusline/2.1.197", "statusline/2.1.329"} {
		for _, name := range all(t, client) {
			s, err := claude.ReadStatus(strings.NewReader(recorded(t, name)))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			fmt.Fprintf(&out, "%s: %s | of %s\n", name, s.Session, s.Project)
		}
	}
	golden(t, "statusline.golden", out.String())
}

func TestStatusOfOtherForm(t *testing.T) {
	for body, want := range map[string]string{
		"":                          "is empty",
		"{":                         "not JSON",
		"[[[":                       "not JSON",
		strings.Repeat("[", 10_000): "not JSON",
		`{}`:                        "no session_id",
		`[1]`:                       "no session_id",
		`{"session_id":""}`:         "no session_id",
	} {
		if _, err := claude.ReadStatus(strings.NewReader(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, expected %s", body, err, want)
		}
	}
	if _, err := claude.ReadStatus(iotest.ErrReader(errors.New("gone"))); err == nil || !strings.Contains(err.Error(),
		"gone") {
		t.Errorf("a reader that fails: %v", err)
	}
	odd := `{"session_id":"s","workspace":5}`
	s, err := claude.ReadStatus(strings.NewReader(odd))
	if want := (claude.Status{Session: "s"}); err != nil || s != want {
		t.Errorf("fields of another form: %+v, %v", s, err)
	}
}
