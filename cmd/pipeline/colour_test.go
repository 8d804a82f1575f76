package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// TestProgress: it appears when work takes long, says how far it is, and leaves nothing behind.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	g := runProgress(&out, "reading", 7, time.Millisecond)
	g.countStep()
	g.countStep()
	time.Sleep(20 * time.Millisecond)
	g.stop()
	g.stop()
	if text := out.String(); !strings.Contains(text, "\r\x1b[Kreading … 2 of 7, ") ||
		!strings.HasSuffix(text, "\r\x1b[K") {
		t.Errorf("printed %q", text)
	}
	out.Reset()
	runProgress(&out, "reading", 0, time.Hour).stop()
	if out.Len() > 0 {
		t.Errorf("short work printed %q", out.String())
	}
	p := &program{console{err: visible.NewWriter(&out)}}
	none := p.startProgress("reading", 3)
	none.countStep()
	none.stop()
	if out.Len() > 0 {
		t.Errorf("where no person looks it printed %q", out.String())
	}
}

func TestFoldWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"one two three four": "one two|three four",
		"averylongword a":    "averylongword|a",
	} {
		if got := strings.Join(foldWords(text, 10), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
