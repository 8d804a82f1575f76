package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Beside the sessions lie files of the project, which one session leaves for the next.

func (st Store) readProjectFile(name string, v any) error {
	body, err := system.ReadFile(system.Join(st.Dir, name))
	if err == nil {
		err = journal.Decode(body, v)
	}
	return err
}

func (st Store) writeProjectFile(name string, v any) error {
	return system.MakeFile(system.Join(st.Dir, name), append(journal.Encode(v), '\n'))
}

// An Earlier is what was captured last under a name, whichever of the project's
// sessions it was in.
type Earlier struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session"`
	Commit  string    `json:"commit,omitempty"` // that the project was at then
	Text    string    `json:"text"`
}

func earlierFile(name string) string { return system.Join("earlier", filepath.Base(name)+".json") }

// Earlier reads what was captured last under a name. fs.ErrNotExist: nothing was.
func (st Store) Earlier(name string) (e Earlier, err error) {
	if err = st.readProjectFile(earlierFile(name), &e); err != nil {
		err = fmt.Errorf("read what was captured earlier: %w", err)
	}
	return e, err
}

// KeepEarlier keeps what was captured under a name, in the place of what was before.
func (st Store) KeepEarlier(name string, e Earlier) error {
	if err := st.writeProjectFile(earlierFile(name), &e); err != nil { // the session has it safely
		return fmt.Errorf("keep what was captured: %w", err)
	}
	return nil
}

const judgedFile = "judged.json"

// Judged is what the project's latest session began with; the zero value where there was none.
func (st Store) Judged() (fsm.Judged, error) {
	var j fsm.Judged
	if err := st.readProjectFile(judgedFile, &j); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fsm.Judged{}, fmt.Errorf("read what was judged by: %w", err)
	}
	return j, nil
}

// KeepJudged keeps what a session begins with.
func (st Store) KeepJudged(j fsm.Judged) error {
	if err := st.writeProjectFile(judgedFile, &j); err != nil {
		return fmt.Errorf("keep what is judged by: %w", err)
	}
	return nil
}

// A project's sessions lie in its state folder, unless the config's `dir` names another. The
// state folder then has a list of those folders, one a line, so that what looks at all
// projects finds them. It keeps those that were in use earlier.

func elsewhereFile(state string) string { return system.Join(state, "elsewhere") }

// NoteIn notes in a project's state folder that its sessions lie in this store.
func (st Store) NoteIn(state string) error {
	if st.Dir == state || slices.Contains(OtherFolders(state), st.Dir) {
		return nil
	}
	if err := system.AppendLine(elsewhereFile(state), []byte(st.Dir)); err != nil {
		return fmt.Errorf("note where sessions are kept: %w", err)
	}
	return nil
}

// OtherFolders lists the folders outside of a project's state folder that have its sessions.
// A list that cannot be read names none.
func OtherFolders(state string) []string {
	text, _ := os.ReadFile(elsewhereFile(state))
	lines := strings.Split(string(text), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return !system.IsAbs(line) })
}
