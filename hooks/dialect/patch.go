package dialect

import (
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

const patchBegin = "*** Begin Patch"

// readPatch lists the files that a patch in the form of apply_patch changes: each with the
// tool that does the same. A patch that names none may change any.
func readPatch(text string) (files []fsm.FileUse) {
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, head := range [...]struct{ begin, tool string }{{"*** Add File:", "Write"},
			{"*** Update File:", "Edit"}, {"*** Delete File:", "Delete"}, {"*** Move to:", "Write"}} {
			path, ok := strings.CutPrefix(line, head.begin)
			if path = strings.TrimSpace(path); !ok || path == "" {
				continue
			}
			if head.begin == "*** Move to:" && last != "" {
				files = append(files, fsm.FileUse{Tool: "Delete", Path: last})
			}
			files, last = append(files, fsm.FileUse{Tool: head.tool, Path: path}), path
		}
	}
	if files == nil {
		files = []fsm.FileUse{{Tool: "Edit", Path: shell.Unknown}}
	}
	return files
}
