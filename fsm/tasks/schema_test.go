package tasks_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// The schema and Parse agree on the files in testdata: on the good ones, and on the bad ones whose mistake is one of
// shape. What a schema cannot say is listed here.
func TestSchemaAgrees(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal([]byte(configs.TaskSchema()), &root); err != nil {
		t.Fatal(err)
	}
	s := schema{t, root["$defs"].(map[string]any)}
	beyond := []string{"cycle.json", "cycle-over-waves.json", "duplicate.json", "twice.json", "unknown-reference.json",
		"wave-before.json", "waves.json", "syntax.json"}
	shape := 0
	for _, f := range glob(t, "testdata/*/*.json") {
		_, mistakes := tasks.Parse([]byte(read(t, f)))
		var v any
		if json.Unmarshal([]byte(read(t, f)), &v) != nil || tasks.HasErrors(mistakes) &&
			slices.Contains(beyond, filepath.Base(f)) {
			continue
		}
		shape++
		if valid := s.valid(root, v); valid == tasks.HasErrors(mistakes) {
			t.Errorf("%s: valid is %v, Parse says %v", f, valid, mistakes)
		}
	}
	if shape < 10 {
		t.Errorf("only %d files were compared", shape)
	}
}

// Each phase by itself: what may stand under each key.
func TestSchemaAgreesByKey(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal([]byte(configs.TaskSchema()), &root); err != nil {
		t.Fatal(err)
	}
	s := schema{t, root["$defs"].(map[string]any)}
	values := []string{`null`, `true`, `""`, `" "`, `"x"`, `"b\tc"`, `"team"`, `"subagent"`, `"` + long(65) + `"`,
		`"` + long(129) + `"`, `"` + long(201) + `"`,
		`"` + long(1001) + `"`, `0`, `1`, `-1`, `1.5`, `201`, `[]`, `["x"]`, `["x",1]`, `[null]`, `[[]]`, `{}`, `{"agent":"x"}`, `[{"name":"x"}]`, `[{"role":"x"}]`, `[{"agent":null}]`}
	for _, key := range []string{"id", "phase_id", "title", "name", "agent", "agent_type", "subagent_type",
		"assigned_agent", "wave", "after", "depends_on", "dependencies",
		"phase_type", "type", "teammates", "deliverable", "files", "whatever"} {
		for _, v := range values {
			rest := `,"id":"y","agent":"z"`
			if key == "id" || key == "phase_id" {
				rest = `,"agent":"z"`
			}
			if slices.Contains([]string{"agent", "agent_type", "subagent_type", "assigned_agent"}, key) {
				rest = `,"id":"y"`
			}
			if v == `"team"` && strings.HasSuffix(key, "type") {
				rest += `,"teammates":["z"]`
			}
			text := fmt.Sprintf(`{"phases":[{%q:%s%s},{"id":"x","agent":"z"}],"source":null}`, key, v, rest)
			agree(t, s, root, text)
		}
	}
	for _, key := range []string{"execution_mode", "mode", "source", "phases", "waves", "title", "whatever"} {
		for _, v := range append(values, `"tasks"`, `"plan"`, `[[1]]`, `[["x"],[]]`) {
			text := fmt.Sprintf(`{%q:%s,"phases":[{"id":"x","agent":"z"},{"id":1,"agent":"z"}]}`, key, v)
			if key == "phases" {
				text = fmt.Sprintf(`{%q:%s}`, key, v)
			}
			agree(t, s, root, text)
		}
	}
}

// agree compares, where the mistakes are not about what is where in the graph.
func agree(t *testing.T, s schema, root map[string]any, text string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(text, err)
	}
	_, mistakes := tasks.Parse([]byte(text))
	wrong := slices.ContainsFunc(mistakes, func(m tasks.Mistake) bool {
		return !m.Note && !strings.Contains(m.What, "does not exist") &&
			!strings.Contains(m.What, "there are two phases") && !strings.Contains(m.What, "there is no phase")
	})
	if valid := s.valid(root, v); valid == wrong {
		t.Errorf("%.200s: valid is %v, Parse says %v", text, valid, mistakes)
	}
}

func glob(t *testing.T, pattern string) []string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	return files
}

// A schema is as much of JSON Schema as ours uses; a keyword that it does not know fails the test.
type schema struct {
	t    *testing.T
	defs map[string]any
}

func (s schema) valid(rule map[string]any, v any) bool {
	ok := true
	for key, want := range rule {
		ok = s.holds(key, want, v) && ok
	}
	return ok
}

func (s schema) holds(key string, want, v any) bool {
	list, _ := v.([]any)
	text, isText := v.(string)
	number, isNumber := v.(float64)
	switch key {
	case "$schema", "$id", "$defs", "title", "description":
		return true
	case "$ref":
		return s.valid(s.defs[strings.TrimPrefix(want.(string), "#/$defs/")].(map[string]any), v)
	case "type":
		return slices.Contains(typesOf(want), typeOf(v)) || typeOf(v) == "integer" &&
			slices.Contains(typesOf(want), "number")
	case "enum":
		return slices.Contains(want.([]any), v)
	case "anyOf":
		return slices.ContainsFunc(want.([]any), func(r any) bool { return s.valid(r.(map[string]any), v) })
	case "minimum":
		return !isNumber || number >= want.(float64)
	case "maximum":
		return !isNumber || number <= want.(float64)
	case "minItems":
		return v == nil || typeOf(v) != "array" || len(list) >= int(want.(float64))
	case "maxItems":
		return len(list) <= int(want.(float64))
	case "maxLength":
		return !isText || utf8.RuneCountInString(text) <= int(want.(float64))
	case "pattern":
		return !isText || regexp.MustCompile(want.(string)).MatchString(text)
	case "items":
		return !slices.ContainsFunc(list, func(x any) bool { return !s.valid(want.(map[string]any), x) })
	}
	return s.fields(key, want, v)
}

func (s schema) fields(key string, want, v any) bool {
	object, isObject := v.(map[string]any)
	if !isObject {
		return true
	}
	switch key {
	case "required":
		return !slices.ContainsFunc(want.([]any), func(k any) bool { _, ok := object[k.(string)]; return !ok })
	case "properties":
		for name, rule := range want.(map[string]any) {
			if sub, ok := object[name]; ok && !s.valid(rule.(map[string]any), sub) {
				return false
			}
		}
		return true
	}
	s.t.Fatalf("the schema has the keyword %q: teach the test", key)
	return false
}

func typesOf(want any) []string {
	if one, ok := want.(string); ok {
		return []string{one}
	}
	var out []string
	for _, w := range want.([]any) {
		out = append(out, w.(string))
	}
	return out
}

func typeOf(v any) string {
	switch x := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case float64:
		if x == float64(int(x)) {
			return "integer"
		}
		return "number"
	}
	return "object"
}
