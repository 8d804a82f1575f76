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

// A field is a value, and the key under which it stands, or its place in a list: after[0].
type field struct {
	key string
	gjson.Result
}

// readObject reads an object; nil where the value is none.
func (r *reader) readObject(at string, v gjson.Result) *object {
	if !v.IsObject() {
		r.addError(at, "found %s, expected an object", describeValue(v))
		return nil
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
	return o
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
func take[T any](o *object, read func(field) T, names ...string) (out T) {
	taken := ""
	for _, n := range names {
		i := slices.IndexFunc(o.left, func(f field) bool { return f.key == n })
		if i < 0 {
			continue
		}
		f := o.left[i]
		o.left = slices.Delete(o.left, i, i+1)
		switch {
		case f.Type == gjson.Null:
		case taken != "":
			o.addError(n, "%s says the same as %s: keep one of them", quoteName(n), quoteName(taken))
		default:
			taken, out = n, read(f)
		}
	}
	return out
}

// expect reports whether a value is what it must be.
func (o *object) expect(ok bool, f field, what string) bool {
	if !ok {
		o.addError(f.key, "found %s, expected %s", describeValue(f.Result), what)
	}
	return ok
}

// text reads a text of one paragraph. Control characters become spaces.
func (o *object) text(limit int) func(field) string {
	return func(f field) string {
		if !o.expect(f.Type == gjson.String, f, "a text") {
			return ""
		}
		if n := utf8.RuneCountInString(f.Str); n > limit {
			o.addError(f.key, "the text has %d characters, at most %d are allowed", n, limit)
			return ""
		}
		return plainText(f.Str)
	}
}

// name reads the name of an agent.
func (o *object) name(f field) string { return o.readName(f, "a text", maxAgent) }

// id reads an id: a name or a number.
func (o *object) id(f field) string {
	if f.Type == gjson.Number {
		f.Type, f.Str = gjson.String, f.Raw
	}
	return o.readName(f, "the id of a phase", maxName)
}

// readName reads a text that becomes part of a sentence: not empty, on one line, short.
func (o *object) readName(f field, expected string, limit int) string {
	if !o.expect(f.Type == gjson.String, f, expected) {
		return ""
	}
	switch n := utf8.RuneCountInString(f.Str); {
	case strings.TrimSpace(f.Str) == "":
		o.addError(f.key, "this is empty")
	case n > limit:
		o.addError(f.key, "the name has %d characters, at most %d are allowed", n, limit)
	case strings.ContainsFunc(f.Str, unicode.IsControl):
		o.addError(f.key, "a name must be one line of plain text")
	}
	return strings.TrimSpace(f.Str)
}

// ids reads a list of ids, or one id.
func (o *object) ids(f field) (out []string) {
	if !f.IsArray() {
		return []string{o.id(f)}
	}
	for _, one := range o.list(f) {
		out = append(out, o.id(one))
	}
	return out
}

// list reads a list. Each of its values has its place in it.
func (o *object) list(f field) (out []field) {
	if o.expect(f.IsArray(), f, "a list") {
		for i, v := range f.Array() {
			out = append(out, field{fmt.Sprintf("%s[%d]", f.key, i), v})
		}
	}
	return out
}

// wave reads the number of a wave.
func (o *object) wave(f field) int {
	n, err := strconv.Atoi(f.Raw)
	if f.Type != gjson.Number || err != nil || n < 1 || n > MaxPhases {
		o.addError(f.key, "found %s, expected a whole number from 1 to %d", describeValue(f.Result), MaxPhases)
		return 0
	}
	return n
}

// word reads one of a few words, or none.
func (o *object) word(among ...string) func(field) string {
	return func(f field) string {
		isKnown := f.Type == gjson.String && (f.Str == "" || slices.Contains(among, f.Str))
		o.expect(isKnown, f, strings.Join(among, " or "))
		return f.Str
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
