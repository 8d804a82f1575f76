package config

import (
	"reflect"
	"slices"
	"strings"
)

// An override is a key whose value the environment gives.
type override struct{ key, name, value string }

// activeOverrides lists the keys that the environment overrides.
func activeOverrides(w World) []override {
	var out []override
	for _, key := range overridableKeys() {
		name := "PIPELINE_" + strings.ToUpper(key)
		if v := w.env(name); v != "" {
			out = append(out, override{key, name, v})
		}
	}
	return out
}

// checkValue holds the value against the words that the key knows.
func (o override) checkValue() []Problem {
	t := reflect.TypeFor[Config]()
	tag := t.Field(slices.Index(keysOf(t), o.key)).Tag
	words := strings.Fields(tag.Get("is"))
	if len(words) == 0 || slices.Contains(words, o.value) {
		return nil
	}
	return []Problem{{
		File:    "environment " + o.name,
		Message: "found " + quoteShort(o.value) + ", expected " + joinOr(words),
		Hint:    didYouMean(o.value, words),
	}}
}
