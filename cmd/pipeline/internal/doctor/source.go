package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// A source is a file that the client takes hooks from.
type source struct {
	scope  string // project, local, user, managed; or plugin NAME
	file   string
	root   string // of the plugin
	data   string // the folder that the client gives the plugin
	body   []byte // nil when there is no file
	err    error  // why it could not be read or parsed
	ignore string // why the client does not read it, or nothing in it
	ours   []settings.Hook
}

func (s *source) loadHooks() {
	body, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		s.err = err
		return
	}
	s.readHooks(body)
}

func (s *source) readHooks(body []byte) {
	s.body, s.ignore, s.ours = append([]byte{}, body...), settings.Ignored(body), nil
	hooks, err := settings.Hooks(body)
	if err != nil {
		s.err = err
	}
	for _, h := range hooks {
		if h.Ours || callsUs(h.Command) {
			s.ours = append(s.ours, h)
		}
	}
}

// callsUs reports whether a shell line, written by a person, is a hook call of ours.
func callsUs(line string) bool {
	words := strings.Fields(line)
	i := slices.IndexFunc(words, func(w string) bool {
		name := strings.Trim(w[strings.LastIndexAny(w, `/\`)+1:], `"'`)
		return name == "pipeline" || name == "pipeline.exe"
	})
	return i >= 0 && i+1 < len(words) && words[i+1] == "hook"
}

// isRead reports whether the client runs what is in it.
func (s source) isRead() bool { return s.err == nil && s.ignore == "" }

// isManaged reports whether the file is that of the machine's administrator.
func (s source) isManaged() bool { return s.scope == settings.ScopeManaged }

// isPlugin reports whether the file is a plugin's and not the user's.
func (s source) isPlugin() bool { return s.root != "" }

// expectsHooks reports whether it should hold hooks of ours, readable or not.
func (s source) expectsHooks(wanted bool) bool {
	return wanted || len(s.ours) > 0 || callsUs(string(s.body)) || strings.Contains(string(s.body), `"--host"`)
}

func (s source) String() string {
	if s.isPlugin() {
		return s.scope
	}
	return fmt.Sprintf("%s (%s)", s.file, s.scope)
}
