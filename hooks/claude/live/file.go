package live

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// What is kept between two checks is a JSON file of the session's folder. It is written and read by hand: encoding/json
// would cost every process 0.2 ms. It is not synced: one that is lost costs no more than that a comparison begins anew.

const version = 1

func load(path string) (*watch, error) {
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read where the comparison was left: %w", err)
	}
	v := gjson.ParseBytes(body)
	if !gjson.ValidBytes(body) || v.Get("v").Int() != version {
		return nil, errors.New("read where the comparison was left: " + path + " is damaged, or of another version")
	}
	w := &watch{from: ofMillis(v.Get("from")), transcript: v.Get("transcript").Str}
	w.fill()
	v.Get("files").ForEach(func(name, at gjson.Result) bool {
		w.files[name.Str] = at.Int()
		return true
	})
	w.journal = journal.Marked(int(v.Get("journal.0").Int()), v.Get("journal.1").Int())
	v.Get("asked").ForEach(func(id, at gjson.Result) bool {
		w.ask(id.Str, ofMillis(at))
		return true
	})
	v.Get("open").ForEach(func(_, c gjson.Result) bool {
		m := &made{Call: callOf(c), done: c.Get("mark").Bool()}
		w.open[m.ID] = m
		return true
	})
	v.Get("missed").ForEach(func(_, c gjson.Result) bool {
		w.missed = append(w.missed, missed{callOf(c), c.Get("mark").Bool()})
		return true
	})
	v.Get("off").ForEach(func(_, s gjson.Result) bool {
		w.off = append(w.off, span{ofMillis(s.Get("0")), ofMillis(s.Get("1"))})
		return true
	})
	return w, nil
}

func callOf(c gjson.Result) Call {
	return Call{ID: c.Get("id").Str, Tool: c.Get("tool").Str, Agent: c.Get("agent").Str, Time: ofMillis(c.Get("time"))}
}

// ofMillis is a time of which milliseconds were kept, which is what the client writes; 0 is no time.
func ofMillis(v gjson.Result) time.Time {
	if v.Int() == 0 {
		return time.Time{}
	}
	return time.UnixMilli(v.Int()).UTC()
}

// save writes the file, unless it stands there already.
func (w *watch) save(path string) error {
	body := w.encode()
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, body) {
		return nil
	}
	tmp := path + "." + strconv.Itoa(os.Getpid())
	err := os.WriteFile(tmp, body, 0o600)
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
		return fmt.Errorf("keep where the comparison was left: %w", err)
	}
	return nil
}

func (w *watch) encode() []byte {
	e := encoder{}
	e.number(`{"v":`, version)
	e.time(`,"from":`, w.from)
	e.text(`,"transcript":`, w.transcript)
	e.b = append(e.b, `,"files":{`...)
	for i, name := range slices.Sorted(maps.Keys(w.files)) {
		e.text(comma(i), name)
		e.number(":", w.files[name])
	}
	segments, offset := w.journal.Mark()
	e.number(`},"journal":[`, int64(segments))
	e.number(`,`, offset)
	e.b = append(e.b, `],"open":[`...)
	for i, id := range w.openIDs() {
		e.call(comma(i), w.open[id].Call, w.open[id].done)
	}
	e.b = append(e.b, `],"missed":[`...)
	for i, m := range w.missed {
		e.call(comma(i), m.Call, m.said)
	}
	e.b = append(e.b, `],"off":[`...)
	for i, s := range w.off {
		e.time(comma(i)+"[", s.from)
		e.time(",", s.to)
		e.b = append(e.b, ']')
	}
	e.b = append(e.b, `],"asked":{`...) // the longest is the last: whoever looks for another member need not pass it
	for i, id := range w.order {
		e.text(comma(i), id)
		e.time(":", w.asked[id])
	}
	return append(e.b, "}}\n"...)
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// An encoder appends values behind what precedes them.
type encoder struct{ b []byte }

func (e *encoder) text(before, s string) { e.b = gjson.AppendJSONString(append(e.b, before...), s) }

func (e *encoder) number(before string, n int64) {
	e.b = strconv.AppendInt(append(e.b, before...), n, 10)
}

func (e *encoder) time(before string, t time.Time) {
	if t.IsZero() {
		e.number(before, 0)
		return
	}
	e.number(before, t.UnixMilli())
}

func (e *encoder) call(before string, c Call, mark bool) {
	e.text(before+`{"id":`, c.ID)
	e.text(`,"tool":`, c.Tool)
	e.text(`,"agent":`, c.Agent)
	e.time(`,"time":`, c.Time)
	e.b = strconv.AppendBool(append(e.b, `,"mark":`...), mark)
	e.b = append(e.b, '}')
}
