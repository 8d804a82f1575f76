package export

import (
	"encoding/json"
	"fmt"
	"strconv"
)

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

// A resource has attributes; so has, in its own way, what made the records.
type resource struct {
	Attributes []keyValue `json:"attributes"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// encodeLogs is the body of a request to /v1/logs.
func (r Resource) encodeLogs(logs []logRecord) ([]byte, error) {
	type scopeLogs struct {
		Scope   scope       `json:"scope"`
		Records []logRecord `json:"logRecords"`
	}
	return encode(r, "resourceLogs", "scopeLogs", scopeLogs{scope{scopeName, r.Version}, logs})
}

// encodeSpans is the body of a request to /v1/traces.
func (r Resource) encodeSpans(spans []spanRecord) ([]byte, error) {
	type scopeSpans struct {
		Scope scope        `json:"scope"`
		Spans []spanRecord `json:"spans"`
	}
	return encode(r, "resourceSpans", "scopeSpans", scopeSpans{scope{scopeName, r.Version}, spans})
}

const scopeName = "github.com/agent-pipeline/pipeline"

func encode[T any](r Resource, outer, inner string, records T) ([]byte, error) {
	body, err := json.Marshal(map[string]any{outer: []any{
		map[string]any{"resource": resource{r.attributes()}, inner: []T{records}}}})
	if err != nil {
		return nil, fmt.Errorf("encode for the collector: %w", err)
	}
	return body, nil
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
