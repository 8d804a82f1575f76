package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// A registry is where the client takes hooks from.
type registry struct {
	sources    []source
	registered []source // those with hooks of ours that the client reads
	running    []source // of them, those that the settings let run
	absent     []source // shared settings whose lines do nothing, as PATH has no pipeline, beside another registration
	managed    settings.Managed
	helper     string // the program that prints the managed settings; empty for none
}

func readRegistry(site *Site) (r registry) {
	for _, s := range settingsSources(site.Dir, site.Client, site.Managed) {
		s.loadHooks()
		if s.isManaged() {
			r.askHelper(site, &s)
		}
		r.sources = append(r.sources, s)
	}
	r.sources = append(r.sources, findPlugins(site.Client, r.sources)...)
	disabled := false
	for _, s := range r.sources {
		if s.isRead() && len(s.ours) > 0 {
			r.registered = append(r.registered, s)
		}
		disabled = disabled || !s.isPlugin() && !s.isManaged() && s.err == nil && settings.Blocks(s.body, nil) != ""
	}
	// Where PATH has no pipeline, settings that a team shares do nothing, and may have something else call us: a
	// plugin, or settings that name us by our path.
	isAbsent := func(s source) bool { return s.ours[0].Ours && !s.ours[0].Exec }
	calling := slices.DeleteFunc(slices.Clone(r.registered), isAbsent)
	if site.lookPath(settings.Bare) == nil && len(calling) > 0 {
		r.absent = slices.DeleteFunc(r.registered, func(s source) bool { return !isAbsent(s) })
		r.registered = calling
	}
	for _, s := range r.registered {
		if !r.managed.DisableAll && (s.isManaged() || !r.managed.HooksOnly && !disabled) {
			r.running = append(r.running, s)
		}
	}
	return r
}

// askHelper reads what managed settings say of hooks. Where they name a helper, what that
// prints counts in place of the file.
func (r *registry) askHelper(site *Site, s *source) {
	m, err := settings.ReadManaged(s.body)
	if r.managed = m; err != nil || m.Helper == "" || s.err != nil {
		return
	}
	r.helper = m.Helper
	limit := site.Patience
	if m.Patience > 0 {
		limit = min(limit, m.Patience)
	}
	var answer struct{ ManagedSettings json.RawMessage }
	a := runLimited(limit, site.Dir, append(slices.Clone(site.Environ), "CLAUDE_CODE_ENTRYPOINT=cli"), "", m.Helper)
	switch err := json.Unmarshal([]byte(a.out), &answer); {
	case a.failed != nil:
		s.err = fmt.Errorf("its policyHelper cannot be started: %w", a.failed)
	case a.late:
		s.err = fmt.Errorf("its policyHelper did not answer within %s", limit)
	case a.exit != 0 || err != nil:
		s.err = fmt.Errorf("its policyHelper failed (exit %d): %s", a.exit, oneLine(a.err))
	default:
		s.readHooks(answer.ManagedSettings)
		r.managed, s.err = settings.ReadManaged(s.body)
	}
}

// settingsSources are the settings files of a client that is started in a folder. Of two
// that disagree the last counts.
func settingsSources(dir, client, managed string) (out []source) {
	h := claude.Host{Config: client}
	h.Project = dir
	for _, s := range h.Places().Settings {
		if s.Scope == settings.ScopeManaged {
			s.Path = managed
		}
		if s.Path != "" {
			out = append(out, source{scope: s.Scope, file: s.Path})
		}
	}
	return out
}

// findPlugins lists the enabled plugins with hooks. What is installed stands in a file of the client (2.1.329, tried).
func findPlugins(client string, files []source) (out []source) {
	var installed struct {
		Plugins map[string][]struct {
			Path string `json:"installPath"`
		} `json:"plugins"`
	}
	body, err := os.ReadFile(filepath.Join(client, "plugins", "installed_plugins.json"))
	if err != nil || json.Unmarshal(body, &installed) != nil {
		return nil // none was installed
	}
	on := map[string]bool{} // the last of the files counts
	for _, s := range files {
		if s.isRead() {
			switched, _ := settings.Enabled(s.body) // it was parsed before
			maps.Copy(on, switched)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(installed.Plugins)) {
		for _, at := range installed.Plugins[name] {
			places := []string{filepath.Join(at.Path, "hooks", "hooks.json")} // the usual one, and that of its manifest
			var manifest struct{ Hooks string }
			body, err := os.ReadFile(filepath.Join(at.Path, ".claude-plugin", "plugin.json"))
			if err == nil && json.Unmarshal(body, &manifest) == nil && manifest.Hooks != "" {
				places = append(places, filepath.Join(at.Path, manifest.Hooks))
			}
			for _, file := range slices.Compact(places) {
				s := source{scope: "plugin " + name, root: at.Path, file: file,
					data: filepath.Join(client, "plugins", "data", strings.ReplaceAll(name, "@", "-"))}
				if s.loadHooks(); on[name] && s.body != nil {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

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
	if err == nil {
		s.readHooks(body)
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.err = err
	}
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

func (s source) String() string {
	if s.isPlugin() {
		return s.scope
	}
	return fmt.Sprintf("%s (%s)", s.file, s.scope)
}
