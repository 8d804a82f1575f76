package copilot

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// The file is ours as a whole: Copilot reads each file in its folder of hooks.
type file struct {
	Version int                  `json:"version"`
	Hooks   map[string][]handler `json:"hooks"`
}

type handler struct {
	Type    string `json:"type"`
	Bash    string `json:"bash"`
	Timeout int    `json:"timeoutSec"`
}

// Edit writes the file, or leaves nothing of it. A file of that name that is a person's stays.
func (h Host) Edit(src []byte, want []hooks.Entry) (out []byte, changed bool, err error) {
	switch isOurs := strings.Contains(string(src), " hook --host "+h.Name()+" "); {
	case len(src) > 0 && !isOurs && len(want) > 0:
		return nil, false, errors.New("the file has hooks that are not pipeline's: give it another name, " +
			"Copilot reads every file in this folder")
	case len(src) > 0 && !isOurs:
		return src, false, nil
	case len(want) > 0:
		out = render(want)
	}
	return out, !bytes.Equal(src, out), err
}

func render(want []hooks.Entry) []byte {
	f := file{Version: 1, Hooks: map[string][]handler{}}
	for _, e := range want {
		f.Hooks[e.Event] = append(f.Hooks[e.Event], handler{Type: "command", Bash: e.Line(), Timeout: e.Timeout})
	}
	var out bytes.Buffer
	_ = json.Indent(&out, append(journal.Encode(&f), '\n'), "", "  ") // what is encoded is JSON
	return out.Bytes()
}

// Blocks compares the file with what install writes, but for its layout.
func (Host) Blocks(src []byte, want []hooks.Entry) string {
	if len(src) == 0 {
		return "there is no such file"
	}
	var have bytes.Buffer
	if err := json.Indent(&have, bytes.TrimSpace(src), "", "  "); err != nil {
		return "it is not JSON: " + err.Error()
	}
	if have.String()+"\n" != string(render(want)) {
		return "it is not as pipeline install writes it"
	}
	return ""
}

// After says what a person must do for a file in a project.
func (h Host) After(path string) []string {
	if !strings.HasPrefix(path, h.Places().Project) {
		return nil
	}
	return []string{"Copilot runs these hooks only in a folder that is trusted, and says nothing where it does not: " +
		"pipeline install --host copilot --scope user does not depend on that"}
}
