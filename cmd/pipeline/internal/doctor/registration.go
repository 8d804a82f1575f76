package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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
		disabled = disabled || !s.isPlugin() && !s.isManaged() && settings.Format{}.Blocks(s.body, nil) != ""
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
	if r.managed = m; err != nil || m.Helper == "" {
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
		s.ignore = fmt.Sprintf("its policyHelper cannot be started: %v", a.failed)
	case a.late:
		s.ignore = fmt.Sprintf("its policyHelper did not answer within %s", limit)
	case a.exit != 0 || err != nil:
		s.ignore = fmt.Sprintf("its policyHelper failed (exit %d): %s", a.exit, oneLine(a.err))
	default:
		s.readHooks(answer.ManagedSettings)
		r.managed, _ = settings.ReadManaged(s.body) // what is wrong with it is in s
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
	ignore string // why the client does not read it, or nothing in it; or why it could not be read
	ours   []settings.Hook
}

func (s *source) loadHooks() {
	body, err := os.ReadFile(s.file)
	if err == nil {
		s.readHooks(body)
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.ignore = err.Error()
	}
}

func (s *source) readHooks(body []byte) {
	s.body, s.ignore, s.ours = append([]byte{}, body...), settings.Ignored(body), nil
	hooks, _ := settings.Hooks(body) // what cannot be parsed is ignored
	for _, h := range hooks {
		if h.Ours || callsUs(h.Command) {
			s.ours = append(s.ours, h)
		}
	}
}

// callsUs reports whether a shell line, written by a person, is a hook call of ours.
func callsUs(line string) bool {
	return regexp.MustCompile(`(^|[\s/\\"'])pipeline(\.exe)?["']*\s+hook(\s|$)`).MatchString(line)
}

// isRead reports whether the client runs what is in it.
func (s source) isRead() bool { return s.ignore == "" }

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

// checkRegistration: are we called exactly once for each event that we need?
func checkRegistration(x *exam) {
	if len(x.registered) == 0 {
		for _, s := range settingsSources(x.Root, x.Client, "") {
			if s.loadHooks(); x.Dir != x.Root && s.isRead() && len(s.ours) > 0 {
				x.problem("start the client in "+x.Root+", or: pipeline install --scope user",
					"a client that is started in %s finds no hook of ours: nothing is enforced; "+
						"it reads %s only where it is started in %s", x.Dir, s.file, x.Root)
				return
			}
		}
		x.problem("pipeline install", "no hook of ours is registered where the client looks: nothing is enforced%s",
			explainMissing(x))
		return
	}
	if in := x.running; len(in) > 1 {
		var files []string
		same := true
		for _, s := range in {
			files = append(files, s.String())
			same = same && !s.isPlugin() && slices.EqualFunc(s.ours, in[0].ours,
				func(a, b settings.Hook) bool { return commandLine(a) == commandLine(b) })
		}
		what := "each call is judged and recorded by both"
		if same {
			what = "they are the same, so the client runs one of them; when one is removed the other stays"
		}
		last := in[len(in)-1]
		if last.isManaged() {
			last = in[len(in)-2] // the user's own is the one to remove
		}
		remedy := "pipeline uninstall --scope " + last.scope
		if last.isPlugin() {
			remedy = "claude plugin disable " + strings.TrimPrefix(last.scope, "plugin ")
		}
		x.problem(remedy, "registered %d times, in %s: %s", len(in), strings.Join(files, " and in "), what)
	}
	for _, s := range x.registered {
		checkComplete(x, s)
	}
	for _, s := range x.absent {
		x.warn("put pipeline on PATH, then: pipeline doctor",
			"%s: its hooks do nothing, since pipeline is not on PATH; %s enforces, whatever the note at a session's "+
				"start says", s, x.registered[0])
	}
	x.orPass("%s: %d events", x.registered[0], len(x.registered[0].ours))
}

// explainMissing names a file from which hooks of ours that a person installed are gone.
func explainMissing(x *exam) string {
	for _, s := range x.sources {
		if s.isRead() && len(x.Wants(s.file)) > 0 {
			return "; they were installed into " + s.file + ", and something other than pipeline uninstall removed them"
		}
	}
	return ""
}

// checkComplete compares the hooks of one file with what install would write there. Their matchers are another check's.
func checkComplete(x *exam, s source) {
	counts := map[string]int{}
	for _, h := range s.ours {
		counts[h.Event]++
	}
	failClosed := s.isManaged() || x.Opened.Policy != nil && x.Opened.Policy.FailClosed
	for _, want := range (claude.Host{}).Entries(s.ours[0].Program(), failClosed) {
		n := counts[want.Event]
		delete(counts, want.Event)
		if n == 0 {
			s.problem(x, "not registered for %s", want.Event)
			continue
		} else if n > 1 {
			s.problem(x, "registered %d times for %s: each call is judged and recorded that often", n, want.Event)
			continue
		}
		h := s.ours[slices.IndexFunc(s.ours, func(h settings.Hook) bool { return h.Event == want.Event })]
		if h.Muted != "" {
			s.problem(x, "the hook for %s has %q set: it does not always run, or is not waited for", h.Event, h.Muted)
		}
		switch {
		case !h.Ours || slices.Equal(h.Args, want.Args):
		case want.Args == nil:
			s.warn(x, "the hook for %s is of an older form: the client of a teammate without pipeline reports an "+
				"error at each call", h.Event)
		default:
			s.problem(x, "the hook for %s has the arguments %q, expected %q", h.Event, h.Args, want.Args)
		}
		if h.Timeout < want.Timeout && h.Timeout > 0 {
			s.warn(x, "the hook for %s has %d s to answer, expected %d", h.Event, h.Timeout, want.Timeout)
		}
		switch {
		case want.OnFailureBlock && !h.OnFailureBlock:
			s.problem(x, "the config says on_error: deny, but the hook for %s lacks onFailure: block: if pipeline "+
				"cannot be run, the tool runs", h.Event)
		case h.OnFailureBlock && !want.OnFailureBlock:
			s.warn(x, "the hook for %s has onFailure: block, but the config says on_error: allow", h.Event)
		}
	}
	for _, event := range slices.Sorted(maps.Keys(counts)) {
		s.warn(x, "registered for %s, which we do not need", event)
	}
}

// checkMatchers: are our hooks called for everything that they judge?
func checkMatchers(x *exam) {
	for _, s := range x.registered {
		for _, h := range s.ours {
			if what := whatMisses(h); what != "" {
				s.problem(x, "the matcher %q of the hook for %s %s", h.Matcher, h.Event, what)
			}
		}
	}
	if len(x.registered) == 0 {
		x.pass("no hook of ours, no matcher")
	}
	x.orPass("each of our hooks is called for every tool and every agent")
}

// remedy is what rewrites the entries of a source: install, where the file is the user's and the entries are ours.
func (s source) remedy() string {
	remedy := "pipeline install --scope " + s.scope
	if i := slices.IndexFunc(s.ours, func(h settings.Hook) bool { return !h.Ours }); i >= 0 {
		remedy = fmt.Sprintf("remove the hook for %s that was written by hand from %s, then: %s",
			s.ours[i].Event, s.file, remedy)
	}
	if s.isManaged() {
		remedy = "ask who manages this machine: " + s.file
	}
	if s.isPlugin() {
		remedy = "claude plugin update " + strings.TrimPrefix(s.scope, "plugin ")
	}
	return remedy
}

// problem adds a problem of a source.
func (s source) problem(x *exam, format string, a ...any) {
	x.problem(s.remedy(), "%s: %s", s, fmt.Sprintf(format, a...))
}

func (s source) warn(x *exam, format string, a ...any) {
	x.warn(s.remedy(), "%s: %s", s, fmt.Sprintf(format, a...))
}

// commandLine is a hook as a person would type it.
func commandLine(h settings.Hook) string {
	if h.Exec {
		return h.Line()
	}
	return h.Command
}

// whatMisses says what the matcher of a hook keeps from it, tools that change something first; "" for nothing. A server
// may offer any tool.
func whatMisses(h settings.Hook) string {
	switch {
	case h.Matcher == "" || h.Matcher == "*" || h.Matcher == ".*":
		return ""
	case h.Event == "UserPromptSubmit" || h.Event == "Stop": // whose matchers the client ignores (2.1.197, 2.1.329)
		return ""
	case !slices.Contains([]string{"PreToolUse", "PostToolUse", "PostToolUseFailure"}, h.Event):
		return "keeps it from some of them: expected none"
	}
	const server, most = "mcp__server__tool", 8
	tools := []string{"Agent", "Bash", "Write", "Edit", "Read", server}
	for _, t := range claude.Tools() {
		if !slices.Contains(tools, t) {
			tools = append(tools, t)
		}
	}
	var missed []string
	for _, t := range tools {
		yes, certain := settings.Matches(h.Matcher, t)
		if !certain {
			return "is an expression that cannot be judged here: expected none"
		}
		if !yes {
			missed = append(missed, strings.Replace(t, server, "mcp__*", 1))
		}
	}
	switch {
	case len(missed) == len(tools):
		return "never matches: no tool is judged"
	case len(missed) == 0:
		return ""
	case len(missed) > most:
		return "misses " + strings.Join(missed[:most], ", ") + " and others"
	}
	return "misses " + strings.Join(missed, ", ")
}

// checkSettings: does the client read the files, and does one of them switch hooks off?
func checkSettings(x *exam) {
	enforced := slices.ContainsFunc(x.registered, source.isManaged)
	var there []string
	for _, s := range x.sources {
		if s.body != nil {
			there = append(there, s.file)
		}
		why, text := s.ignore, string(s.body)
		switch { // an ignored file is a problem where it should hold hooks of ours, readable or not
		case why == "":
		case s.isManaged():
			x.problem("ask who manages this machine: "+s.file, "%s: %s: the client may refuse to start", s, why)
		case len(x.Wants(s.file)) > 0 || len(s.ours) > 0 || callsUs(text) || strings.Contains(text, `"--host"`):
			x.problem("fix "+s.file, "%s: the client ignores the whole file, our hooks in it do not run: %s", s, why)
		default:
			x.warn("fix "+s.file, "%s: the client ignores the whole file: %s", s, why)
		}
		off, remedy := settings.Format{}.Blocks(s.body, nil), "remove it from "+s.file
		switch {
		case s.isPlugin() || s.isManaged() && why != "":
		case s.isManaged() && x.managed.DisableAll:
			x.problem(remedy, "%s: disableAllHooks is true: the client runs no hook at all", s)
		case enforced: // managed hooks run all the same (2.1.330, tried)
		case s.isManaged() && x.managed.HooksOnly:
			x.problem(remedy, "%s: allowManagedHooksOnly is true: the client runs no hook of any other file", s)
		case off != "":
			x.problem(remedy, "%s: %s: the client runs no hook of any file", s, off)
		}
	}
	if there == nil {
		x.orPass("there are none")
	}
	x.orPass("%s: read by the client, hooks not disabled", strings.Join(there, ", "))
}

// checkOthers names hooks of others that may change a call after it was judged.
func checkOthers(x *exam) {
	const remedy = "remove it, or make sure that it answers without updatedInput"
	for _, s := range x.sources {
		all, err := settings.Hooks(s.body)
		if err != nil || !s.isRead() {
			continue
		}
		for _, h := range all {
			ours := slices.ContainsFunc(s.ours, func(o settings.Hook) bool { return o.Command == h.Text })
			if ours || h.Event != "PreToolUse" && h.Event != "PermissionRequest" {
				continue
			}
			what := "may rewrite what tools are given"
			if x.rewritesInput(h.Text) {
				what = "rewrites what tools are given (updatedInput)"
			}
			x.warn(remedy, "%s: another hook for %s %s, which pipeline has judged as it was: %s", s, h.Event, what,
				oneLine(h.Text))
		}
	}
	x.orPass("no hook of another program can rewrite what tools are given")
}

// rewritesInput reports whether a hook's text, or a script that it names, has the word for it.
func (s *Site) rewritesInput(text string) bool {
	const word = "updatedInput"
	if strings.Contains(text, word) {
		return true
	}
	for w := range strings.FieldsSeq(strings.NewReplacer("${CLAUDE_PROJECT_DIR}", s.Dir, "$CLAUDE_PROJECT_DIR", s.Dir,
		`"`, "", "'", "").Replace(text)) {
		w = s.makeAbsolute(w)
		info, err := os.Stat(w)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			continue
		}
		if body, err := os.ReadFile(w); err == nil && strings.Contains(string(body), word) {
			return true
		}
	}
	return false
}
