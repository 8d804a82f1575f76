package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/export"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// writeRecords appends records to a session of a project below a folder.
func writeRecords(t testing.TB, base, project, session string, n int) {
	t.Helper()
	dir := filepath.Join(base, project, "sessions", session)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for range n {
		r := journal.Record{Event: fsm.Event{Kind: fsm.Prompt, Time: time.Now().UTC()}, State: fsm.Session{ID: session}}
		if err := j.Append(&r, false); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRetries: an export goes on when the collector is back, gives up if it does not follow,
// and stops at once where waiting cannot help.
func TestRetries(t *testing.T) {
	quick := pauses{poll: time.Millisecond, first: time.Millisecond, most: 4 * time.Millisecond,
		giveUp: 30 * time.Millisecond}
	away := temporary{error: errors.New("away")}
	tests := map[string]struct {
		follow bool
		fails  int // how often
		with   error
		sent   int
		err    string
	}{
		"fine":                        {false, 0, nil, 3, ""},
		"comes back":                  {false, 4, away, 3, ""},
		"comes back, followed":        {true, 40, away, 3, ""},
		"stays away":                  {false, 1 << 30, away, 0, "away"},
		"refuses":                     {false, 1 << 30, errors.New("refused"), 0, "refused"},
		"asks to wait for an hour":    {false, 1 << 30, temporary{errors.New("busy"), time.Hour}, 0, "busy"},
		"refuses, and it is followed": {true, 1 << 30, errors.New("refused"), 0, "refused"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			writeRecords(t, base, "p-1", "s1", 3)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			failed := 0
			r := &runner{options: options{follow: test.follow, all: true, dirs: []string{base}},
				locked: map[string]func(){}, sayf: t.Logf}
			r.Exporter = export.Exporter{Name: "c", Report: t.Errorf,
				Post: func(context.Context, string, []byte) error {
					if failed < test.fails {
						failed++
						return test.with
					}
					if test.follow {
						time.AfterFunc(20*time.Millisecond, cancel) // a person ends it
					}
					return nil
				}}
			defer r.unlockAll()
			p := quick
			if test.err == "" { // however slow the machine is
				p.giveUp = time.Hour
			}
			sent, err := r.run(ctx, p)
			if sent != test.sent || test.err == "" && err != nil || test.err != "" &&
				(err == nil || err.Error() != test.err) {
				t.Errorf("sent %d, %v, expected %d, %q", sent, err, test.sent, test.err)
			}
		})
	}
}

// TestRun: the program, to its exit code.
func TestRun(t *testing.T) {
	var posts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "k1" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, "who are you")
		}
		posts.Add(1)
	}))
	defer server.Close()
	base := t.TempDir()
	writeRecords(t, base, "p-1", "s1", 3)
	writeRecords(t, base, "q-1", "s1", 2)
	tests := []struct {
		args    []string
		headers string
		code    int
		said    string
	}{
		{[]string{"-otlp", server.URL, "-all", base}, "x-key=k1", 2, "expected https, or --insecure"},
		{[]string{"-otlp", server.URL, "-insecure"}, "x-key=k1", 2, "missing state folder"},
		{[]string{"-otlp", server.URL, "-what", base}, "x-key=k1", 2, "not defined"},
		{[]string{"-otlp", server.URL, "-insecure", "-all", base}, "x-key", 2, "entry 1 is not KEY=VALUE"},
		{[]string{"-otlp", server.URL, "-insecure", "-all", base}, "", 3, "401 Unauthorized to /v1/logs: who are you"},
		{[]string{"-otlp", server.URL, "-insecure", "-project", "p", base + "/p-1"}, "x-key=k1", 0, " 3 records sent"},
		{[]string{"-otlp", server.URL, "-insecure", "-all", base}, "x-key=k1", 0, " 2 records sent"},
		{[]string{"-otlp", server.URL, "-insecure", "-all", base}, "x-key=k1", 0, " 0 records sent"},
		{[]string{"-otlp", server.URL, "-insecure", "-all", base + "/none"}, "x-key=k1", 0, " 0 records sent"},
	}
	for _, test := range tests {
		var said bytes.Buffer
		code := run(t.Context(), test.args, &said, func(string) string { return test.headers })
		if code != test.code || !strings.Contains(said.String(), test.said) {
			t.Errorf("%q: %d, %s, expected %d, %s", test.args, code, &said, test.code, test.said)
		}
	}
	unlock, err := (&export.Exporter{Name: cursorName(server.URL)}).Lock(export.Project{Dir: base + "/p-1"})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	for all, want := range map[string]int{"-all=true": 0, "-all=false": 3} {
		var said bytes.Buffer
		dir := map[string]string{"-all=true": base, "-all=false": base + "/p-1"}[all]
		code := run(t.Context(), []string{"-otlp", server.URL, "-insecure", all, dir}, &said,
			func(string) string { return "x-key=k1" })
		if code != want || !strings.Contains(said.String(), "another export to this collector is running") {
			t.Errorf("beside another export, %s: %d, %s", all, code, &said)
		}
	}
	if posts.Load() < 3 {
		t.Errorf("%d requests", posts.Load())
	}
}
