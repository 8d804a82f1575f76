package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/nearest"
)

// A strict reading compares one file with the types of Config. Every key must be known,
// every value of the type of its key, and nothing empty without effect. It records where
// each value is.
type strict struct {
	*source
	*Origins
}

func (s *strict) report(p trail, at spot, message, hint string) {
	s.bad[p.section()] = true
	s.source.report(at, message, hint)
}

// checkField checks one value: t is the type that it must have, tag what else its key says.
func (s *strict) checkField(f field, t reflect.Type, tag reflect.StructTag, p trail) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem() // a value that may be left out, where its zero has a meaning
	}
	if t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		if _, isThere := s.at[p]; isThere { // drop what lower layers have
			maps.DeleteFunc(s.at, func(at trail, _ Origin) bool { return at.isIn(p) })
		}
	}
	s.at[p] = Origin{field: f, tag: tag, source: s.source}
	words := strings.Fields(tag.Get("is"))
	if want := kindOf(t); f.kind != want {
		expected := string(want)
		hint := s.hintFor(f, want, t)
		if len(words) > 0 {
			expected = JoinOr(words)
			if !slices.Contains(words, f.text) { // written as the hint says, it is as wrong
				hint = ""
			}
		}
		s.report(p, f.value.at, fmt.Sprintf("found %s, expected %s", f.describe(), expected), hint)
		return
	}
	if len(f.fields)+len(f.items)+len(strings.TrimSpace(f.text)) == 0 && tag.Get("empty") == "" {
		s.report(p, f.value.at, fmt.Sprintf("found an empty `%s`, expected a value", f.key), "leave it out")
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		s.checkMapping(f.value, t, p)
	case reflect.Map:
		for _, g := range f.fields {
			s.checkField(g, t.Elem(), elementTag(tag), p.key(g.key))
		}
	case reflect.Slice:
		for i, v := range f.items {
			s.checkField(field{f.key, v.at, v}, t.Elem(), elementTag(tag), p.item(i))
		}
	default:
		if len(words) > 0 && !slices.Contains(words, f.text) {
			message := fmt.Sprintf("found %s, expected %s", f.describe(), JoinOr(words))
			hint := DidYouMean(f.text, words)
			if p == "version" {
				hint = "a newer pipeline may read it (pipeline version prints that of this one)"
			}
			s.report(p, f.value.at, message, hint)
		}
	}
}

// elementTag is what the tag of a list or mapping says of its elements.
func elementTag(tag reflect.StructTag) reflect.StructTag {
	return reflect.StructTag(fmt.Sprintf("is:%q as:%q name:%q", tag.Get("of"), tag.Get("as"), tag.Get("keys")))
}

// checkMapping checks the keys of a struct. Where an unknown key means a known one, the
// known one is not reported as missing.
func (s *strict) checkMapping(v *value, t reflect.Type, p trail) {
	known, meant := keysOf(t), map[string]bool{}
	for _, f := range v.fields {
		if i := slices.Index(known, f.key); i >= 0 {
			s.checkField(f, t.Field(i).Type, t.Field(i).Tag, p.key(f.key))
			continue
		}
		hint := "the keys here are " + strings.Join(known, ", ")
		if p == "" { // there are too many for one line of the client
			hint = "pipeline config --reference lists the keys; a newer pipeline may have more"
		}
		if p != "" && slices.Contains(keysOf(reflect.TypeFor[Config]()), f.key) {
			hint = fmt.Sprintf("`%s` is a section of its own, with no spaces before it", f.key)
		}
		if nearest := nearest.Find(f.key, known); nearest != "" {
			hint = fmt.Sprintf("did you mean %s?", nearest)
			meant[nearest] = true
			s.bad[p.key(nearest).section()] = true
		}
		s.report(p.key(f.key), f.at, "found unknown key "+quoteShort(f.key), hint)
	}
	for i, key := range known {
		if t.Field(i).Tag.Get("must") != "" && v.get(key) == nil && !meant[key] {
			s.report(p, v.at, fmt.Sprintf("found no `%s`, expected one", key), "")
		}
	}
}

// keysOf lists the keys of a struct, in the order of its fields.
func keysOf(t reflect.Type) []string {
	out := make([]string, t.NumField())
	for i := range out {
		out[i] = t.Field(i).Tag.Get("koanf")
	}
	return out
}

func kindOf(t reflect.Type) kind {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return isMapping
	case reflect.Slice:
		return isList
	case reflect.Int:
		return isNumber
	case reflect.Bool:
		return isBoolean
	}
	return isText
}

// hintFor shows how to write the value, where that is clear.
func (s *strict) hintFor(f field, want kind, t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Struct && slices.Contains(keysOf(t), f.text):
		if filepath.Ext(s.file) == ".toml" {
			return fmt.Sprintf("write { %s = true }", f.text)
		}
		return fmt.Sprintf("write {%s: true}", f.text)
	case want == isMapping && f.kind == isNothing:
		return "write its keys below it, indented"
	case want == isList && f.kind == isText:
		return fmt.Sprintf("write [%q]", f.text) // quoted: a glob or @group needs it
	case want == isText && f.kind != isMapping && f.kind != isList && f.kind != isNothing:
		return fmt.Sprintf("put it in quotes: %q", f.text)
	case want == isNumber && f.kind == isText && strings.Trim(f.text, "0123456789") == "":
		return "leave the quotes out"
	}
	return ""
}
