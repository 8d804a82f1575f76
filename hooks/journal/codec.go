package journal

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// The hot path writes and reads its one line by this codec instead of
// encoding/json, which learns every type again in each process: 0.2 ms a call, more than
// all the rest of the work. It knows what a record is made of (strings, numbers,
// truths, times, and structs, lists, maps and pointers of those) and the tags json,
// omitempty and omitzero. A test holds it to what encoding/json makes of random
// records.

// Encode is the JSON of what a pointer points to.
func Encode(of any) []byte { return new(Codec).appendValue(nil, reflect.ValueOf(of).Elem()) }

// A Codec encodes and decodes. What it has learned of a type, and the last record that it
// has read, it does not read again. Its zero value has learned nothing.
type Codec struct {
	types []structType
	last  *Record
}

// A structType lists the members of a struct's JSON, in the order of its fields.
type structType struct {
	reflect.Type
	members []member
}

// A member is how a field is written; its name is empty if it is not.
type member struct {
	name       string
	omits      bool // when it is empty
	isEmbedded bool // its members are written in its place
}

// membersOf looks the tags up by which the fields of a type are written. They have no
// other key than json: reflect's search for the key takes ten times as long.
func (c *Codec) membersOf(t reflect.Type) []member {
	for _, known := range c.types {
		if known.Type == t {
			return known.members
		}
	}
	members := make([]member, t.NumField())
	for i := range members {
		tag := string(t.Field(i).Tag)
		name, _, omits := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(tag, `json:"`), `"`), ",")
		if name != "-" {
			members[i] = member{name, omits, name == "" && t.Field(i).Anonymous}
		}
	}
	c.types = append(c.types, structType{t, members})
	return members
}

func (c *Codec) appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return appendString(b, v.String())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, "null"...)
		}
		return c.appendValue(b, v.Elem())
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = c.appendValue(b, v.Index(i))
		}
		return append(b, ']')
	case reflect.Map:
		keys := v.MapKeys() // strings, which are written in their order
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		b = append(b, '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = c.appendValue(append(appendString(b, k.String()), ':'), v.MapIndex(k))
		}
		return append(b, '}')
	}
	if v.Type() == reflect.TypeFor[time.Time]() { // asked of the type: Interface copies the whole value
		b = append(b, '"')
		b = v.Interface().(time.Time).AppendFormat(b, time.RFC3339Nano)
		return append(b, '"')
	}
	return append(c.appendMembers(append(b, '{'), v), '}')
}

func (c *Codec) appendMembers(b []byte, v reflect.Value) []byte {
	for i, m := range c.membersOf(v.Type()) {
		f := v.Field(i)
		isEmpty := f.IsZero() || (f.Kind() == reflect.Slice || f.Kind() == reflect.Map) && f.Len() == 0
		if m.isEmbedded {
			b = c.appendMembers(b, f)
		}
		if m.name == "" || m.omits && isEmpty {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = c.appendValue(append(appendString(b, m.name), ':'), f)
	}
	return b
}

// appendString appends a JSON string. What is no UTF-8 becomes the replacement
// character.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// Decode reads a JSON object into what a pointer points to. It ignores members that it
// does not know: a newer version wrote them.
func Decode(line []byte, to any) error { return new(Codec).Decode(line, to) }

// Decode reads a JSON object into what a pointer points to.
func (c *Codec) Decode(line []byte, to any) error {
	if !gjson.ValidBytes(line) {
		return errors.New("not JSON")
	}
	return c.setValue(reflect.ValueOf(to).Elem(), gjson.ParseBytes(line))
}

func (c *Codec) setValue(v reflect.Value, from gjson.Result) (err error) {
	if from.Type == gjson.Null {
		return nil
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		t, err := time.Parse(time.RFC3339Nano, from.Str)
		v.Set(reflect.ValueOf(t))
		return err
	}
	switch k := v.Kind(); {
	case k == reflect.String && from.Type == gjson.String:
		v.SetString(from.Str)
	case k == reflect.Bool && from.IsBool():
		v.SetBool(from.Bool())
	case (k == reflect.Int || k == reflect.Int64) && from.Type == gjson.Number:
		v.SetInt(from.Int())
	case k == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return c.setValue(v.Elem(), from)
	case k == reflect.Slice && from.IsArray(), k == reflect.Map && from.IsObject():
		if k == reflect.Map {
			v.Set(reflect.MakeMap(v.Type()))
		}
		from.ForEach(func(key, item gjson.Result) bool {
			x := reflect.New(v.Type().Elem()).Elem()
			if err = c.setValue(x, item); k == reflect.Map {
				v.SetMapIndex(reflect.ValueOf(key.Str), x)
			} else {
				v.Set(reflect.Append(v, x))
			}
			return err == nil
		})
	case k == reflect.Struct && from.IsObject():
		members := c.membersOf(v.Type())
		from.ForEach(func(k, item gjson.Result) bool {
			i := slices.IndexFunc(members, func(m member) bool { return m.name == k.Str })
			if i >= 0 && k.Str != "" {
				err = c.setValue(v.Field(i), item)
			}
			return err == nil
		})
		for i, m := range members {
			if m.isEmbedded && err == nil {
				err = c.setValue(v.Field(i), from)
			}
		}
	default:
		return fmt.Errorf("not of the form of a record: %s for %s", from.Type, v.Type())
	}
	return err
}
