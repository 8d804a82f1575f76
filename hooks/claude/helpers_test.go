package claude_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

var update = flag.Bool("update", false, "write the golden files of testdata again")

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// host is the adapter in a client's environment, with the project of testdata.
func host(env map[string]string) claude.Host {
	return claude.Host{Surroundings: hooks.Surroundings{Environment: func(key string) string { return env[key] },
		Project: "testdata/project"}, Config: "testdata/nowhere"}
}

// recorded is a payload of testdata, by its name without ".json".
func recorded(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// all lists the recorded payloads of a folder of testdata.
func all(t testing.TB, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/%s: %d payloads, %v", folder, len(files), err)
	}
	var names []string
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".json"); !strings.HasPrefix(name, "disk.") {
			names = append(names, folder+"/"+name)
		}
	}
	return names
}

func call(t testing.TB, h claude.Host, payload string) hooks.Call {
	t.Helper()
	c, err := h.Read(strings.NewReader(payload))
	if err != nil {
		t.Fatalf("%v\n%s", err, payload)
	}
	return c
}

// event is what a payload becomes; it must be one that is our business.
func event(t testing.TB, h claude.Host, payload string) fsm.Event {
	t.Helper()
	e, ok := call(t, h, payload).Event(now)
	if !ok {
		t.Fatalf("none of our business: %s", payload)
	}
	return e
}

// payload makes one of an event with some fields more, written as JSON without the braces.
func payload(name, fields string) string {
	head := `{"session_id":"s","transcript_path":"/t/s.jsonl","cwd":"/home/user/project","hook_event_name":"` + name +
		`"`
	if fields != "" {
		head += "," + fields
	}
	return head + "}"
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wants, gots := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(wants), len(gots)) {
		if w, g := line(wants, i), line(gots, i); w != g {
			t.Errorf("%s:%d:\n got %s\nwant %s", path, i+1, g, w)
		}
	}
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
