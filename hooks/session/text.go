package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// A captured text is a file named by its hash: a reference proves that it is the one.
func textPath(dir string, ref fsm.Ref) string {
	return filepath.Join(dir, "context", ref.Hash+".md")
}

// writeText keeps a text, and waits until it is on the disk: a record will refer to it.
// One that was not written whole has another hash than its name says, and is written
// again.
func writeText(dir string, t fsm.Text) error {
	if _, err := readText(dir, t.Ref); err == nil {
		return nil
	}
	path := textPath(dir, t.Ref)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = system.WriteFile(path, []byte(t.Text))
	}
	if err != nil {
		return fmt.Errorf("keep a captured text: %w", err)
	}
	return nil
}

// Texts reads what a session has captured, by name, and what agents said that wait for
// an agent of theirs, by id. What is missing or is not the text that was recorded is
// left out.
func (st Store) Texts(s fsm.Session) map[string]string {
	dir, out := st.Path(s.ID), map[string]string{}
	for name, ref := range textRefs(s) {
		if text, err := readText(dir, ref); err == nil {
			out[name] = text
		}
	}
	return out
}

// textRefs are the texts that a session refers to: captures by name, and by the agent's
// id the final messages of agents that wait, and the one that waits for a person.
func textRefs(s fsm.Session) map[string]fsm.Ref {
	out := maps.Clone(s.Machine.Captures)
	if out == nil {
		out = map[string]fsm.Ref{}
	}
	for _, r := range s.Agents.Runs {
		if r.Final != nil {
			out[r.ID] = *r.Final
		}
	}
	if a := s.Machine.Approval; a != nil {
		out[a.AgentID] = a.Text
	}
	return out
}

func readText(dir string, ref fsm.Ref) (string, error) {
	body, err := system.ReadFile(textPath(dir, ref))
	if err != nil {
		return "", err
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != ref.Hash {
		return "", fmt.Errorf("captured text %s has been changed", ref.Hash)
	}
	return string(body), nil
}
