package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
)

// WriteDebug appends what came in and what was decided to debug.log in a folder,
// without secrets.
func WriteDebug(dir string, e fsm.Event, d fsm.Decision) error {
	words, _ := fsm.RedactWords(e.Tool.Parts, e.Tool.Command)
	d.Parts = withoutSecrets(d.Parts, e.Tool.Command)
	e.Tool.Parts, e.Tool.Command = withWords(e.Tool.Parts, words), redactCommand(e.Tool, words)
	line, err := json.Marshal(struct {
		Event    fsm.Event
		Decision fsm.Decision
	}{e, d})
	if err != nil {
		return fmt.Errorf("debug: %w", err)
	}
	line, err = redactJSON(line)
	if err != nil {
		return fmt.Errorf("debug: %w", err)
	}
	if err := system.AppendLine(filepath.Join(dir, "debug.log"), line); err != nil {
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

func withoutSecrets(rulings []fsm.Ruling, written string) []fsm.Ruling {
	var parts []fsm.Part
	for _, r := range rulings {
		parts = append(parts, r.Part)
	}
	words, _ := fsm.RedactWords(parts, written)
	out := slices.Clone(rulings)
	for i := range out {
		out[i].Part.Words = words[i]
	}
	return out
}

func withWords(parts []fsm.Part, words [][]string) []fsm.Part {
	var out []fsm.Part
	for i, p := range parts {
		p.Words = words[i]
		out = append(out, p)
	}
	return out
}

// redactCommand takes the secrets out of a shell line that stand in its words. Where one is
// not found as it is written, only the words are shown.
func redactCommand(t fsm.Tool, words [][]string) string {
	line := t.Command
	for i, p := range t.Parts {
		for k, w := range p.Words {
			shown := redact.Hidden
			if k < len(words[i]) {
				shown = words[i][k]
			}
			if shown == w {
				continue
			}
			if !strings.Contains(line, w) {
				return "(see the parts)"
			}
			line = strings.ReplaceAll(line, w, shown)
		}
	}
	line, _ = redact.Text(line)
	return line
}
