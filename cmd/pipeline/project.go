package main

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// world is where to look for configs, from a directory.
func (p *program) world(dir, file string) config.World {
	return config.World{Dir: dir, Home: p.home(), ConfigHome: p.baseFolder("XDG_CONFIG_HOME", ".config"),
		StateHome: p.stateBase(), Getenv: p.getenv, Version: findVersion(), Config: file,
		System: system.SharedConfig(), Account: system.FindHome}
}

// home is the user's home directory. Where no variable says it, the system does; a
// relative one would put the state into the work tree.
func (p *program) home() string {
	if dir := p.getenv(system.HomeVariable); filepath.IsAbs(dir) {
		return dir
	}
	if dir := system.FindHome(); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(os.TempDir(), "pipeline-home-"+strconv.Itoa(os.Getuid()))
}

// baseFolder is a base directory of the XDG specification, or its default below the home
// directory.
func (p *program) baseFolder(key, below string) string {
	if dir := p.getenv(key); filepath.IsAbs(dir) {
		return dir
	}
	if filepath.IsAbs(below) {
		return below
	}
	return filepath.Join(p.home(), below)
}

// stateBase is the folder below which the state of programs lies.
func (p *program) stateBase() string {
	below := ".local/state"
	if dir := p.getenv(system.StateVariable); system.StateVariable != "" && filepath.IsAbs(dir) {
		below = dir
	}
	return p.baseFolder("XDG_STATE_HOME", below)
}

// here is the working directory's world, for commands.
func (p *program) here(c *cli.Context) (config.World, error) {
	dir, err := os.Getwd()
	if err != nil {
		return config.World{}, fmt.Errorf("find the working directory: %w", err)
	}
	return p.world(filepath.Clean(dir), c.String("config")), nil
}

var errNoConfig = hinted{errors.New("no pipeline is configured here " +
	"(found no configs/pipeline.yaml, .claude/pipeline.yaml or pipeline.yaml in this folder, " +
	"nor above it in its git repository)"), "pipeline init"}

// openProject opens the pipeline of the working directory. It reports problems in the
// config, and uses what is in force.
func (p *program) openProject(c *cli.Context) (config.Opened, error) {
	w, err := p.here(c)
	if err != nil {
		return config.Opened{}, err
	}
	o, err := config.Open(w)
	switch {
	case err != nil:
		return o, err
	case o.None:
		return o, errNoConfig
	case o.Policy == nil:
		printProblems(p, o.Problems)
		return o, errors.New("the config has problems and there is no earlier one to fall back to")
	case len(o.Problems) > 0:
		printProblems(p, o.Problems)
		p.sayf("the last config without problems is in force")
	}
	return o, nil
}

// findProject finds the project's config; that there is none is an error.
func findProject(w config.World) (config.Project, error) {
	project, exists, err := config.Find(w)
	if err == nil && !exists {
		err = errNoConfig
	}
	return project, err
}

// compileConfig compiles a config as it is written now: no last good one stands in for it,
// and it is put in force nowhere.
func compileConfig(w config.World) (o config.Opened, text *config.Config, err error) {
	if o.Project, err = findProject(w); err != nil {
		return o, nil, err
	}
	text, origins, problems, err := config.Load(o.Project, w)
	if err == nil && len(problems) == 0 {
		o.Policy, problems = config.Compile(text, origins)
	}
	o.Problems = problems
	return o, text, err
}

// store is where a project's sessions are kept.
func store(o config.Opened, wait time.Duration) session.Store {
	dir := o.Project.Home
	if o.Policy != nil && o.Policy.Dir != "" {
		dir = o.Policy.Dir
	}
	return session.Store{Dir: dir, Wait: wait}
}

// newHandler answers for an opened project.
func (p *program) newHandler(o config.Opened, wait time.Duration) *hooks.Handler {
	return &hooks.Handler{Policy: o.Policy, Sessions: store(o, wait), Guards: p.newGuards(o), Root: o.Project.Root,
		Getenv: p.getenv, Older: findKeptPolicy(o), Groups: userGroups}
}

// findKeptPolicy finds the project's earlier policies by their fingerprints.
func findKeptPolicy(o config.Opened) func(fingerprint string) (*fsm.Policy, error) {
	return func(fingerprint string) (*fsm.Policy, error) { return config.FindPolicy(o.Project.Home, fingerprint) }
}

func (p *program) newGuards(o config.Opened) hooks.Guards {
	state := p.stateBase()
	g := hooks.Guards{Root: o.Project.Root, Home: p.home(),
		Config: filepath.Join(p.baseFolder("XDG_CONFIG_HOME", ".config"), "pipeline"), System: system.SharedConfig(),
		States: []string{filepath.Join(state, "pipeline"), filepath.Join(o.Project.Root, ".pipeline")},
		Client: p.places(o.Project.Root), Binary: findProgram, Shell: p.findShell(),
		HasZsh: func() bool { return p.hasProgram("zsh") }, HasPowerShell: p.hasPowerShell,
		Others:  func() []hooks.Places { return p.otherPlaces(o.Project.Root) },
		Sources: o.Project.Files, PersonOnly: isPersonOnly, Tools: o.Policy.ToolSets(),
		Fold: system.IgnoresCase(o.Project.Root)}
	if o.Policy.Dir != "" {
		g.States = append(g.States, o.Policy.Dir)
	}
	// The plugin's own repository is worked on with the plugin.
	dir := p.getenv("CLAUDE_PLUGIN_ROOT")
	if dir != "" && !strings.HasPrefix(o.Project.Root+"/", filepath.Clean(dir)+"/") {
		g.Plugin = dir
	}
	return g
}

// findProgram is the path of this program. Where it is unknown, it cannot be guarded by it.
func findProgram() string {
	path, _ := os.Executable()
	return path
}

// findShell is the shell in which the client runs lines: the user's, if it is one that the
// client takes. Otherwise it is not named: it is zsh or, where there is none, bash.
func (p *program) findShell() string {
	for _, key := range [...]string{"CLAUDE_CODE_SHELL", "SHELL"} {
		for _, name := range [...]string{"zsh", "bash"} {
			if strings.Contains(filepath.Base(p.getenv(key)), name) {
				return name
			}
		}
	}
	return ""
}

// hasProgram reports whether a client finds a program: by PATH, or where it is usual.
func (p *program) hasProgram(name string) bool {
	dirs := append(filepath.SplitList(p.getenv("PATH")), "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
	return slices.ContainsFunc(dirs, func(dir string) bool { return system.CanRun(filepath.Join(dir, name)) })
}

// hasPowerShell: each Windows has one, and runs lines in it by default.
func (p *program) hasPowerShell() bool { return runtime.GOOS == "windows" || p.hasProgram("pwsh") }

// newOverrider changes overrides in a person's name: of a session, or of the whole
// project.
func newOverrider(o config.Opened, session string) hooks.Overrider {
	return hooks.Overrider{Policy: o.Policy, Store: store(o, 5*time.Second), Session: session,
		By: userName(), Groups: userGroups(), Now: time.Now().UTC()}
}

// userGroups names the groups of who runs this, as the process has them: a list of a
// user's groups by name would believe $USER where the system does not know the user. What
// is not known is left out: then no permission of a group counts.
func userGroups() (names []string) {
	ids, err := system.Groups()
	if err != nil {
		return nil
	}
	for _, id := range ids {
		if g, err := user.LookupGroupId(id); err == nil {
			names = append(names, g.Name)
		}
	}
	return names
}

// userName is who runs this: a person, as far as that is known (see person).
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint("uid ", os.Getuid())
}

func sessionFlag() cli.Flag {
	return &cli.StringFlag{Name: "session",
		Usage: "the session with this `ID`, or the only one that begins so; by default the newest"}
}

// namedSessionFlag is the flag of commands that are about one session only if it is named.
func namedSessionFlag(what string) cli.Flag {
	return &cli.StringFlag{Name: "session", Usage: what + " with this `ID`, or the only one that begins so"}
}

// A picked session, and how it was picked.
type picked struct {
	config.Opened
	store session.Store
	id    string
	how   string // "named", "the only one", "the newest of 3"
}

// pickSession returns the session that a command is about.
func pickSession(p *program, c *cli.Context) (picked, error) {
	o, err := p.openProject(c)
	if err != nil {
		return picked{}, err
	}
	out := picked{Opened: o, store: store(o, 5*time.Second)}
	items, err := out.store.List()
	if err != nil {
		return out, err
	}
	if name := c.String("session"); name != "" {
		out.how = "named"
		out.id, err = resolveSession(items, name)
		return out, err
	}
	switch len(items) {
	case 0:
		return out, errNoSession
	case 1:
		out.how = "the only one"
	default:
		out.how = fmt.Sprintf("the newest of %d", len(items))
	}
	out.id = items[0].ID
	return out, nil
}

// pickView is pickSession, for a session that an argument may also name, with what is
// published of it.
func pickView(p *program, c *cli.Context, id string) (s picked, v session.View, err error) {
	if id != "" {
		err = c.Set("session", id)
	}
	if err == nil {
		s, err = pickSession(p, c)
	}
	if err == nil {
		v, err = s.store.View(s.id)
	}
	return s, v, err
}

// recently is how long a session that was not ended counts as running.
const recently = 12 * time.Hour

// pickLive returns the session to change. Of several that run it does not guess one.
func pickLive(p *program, c *cli.Context) (picked, error) {
	s, err := pickSession(p, c)
	if err != nil || c.String("session") != "" {
		return s, err
	}
	items, err := s.store.Live(time.Now().Add(-recently))
	if err != nil || len(items) < 2 {
		return s, err
	}
	for _, i := range items {
		p.hint("--session %s   (last active %s)", i.ID, i.Last.Format(time.DateTime))
	}
	return s, usageError{fmt.Sprintf("%d sessions are running: name one", len(items))}
}

var errNoSession = hinted{errors.New("no session has been recorded in this project yet"),
	"start the client in the project's folder; pipeline doctor shows whether its calls are judged"}

// resolveSession returns the session with an ID, or the only one whose ID begins so;
// "newest" is the one that was active last.
func resolveSession(items []session.Item, id string) (string, error) {
	if id == "newest" && len(items) > 0 {
		return items[0].ID, nil
	}
	var matches []string
	for _, i := range items {
		if i.ID == id {
			return id, nil
		}
		if strings.HasPrefix(i.ID, id) && id != "" {
			matches = append(matches, i.ID)
		}
	}
	switch len(matches) {
	case 0:
		return "", fmt.Errorf("no session %s in this project", quote(id))
	case 1:
		return matches[0], nil
	}
	return "", usageError{fmt.Sprintf("%d sessions begin with %s: %s",
		len(matches), quote(id), strings.Join(matches, ", "))}
}

// findSession is resolveSession, among all sessions of a project.
func findSession(st session.Store, id string) (string, error) {
	items, err := st.List()
	if err != nil {
		return "", err
	}
	return resolveSession(items, id)
}

// selectSessions returns the session that is named, or all of the project.
func selectSessions(c *cli.Context, st session.Store) ([]string, error) {
	items, err := st.List()
	if err != nil {
		return nil, err
	}
	if c.IsSet("session") {
		id, err := resolveSession(items, c.String("session"))
		return []string{id}, err
	}
	if len(items) == 0 {
		return nil, errNoSession
	}
	var ids []string
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	return ids, nil
}

// parseAge reads a point in time: an age (90m, 12h, 7d, 2w) or a date (2026-03-01, or
// with a time). The empty text is the zero time.
func parseAge(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		n, err := strconv.Atoi(strings.TrimSuffix(s, unit))
		if err == nil && strings.HasSuffix(s, unit) && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n*days), nil
		}
	}
	for _, form := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(form, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usageError{"found " + quote(s) + " for a time, " +
		"expected an age such as 12h, 7d, 2w, or a date such as 2026-03-01"}
}
