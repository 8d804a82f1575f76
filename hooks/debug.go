package hooks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
)

// WriteDebug appends what came in and what was decided to debug.log in a folder,
// without secrets.
func WriteDebug(dir string, e fsm.Event, d fsm.Decision) error {
	words, _ := fsm.RedactWords(e.Tool.Parts)
	e.Tool.Parts, e.Tool.Command = withWords(e.Tool.Parts, words), redactCommand(e.Tool, words)
	d.Parts = withoutSecrets(d.Parts)
	line, err := json.Marshal(struct {
		Event    fsm.Event
		Decision fsm.Decision
	}{e, d})
	if err != nil {
		return fmt.Errorf("debug: %w", err)
	}
	shown, _ := redact.Text(string(line))
	f, err := os.OpenFile(filepath.Join(dir, "debug.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(shown + "\n")
		f.Close()
	}
	if err != nil {
		return fmt.Errorf("debug: %w", err)
	}
	return nil
}

func withoutSecrets(rulings []fsm.Ruling) []fsm.Ruling {
	var parts []fsm.Part
	for _, r := range rulings {
		parts = append(parts, r.Part)
	}
	words, _ := fsm.RedactWords(parts)
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
