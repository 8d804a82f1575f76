package config

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
)

// A schema is as much of JSON Schema as ours uses. Decoding is strict, so that it cannot come to use more unnoticed.
type schema struct {
	Schema        string             `json:"$schema"`
	ID            string             `json:"$id"`
	Title         string             `json:"title"`
	Description   string             `json:"description"`
	Ref           string             `json:"$ref"`
	Defs          map[string]*schema `json:"$defs"`
	Type          string             `json:"type"`
	Enum          []any              `json:"enum"`
	Default       any                `json:"default"`
	Examples      []any              `json:"examples"`
	Pattern       string             `json:"pattern"`
	Minimum       *int               `json:"minimum"`
	Maximum       *int               `json:"maximum"`
	MinLength     int                `json:"minLength"`
	MaxLength     int                `json:"maxLength"`
	MinItems      int                `json:"minItems"`
	MinProperties int                `json:"minProperties"`
	Items         *schema            `json:"items"`
	Properties    map[string]*schema `json:"properties"`
	PropertyNames *schema            `json:"propertyNames"`
	Additional    json.RawMessage    `json:"additionalProperties"`
	Required      []string           `json:"required"`
	root          *schema
}

func readSchema(t *testing.T) *schema {
	t.Helper()
	f, err := os.Open("../configs/pipeline.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	dec.DisallowUnknownFields()
	s := &schema{}
	if err := dec.Decode(s); err != nil {
		t.Fatal(err)
	}
	s.root = s
	return s
}

// at follows a reference; what stands beside it holds too, as far as we use it: the description.
func (s *schema) at(sub *schema) *schema {
	name, ok := strings.CutPrefix(sub.Ref, "#/$defs/")
	if !ok {
		c := *sub
		c.root = s.root
		return &c
	}
	c := *s.root.Defs[name]
	c.root = s.root
	if sub.Description != "" {
		c.Description = sub.Description
	}
	return &c
}

// others is the schema of the values of a map; nil when only the properties may be there.
func (s *schema) others() *schema {
	if string(s.Additional) == "false" {
		return nil
	}
	sub := &schema{}
	if err := json.Unmarshal(s.Additional, sub); err != nil {
		panic(fmt.Sprintf("additionalProperties %s: %v", s.Additional, err))
	}
	return s.at(sub)
}

// Every field is a property and every property a field, of the same type, the same words, with the same freedom to be
// left out or empty; each is described.
func TestSchemaIsTheTypes(t *testing.T) {
	compare(t, "", readSchema(t), reflect.TypeFor[Config](), `empty:"is ok"`)
}

func compare(t *testing.T, at string, s *schema, typ reflect.Type, tag reflect.StructTag) {
	t.Helper()
	if want := jsonType(typ); s.Type != want {
		t.Errorf("%s: type %q, want %q", at, s.Type, want)
	}
	if s.Description == "" && at != "" && !strings.HasSuffix(at, "[]") {
		t.Errorf("%s has no description", at)
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if words := strings.Fields(tag.Get("is")); strings.Trim(fmt.Sprint(s.Enum), "[]") != strings.Join(words, " ") {
		t.Errorf("%s: enum %v, want %v", at, s.Enum, words)
	}
	if low, high := bounds(tag.Get("range")); !reflect.DeepEqual(s.Minimum, low) ||
		!reflect.DeepEqual(s.Maximum, high) {
		t.Errorf("%s: minimum and maximum differ from range %q", at, tag.Get("range"))
	}
	compareChecks(t, at, tag)
	empty := s.MinLength+s.MinItems+s.MinProperties+len(s.Required) == 0 && s.Pattern == ""
	if want := tag.Get("empty") != "" || tag.Get("is") != "" || s.Type == "integer" ||
		s.Type == "boolean"; empty != want {
		t.Errorf("%s: may be empty %v, want %v", at, empty, want)
	}
	switch typ.Kind() {
	case reflect.Struct:
		compareFields(t, at, s, typ)
	case reflect.Map:
		compare(t, at+".*", s.others(), typ.Elem(), "")
	case reflect.Slice:
		compare(t, at+"[]", s.at(s.Items), typ.Elem(), elementTag(tag))
	}
}

// bounds are the ends of a range, nil where it is open.
func bounds(within string) (low, high *int) {
	least, most, _ := strings.Cut(within, " ")
	if n, err := strconv.Atoi(least); err == nil {
		low = &n
	}
	if n, err := strconv.Atoi(most); err == nil {
		high = &n
	}
	return low, high
}

// compareChecks wants a check of the name that a tag uses.
func compareChecks(t *testing.T, at string, tag reflect.StructTag) {
	t.Helper()
	for _, name := range []string{tag.Get("as"), tag.Get("keys")} {
		if name != "" && name != "template" && (&checker{}).textChecks()[name] == nil {
			t.Errorf("%s: there is no check %q", at, name)
		}
	}
}

func compareFields(t *testing.T, at string, s *schema, typ reflect.Type) {
	t.Helper()
	if s.others() != nil {
		t.Errorf("%s takes additional properties", at)
	}
	keys := keysOf(typ)
	for key := range s.Properties {
		if !slices.Contains(keys, key) {
			t.Errorf("%s.%s is no key", at, key)
		}
	}
	for i, key := range keys {
		f := typ.Field(i)
		if s.Properties[key] == nil {
			t.Errorf("%s.%s is not in the schema", at, key)
			continue
		}
		if want := f.Tag.Get("must") != ""; slices.Contains(s.Required, key) != want {
			t.Errorf("%s.%s: required is not %v", at, key, want)
		}
		compare(t, at+"."+key, s.at(s.Properties[key]), f.Type, f.Tag)
	}
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Slice:
		return "array"
	case reflect.Int:
		return "integer"
	case reflect.Bool:
		return "boolean"
	case reflect.Pointer:
		return jsonType(t.Elem())
	}
	return "string"
}

// validate returns what a schema has against a value.
func (s *schema) validate(at string, v *value) []string {
	types := map[kind]string{isMapping: "object", isList: "array", isText: "string", isNumber: "integer",
		isBoolean: "boolean"}
	if types[v.kind] != s.Type {
		return []string{at + " is no " + s.Type}
	}
	var out []string
	wrong := func(is bool, what string) {
		if is {
			out = append(out, at+" has the wrong "+what)
		}
	}
	wrong(s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return fmt.Sprint(e) == v.text }), "word")
	wrong(s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v.text), "form")
	wrong(s.MinLength > 0 && v.text == "" || len(v.items) < s.MinItems || len(v.fields) < s.MinProperties, "size")
	if n, err := strconv.Atoi(v.text); err == nil {
		wrong(s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum, "size")
	}
	for _, key := range s.Required {
		wrong(v.get(key) == nil, "keys: no "+key)
	}
	for i, item := range v.items {
		out = append(out, s.at(s.Items).validate(fmt.Sprintf("%s[%d]", at, i), item)...)
	}
	for _, f := range v.fields {
		sub := s.others()
		if s.Properties[f.key] != nil {
			sub = s.at(s.Properties[f.key])
		}
		if s.PropertyNames != nil {
			out = append(out, s.at(s.PropertyNames).validate(at+" key "+f.key, &value{kind: isText, text: f.key})...)
		}
		if wrong(sub == nil, "key "+f.key); sub != nil {
			out = append(out, sub.validate(at+"."+f.key, f.value)...)
		}
	}
	return out
}

func validated(t *testing.T, s *schema, file string) []string {
	t.Helper()
	src := parseSource(file)
	if len(src.problems) > 0 {
		t.Fatal(src.problems)
	}
	return s.validate("", src.root)
}

func TestShippedConfigsAreValid(t *testing.T) {
	s := readSchema(t)
	each(t, "ok", func(t *testing.T, file string) {
		if wrong := validated(t, s, file); wrong != nil {
			t.Error(wrong)
		}
	})
	for _, f := range append(system.Glob("../configs/presets", "*.yaml"), "../configs/pipeline.yaml",
		"../configs/toml/default.toml", "../configs/minimal.yaml") {
		if wrong := validated(t, s, f); wrong != nil {
			t.Errorf("%s: %v", f, wrong)
		}
	}
}

// What the strict reading finds wrong in a shape, an editor finds too.
func TestSchemaFindsWhatWeFind(t *testing.T) {
	s := readSchema(t)
	for _, name := range []string{"version-unknown", "version-text", "level-unknown", "key-unknown",
		"state-key-unknown", "state-name",
		"state-text", "list-text", "list-of-lists", "list-empty", "move-incomplete", "capture-name", "dir-empty",
		"nothing", "root-list",
		"rule-name", "rule-counts", "rule-conditions", "rule-default", "rule-default-false", "rule-budget-nothing",
		"rule-verbs", "rule-delegate"} {
		if wrong := validated(t, s, "testdata/err/"+name+".yaml"); wrong == nil {
			t.Errorf("%s is valid", name)
		}
	}
}

// TestExamplesAreValid: what the reference shows may be written.
func TestExamplesAreValid(t *testing.T) {
	s := readSchema(t)
	for key, property := range s.Properties {
		for _, example := range property.Examples {
			file := t.TempDir() + "/pipeline.yaml"
			body, err := json.Marshal(map[string]any{"version": 1, key: example})
			if err != nil {
				t.Fatal(err)
			}
			write(t, file, string(body))
			if wrong := validated(t, s, file); wrong != nil {
				t.Errorf("the example of %s: %v", key, wrong)
			}
		}
	}
}
