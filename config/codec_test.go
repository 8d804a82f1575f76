package config

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
)

// odd has every kind of value that the codec knows.
type odd struct {
	S     string
	I     int
	Long  int64
	B     bool
	List  []string
	Lists [][]int
	Deep  []odd2
	Ptr   *odd2
}

type odd2 struct {
	Name string
	Next []int
}

func drawOdd(t *rapid.T) odd {
	text, num := rapid.String(), rapid.Int()
	two := rapid.Custom(func(t *rapid.T) odd2 {
		return odd2{text.Draw(t, "name"), rapid.SliceOf(num).Draw(t, "next")}
	})
	return odd{
		S: text.Draw(t, "s"), I: num.Draw(t, "i"), Long: rapid.Int64().Draw(t, "long"),
		B: rapid.Bool().Draw(t, "b"), List: rapid.SliceOf(text).Draw(t, "list"),
		Lists: rapid.SliceOf(rapid.SliceOf(num)).Draw(t, "lists"),
		Deep:  rapid.SliceOf(two).Draw(t, "deep"),
		Ptr:   rapid.Ptr(two, true).Draw(t, "ptr"),
	}
}

// What is read is what was written; nil differs from empty; equal values give equal bytes.
func TestCodecGivesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawOdd(t)
		b, err := encodeValue(nil, reflect.ValueOf(want))
		again, _ := encodeValue(nil, reflect.ValueOf(want))
		var got odd
		if err == nil {
			err = decodeValue(string(b), reflect.ValueOf(&got).Elem())
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(odd{})); diff != "" || err != nil ||
			string(b) != string(again) {
			t.Fatal(err, diff)
		}
	})
}

// TestCodecTellsNilFromEmpty: of lists in lists too.
func TestCodecTellsNilFromEmpty(t *testing.T) {
	type lists struct {
		Texts [][]string
		Rules [][]fsm.Rule
	}
	want, got := lists{[][]string{nil, {}, {"a"}}, [][]fsm.Rule{nil, {}, {{Name: "a"}}}}, lists{}
	b, err := encodeValue(nil, reflect.ValueOf(want))
	if err == nil {
		err = decodeValue(string(b), reflect.ValueOf(&got).Elem())
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestCodecWantsAllBytes: every beginning of the bytes is damaged, and so are more bytes than belong to the value.
func TestCodecWantsAllBytes(t *testing.T) {
	policy := compiled(t, "../configs/pipeline.yaml")
	b, err := encodeValue(nil, reflect.ValueOf(*policy))
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if err := decodeValue(string(b[:n]), reflect.ValueOf(new(fsm.Policy)).Elem()); err == nil {
			t.Fatalf("%d of %d bytes are a policy", n, len(b))
		}
	}
	if err := decodeValue(string(b)+"\x00", reflect.ValueOf(new(fsm.Policy)).Elem()); err == nil {
		t.Error("one byte more is a policy")
	}
}

// A kind that the codec does not know is an error when it is written, not a value that is lost.
func TestCodecRefuses(t *testing.T) {
	for _, v := range []any{struct{ F func() }{}, struct{ A any }{1}, struct{ C chan int }{}, [2]int{}} {
		if _, err := encodeValue(nil, reflect.ValueOf(v)); err == nil {
			t.Errorf("%T was encoded", v)
		}
	}
}

// TestCodecMakesLongListOnce: new memory is most of what many rules cost a call.
func TestCodecMakesLongListOnce(t *testing.T) {
	p := fsm.Policy{}
	for i := range 500 {
		p.Main.List = append(p.Main.List, fsm.Rule{Name: fmt.Sprint("rule-", i), Place: fmt.Sprint("pipeline.yaml:", i),
			Verdict: fsm.Deny, Tools: []string{fmt.Sprint("mcp__server", i, "__*")}, Reason: "Not here."})
	}
	text, err := encodeValue(nil, reflect.ValueOf(p))
	if err != nil {
		t.Fatal(err)
	}
	var back fsm.Policy
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = decodeValue(string(text), reflect.ValueOf(&back).Elem())
	runtime.ReadMemStats(&after)
	if err != nil || len(back.Main.List) != 500 {
		t.Fatalf("%d rules: %v", len(back.Main.List), err)
	}
	list := 500 * uint64(reflect.TypeFor[fsm.Rule]().Size())
	if took := after.TotalAlloc - before.TotalAlloc; took > list*3/2 {
		t.Errorf("%d bytes allocated for a list of %d", took, list)
	}
}

func TestShapeTellsTypesApart(t *testing.T) {
	types := []reflect.Type{
		reflect.TypeFor[struct{ A, B string }](), reflect.TypeFor[struct{ B, A string }](),
		reflect.TypeFor[struct{ A string }](),
		reflect.TypeFor[struct{ A, B int }](), reflect.TypeFor[struct{ A, B []string }](),
		reflect.TypeFor[struct{ A, B *string }](),
		reflect.TypeFor[struct{ A []struct{ B string } }](), reflect.TypeFor[struct{ A []struct{ C string } }](),
		reflect.TypeFor[fsm.Policy](),
	}
	seen := map[string]reflect.Type{}
	for _, typ := range types {
		if other, twice := seen[string(appendShape(nil, typ))]; twice {
			t.Errorf("%v and %v have one shape", typ, other)
		}
		seen[string(appendShape(nil, typ))] = typ
	}
}

// FuzzDecode: no bytes make it panic, or make it take memory out of proportion.
func FuzzDecode(f *testing.F) {
	b, err := encodeValue(nil, reflect.ValueOf(fsm.Policy{Initial: "A",
		States: []fsm.State{{Name: "A", Triggers: []fsm.Trigger{{Agents: []string{"x"}}}}}}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p fsm.Policy
		if decodeValue(string(b), reflect.ValueOf(&p).Elem()) == nil {
			back, err := encodeValue(nil, reflect.ValueOf(p))
			var again fsm.Policy
			if err == nil {
				err = decodeValue(string(back), reflect.ValueOf(&again).Elem())
			}
			if err != nil || !reflect.DeepEqual(p, again) {
				t.Errorf("what was read is not what is written: %v", err)
			}
		}
		var o odd
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = decodeValue(string(b), reflect.ValueOf(&o).Elem())
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(1<<16+1000*len(b)) {
			t.Errorf("%d bytes allocated for %d", took, len(b))
		}
	})
}

// TestCodecOfDamage: bytes that name a field that the type does not have, or a number without an end, are damaged.
func TestCodecOfDamage(t *testing.T) {
	number := func(n int) string { return "\x02" + strings.Repeat("\x80", n) + "\x01" } // of field I
	for _, c := range []struct {
		text     string
		isDamage bool
	}{{"\x03\x00\x00", false}, {"\x04", true}, {"\x07\x00\x00\x00", true}, {number(8), false},
		{number(binary.MaxVarintLen64 - 1), false}, {number(binary.MaxVarintLen64), true}} {
		var v struct {
			S string
			I int
		}
		if err := decodeValue(c.text, reflect.ValueOf(&v).Elem()); (err != nil) != c.isDamage {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// TestCodecOfManySmall: a list whose elements take fewer bytes than most is whole.
func TestCodecOfManySmall(t *testing.T) {
	for _, n := range []int{64, 65, 200, 1000} {
		want, got := odd{Lists: make([][]int, n)}, odd{}
		for i := range want.Lists {
			want.Lists[i] = []int{i}[:i%2]
		}
		b, err := encodeValue(nil, reflect.ValueOf(want))
		if err == nil {
			err = decodeValue(string(b), reflect.ValueOf(&got).Elem())
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%d: %v %s", n, err, diff)
		}
	}
}
