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

// An object is one object of the JSON while it is read: what is taken is known, what is left is noted.
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

func (f field) there() bool { return f.key != "" && f.value.Type != gjson.Null }

func (r *reader) object(at string, v gjson.Result) (*object, bool) {
	if !v.IsObject() {
		r.wrong(at, "found %s, expected an object", kind(v))
		return nil, false
	}
	o := &object{reader: r, at: at}
	v.ForEach(func(key, value gjson.Result) bool {
		if slices.ContainsFunc(o.left, func(f field) bool { return f.key == key.String() }) {
			o.wrong(o.path(key.String()), "the key stands here twice")
			return true
		}
		o.left = append(o.left, field{key.String(), value})
		return true
	})
	return o, true
}

func (o *object) wrong(where, format string, a ...any) {
	o.bad = true
	o.reader.wrong(where, format, a...)
}

func (o *object) path(key string) string { return strings.TrimPrefix(o.at+"."+key, ".") }

// take finds a key by its names, of which only one may be there.
func (o *object) take(names ...string) field {
	var out field
	for _, n := range names {
		i := slices.IndexFunc(o.left, func(f field) bool { return f.key == n })
		if i < 0 {
			continue
		}
		f := o.left[i]
		o.left = slices.Delete(o.left, i, i+1)
		if out.there() && f.there() {
			o.wrong(o.path(n), "%s says the same as %s: keep one of them", quoted(n), quoted(out.key))
			continue
		}
		if f.there() {
			out = f
		}
	}
	return out
}

// rest notes the keys that nobody took, except those that are the writer's own.
func (o *object) rest(own ...string) {
	for _, f := range o.left {
		if !slices.Contains(own, f.key) {
			o.note(o.path(f.key), "this key means nothing here")
		}
	}
}

// text is a text of one paragraph: what it has of control characters becomes spaces.
func (o *object) text(limit int, names ...string) string {
	f := o.take(names...)
	if !f.there() {
		return ""
	}
	if f.value.Type != gjson.String {
		o.wrong(o.path(f.key), "found %s, expected a text", kind(f.value))
		return ""
	}
	if n := utf8.RuneCountInString(f.value.String()); n > limit {
		o.wrong(o.path(f.key), "the text has %d characters, at most %d may be", n, limit)
		return ""
	}
	return plain(f.value.String())
}

// line is a name: a text of one line.
func (o *object) line(limit int, names ...string) string {
	f := o.take(names...)
	if !f.there() {
		return ""
	}
	if f.value.Type != gjson.String {
		o.wrong(o.path(f.key), "found %s, expected a text", kind(f.value))
		return ""
	}
	return o.checked(o.path(f.key), f.value, limit)
}

// name is an id: a line or a number.
func (o *object) name(limit int, names ...string) string {
	f := o.take(names...)
	if !f.there() {
		return ""
	}
	return o.id(o.path(f.key), f.value, limit)
}

func (o *object) id(at string, v gjson.Result, limit int) string {
	if v.Type == gjson.Number {
		v = gjson.Result{Type: gjson.String, Str: v.Raw}
	}
	if v.Type != gjson.String {
		o.wrong(at, "found %s, expected the id of a phase", kind(v))
		return ""
	}
	return o.checked(at, v, limit)
}

// checked is a text that is printed as part of a sentence: not empty, on one line, not long.
func (o *object) checked(at string, v gjson.Result, limit int) string {
	s := v.String()
	switch n := utf8.RuneCountInString(s); {
	case strings.TrimSpace(s) == "":
		o.wrong(at, "this is empty")
	case n > limit:
		o.wrong(at, "the name has %d characters, at most %d may be", n, limit)
	case strings.ContainsFunc(s, unicode.IsControl):
		o.wrong(at, "a name must be one line of plain text")
	}
	return strings.TrimSpace(s)
}

// names is a list of ids, or one.
func (o *object) names(keys ...string) []string {
	f := o.take(keys...)
	if !f.there() {
		return nil
	}
	at := o.path(f.key)
	if !f.value.IsArray() {
		return []string{o.id(at, f.value, maxName)}
	}
	var out []string
	for i, v := range f.value.Array() {
		out = append(out, o.id(fmt.Sprintf("%s[%d]", at, i), v, maxName))
	}
	return out
}

func (o *object) list(key string) (string, []gjson.Result) {
	f := o.take(key)
	if f.there() && !f.value.IsArray() {
		o.wrong(o.path(key), "found %s, expected a list", kind(f.value))
		return "", nil
	}
	return o.path(key), many(f.value)
}

func (o *object) count(key string) int {
	f := o.take(key)
	if !f.there() {
		return 0
	}
	n, err := strconv.Atoi(f.value.Raw)
	if f.value.Type != gjson.Number || err != nil || n < 1 || n > MaxPhases {
		o.wrong(o.path(key), "found %s, expected a whole number from 1 to %d", kind(f.value), MaxPhases)
		return 0
	}
	return n
}

// word is one of a few words, or none.
func (o *object) word(among []string, keys ...string) string {
	f := o.take(keys...)
	if !f.there() || f.value.Type == gjson.String && f.value.String() == "" {
		return ""
	}
	if f.value.Type == gjson.String && slices.Contains(among, f.value.String()) {
		return f.value.String()
	}
	o.wrong(o.path(f.key), "found %s, expected %s", kind(f.value), strings.Join(among, " or "))
	return ""
}

// many is a list, or nothing.
func many(v gjson.Result) []gjson.Result {
	if !v.IsArray() {
		return nil
	}
	return v.Array()
}

// kind says what a value is.
func kind(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "a list"
	case v.Type == gjson.String:
		return "the text " + quoted(v.String())
	case v.Type == gjson.Null:
		return "nothing"
	}
	return cut(v.Raw, maxName)
}

// quoted is a name in a sentence. It may come from a text of any length.
func quoted(s string) string { return strconv.Quote(cut(s, maxName)) }

func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

// plain is a text without line breaks and other control characters, which could change what is drawn.
func plain(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }), " ")
}
