package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// A source is one file as it was written: its text, and its values with their places,
// whatever its language.
type source struct {
	file  string
	text  []byte
	root  *value
	lines []string
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

// get returns the value of a key.
func (v *value) get(key string) *value {
	if i := slices.IndexFunc(v.fields, func(f field) bool { return f.key == key }); i >= 0 {
		return v.fields[i].value
	}
	return nil
}

// follow returns the value that a trail leads to.
func (v *value) follow(p trail) *value {
	for _, key := range strings.Split(string(p), sep) {
		if v != nil {
			v = v.get(key)
		}
	}
	return v
}

func (v *value) isEmpty() bool { return len(v.fields)+len(v.items)+len(strings.TrimSpace(v.text)) == 0 }

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

// parseSource reads one file. The problems are those of its language; the meaning of the
// keys is not checked yet.
func parseSource(file string) (*source, []Problem) {
	s := &source{file: file}
	var err error
	if s.text, err = readSource(file); err != nil {
		return nil, []Problem{{File: file, Message: err.Error()}}
	}
	s.lines = strings.Split(string(s.text), "\n")
	switch filepath.Ext(s.file) {
	case ".yaml", ".yml":
		return s, s.readYAML()
	case ".toml":
		return s, s.readTOML()
	}
	return s, []Problem{s.problemAt(spot{}, "found an unknown file type, expected .yaml, .yml or .toml", "")}
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
