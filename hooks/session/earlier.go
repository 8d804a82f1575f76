package session

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// An Earlier is what was captured last under a name, whichever of the project's
// sessions it was in.
type Earlier struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session"`
	Commit  string    `json:"commit,omitempty"` // that the project was at then
	Text    string    `json:"text"`
}

func (st Store) earlierPath(name string) string {
	return filepath.Join(st.Dir, "earlier", filepath.Base(name)+".json")
}

// Earlier reads what was captured last under a name. fs.ErrNotExist: nothing was.
func (st Store) Earlier(name string) (Earlier, error) {
	var e Earlier
	body, err := system.ReadFile(st.earlierPath(name))
	if err != nil {
		return e, fmt.Errorf("read what was captured earlier: %w", err)
	}
	if err := journal.Decode(body, &e); err != nil {
		return e, fmt.Errorf("read what was captured earlier: %w", err)
	}
	return e, nil
}

// KeepEarlier keeps what was captured under a name, in the place of what was before.
func (st Store) KeepEarlier(name string, e Earlier) error {
	path := st.earlierPath(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep what was captured: %w", err)
	}
	if err := system.WriteFile(path, journal.Encode(nil, &e)); err != nil { // the session has it safely
		return fmt.Errorf("keep what was captured: %w", err)
	}
	return nil
}
