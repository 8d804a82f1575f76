package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// A source is a file that the client takes hooks from.
type source struct {
	scope  string // project, local, user, managed; or plugin NAME
	file   string
	root   string // of the plugin
	body   []byte // nil when there is no file
	err    error  // why it could not be read or parsed
	ignore string // why the client does not read it, or nothing in it
	ours   []settings.Hook
}

// readSources reads all sources of hooks of the project.
func (x *exam) readSources() []source {
	var out []source
	for _, s := range settingsSources(x.Dir, x.Client, x.Managed) {
		s.loadHooks()
		if s.isManaged() {
			x.askHelper(&s)
		}
		out = append(out, s)
	}
	return append(out, x.findPlugins(out)...)
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

// askHelper reads what managed settings say of hooks. Where they name a helper, what that
// prints counts in place of the file.
func (x *exam) askHelper(s *source) {
	m, err := settings.ReadManaged(s.body)
	if x.managed = m; err != nil || m.Helper == "" || s.err != nil {
		return
	}
	x.helper = m.Helper
	limit := x.Patience
	if m.Patience > 0 {
		limit = min(limit, m.Patience)
	}
	var answer struct{ ManagedSettings json.RawMessage }
	r := run(limit, x.Dir, append(slices.Clone(x.Environ), "CLAUDE_CODE_ENTRYPOINT=cli"), "", m.Helper)
	switch err := json.Unmarshal(r.out, &answer); {
	case r.failed != nil:
		s.err = fmt.Errorf("its policyHelper cannot be started: %w", r.failed)
	case r.late:
		s.err = fmt.Errorf("its policyHelper did not answer within %s", limit)
	case r.exit != 0 || err != nil:
		s.err = fmt.Errorf("its policyHelper failed (exit %d): %s", r.exit, oneLine(string(r.err)))
	default:
		s.readHooks(answer.ManagedSettings)
		x.managed, s.err = settings.ReadManaged(s.body)
	}
}

// isPlugin reports whether the file is a plugin's and not the user's.
func (s source) isPlugin() bool { return s.root != "" }

// expectsHooks reports whether it should hold hooks of ours, readable or not.
func (s source) expectsHooks(wanted bool) bool {
	return wanted || len(s.ours) > 0 || callsUs(string(s.body)) || strings.Contains(string(s.body), `"--host"`)
}

// registeredSources are the sources with hooks of ours that the client reads.
func (x *exam) registeredSources() []source {
	var out []source
	for _, s := range x.sources {
		if s.isRead() && len(s.ours) > 0 {
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

// findPlugins lists the enabled plugins with hooks. What is installed stands in a
// file of the client's (2.1.329, tried).
func (x *exam) findPlugins(files []source) []source {
	var installed struct {
		Plugins map[string][]struct {
			Path string `json:"installPath"`
		} `json:"plugins"`
	}
	body, err := os.ReadFile(filepath.Join(x.Client, "plugins", "installed_plugins.json"))
	if err != nil || json.Unmarshal(body, &installed) != nil {
		return nil // none was installed
	}
	on := enabledPlugins(files)
	var out []source
	for _, name := range sortedKeys(installed.Plugins) {
		for _, at := range installed.Plugins[name] {
			for _, file := range hookFiles(at.Path) {
				s := source{scope: "plugin " + name, root: at.Path, file: file}
				if s.loadHooks(); on[name] && s.body != nil {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// hookFiles are where a plugin can keep its hooks: the usual file, and the one in its manifest.
func hookFiles(root string) []string {
	files := []string{filepath.Join(root, "hooks", "hooks.json")}
	var manifest struct{ Hooks string }
	body, err := os.ReadFile(filepath.Join(root, ".claude-plugin", "plugin.json"))
	if err != nil || json.Unmarshal(body, &manifest) != nil || manifest.Hooks == "" {
		return files
	}
	if named := filepath.Join(root, manifest.Hooks); named != files[0] {
		files = append(files, named)
	}
	return files
}

// enabledPlugins are the plugins that are switched on. The last of the files counts.
func enabledPlugins(files []source) map[string]bool {
	out := map[string]bool{}
	for _, s := range files {
		if !s.isRead() {
			continue
		}
		switched, _ := settings.Enabled(s.body) // it was parsed before
		for name, is := range switched {
			out[name] = is
		}
	}
	return out
}
