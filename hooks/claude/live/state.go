package live

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A watch is kept between two checks as lines of fields with tabs between them. encoding/json
// would cost each process 0.2 ms.

const (
	stateName    = "live.tsv"
	stateVersion = "live 2"
)

// loadWatch fails for a file that save did not write whole.
func loadWatch(path string) (*watch, error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the state of the comparison: %w", err)
	}
	lines := strings.Split(string(body), "\n")
	if lines[0] != stateVersion || len(lines) < 3 || lines[len(lines)-2] != "end" {
		return nil, errors.New("read the state of the comparison: " + path + " is damaged, or of another version")
	}
	w := newWatch()
	for _, line := range lines[1 : len(lines)-2] {
		w.loadLine(fields(strings.Split(line, "\t")))
	}
	return w, nil
}

func (w *watch) loadLine(f fields) {
	call := func() Call {
		return Call{ID: f.text(1), Tool: f.text(2), Agent: f.text(3), Time: f.time(4), Refused: f.text(6) == "true"}
	}
	switch f[0] {
	case "from":
		w.from = f.time(1)
	case "transcript":
		w.transcript = f.text(1)
	case "file":
		w.files[f.text(1)] = f.number(2)
	case "journal":
		w.journal = journal.PlaceAt(int(f.number(1)), f.number(2))
	case "open":
		c := call()
		w.open[c.ID] = &pendingCall{Call: c, done: f.text(5) == "true"}
	case "missed":
		w.missed = append(w.missed, missedCall{call(), f.text(5) == "true"})
	case "off":
		w.off = append(w.off, span{f.time(1), f.time(2)})
	case "asked":
		w.addAsked(f.text(1), f.time(2), f.text(3) == "true")
	}
}

// fields are those of a line. One that is missing or damaged is empty.
type fields []string

func (f fields) text(i int) string {
	if i >= len(f) {
		return ""
	}
	s, _ := strconv.Unquote(f[i])
	return s
}

func (f fields) number(i int) int64 {
	if i >= len(f) {
		return 0
	}
	n, _ := strconv.ParseInt(f[i], 10, 64)
	return n
}

// time is kept in milliseconds, as the client writes it; 0 is no time.
func (f fields) time(i int) time.Time {
	if n := f.number(i); n != 0 {
		return time.UnixMilli(n).UTC()
	}
	return time.Time{}
}

// save writes the file, unless it is there already.
func (w *watch) save(path string) error {
	body := w.encode()
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, body) {
		return nil
	}
	if err := system.WriteFile(path, body); err != nil {
		return fmt.Errorf("keep the state of the comparison: %w", err)
	}
	return nil
}

func (w *watch) encode() []byte {
	b := []byte(stateVersion + "\n")
	line := func(name string, values ...any) {
		b = append(b, name...)
		for _, v := range values {
			b = append(b, '\t')
			switch v := v.(type) {
			case string:
				b = strconv.AppendQuote(b, v)
			case bool:
				b = strconv.AppendQuote(b, strconv.FormatBool(v))
			case int64:
				b = strconv.AppendInt(b, v, 10)
			case time.Time:
				if v.IsZero() {
					v = time.UnixMilli(0)
				}
				b = strconv.AppendInt(b, v.UnixMilli(), 10)
			}
		}
		b = append(b, '\n')
	}
	segments, offset := w.journal.Position()
	line("from", w.from)
	line("transcript", w.transcript)
	line("journal", int64(segments), offset)
	for _, name := range slices.Sorted(maps.Keys(w.files)) {
		line("file", name, w.files[name])
	}
	for _, id := range w.openIDs() {
		c := w.open[id]
		line("open", c.ID, c.Tool, c.Agent, c.Time, c.done)
	}
	for _, m := range w.missed {
		line("missed", m.ID, m.Tool, m.Agent, m.Time, m.announced, m.Refused)
	}
	for _, s := range w.off {
		line("off", s.from, s.to)
	}
	for _, id := range w.order {
		line("asked", id, w.asked[id], w.refused[id])
	}
	return append(b, "end\n"...)
}
