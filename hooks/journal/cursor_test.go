package journal

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestCursor: a cursor finds in an object what gjson finds, and comes to an end in what is
// none.
func TestCursor(t *testing.T) {
	const text = ` {"v": 2,"n":-1.5e3,"":"", "event":{"kind":"a\"b\\","text":"\u00e9[{","agent":{},"l":[[],{"x":[1,"]"]}]},` +
		`"a\nb":"c","yes":true , "none":null,"list":[{"tool":"Bash","words":["a","b\\"]}, 5,"x"],"last":{"k":[]}} `
	compare := func(text string) {
		t.Helper()
		var got, want []string
		c := cursor{text: text}
		c.members(func(name string) { got = append(got, name, strings.TrimSpace(c.take())) })
		if c.at > len(text) {
			t.Fatalf("%q: it goes on behind the end", text)
		}
		whole := cursor{text: text}
		if whole.skip(); whole.isWhole() != gjson.Valid(text) {
			t.Fatalf("%q is JSON: %v, expected %v", text, !gjson.Valid(text), gjson.Valid(text))
		}
		if !gjson.Valid(text) || !gjson.Parse(text).IsObject() {
			return
		}
		gjson.Parse(text).ForEach(func(key, value gjson.Result) bool {
			want = append(want, key.Str, value.Raw)
			return true
		})
		if !slices.Equal(got, want) {
			t.Fatalf("%s:\n%q, expected\n%q", text, got, want)
		}
	}
	compare(text)
	for i := range text {
		compare(text[:i])
		compare(text[i:])
		for _, b := range []byte("\"\\{}[],: x5\x00\x1f\n0-.eu\x7f\x80\xff") {
			compare(text[:i] + string(b) + text[i+1:])
			compare(text[:i] + string(b) + text[i:])
		}
	}
	for _, whole := range []string{`[1,]`, `{"a":1,}`, `01`, `-`, `1.`, `1e`, `tru`, `"\u12g4"`, `"\u123"`, `"\`, `"\x"`,
		strings.Repeat("[", 3*maxDepth), strings.Repeat("[", 99) + strings.Repeat("]", 99), "\"1234567\x1f90\"", "\ufeff{}", "", `"`, `{"a"`, `5`, `[1]`, `{}`, `{"a":{"b":"c`} {
		compare(whole)
	}
}
