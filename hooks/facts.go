package hooks

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/guard"
)

// A gathering is the call for which facts are gathered, and the event that they go into.
// The session is that of a need that depends on one: before the lock as last written.
type gathering struct {
	*Handler
	call    Call
	session fsm.Session
	*fsm.Event
}

// gatherers is the table of facts: how each is gathered.
var gatherers = [...]func(g gathering){
	fsm.NeedOverrides: func(g gathering) { g.Facts.Overrides = g.FindOverrides(g.Event.Session, g.Time) },
	fsm.NeedPresent:   func(g gathering) { g.Facts.Present = g.findPresent() },
	fsm.NeedEnv:       gathering.readEnv,
	fsm.NeedInput:     gathering.readInput,
	fsm.NeedSpawn:     func(g gathering) { g.Facts.Spawn = g.call.Spawn() },
	fsm.NeedGraph:     func(g gathering) { g.Facts.Graph = ReadHead(g.Policy.Tasks.Graph, textLimit) },
	fsm.NeedOpening:   gathering.readOpening,
	fsm.NeedScratch:   gathering.makeScratch,
	fsm.NeedKernel:    func(g gathering) { g.Facts.Kernel = g.Kernel.Engine },
	fsm.NeedWorktrees: func(g gathering) { g.Facts.Worktrees = g.Guards.ListWorktrees() },
	fsm.NeedTokens:    func(g gathering) { g.Facts.Tokens = g.call.Tokens() },
	fsm.NeedTicket:    gathering.collectTicket,
	fsm.NeedTampered:  func(g gathering) { g.Facts.Tampered = g.call.Tampered() },
	fsm.NeedAbsent:    gathering.findAbsent,
	fsm.NeedParent:    gathering.findParent,
	fsm.NeedEarlier:   gathering.findEarlier,
	fsm.NeedGate:      gathering.runGate,
	fsm.NeedChecks:    gathering.runChecks,
	fsm.NeedJudged:    gathering.findJudged,
	fsm.NeedCaptured:  func(g gathering) { g.Facts.Captured = g.Sessions.Texts(g.session) },
	fsm.NeedAgents:    func(g gathering) { g.Facts.Agents = g.call.Agents() },
}

// gatherFacts gathers what an event needs of the facts from one to another. The session is read only if a
// need depends on it.
func (h *Handler) gatherFacts(first, final fsm.Need, p *fsm.Policy, c Call, last func() fsm.Session, e *fsm.Event) {
	for _, need := range p.ListNeeds(first, final, *e) {
		if h.Given != nil && h.Given(need) {
			continue
		}
		g := gathering{Handler: h, call: c, Event: e}
		if need >= fsm.NeedParent {
			if g.session = last(); !p.IsNeeded(need, g.session, *e) {
				continue
			}
		}
		gatherers[need](g)
	}
}

// note keeps for the record what could not be found out.
func (h *Handler) note(what string, err error) { h.Notes = append(h.Notes, what+err.Error()) }

// findParent finds the session that this one was forked from, with its captured texts.
func (g gathering) findParent() {
	if parent, err := g.Sessions.Last(g.call.Parent()); err == nil && parent.ID != "" {
		g.Facts.Parent, g.Facts.Captured = &parent, g.Sessions.Texts(parent)
	}
}

// Role is the caller by the payload. Where that names no agent, the variables that the
// config names decide.
func Role(c fsm.Caller, env Environment, payload fsm.Agent) fsm.Agent {
	if !payload.IsMain() {
		return payload
	}
	role, name := env.Env(c.RoleEnv), env.Env(c.NameEnv)
	who := cmp.Or(role, name)
	if who == "" || slices.Contains(c.Orchestrators, who) {
		return payload
	}
	who = cmp.Or(name, role)
	return fsm.Agent{ID: "environment-" + who, Type: who, Basis: "environment"}
}

// An Environment reads a variable. Of nil none is set.
type Environment func(key string) string

// Env is a variable's value; empty where it is not set.
func (e Environment) Env(key string) string {
	if key == "" || e == nil {
		return ""
	}
	return e(key)
}

// readEnv reads the variables that rules ask for, as far as they are set.
func (g gathering) readEnv() {
	g.Facts.Env = map[string]string{}
	for _, name := range g.Policy.ListEnvNames() {
		if v := g.Getenv.Env(name); v != "" {
			g.Facts.Env[name] = v
		}
	}
}

// findPresent finds a file that switches the policy on; empty for none. A pattern
// cannot look above the project, nor through links out of it.
func (h *Handler) findPresent() string {
	root, err := os.OpenRoot(h.Root)
	if err != nil { // no project: no file of it
		return ""
	}
	defer root.Close()
	for _, pattern := range h.Policy.Activate.When {
		var file string
		find := func(how ...doublestar.GlobOption) error {
			return doublestar.GlobWalk(root.FS(), filepath.ToSlash(pattern), func(path string, d os.DirEntry) error {
				file = path
				return io.EOF // one is enough
			}, append(how, doublestar.WithFilesOnly(), doublestar.WithNoFollow())...)
		}
		if err := find(doublestar.WithFailOnIOErrors()); err != nil && file == "" {
			h.Warnings = append(h.Warnings, "look for a file "+pattern+" that switches on: "+err.Error())
			_ = find() // in the folders that can be read
		}
		if file != "" {
			return file
		}
	}
	return ""
}

// textLimit bounds what is read of a file that agents read, or that holds a graph.
const textLimit = 256 << 10

// ReadHead reads the beginning of a file; nothing where it cannot be read.
func ReadHead(path string, most int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, most)) // of a folder it is empty
	return string(head)
}

func (g gathering) readOpening() {
	for _, path := range g.Policy.Opening.Files {
		missing := "(" + filepath.Base(path) + " belongs here, and cannot be read)"
		g.Facts.Opening = append(g.Facts.Opening, cmp.Or(ReadHead(path, textLimit), missing))
	}
}

func (g gathering) makeScratch() {
	var err error
	if g.Facts.Scratch, err = g.world().MakeScratch(g.Event.Session); err != nil {
		g.note("the scratch folder cannot be made: ", err)
	}
}

// findAbsent finds out whether the file exists that an agent's final message names.
func (g gathering) findAbsent() {
	name := g.Policy.FindReturnedFile(g.Agent.Type, g.Text)
	path := guard.MakeAbsolute(strings.TrimSpace(name), g.Dir, g.Guards.Home)
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		g.Facts.Absent = name
	}
}

// runGate runs the command that must succeed before the machine moves or the turn ends.
// The result counts only where the session then is as it is now.
func (g gathering) runGate() {
	gate, key := g.Policy.SelectGate(g.session, *g.Event)
	if r, ran := g.world().Run(Command{Line: gate.Run, Timeout: gate.Timeout}); ran {
		g.Facts.Gate = &fsm.GateResult{Key: key, OK: r.OK, Output: r.Text()}
	}
}

// How long all the checks of an event may take together: less than the client waits for
// us.
const (
	editTime = 100 * time.Second
	turnTime = 40 * time.Second // beside a gate of nine minutes
)

// runChecks runs the checks of what a call has written, or of all that was written in a
// turn that is about to end.
func (g gathering) runChecks() {
	if g.Kind == fsm.ToolResult {
		g.Facts.Checks = g.checkFiles(fsm.AtEdit, fsm.EditedFiles(g.Tool), editTime)
		return
	}
	files := g.session.Turn.Edited
	if g.session.Turn.EditedMore { // more than the session keeps
		files = g.listProject(files)
	}
	g.Facts.Checks = g.checkFiles(fsm.AtTurnEnd, files, turnTime)
}

// listProject lists the project's files, and after them those that are given. What is
// git's or ours is left out.
func (h *Handler) listProject(files []string) (out []string) {
	_ = system.WalkDir(h.Root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			h.note("look for files to check: ", err)
		case d.IsDir() && path != h.Root && (d.Name() == ".git" || d.Name() == ".pipeline"):
			return fs.SkipDir
		case d.Type().IsRegular() && !slices.Contains(files, path):
			out = append(out, path)
		}
		return nil // so that it goes on, and has no error of its own
	})
	return append(out, files...)
}

// maxNames bounds the names of the files that a check is given at once, in bytes. A
// system takes twice as much in one variable.
const maxNames = 64 << 10

// takeNames cuts off as many files as a check is given at once.
func takeNames(files []string) (these, rest []string) {
	size := 0
	for i, f := range files {
		if size += len(f) + 1; size > maxNames && i > 0 {
			return files[:i], files[i:]
		}
	}
	return files, nil
}

// checkFiles runs the checks of files one after the other, each until it fails. A check
// for which no time is left is not run, and that is noted.
func (h *Handler) checkFiles(when string, files []string, left time.Duration) (out []fsm.CheckResult) {
	set := map[string]string{}
	for _, c := range h.Policy.Checks {
		for _, v := range slices.Concat(c.Env, c.UnlessEnv) {
			if value := h.Getenv.Env(v.Name); value != "" {
				set[v.Name] = value
			}
		}
	}
	list, on := h.Policy.SelectChecks(when, files, set)
	for i, c := range list {
		var result fsm.CheckResult
		ran := false
		for these, rest := takeNames(on[i]); len(these) > 0; these, rest = takeNames(rest) {
			if left <= 0 {
				h.Notes = append(h.Notes, "no time was left for the check "+c.Name)
				break
			}
			began := time.Now()
			env := []string{"FILE=" + these[len(these)-1], "FILES=" + strings.Join(these, "\n")}
			cmd := Command{Check: c.Name, Line: c.Run, Env: env, Timeout: min(c.Timeout, left)}
			if r, run := h.world().Run(cmd); run {
				result = fsm.CheckResult{Name: c.Name, OK: r.OK, Missing: r.Missing, Output: r.Text()}
				ran = true
			}
			if left -= time.Since(began); !result.OK {
				break
			}
		}
		if ran {
			out = append(out, result)
		}
	}
	return out
}

// maxInput is the longest input that is kept without a rule that asks for it, in bytes:
// names and switches, not texts.
const maxInput = 256

// readInput keeps of what the tool was given every short value, and whatever rules ask for.
func (g gathering) readInput() {
	asked := g.Policy.ListInputNames()
	g.Tool.Input = g.call.Input()
	maps.DeleteFunc(g.Tool.Input, func(name, value string) bool {
		return len(value) > maxInput && !slices.Contains(asked, name)
	})
}
