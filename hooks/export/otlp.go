package export

import "encoding/json"

// The types below are the part of OTLP's JSON form that is sent: 64 bit numbers are
// strings, ids are hexadecimal.

type value struct {
	String *string `json:"stringValue,omitempty"`
	Int    *int64  `json:"intValue,omitempty,string"`
	Bool   *bool   `json:"boolValue,omitempty"`
}

type keyValue struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

type logRecord struct {
	Time         int64      `json:"timeUnixNano,string"`
	Observed     int64      `json:"observedTimeUnixNano,string"`
	Severity     int        `json:"severityNumber"`
	SeverityText string     `json:"severityText"`
	EventName    string     `json:"eventName"`
	Body         value      `json:"body"`
	Attributes   []keyValue `json:"attributes"`
	Trace        string     `json:"traceId,omitempty"`
	Span         string     `json:"spanId,omitempty"`
}

type spanRecord struct {
	Trace      string     `json:"traceId"`
	ID         string     `json:"spanId"`
	Parent     string     `json:"parentSpanId,omitempty"`
	Name       string     `json:"name"`
	Kind       int        `json:"kind"`
	Start      int64      `json:"startTimeUnixNano,string"`
	End        int64      `json:"endTimeUnixNano,string"`
	Attributes []keyValue `json:"attributes"`
	Status     *status    `json:"status,omitempty"`
}

type status struct {
	Code int `json:"code"`
}

// encode is the body of a request with records of a kind: for "Logs" they are called logRecords, for "Spans" spans.
func encode[T any](r Resource, kind, name string, records []T) []byte {
	type object map[string]any
	// It is made of strings and numbers, which can be encoded.
	body, _ := json.Marshal(object{"resource" + kind: []any{object{
		"resource": object{"attributes": r.attributes()},
		"scope" + kind: []any{object{
			"scope": object{"name": "github.com/agent-pipeline/pipeline", "version": r.Version}, name: records}}}}})
	return body
}
