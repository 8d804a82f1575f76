package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// TestClientReplay: the policy that was in force decides a recorded session as it was decided.
func TestClientReplay(t *testing.T) {
	p := &program{console{in: bytes.NewReader(nil), out: &bytes.Buffer{}, err: &bytes.Buffer{}, getenv: os.Getenv}}
	s, err := newStage(p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.self = binary()
	for _, sc := range readScenes() {
		if err := s.playScene(sc); err != nil {
			t.Fatal(err)
		}
	}
	out := replayOf(t, func(args ...string) string {
		text, err := s.runPipeline(nil, args...)
		if err != nil {
			t.Fatal(err)
		}
		return text
	})
	if out.Sessions != 1 || out.Judged != out.Calls || out.Same != out.Calls || out.Calls < 9 || out.Moves != 0 ||
		len(out.Skipped) != 0 || out.Was["deny"] < 4 {
		t.Errorf("%+v", out.Tally)
	}
}

func replayOf(t *testing.T, run func(...string) string, args ...string) (out replayed) {
	t.Helper()
	body := run(append([]string{"replay", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(body), &out); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return out
}
