package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A source is one file as it was written: its text, and its values with their places,
// whatever its language.
type source struct {
	file  string
	text  []byte
	root  *value
	lines []string

	count    int // of the values that were read
	problems []Problem
}

func (s *source) report(at spot, message, hint string) {
	s.problems = append(s.problems, s.problemAt(at, message, hint))
}

// kind is what a value is. Its text is its name in messages.
type kind string

const (
	isMapping kind = "a mapping"
	isList    kind = "a list"
	isText    kind = "text"
	isNumber  kind = "a whole number"
	isFloat   kind = "a number"
	isBoolean kind = "true or false"
	isDate    kind = "a date"
	isNothing kind = "nothing"
)

// spot is a place in a file, counted from 1, columns in characters.
type spot struct{ line, col int }

// A value is a value with its place.
type value struct {
	kind   kind
	text   string // of a scalar
	at     spot
	fields []field  // of a mapping, in the order of the file
	items  []*value // of a list
	block  bool     // text whose lines are lines of the file, from the one after `at`
}

// A field is a key of a mapping with its value.
type field struct {
	key string
	at  spot
	*value
}

func (v *value) get(key string) *value {
	if i := slices.IndexFunc(v.fields, func(f field) bool { return f.key == key }); i >= 0 {
		return v.fields[i].value
	}
	return nil
}

// follow returns the value that a trail leads to.
func (v *value) follow(p trail) *value {
	for _, key := range strings.Split(string(p), sep) {
		if v == nil {
			return nil
		}
		if i, err := strconv.Atoi(key); v.kind == isList && err == nil && i >= 0 && i < len(v.items) {
			v = v.items[i]
		} else {
			v = v.get(key)
		}
	}
	return v
}

// describe says what a value is, as a message puts it.
func (v *value) describe() string {
	switch v.kind {
	case isText:
		return quoteShort(v.text)
	case isNumber, isFloat, isBoolean, isDate:
		return v.text
	}
	return string(v.kind)
}

// plain is a value as koanf takes it. What the strict reading refuses stays text.
func (v *value) plain() any {
	switch v.kind {
	case isMapping:
		out := make(map[string]any, len(v.fields))
		for _, f := range v.fields {
			out[f.key] = f.plain()
		}
		return out
	case isList:
		out := make([]any, len(v.items))
		for i, item := range v.items {
			out[i] = item.plain()
		}
		return out
	case isNumber:
		n, _ := strconv.ParseInt(v.text, 0, 0)
		return int(n)
	case isBoolean:
		return strings.EqualFold(v.text, "true")
	}
	return v.text
}

// numberKind tells a whole number that Go can hold from others.
func numberKind(text string) kind {
	if _, err := strconv.ParseInt(text, 0, 0); err != nil {
		return isFloat
	}
	return isNumber
}

// parseSource reads one file. The problems are those of its language; the meaning of the
// keys is not checked yet.
func parseSource(file string) *source {
	text, err := readSource(file)
	s := &source{file: file, text: text}
	if err != nil {
		s.report(spot{}, err.Error(), "")
	} else {
		s.parse()
	}
	return s
}

func (s *source) parse() {
	s.lines = strings.Split(string(s.text), "\n")
	switch filepath.Ext(s.file) {
	case ".yaml", ".yml":
		s.readYAML()
	case ".toml":
		s.readTOML()
	default:
		s.report(spot{}, "found an unknown file type, expected .yaml, .yml or .toml", "")
	}
	if len(s.problems) == 0 {
		s.limitValues(field{"", spot{1, 1}, s.root}, 0)
	}
	if len(s.problems) == 0 && filepath.Ext(s.file) == ".toml" {
		s.checkTOML()
	}
}

// The limits of a file beside its size. Some checks compare each value with all others.
const (
	mostValues  = 20_000 // in a file, with its aliases expanded
	mostEntries = 1000   // in one mapping or list
	mostLevels  = 32
)

// countValue reports the first value too many. It is false from there on.
func (s *source) countValue(at spot) bool {
	if s.count++; s.count == mostValues+1 {
		s.report(at, fmt.Sprintf("found more than %d values, expected fewer", mostValues), "")
	}
	return s.count <= mostValues
}

// limitValues reports the first value that is past a limit.
func (s *source) limitValues(f field, depth int) {
	message := ""
	switch {
	case depth > mostLevels:
		message = fmt.Sprintf("found values nested more than %d deep, expected fewer", mostLevels)
	case len(f.fields) > mostEntries || len(f.items) > mostEntries:
		within := "the file"
		if f.key != "" {
			within = "`" + f.key + "`"
		}
		message = fmt.Sprintf("found more than %d values in %s, expected fewer", mostEntries, within)
	}
	if message != "" {
		s.report(f.at, message, "")
		return
	}
	below := f.fields
	for _, v := range f.items {
		below = append(below, field{f.key, v.at, v})
	}
	for _, b := range below {
		if s.limitValues(b, depth+1); len(s.problems) > 0 {
			return
		}
	}
}

// problemAt makes a problem at a spot of the file. A place behind the end of the file is
// reported at its last line.
func (s *source) problemAt(at spot, message, hint string) Problem {
	at.line = min(at.line, len(s.lines))
	p := Problem{File: s.file, Line: at.line, Col: at.col, Message: message, Hint: hint}
	if p.Line > 0 {
		p.Source = strings.TrimRight(s.lines[p.Line-1], "\r")
	}
	return p
}
