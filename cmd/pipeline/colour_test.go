package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// TestAnnounce: what takes long is announced, and nothing of it stays.
func TestAnnounce(t *testing.T) {
	var out bytes.Buffer
	stop := announceTo(&out, "reading", time.Millisecond)
	time.Sleep(20 * time.Millisecond)
	stop()
	stop()
	if text := out.String(); !strings.HasPrefix(text, "reading …") || !strings.HasSuffix(text, "\r\x1b[K") {
		t.Errorf("printed %q", text)
	}
	out.Reset()
	announceTo(&out, "reading", time.Hour)()
	p := &program{console{err: visible.NewWriter(&out)}}
	p.announce("reading")()
	if out.Len() > 0 {
		t.Errorf("short work, or where no person looks: printed %q", out.String())
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
