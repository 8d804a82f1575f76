package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// A source is a file that the client takes hooks from.
type source struct {
	scope  string // project, local, user; or plugin NAME
	file   string
	root   string // of the plugin
	body   []byte // nil when there is no file
	err    error  // why it could not be read, or taken apart
	ignore string // why the client does not read it, or nothing in it
	ours   []settings.Hook
}

// read finds all sources of hooks that count in the project.
func (x *exam) read() []source {
	var out []source
	for _, s := range places(x.Root, x.Client) {
		s.load()
		out = append(out, s)
	}
	return append(out, x.plugins(out)...)
}

func (s *source) load() {
	body, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		s.err = err
		return
	}
	s.body, s.ignore = append([]byte{}, body...), settings.Ignored(body)
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

// callsUs reports whether a shell line is a hook call of ours that a person has written.
func callsUs(line string) bool {
	words := strings.Fields(line)
	i := slices.IndexFunc(words, func(w string) bool {
		name := strings.Trim(w[strings.LastIndexAny(w, `/\`)+1:], `"'`)
		return name == "pipeline" || name == "pipeline.exe"
	})
	return i >= 0 && i+1 < len(words) && words[i+1] == "hook"
}

// counts: the client runs what is in it.
func (s source) counts() bool { return s.err == nil && s.ignore == "" }

// isPlugin: its file is the plugin's, not the user's.
func (s source) isPlugin() bool { return s.root != "" }

// mentions: it is meant to hold hooks of ours, whether or not they can be read.
func (s source) mentions(wanted bool) bool {
	return wanted || len(s.ours) > 0 || callsUs(string(s.body)) || strings.Contains(string(s.body), `"--host"`)
}

// registered are the sources whose hooks of ours the client runs.
func (x *exam) registered() []source {
	var out []source
	for _, s := range x.sources {
		if s.counts() && len(s.ours) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func (s source) String() string {
	if s.isPlugin() {
		return s.scope
	}
	return fmt.Sprintf("%s (%s)", s.file, s.scope)
}
