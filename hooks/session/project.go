package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// ReadFile reads a file of the project, which one session leaves for the next. Where none did, the value stays.
func (st Store) ReadFile(name string, v any) error {
	body, err := system.ReadFile(st.Dir + "/" + name)
	if system.IsMissing(err) {
		return nil
	}
	if err == nil {
		err = journal.Decode(body, v)
	}
	return explain("read "+name, err)
}

// WriteFile writes such a file, in the place of what was before.
func (st Store) WriteFile(name string, v any) error {
	return system.MakeFile(st.Dir+"/"+name, append(journal.Encode(v), '\n'))
}

// JudgedFile has the fsm.Judged that the project's latest session began with.
const JudgedFile = "judged.json"

// An Earlier is what was captured last under a name, whichever of the project's
// sessions it was in.
type Earlier struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session"`
	Commit  string    `json:"commit,omitempty"` // that the project was at then
	Text    string    `json:"text"`
}

// EarlierFile names the file that has the Earlier of a name.
func EarlierFile(name string) string { return "earlier/" + filepath.Base(name) + ".json" }

// A project's sessions lie in its state folder, unless the config's `dir` names another. The
// state folder then has a list of those folders, one a line, so that what looks at all
// projects finds them. It keeps those that were in use earlier.

func elsewhereFile(state string) string { return state + "/elsewhere" }

// NoteIn notes in a project's state folder that its sessions lie in this store.
func (st Store) NoteIn(state string) error {
	if st.Dir == state || slices.Contains(OtherFolders(state), st.Dir) {
		return nil
	}
	return explain("note where sessions are kept", system.AppendLine(elsewhereFile(state), []byte(st.Dir)))
}

// OtherFolders lists the folders outside of a project's state folder that have its sessions.
// A list that cannot be read names none.
func OtherFolders(state string) []string {
	text, _ := os.ReadFile(elsewhereFile(state))
	lines := strings.Split(string(text), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return !system.IsAbs(line) })
}
