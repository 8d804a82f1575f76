package fsm

import (
	"reflect"
	"strings"
)

// fillSimple fills in a template of fields, with, if, else and end: nearly all there are.
// What it does not know is left to text/template, which takes longer to learn its own
// functions than a call takes otherwise.
func fillSimple(text string, data *TemplateData) (string, bool) {
	f := filler{rest: text}
	ended, ok := f.fill(reflect.ValueOf(data))
	return f.out.String(), ok && ended == ""
}

// A filler is the result so far, and what of the template is left.
type filler struct {
	out  strings.Builder
	rest string
}

// fill goes on until the template ends, or the part of it that this is: with "else" or
// "end". Of a part without a dot, which does not count, nothing is written. Not ok: it is
// not simple.
func (f *filler) fill(dot reflect.Value) (ended string, ok bool) {
	for {
		text, rest, found := strings.Cut(f.rest, "{{")
		if dot.IsValid() {
			f.out.WriteString(text)
		}
		if !found {
			return "", true
		}
		action, rest, closed := strings.Cut(rest, "}}")
		f.rest, action = rest, strings.Trim(action, " \t")
		if !closed || action == "else" || action == "end" {
			return action, closed
		}
		word, path, isBlock := strings.Cut(action, " ")
		if isBlock && (word == "with" || word == "if") {
			ok = f.fillBlock(word == "with", strings.TrimLeft(path, " \t"), dot)
		} else {
			ok = f.fillField(action, dot)
		}
		if !ok {
			return "", false
		}
	}
}

// fillBlock fills in one of two parts, by whether a field is empty. In the first, with
// makes the field the dot.
func (f *filler) fillBlock(moves bool, path string, dot reflect.Value) bool {
	value, ok := resolveField(dot, path)
	first, second := dot, reflect.Value{}
	switch {
	case !ok || value.Kind() == reflect.Map:
		return false
	case value.IsValid() && value.IsZero():
		first, second = reflect.Value{}, dot
	case moves:
		first = value
	}
	ended, ok := f.fill(first)
	if ok && ended == "else" {
		ended, ok = f.fill(second)
	}
	return ok && ended == "end"
}

func (f *filler) fillField(path string, dot reflect.Value) bool {
	value, ok := resolveField(dot, path)
	if ok && value.Kind() == reflect.String {
		f.out.WriteString(value.String())
	}
	return ok && (!value.IsValid() || value.Kind() == reflect.String)
}

// resolveField returns the value of an action of names, with a dot before each.
// Without a dot to begin with it has no value. Not ok: text/template must say what
// is wrong.
func resolveField(dot reflect.Value, action string) (reflect.Value, bool) {
	names, ok := strings.CutPrefix(action, ".")
	if names == "" {
		return dot, ok
	}
	for name := range strings.SplitSeq(names, ".") {
		if ok = ok && isFieldName(name); !ok || !dot.IsValid() {
			continue
		}
		switch dot = reflect.Indirect(dot); dot.Kind() {
		case reflect.Struct:
			dot = dot.FieldByName(name)
			ok = dot.IsValid()
		case reflect.Map:
			empty := reflect.Zero(dot.Type().Elem())
			if dot = dot.MapIndex(reflect.ValueOf(name)); !dot.IsValid() {
				dot = empty
			}
		default:
			ok = false
		}
	}
	return dot, ok
}

func isFieldName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
	return name != "" && strings.Trim(name, letters) == "" && (name[0] < '0' || name[0] > '9')
}
