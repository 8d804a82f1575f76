package dialect

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

const patchBegin = "*** Begin Patch"

// readPatch lists the files that a patch in the form of apply_patch changes: each with the
// tool that does the same. A patch that names none may change any.
func readPatch(text string) (files []fsm.FileUse) {
	dir, last := patchDir(text), ""
	if dir == shell.Unknown { // then so are the files
		text = ""
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, head := range [...]struct{ begin, tool string }{{"*** Add File:", "Write"},
			{"*** Update File:", "Edit"}, {"*** Delete File:", "Delete"}, {"*** Move to:", "Write"}} {
			path, ok := strings.CutPrefix(line, head.begin)
			if path = strings.TrimSpace(path); !ok || path == "" {
				continue
			}
			if dir != "" && !system.IsAbs(path) {
				path = dir + "/" + path
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

// patchDir is the folder in which a shell line applies its patch: cd DIR && apply_patch <<'E'.
// It is "" for the line's own, and shell.Unknown where the line changes it in another way.
func patchDir(text string) string {
	line, _, _ := strings.Cut(text, patchBegin)
	words := strings.Fields(line)
	if !slices.Contains(words, "cd") && !strings.Contains(line, "pushd") && !strings.Contains(line, "(cd") {
		return ""
	}
	isPlain := len(words) > 3 && words[0] == "cd" && words[2] == "&&" && words[3] == "apply_patch"
	if !isPlain || strings.ContainsAny(words[1], "$`*?[{\\") {
		return shell.Unknown
	}
	return strings.Trim(words[1], `"'`)
}
