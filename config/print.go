package config

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Print writes the merged config as YAML, with a comment on each line that tells where its value is from. What it
// writes is a config again.
func Print(w io.Writer, c *Config, o *Origins) error {
	p := printer{origins: o, order: orderStates(c)}
	p.fields(reflect.ValueOf(*c), "", "")
	_, err := io.WriteString(w, p.String())
	return err
}

type printer struct {
	strings.Builder
	origins *Origins
	order   []string // of the states
}

// line writes a line that tells its origin.
func (p *printer) line(text string, at trail) {
	p.WriteString(text)
	if by := p.origins.shown(at); by != "" {
		p.WriteString(" # " + by)
	}
	p.WriteByte('\n')
}

// shown is an origin with its file told relative to the project.
func (o *Origins) shown(at trail) string {
	by, ok := o.at[at]
	if !ok {
		return ""
	}
	text := by.String()
	if rel, ok := relativePath(o.project.Root, text); ok && o.project.Root != "" {
		return rel
	}
	return text
}

func (p *printer) fields(v reflect.Value, at trail, in string) {
	for i, key := range keysOf(v.Type()) {
		if f := v.Field(i); !f.IsZero() {
			p.value(key, f, at.below(key), in)
		}
	}
}

func (p *printer) value(key string, v reflect.Value, at trail, in string) {
	start := in + plain(key) + ":"
	switch v.Kind() {
	case reflect.Struct:
		p.line(start, at)
		p.fields(v, at, in+"  ")
	case reflect.Map:
		p.entries(start, v, at, in)
	case reflect.Slice:
		p.list(start, v, at, in)
	case reflect.String:
		p.text(start, v.String(), at, in)
	case reflect.Pointer:
		p.value(key, v.Elem(), at, in)
	default:
		p.line(start+" "+flow(v), at)
	}
}

func (p *printer) entries(start string, v reflect.Value, at trail, in string) {
	if v.Len() == 0 {
		p.line(start+" {}", at)
		return
	}
	p.line(start, at)
	for _, name := range p.names(v, at) {
		p.value(name, v.MapIndex(reflect.ValueOf(name)), at.key(name), in+"  ")
	}
}

// names orders a map's keys: states as the pipeline runs through them, anything else by name.
func (p *printer) names(v reflect.Value, at trail) []string {
	var names []string
	for _, k := range v.MapKeys() {
		names = append(names, k.String())
	}
	slices.Sort(names)
	if at != "states" {
		return names
	}
	return slices.DeleteFunc(slices.Clone(p.order), func(n string) bool { return !slices.Contains(names, n) })
}

func (p *printer) list(start string, v reflect.Value, at trail, in string) {
	if v.Type().Elem().Kind() != reflect.Struct || v.Len() == 0 {
		p.line(start+" "+flow(v), at)
		return
	}
	p.line(start, at)
	for i := range v.Len() {
		p.element(v.Index(i), at.item(i), in)
	}
}

// element writes one mapping of a list: on one line where it is short enough to be read, else a line for each key.
func (p *printer) element(v reflect.Value, at trail, in string) {
	if one := flow(v); len(one) <= 80 {
		p.line(in+"  - "+one, at)
		return
	}
	keys := printer{origins: p.origins}
	keys.fields(v, at, in+"    ")
	p.WriteString(in + "  - " + keys.String()[len(in)+4:])
}

// text writes lines as a block where YAML gives back exactly what was written.
func (p *printer) text(start, text string, at trail, in string) {
	body, whole := strings.CutSuffix(text, "\n")
	if !whole || !asBlock(body) {
		p.line(start+" "+plain(text), at)
		return
	}
	p.line(start+" |", at)
	for l := range strings.Lines(text) {
		if l != "\n" {
			p.WriteString(in + "  ")
		}
		p.WriteString(l)
	}
}

func asBlock(body string) bool {
	odd := strings.ContainsFunc(body, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
	return body != "" && !odd && body[0] != ' ' && body[0] != '\n' && body[len(body)-1] != '\n'
}

// flow writes a value on one line.
func flow(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Slice:
		var items []string
		for i := range v.Len() {
			items = append(items, flow(v.Index(i)))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Struct:
		var items []string
		for i, key := range keysOf(v.Type()) {
			if f := v.Field(i); !f.IsZero() {
				items = append(items, key+": "+flow(f))
			}
		}
		return "{" + strings.Join(items, ", ") + "}"
	case reflect.Map:
		var items []string
		for _, key := range slices.Sorted(maps.Keys(v.Interface().(map[string]string))) {
			items = append(items, plain(key)+": "+flow(v.MapIndex(reflect.ValueOf(key))))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case reflect.Pointer:
		return flow(v.Elem())
	case reflect.String:
		return plain(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// plain writes a text without quotes where no reader of YAML could take it for anything else.
func plain(s string) string {
	switch strings.ToLower(s) {
	case "", "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(s)
	}
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789-*./", r)) {
			return strconv.Quote(s)
		}
	}
	return s
}

// PrintJSON writes the merged config as JSON.
func PrintJSON(w io.Writer, c *Config) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(plainTree(reflect.ValueOf(*c)))
}

// JSON is the merged config and the origin of each value, by the keys that lead to it: states.IDLE.agents[0].
func JSON(c *Config, o *Origins) ([]byte, error) {
	type origin struct {
		By   string `json:"by,omitempty"`
		File string `json:"file,omitempty"`
		Line int    `json:"line,omitempty"`
		Col  int    `json:"col,omitempty"`
	}
	origins := map[string]origin{}
	for at, by := range maps.All(o.at) {
		from := origin{By: by.By, Line: by.value.line, Col: by.value.col}
		if by.source != nil {
			from.File = by.file
		}
		origins[at.String()] = from
	}
	return json.MarshalIndent(map[string]any{"config": plainTree(reflect.ValueOf(*c)), "origins": origins}, "", "  ")
}

// String is the way to a value as people write it.
func (p trail) String() string {
	var b strings.Builder
	for i, step := range strings.Split(string(p), sep) {
		_, notNumber := strconv.Atoi(step)
		switch {
		case notNumber == nil:
			b.WriteString("[" + step + "]")
		case i > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}

// plainTree is a value in maps and lists, under the keys of the config, without what is not there.
func plainTree(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Struct:
		out := map[string]any{}
		for i, key := range keysOf(v.Type()) {
			if f := v.Field(i); !f.IsZero() {
				out[key] = plainTree(f)
			}
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for k, e := range v.Seq2() {
			out[k.String()] = plainTree(e)
		}
		return out
	case reflect.Pointer:
		return plainTree(v.Elem())
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plainTree(v.Index(i))
		}
		return out
	}
	return v.Interface()
}
