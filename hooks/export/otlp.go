package export

import (
	"encoding/json"
	"maps"
)

// An object is one of OTLP's JSON form: 64 bit numbers are strings, ids are hexadecimal.
type object map[string]any

// encode is the body of a request with records of a kind: for "Logs" they are called logRecords, for "Spans" spans.
func encode(r Resource, kind, name string, records []object) []byte {
	for _, r := range records { // what is empty is left out
		maps.DeleteFunc(r, func(_ string, v any) bool { return v == "" })
	}
	// It is made of strings and numbers, which can be encoded.
	body, _ := json.Marshal(object{"resource" + kind: []any{object{
		"resource": object{"attributes": r.attributes()},
		"scope" + kind: []any{object{
			"scope": object{"name": "github.com/agent-pipeline/pipeline", "version": r.Version}, name: records}}}}})
	return body
}
