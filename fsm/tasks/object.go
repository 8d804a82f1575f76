package tasks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// An object is one object of the JSON while it is read. Fields are taken as they are
// read; those that are left are noted.
type object struct {
	*reader
	at   string
	left []field
	bad  bool // something in it could not be read
}

type field struct {
	key   string
	value gjson.Result
}

func (r *reader) readObject(at string, v gjson.Result) (*object, bool) {
	if !v.IsObject() {
		r.addError(at, "found %s, expected an object", describeValue(v))
		return nil, false
	}
	o := &object{reader: r, at: at}
	v.ForEach(func(key, value gjson.Result) bool {
		if slices.ContainsFunc(o.left, func(f field) bool { return f.key == key.String() }) {
			o.addError(key.String(), "the key occurs twice")
			return true
		}
		o.left = append(o.left, field{key.String(), value})
		return true
	})
	return o, true
}

// addError adds a mistake under a key of the object.
func (o *object) addError(key, format string, a ...any) {
	o.bad = true
	o.reader.addError(o.pathOf(key), format, a...)
}

func (o *object) pathOf(key string) string { return strings.TrimPrefix(o.at+"."+key, ".") }

// noteRest notes the keys that are left, except those that are the writer's own.
func (o *object) noteRest(own ...string) {
	for _, f := range o.left {
		if !slices.Contains(own, f.key) {
			o.addNote(o.pathOf(f.key), "this key has no effect here")
		}
	}
}

// take reads what stands under one of some names, of which only one may be set. Where none is, the
// result is empty.
func take[T any](o *object, read func(key string, v gjson.Result) T, names ...string) (out T) {
	taken := ""
	for _, n := range names {
		i := slices.IndexFunc(o.left, func(f field) bool { return f.key == n })
		if i < 0 {
			continue
		}
		v := o.left[i].value
		o.left = slices.Delete(o.left, i, i+1)
		switch {
		case v.Type == gjson.Null:
		case taken != "":
			o.addError(n, "%s says the same as %s: keep one of them", quoteName(n), quoteName(taken))
		default:
			taken, out = n, read(n, v)
		}
	}
	return out
}

// expect reports whether a value is what it must be.
func (o *object) expect(ok bool, key string, v gjson.Result, what string) bool {
	if !ok {
		o.addError(key, "found %s, expected %s", describeValue(v), what)
	}
	return ok
}

// text reads a text of one paragraph. Control characters become spaces.
func (o *object) text(limit int) func(key string, v gjson.Result) string {
	return func(key string, v gjson.Result) string {
		if !o.expect(v.Type == gjson.String, key, v, "a text") {
			return ""
		}
		if n := utf8.RuneCountInString(v.Str); n > limit {
			o.addError(key, "the text has %d characters, at most %d are allowed", n, limit)
			return ""
		}
		return plainText(v.Str)
	}
}

// name reads the name of an agent.
func (o *object) name(key string, v gjson.Result) string {
	return o.readName(key, v, "a text", maxAgent)
}

// id reads an id: a name or a number.
func (o *object) id(key string, v gjson.Result) string {
	if v.Type == gjson.Number {
		v = gjson.Result{Type: gjson.String, Str: v.Raw}
	}
	return o.readName(key, v, "the id of a phase", maxName)
}

// readName reads a text that becomes part of a sentence: not empty, on one line, short.
func (o *object) readName(key string, v gjson.Result, expected string, limit int) string {
	if !o.expect(v.Type == gjson.String, key, v, expected) {
		return ""
	}
	s := v.Str
	switch n := utf8.RuneCountInString(s); {
	case strings.TrimSpace(s) == "":
		o.addError(key, "this is empty")
	case n > limit:
		o.addError(key, "the name has %d characters, at most %d are allowed", n, limit)
	case strings.ContainsFunc(s, unicode.IsControl):
		o.addError(key, "a name must be one line of plain text")
	}
	return strings.TrimSpace(s)
}

// ids reads a list of ids, or one id.
func (o *object) ids(key string, v gjson.Result) (out []string) {
	if !v.IsArray() {
		return []string{o.id(key, v)}
	}
	for i, one := range v.Array() {
		out = append(out, o.id(fmt.Sprintf("%s[%d]", key, i), one))
	}
	return out
}

func (o *object) list(key string, v gjson.Result) []gjson.Result {
	if !o.expect(v.IsArray(), key, v, "a list") {
		return nil
	}
	return v.Array()
}

// wave reads the number of a wave.
func (o *object) wave(key string, v gjson.Result) int {
	n, err := strconv.Atoi(v.Raw)
	if v.Type != gjson.Number || err != nil || n < 1 || n > MaxPhases {
		o.addError(key, "found %s, expected a whole number from 1 to %d", describeValue(v), MaxPhases)
		return 0
	}
	return n
}

// word reads one of a few words, or none.
func (o *object) word(among ...string) func(key string, v gjson.Result) string {
	return func(key string, v gjson.Result) string {
		isKnown := v.Type == gjson.String && (v.Str == "" || slices.Contains(among, v.Str))
		o.expect(isKnown, key, v, strings.Join(among, " or "))
		return v.Str
	}
}

func describeValue(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "a list"
	case v.Type == gjson.String:
		return "the text " + quoteName(v.String())
	case v.Type == gjson.Null:
		return "nothing"
	}
	return shorten(v.Raw, maxName)
}

// quoteName quotes a name for a sentence. It may come from a text of any length.
func quoteName(s string) string { return strconv.Quote(shorten(s, maxName)) }

func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// plainText is a text without line breaks and other control characters, which could
// change a drawing.
func plainText(s string) string {
	isGap := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }
	return strings.Join(strings.FieldsFunc(s, isGap), " ")
}
