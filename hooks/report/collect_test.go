package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// TestDamaged changes a byte of every line in turn: its figures are left out, and it is
// named.
func TestDamaged(t *testing.T) {
	store, w := kept(t, "s1")
	life(w)
	path := filepath.Join(store.Path("s1"), journal.Name)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for n, line := range bytes.SplitAfter(whole[:len(whole)-1], []byte("\n")) {
		body := bytes.Clone(whole)
		body[at+len(line)/2] ^= 1
		at += len(line)
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
		e := of(t, store, "s1", always).Evidence
		if e.Records != 18 || e.Unread != 1 || e.Breaks != 0 || e.Faults[0].Line != n+1 {
			t.Errorf("line %d: %+v", n+1, e)
		}
	}
}

// TestBroken: lines taken out, foreign lines, a newer version, a lost end.
func TestBroken(t *testing.T) {
	store, w := kept(t, "s1")
	life(w)
	path := filepath.Join(store.Path("s1"), journal.Name)
	whole, _ := os.ReadFile(path)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	rest := bytes.Join(lines[1:], nil)
	tests := []struct {
		name string
		body []byte
		want Evidence
		what string
	}{
		{"one taken out", append(bytes.Clone(lines[0]), bytes.Join(lines[2:], nil)...),
			Evidence{Records: 18, Breaks: 1}, "does not follow"},
		{"foreign", append([]byte("{}\n\x00\xff\n[]\n"), whole...), Evidence{Records: 19, Unread: 3}, "no hash"},
		{"the first taken out", rest, Evidence{Records: 18, Breaks: 1}, "does not follow"},
		{"nothing left", nil, Evidence{}, ""},
		{"half written", whole[:len(whole)-5], Evidence{Records: 18}, ""},
	}
	for _, tt := range tests {
		if err := os.WriteFile(path, tt.body, 0o600); err != nil {
			t.Fatal(err)
		}
		e := of(t, store, "s1", always).Evidence
		if tt.what != "" && !strings.Contains(e.Faults[0].String(), tt.what) {
			t.Errorf("%s: %v", tt.name, e.Faults)
		}
		e.Faults = nil
		same(t, tt.name, e, tt.want)
	}
	if err := os.WriteFile(filepath.Join(store.Path("s1"), "state.json"), []byte(`{"head":{"n":21}}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	same(t, "missing", of(t, store, "s1", always).Evidence.Missing, int64(3))
	if err := errors.Join(w.j.Close(), os.Remove(path)); err != nil { // a file that is open stays on Windows
		t.Fatal(err)
	}
	same(t, "no journal", of(t, store, "s1", always).Evidence.Unread, 1)
}

// TestForged: members that are not of the form of a record, under a hash that fits,
// harm no other session.
func TestForged(t *testing.T) {
	store, _ := kept(t, "s1")
	path := filepath.Join(store.Path("s1"), journal.Name)
	for _, odd := range []string{`null`, `5`, `"x"`, `[]`, `[[{}]]`, `{}`, `{"parts":5,"agents":{},"state":[]}`,
		`{"parts":[5,{"words":{},"path":[]}],"agents":[5]}`, `true`} {
		body := []byte{}
		for _, key := range []string{"agent", "agent\":{\"id", "tool\":{\"parts", "tool\":{\"starts", "tool\":{\"use",
			"tool", "text", "facts", "}verdict", "}rule", "}moves", "}session", "}level", "}reason", "}notes"} {
			for _, kind := range []string{"tool-request", "agent-start", "agent-stop", "reset", "session-end"} {
				line := `{"v":2,"n":1,"event":{"kind":"` + kind + `","time":"2026-03-02T12:00:00Z","tool":{"name":"x"}`
				if of, ok := strings.CutPrefix(key, "}"); ok {
					line += `,"agent":{"id":"a"}},"` + of + `":` + odd
				} else {
					line += `,"` + key + `":` + odd + strings.Repeat("}", 1+strings.Count(key, "{"))
				}
				sum := sha256.Sum256([]byte(line))
				body = append(body, line+`,"hash":"`+hex.EncodeToString(sum[:])[:32]+"\"}\n"...)
			}
		}
		if err := os.WriteFile(path, body, 0o600); err != nil {
			t.Fatal(err)
		}
		r := of(t, store, "s1", always)
		same(t, odd, r.Evidence.Unread, 0)
		if err := errors.Join(r.Text(io.Discard), r.HTML(io.Discard), r.JSON(io.Discard)); err != nil {
			t.Error(err)
		}
	}
}

// TestSameRecords: what the journal's own reader takes for good is what is counted
// here.
func TestSameRecords(t *testing.T) {
	store, w := kept(t, "s1")
	life(w)
	n := 0
	if _, err := journal.Read(store.Path("s1"),
		func(journal.Record) bool { n++; return true }); err != nil {
		t.Fatal(err)
	}
	same(t, "records", of(t, store, "s1", always).Evidence.Records, n)
}

// TestRotated: a journal that was carried on in new files, packed or not, is one
// session.
func TestRotated(t *testing.T) {
	store, w := kept(t, "s1")
	life(w)
	want := of(t, store, "s1", always)
	w.j.Close()
	if _, err := journal.Rotate(store.Path("s1"), w.now); err != nil {
		t.Fatal(err)
	}
	got := of(t, store, "s1", always)
	same(t, "evidence", got.Evidence, Evidence{Records: 20, Faults: []Fault{}})
	want.Evidence, want.SessionEnd = got.Evidence, got.SessionEnd
	same(t, "report", got, want)
}
