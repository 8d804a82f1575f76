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

func (f field) isSet() bool { return f.key != "" && f.value.Type != gjson.Null }

func (r *reader) readObject(at string, v gjson.Result) (*object, bool) {
	if !v.IsObject() {
		r.addError(at, "found %s, expected an object", describeValue(v))
		return nil, false
	}
	o := &object{reader: r, at: at}
	v.ForEach(func(key, value gjson.Result) bool {
		if slices.ContainsFunc(o.left, func(f field) bool { return f.key == key.String() }) {
			o.addError(o.pathOf(key.String()), "the key occurs twice")
			return true
		}
		o.left = append(o.left, field{key.String(), value})
		return true
	})
	return o, true
}

func (o *object) addError(where, format string, a ...any) {
	o.bad = true
	o.reader.addError(where, format, a...)
}

func (o *object) pathOf(key string) string { return strings.TrimPrefix(o.at+"."+key, ".") }

// takeField finds a key by its names, of which only one may be set.
func (o *object) takeField(names ...string) field {
	var out field
	for _, n := range names {
		i := slices.IndexFunc(o.left, func(f field) bool { return f.key == n })
		if i < 0 {
			continue
		}
		f := o.left[i]
		o.left = slices.Delete(o.left, i, i+1)
		switch {
		case !f.isSet():
		case out.isSet():
			o.addError(o.pathOf(n), "%s says the same as %s: keep one of them", quoteName(n), quoteName(out.key))
		default:
			out = f
		}
	}
	return out
}

// noteRest notes the keys that are left, except those that are the writer's own.
func (o *object) noteRest(own ...string) {
	for _, f := range o.left {
		if !slices.Contains(own, f.key) {
			o.addNote(o.pathOf(f.key), "this key has no effect here")
		}
	}
}

// takeText takes a field that must be a text.
func (o *object) takeText(names []string) (field, bool) {
	f := o.takeField(names...)
	if f.isSet() && f.value.Type != gjson.String {
		o.addError(o.pathOf(f.key), "found %s, expected a text", describeValue(f.value))
		return f, false
	}
	return f, f.isSet()
}

// readText reads a text of one paragraph. Control characters become spaces.
func (o *object) readText(limit int, names ...string) string {
	f, ok := o.takeText(names)
	if !ok {
		return ""
	}
	if n := utf8.RuneCountInString(f.value.String()); n > limit {
		o.addError(o.pathOf(f.key), "the text has %d characters, at most %d are allowed", n, limit)
		return ""
	}
	return plainText(f.value.String())
}

// readName reads a text of one line.
func (o *object) readName(limit int, names ...string) string {
	f, ok := o.takeText(names)
	if !ok {
		return ""
	}
	return o.checkName(o.pathOf(f.key), f.value, limit)
}

// readID reads an id: a name or a number.
func (o *object) readID(limit int, names ...string) string {
	f := o.takeField(names...)
	if !f.isSet() {
		return ""
	}
	return o.checkID(o.pathOf(f.key), f.value, limit)
}

func (o *object) checkID(at string, v gjson.Result, limit int) string {
	if v.Type == gjson.Number {
		v = gjson.Result{Type: gjson.String, Str: v.Raw}
	}
	if v.Type != gjson.String {
		o.addError(at, "found %s, expected the id of a phase", describeValue(v))
		return ""
	}
	return o.checkName(at, v, limit)
}

// checkName checks a text that becomes part of a sentence: not empty, on one line, short.
func (o *object) checkName(at string, v gjson.Result, limit int) string {
	s := v.String()
	switch n := utf8.RuneCountInString(s); {
	case strings.TrimSpace(s) == "":
		o.addError(at, "this is empty")
	case n > limit:
		o.addError(at, "the name has %d characters, at most %d are allowed", n, limit)
	case strings.ContainsFunc(s, unicode.IsControl):
		o.addError(at, "a name must be one line of plain text")
	}
	return strings.TrimSpace(s)
}

// readIDs reads a list of ids, or one id.
func (o *object) readIDs(keys ...string) []string {
	f := o.takeField(keys...)
	if !f.isSet() {
		return nil
	}
	at := o.pathOf(f.key)
	if !f.value.IsArray() {
		return []string{o.checkID(at, f.value, maxName)}
	}
	var out []string
	for i, v := range f.value.Array() {
		out = append(out, o.checkID(fmt.Sprintf("%s[%d]", at, i), v, maxName))
	}
	return out
}

// readList returns a list, and its path.
func (o *object) readList(key string) (string, []gjson.Result) {
	f := o.takeField(key)
	switch {
	case !f.isSet():
		return o.pathOf(key), nil
	case !f.value.IsArray():
		o.addError(o.pathOf(key), "found %s, expected a list", describeValue(f.value))
		return "", nil
	}
	return o.pathOf(key), f.value.Array()
}

func (o *object) readCount(key string) int {
	f := o.takeField(key)
	if !f.isSet() {
		return 0
	}
	n, err := strconv.Atoi(f.value.Raw)
	if f.value.Type != gjson.Number || err != nil || n < 1 || n > MaxPhases {
		o.addError(o.pathOf(key), "found %s, expected a whole number from 1 to %d", describeValue(f.value), MaxPhases)
		return 0
	}
	return n
}

// readWord reads one of a few words, or none.
func (o *object) readWord(among []string, keys ...string) string {
	f := o.takeField(keys...)
	if !f.isSet() {
		return ""
	}
	word := f.value.String()
	if f.value.Type == gjson.String && (word == "" || slices.Contains(among, word)) {
		return word
	}
	o.addError(o.pathOf(f.key), "found %s, expected %s", describeValue(f.value), strings.Join(among, " or "))
	return ""
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
