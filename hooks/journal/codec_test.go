package journal

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// someRecord draws a record with anything in any field.
func someRecord(t *rapid.T) Record {
	r := rapid.Make[Record]().Draw(t, "record")
	settle(reflect.ValueOf(&r).Elem())
	return r
}

// settle brings what rapid draws for a time into what a time can be in JSON, and
// empties what JSON leaves out.
func settle(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			settle(v.Elem())
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		}
		for i := range v.Len() {
			settle(v.Index(i))
		}
	case reflect.Map:
		if v.Len() == 0 {
			v.SetZero()
		}
	case reflect.Struct:
		if _, ok := v.Interface().(time.Time); ok {
			v.Set(reflect.ValueOf(time.Unix(int64(v.Type().Size())*1e7, 12345).UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") == "-" {
				v.Field(i).SetZero()
			}
			settle(v.Field(i))
		}
	}
}

// TestCodec holds the hand-written codec to encoding/json, both ways.
func TestCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := someRecord(t)
		want.Hash = ""
		line := Encode(&want)
		var theirs, ours Record
		if err := json.Unmarshal(line, &theirs); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if err := Decode(line, &ours); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		body, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var again Record
		if err := Decode(body, &again); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		for _, got := range []Record{theirs, ours, again} {
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s\n%s", d, line)
			}
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	for _, line := range []string{``, `{`, `[]`, `5`, `{"v":"1"}`, `{"n":{}}`, `{"session":[]}`, `{"moves":{}}`,
		`{"event":{"time":"yesterday"}}`, `{"session":{"machine":{"captures":[]}}}`, `{"cut":"yes"}`, `{"rule":true}`} {
		if err := Decode([]byte(line), &Record{}); err == nil {
			t.Errorf("%s: no error", line)
		}
	}
	if err := Decode([]byte(`{"v":1,"new":{"x":[1]},"notes":null}`), &Record{}); err != nil {
		t.Errorf("a member of a newer kind: %v", err)
	}
}

// TestCodecOfOtherTypes: what is not part of a record, but written beside it, is as encoding/json has it.
func TestCodecOfOtherTypes(t *testing.T) {
	type inner struct {
		Head
		Level string `json:"level"`
	}
	type outer struct {
		ID string `json:"id"`
		inner
		List []string       `json:"list,omitempty"`
		Map  map[string]int `json:"map,omitempty"`
		Last bool           `json:"last"`
	}
	many := map[string]int{}
	for i := range 20 {
		many[string(rune('a'+i))] = i
	}
	for _, want := range []outer{{}, {List: []string{}, Map: map[string]int{}},
		{"x", inner{Head{7, "ff"}, "strict"}, []string{"", "l"}, many, true}} {
		body, err := json.Marshal(want)
		if got := Encode(&want); err != nil || string(got) != string(body) {
			t.Errorf("%s, want %s (%v)", got, body, err)
		}
		var got, theirs outer
		if err := errors.Join(Decode(body, &got), json.Unmarshal(body, &theirs)); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(got, theirs) {
			t.Errorf("%+v, want %+v", got, theirs)
		}
	}
	for _, body := range []string{`{"id":7}`, `{"n":"7"}`, `{"level":7}`} {
		if err := Decode([]byte(body), &outer{}); err == nil {
			t.Errorf("%s: no error", body)
		}
	}
}

// TestFieldsHaveNames: the codec goes by the tags.
func TestFieldsHaveNames(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[Record](), reflect.TypeFor[fsm.Event](),
		reflect.TypeFor[fsm.Agent](), reflect.TypeFor[fsm.Tool](), reflect.TypeFor[fsm.Facts](),
		reflect.TypeFor[fsm.Part](), reflect.TypeFor[fsm.Earlier](), reflect.TypeFor[tasks.HostTask](),
		reflect.TypeFor[fsm.Session](), reflect.TypeFor[fsm.Run](),
		reflect.TypeFor[fsm.Move](), reflect.TypeFor[fsm.Start](), reflect.TypeFor[fsm.OpenTask](),
		reflect.TypeFor[tasks.Progress](), reflect.TypeFor[tasks.Run]()} {
		for i := range typ.NumField() {
			if typ.Field(i).Tag.Get("json") == "" {
				t.Errorf("%s.%s has no json tag", typ, typ.Field(i).Name)
			}
		}
	}
}

// TestCodecOfTheWork: what a session keeps of tasks and turns goes through a line and
// back.
func TestCodecOfTheWork(t *testing.T) {
	want := Record{Event: fsm.Event{Kind: "turn-stop"},
		State: fsm.Session{ID: "s1",
			Tasks: fsm.Tasks{GraphFile: "ab12", Planned: true,
				Progress: &tasks.Progress{Graph: "ff", Marks: "d.x",
					Runs: []tasks.Run{{ID: "a1", Slot: 2}, {ID: "a2", Slot: 1, Ended: true}}},
				Open: []fsm.OpenTask{{ID: "1", Subject: "write \"it\""}, {ID: "2"}}},
			Turn: fsm.Turn{Held: 3, Edited: []string{"/p/ü.py"}, MissingChecks: []string{"ruff"}},
			Talk: fsm.Talk{Reminders: 2},
			Agents: fsm.Agents{Runs: []fsm.Run{{ID: "a1", Depth: 2, Teammate: true,
				Returned: 1}}}}}
	var got Record
	if err := Decode(Encode(&want), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
