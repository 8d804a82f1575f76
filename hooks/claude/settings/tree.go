package settings

import "github.com/tailscale/hujson"

// members are those of an object; anything else has none.
func members(v *hujson.Value) []hujson.ObjectMember {
	if v == nil {
		return nil
	}
	if o, ok := v.Value.(*hujson.Object); ok {
		return o.Members
	}
	return nil
}

// elements are those of an array; anything else has none.
func elements(v *hujson.Value) []hujson.Value {
	if v == nil {
		return nil
	}
	if a, ok := v.Value.(*hujson.Array); ok {
		return a.Elements
	}
	return nil
}

func nameOf(m hujson.ObjectMember) string {
	return m.Name.Value.(hujson.Literal).String()
}

// counting are the members of an object that count: of those with the same name,
// the last. By name, their index.
func counting(v *hujson.Value) map[string]int {
	last := map[string]int{}
	for i, m := range members(v) {
		last[nameOf(m)] = i
	}
	return last
}

// value is what an object holds under name, or nil.
func value(v *hujson.Value, name string) *hujson.Value {
	ms := members(v)
	for i := len(ms) - 1; i >= 0; i-- {
		if nameOf(ms[i]) == name {
			return &ms[i].Value
		}
	}
	return nil
}

// stringIn is the content of a string; false for anything else.
func stringIn(v *hujson.Value) (string, bool) {
	if v == nil || v.Value.Kind() != '"' {
		return "", false
	}
	return v.Value.(hujson.Literal).String(), true
}

// numberIn is the value of a number; false for anything else.
func numberIn(v *hujson.Value) (float64, bool) {
	if v == nil || v.Value.Kind() != '0' {
		return 0, false
	}
	return v.Value.(hujson.Literal).Float(), true
}
