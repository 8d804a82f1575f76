package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
)

// WriteDebug appends what came in and what was decided to debug.log in a folder, without secrets: the event as a
// record of all its words has it, and what was decided of each of its parts.
func WriteDebug(dir string, e fsm.Event, d fsm.Decision) error {
	e, _ = Redact(e, "full")
	d.Parts = slices.Clone(d.Parts)
	for i := range d.Parts {
		d.Parts[i].Part.Words = nil // the event has them
	}
	line, err := json.Marshal(struct {
		Event    fsm.Event
		Decision fsm.Decision
	}{e, d})
	if err == nil {
		line, err = redactJSON(line)
	}
	if err == nil {
		err = system.AppendLine(filepath.Join(dir, "debug.log"), line)
	}
	if err != nil {
		return fmt.Errorf("debug: %w", err)
	}
	return nil
}

// redactJSON takes secrets out of the texts of a document.
func redactJSON(doc []byte) ([]byte, error) {
	in := json.NewDecoder(bytes.NewReader(doc))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(redactMember("", v))
}

func redactMember(name string, v any) any {
	switch v := v.(type) {
	case string:
		shown, _ := redact.Value(name, v)
		return shown
	case []any:
		for i := range v {
			v[i] = redactMember(name, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = redactMember(k, v[k])
		}
	}
	return v
}
