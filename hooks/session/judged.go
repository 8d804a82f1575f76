package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

func (st Store) judgedPath() string { return filepath.Join(st.Dir, "judged.json") }

// Judged is what the project's latest session began with; the zero value where there was none.
func (st Store) Judged() (j fsm.Judged, err error) {
	body, err := system.ReadFile(st.judgedPath())
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &j)
	}
	if err != nil {
		return fsm.Judged{}, fmt.Errorf("read what was judged by: %w", err)
	}
	return j, nil
}

// KeepJudged keeps what a session begins with.
func (st Store) KeepJudged(j fsm.Judged) error {
	body, err := json.Marshal(j)
	if err == nil {
		err = os.MkdirAll(st.Dir, 0o700)
	}
	if err == nil {
		err = system.WriteFile(st.judgedPath(), append(body, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep what is judged by: %w", err)
	}
	return nil
}

// Judged is what the latest session began with.
func (m *Memory) Judged() (fsm.Judged, error) { return m.judged, nil }

// KeepJudged keeps what a session begins with.
func (m *Memory) KeepJudged(j fsm.Judged) error {
	m.judged = j
	return nil
}
