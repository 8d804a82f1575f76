package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

// A source is one file as it was written: its text, and its values with their places, whatever its language.
type source struct {
	file  string
	text  []byte
	root  *value
	lines []string
}

// maxSource is the size beyond which a file is not taken for a config.
const maxSource = 1 << 20

// kind is what a value is. Its text is how a message calls it.
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

// quoteShort shortens what a message repeats of the file.
func quoteShort(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// parseSource reads one file. The problems are those of its language: what the keys mean is not yet looked at.
func parseSource(file string) (*source, []Problem) {
	s := &source{file: file}
	var err error
	if s.text, err = readSource(file); err != nil {
		return nil, []Problem{{File: file, Message: err.Error()}}
	}
	return s, s.parseText()
}

func (s *source) parseText() []Problem {
	s.lines = strings.Split(string(s.text), "\n")
	switch filepath.Ext(s.file) {
	case ".yaml", ".yml":
		return s.readYAML()
	case ".toml":
		return s.readTOML()
	}
	return []Problem{s.problemAt(spot{}, "found a file of an unknown kind, expected .yaml, .yml or .toml", "")}
}

func readSource(file string) ([]byte, error) {
	text, st, err := readFile(file, maxSource)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG:
		return nil, errors.New("found no regular file, expected one")
	case st.Size > maxSource:
		return nil, fmt.Errorf("found %d bytes, expected at most %d", st.Size, maxSource)
	}
	return text, nil
}

// problemAt makes a problem at a spot of the file. What a parser sees behind the end is told at the last line.
func (s *source) problemAt(at spot, message, hint string) Problem {
	at.line = min(at.line, len(s.lines))
	p := Problem{File: s.file, Line: at.line, Col: at.col, Message: message, Hint: hint}
	if p.Line > 0 && p.Line <= len(s.lines) {
		p.Source = strings.TrimRight(s.lines[p.Line-1], "\r")
	}
	return p
}

// cause is what the operating system says, without the path that a problem names already.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
