package config

import (
	"reflect"
	"slices"
	"strings"
)

// An override is a key whose value the environment gives.
type override struct{ key, name, value string }

// overriding lists the keys that the environment overrides.
func overriding(w World) []override {
	var out []override
	for _, key := range overrides() {
		name := "PIPELINE_" + strings.ToUpper(key)
		if v := w.env(name); v != "" {
			out = append(out, override{key, name, v})
		}
	}
	return out
}

// check holds the value against the words that the key knows.
func (o override) check() []Problem {
	t := reflect.TypeFor[Config]()
	tag := t.Field(slices.Index(keysOf(t), o.key)).Tag
	words := strings.Fields(tag.Get("is"))
	if len(words) == 0 || slices.Contains(words, o.value) {
		return nil
	}
	return []Problem{{
		File:    "environment " + o.name,
		Message: "found " + quoted(o.value) + ", expected " + oneOf(words),
		Hint:    didYouMean(o.value, words),
	}}
}
