package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A strict reading holds one file against the types of Config: every key known, every value of the type of its key,
// and nothing empty that says nothing. It notes where each value is.
type strict struct {
	*source
	origins  *Origins
	problems []Problem
}

// checkFile reads the file from its root, and drops what lower layers said about the sections that it has.
func (s *strict) checkFile() []Problem {
	for _, name := range wholeSections() {
		if s.root.get(name) != nil {
			s.origins.forgetBelow(trail(name))
		}
	}
	for _, m := range wholeMappings() {
		if f := s.root.get(m[0]); f != nil && f.get(m[1]) != nil {
			s.origins.forgetBelow(to(m[0], m[1]))
		}
	}
	if s.root.kind != isMapping {
		s.origins.broken = true
		s.report("", s.root.at, fmt.Sprintf("found %s, expected keys such as `version: 1`", s.root.describe()), "")
		return s.problems
	}
	s.checkMapping(s.root, reflect.TypeFor[Config](), "")
	return s.problems
}

func (s *strict) report(p trail, at spot, message, hint string) {
	s.origins.bad[p.section()] = true
	s.problems = append(s.problems, s.problemAt(at, message, hint))
}

// checkField looks at one value: t is the type that it must have, tag what else its key says.
func (s *strict) checkField(f field, t reflect.Type, tag reflect.StructTag, p trail) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem() // a value that may be left out, where its zero says something
	}
	if t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		s.origins.forgetBelow(p)
	}
	s.origins.at[p] = Origin{key: f.at, value: f.value.at, block: f.block, source: s.source}
	if want := kindOf(t); f.kind != want {
		s.report(p, f.value.at, fmt.Sprintf("found %s, expected %s", f.describe(), describeExpected(want, tag)), hintFor(f, want, t))
		return
	}
	if f.isEmpty() && tag.Get("empty") == "" {
		s.report(p, f.value.at, fmt.Sprintf("found nothing in `%s`, expected something", f.key), "leave it out")
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		s.checkMapping(f.value, t, p)
	case reflect.Map:
		for _, g := range f.fields {
			s.checkField(g, t.Elem(), "", p.key(g.key))
		}
	case reflect.Slice:
		for i, v := range f.items {
			s.checkField(field{f.key, v.at, v}, t.Elem(), elementTag(tag), p.item(i))
		}
	default:
		s.checkWord(f, tag, p)
	}
}

// elementTag is what the tag of a list says of its elements.
func elementTag(tag reflect.StructTag) reflect.StructTag {
	if words := tag.Get("of"); words != "" {
		return reflect.StructTag(fmt.Sprintf("is:%q", words))
	}
	return ""
}

// checkWord checks a value of which only some are known.
func (s *strict) checkWord(f field, tag reflect.StructTag, p trail) {
	if words := strings.Fields(tag.Get("is")); len(words) > 0 && !slices.Contains(words, f.text) {
		s.report(p, f.value.at, fmt.Sprintf("found %s, expected %s", f.describe(), joinOr(words)), didYouMean(f.text, words))
	}
}

// checkMapping looks at the keys of a struct.
func (s *strict) checkMapping(v *value, t reflect.Type, p trail) {
	known := keysOf(t)
	for _, f := range v.fields {
		i := slices.Index(known, f.key)
		if i < 0 {
			s.reportUnknown(f, known, p)
			continue
		}
		s.checkField(f, t.Field(i).Type, t.Field(i).Tag, p.below(f.key))
	}
	for i, key := range known {
		if t.Field(i).Tag.Get("must") != "" && v.get(key) == nil {
			s.report(p, v.at, fmt.Sprintf("found no `%s`, expected one", key), "")
		}
	}
}

// reportUnknown reports a key that nobody knows. What the user meant is missing then: that is not reported again.
func (s *strict) reportUnknown(f field, known []string, p trail) {
	hint := didYouMean(f.key, known)
	if meant := findNearest(f.key, known); meant != "" {
		s.origins.bad[p.below(meant).section()] = true
	}
	if hint == "" {
		hint = "known here: " + strings.Join(known, ", ")
	}
	s.report(p.below(f.key), f.at, fmt.Sprintf("found unknown key %s", quoteShort(f.key)), hint)
}

// below is the path of a key, also of one at the root.
func (p trail) below(key string) trail {
	if p == "" {
		return trail(key)
	}
	return p.key(key)
}

// keysOf lists the keys of a struct, in the order of its fields.
func keysOf(t reflect.Type) []string {
	out := make([]string, t.NumField())
	for i := range out {
		out[i] = t.Field(i).Tag.Get("koanf")
	}
	return out
}

func (v *value) isEmpty() bool { return len(v.fields)+len(v.items)+len(strings.TrimSpace(v.text)) == 0 }

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

// describeExpected says what a key wants: one of its words where it has some, else the kind.
func describeExpected(k kind, tag reflect.StructTag) string {
	if words := strings.Fields(tag.Get("is")); len(words) > 0 {
		return joinOr(words)
	}
	return string(k)
}

// hintFor shows how the value is to be spelled, where that is plain.
func hintFor(f field, want kind, t reflect.Type) string {
	switch {
	case want == isMapping && f.kind == isText && t.Kind() == reflect.Struct && slices.Contains(keysOf(t), f.text):
		return fmt.Sprintf("write {%s: true}", f.text)
	case want == isList && f.kind == isText:
		return fmt.Sprintf("write [%s]", f.text)
	case want == isText && f.kind != isMapping && f.kind != isList && f.kind != isNothing:
		return fmt.Sprintf("put it in quotes: %q", f.text)
	case want == isNumber && f.kind == isText && strings.Trim(f.text, "0123456789") == "":
		return "leave the quotes out"
	}
	return ""
}
