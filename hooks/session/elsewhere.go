package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
)

// A project's sessions lie in its state folder, unless the config's `dir` names another. The
// state folder then has a list of those folders, one a line, so that what looks at all
// projects finds them. It keeps those that were in use earlier.

func elsewhereFile(state string) string { return filepath.Join(state, "elsewhere") }

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
	return slices.DeleteFunc(lines, func(line string) bool { return !filepath.IsAbs(line) })
}
