package hooks

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestErrorsHideSecrets: what goes wrong is kept without secrets, wherever it is kept.
func TestErrorsHideSecrets(t *testing.T) {
	l := ErrorLog{Home: t.TempDir()}
	e := OwnError{Session: "s1", Error: "ask the server: Authorization: Bearer abcdefgh12345678"}
	if err := l.AddError(e); err != nil {
		t.Fatal(err)
	}
	if !l.AddLapse(e) || l.AddLapse(e) {
		t.Error("a cause is new once")
	}
	for _, name := range []string{"errors.jsonl", "said/s1"} {
		if text := read(t, l.Home+"/"+name); strings.Contains(text, "abcdefgh") || !strings.Contains(text, "ask") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestOwnErrors: errors are read as they were written, in a folder that is made for the first; a torn line is an
// empty error.
func TestOwnErrors(t *testing.T) {
	l := ErrorLog{Home: t.TempDir() + "/state"}
	if all, err := l.ReadErrors(); err != nil || all != nil {
		t.Errorf("before the first: %v %v", all, err)
	}
	want := []OwnError{{Time: then(), Event: "Stop", Session: "s1", Error: "no disk", Closed: true}, {Error: "no lock"}}
	for _, e := range want {
		if err := l.AddError(e); err != nil {
			t.Fatal(err)
		}
	}
	write(t, l.Home+"/errors.jsonl", read(t, l.Home+"/errors.jsonl")+`{"error":"to`)
	if all, err := l.ReadErrors(); err != nil || !slices.Equal(all, append(want, OwnError{})) {
		t.Errorf("read: %+v %v", all, err)
	}
	if err := l.AddHousekeeping([]string{"packed a", "removed b"}, then()); err != nil {
		t.Fatal(err)
	}
	kept := strings.Split(read(t, l.Home+"/housekeeping.jsonl"), "\n")
	if len(kept) != 3 || kept[1] != `{"time":"2027-01-15T08:00:00Z","note":"removed b"}` {
		t.Errorf("housekeeping: %q", kept)
	}
	l.KeepTrace("it fell", []byte("main.go:1"))
	traces, _ := filepath.Glob(l.Home + "/crashes/*.txt")
	if len(traces) != 1 || read(t, traces[0]) != "it fell\n\nmain.go:1" {
		t.Errorf("traces: %q", traces)
	}
	write(t, l.Home+"/file", "")
	inTheWay := ErrorLog{Home: l.Home + "/file"}
	if err := inTheWay.AddError(want[0]); err == nil || !strings.HasPrefix(err.Error(), "log to errors.jsonl: ") {
		t.Errorf("a file in the way: %v", err)
	}
	if err := inTheWay.AddHousekeeping([]string{"packed a"}, then()); err == nil {
		t.Error("a file in the way of housekeeping is no error")
	}
}

// TestIsFirst: a person hears of an error once in a session, and each time where that cannot be remembered.
func TestIsFirst(t *testing.T) {
	l := ErrorLog{Home: t.TempDir()}
	write(t, l.Home+"/file", "")
	for i, c := range []struct {
		log           ErrorLog
		session, text string
		want          bool
	}{
		{l, "s1", "a", true}, {l, "s1", "a", false}, {l, "s1", "b", true}, {l, "s2", "a", true}, {l, "s2", "a", false},
		{l, "", "a", true}, {l, "", "a", true}, {ErrorLog{Home: l.Home + "/file"}, "s1", "a", true},
	} {
		if got := c.log.IsFirst(c.session, errors.New(c.text)); got != c.want {
			t.Errorf("%d: %q in %q: first %t", i, c.text, c.session, got)
		}
	}
}

// TestLapse: of calls that were not judged it is kept since when, how many, why, and whether all were refused.
func TestLapse(t *testing.T) {
	l := ErrorLog{Home: t.TempDir()}
	if got := l.Lapse("s1"); got.Calls != 0 {
		t.Errorf("before the first: %+v", got)
	}
	for i, c := range []struct {
		cause         string
		closed, isNew bool
	}{{"no disk", true, true}, {"no disk", true, false}, {"no lock", true, true}, {"no", false, true}} {
		e := OwnError{Time: then().Add(time.Duration(i) * time.Second), Session: "s1", Error: c.cause, Closed: c.closed}
		if got := l.AddLapse(e); got != c.isNew {
			t.Errorf("%d: new %t", i, got)
		}
		if got := l.Lapse("s1"); got.Closed != c.closed {
			t.Errorf("%d: refused all: %t", i, got.Closed)
		}
	}
	write(t, l.Home+"/said/s1", read(t, l.Home+"/said/s1")+`{"time":"2027`)
	for i := range 2 { // the torn line takes the first of them with it
		l.AddLapse(OwnError{Time: then().Add(time.Duration(4+i) * time.Second), Session: "s1", Error: "again"})
	}
	want := Lapse{Since: then(), Last: then().Add(5 * time.Second), Calls: 5, Cause: "again"}
	if got := l.Lapse("s1"); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for range 2 {
		if err := l.EndLapse("s1"); err != nil {
			t.Fatal(err)
		}
		if got := l.Lapse("s1"); got.Calls != 0 {
			t.Errorf("ended: %+v", got)
		}
	}
	bad := OwnError{Session: "../s1", Error: "x"}
	for range 2 {
		if !l.AddLapse(bad) || l.Lapse(bad.Session) != (Lapse{}) {
			t.Error("what is no session has a lapse")
		}
	}
	write(t, l.Home+"/said/s2/file", "")
	if err := l.EndLapse("s2"); err == nil || !strings.HasPrefix(err.Error(), "end a lapse: ") {
		t.Errorf("what cannot be removed: %v", err)
	}
}
