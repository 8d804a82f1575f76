package hooks

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// work gathers what commands and files of the project have to say to an event: gates, checks, the graph of tasks, the
// texts that a session begins with. All of it may take its time, and none is done under the session's lock.
func (h *Handler) work(e *fsm.Event) {
	switch e.Kind {
	case fsm.AgentStop:
		e.Facts.Absent = h.absent(*e)
		h.gate(e)
	case fsm.TurnStop:
		h.gate(e)
		h.checkTurn(e)
	case fsm.ToolResult:
		h.checkEdit(e)
	}
	if h.Policy.Scratch {
		e.Facts.Scratch = h.scratch(e.Session)
	}
}

// minds reports whether the level is one at which agents are told anything.
func (h *Handler) minds(s fsm.Session, e fsm.Event) bool {
	return h.Policy.EffectiveLevel(s, e) >= fsm.Guidance
}

// gate runs the command that stands in the way of what may happen next.
func (h *Handler) gate(e *fsm.Event) {
	if !h.Policy.HasGates() {
		return
	}
	s, err := h.Sessions.Last(e.Session)
	if err != nil || !h.minds(s, *e) {
		return
	}
	if g, key := h.Policy.SelectGate(s, *e); g != nil {
		r := h.run(g.Run, g.Timeout, nil)
		e.Facts.Gate = &fsm.GateResult{Key: key, OK: r.ok, Output: r.said()}
	}
}

// How long all the checks of an event may take together: less than the client waits for us.
const (
	editTime = 100 * time.Second
	turnTime = 40 * time.Second // beside a gate of nine minutes
)

// checkEdit runs the checks of what a call has written.
func (h *Handler) checkEdit(e *fsm.Event) {
	files := fsm.EditedFiles(e.Tool)
	if len(files) == 0 || len(h.Policy.Checks) == 0 {
		return
	}
	if s, _ := h.Sessions.Last(e.Session); h.minds(s, *e) { // of one that is new nothing is known yet
		e.Facts.Checks = h.checks(fsm.AtEdit, files, editTime)
	}
}

// checkTurn runs the checks of all that was written in a turn, as it is about to end.
func (h *Handler) checkTurn(e *fsm.Event) {
	if !slices.Contains(h.Policy.Hold.Until, "checks") {
		return
	}
	if s, err := h.Sessions.Last(e.Session); err == nil && len(s.Turn.Edited) > 0 && h.Policy.CanHoldTurn(s, *e) && h.minds(s, *e) {
		e.Facts.Checks = h.checks(fsm.AtTurnEnd, s.Turn.Edited, turnTime)
	}
}

// checks runs the checks of files one after the other. One for which no time is left is not run, and that is noted.
func (h *Handler) checks(when string, files []string, left time.Duration) (out []fsm.CheckResult) {
	set := map[string]string{}
	for _, c := range h.Policy.Checks {
		for _, v := range slices.Concat(c.Env, c.UnlessEnv) {
			if value := env(h.Getenv, v.Name); value != "" {
				set[v.Name] = value
			}
		}
	}
	list, on := h.Policy.SelectChecks(when, files, set)
	for i, c := range list {
		if left <= 0 {
			h.Notes = append(h.Notes, "no time was left for the check "+c.Name)
			continue
		}
		began := time.Now()
		r := h.run(c.Run, min(c.Timeout, left), []string{"FILE=" + on[i][len(on[i])-1], "FILES=" + strings.Join(on[i], "\n")})
		out = append(out, fsm.CheckResult{Name: c.Name, OK: r.ok, Missing: r.missing, Output: r.said()})
		left -= time.Since(began)
	}
	return out
}

// absent is the file that an agent's final message names, where it does not exist.
func (h *Handler) absent(e fsm.Event) string {
	name := h.Policy.FindReturnedFile(e.Agent.Type, e.Text)
	if name == "" {
		return ""
	}
	path := absolute(strings.TrimSpace(name), e.Dir, h.Guards.Home)
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return name
	}
	return ""
}

// longText bounds what is read of a file that agents are told, or that holds a graph.
const longText = 256 << 10

func textOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, longText))
	if err != nil {
		return ""
	}
	return string(body)
}

func (h *Handler) opening() (texts []string) {
	for _, path := range h.Policy.Opening.Files {
		text := textOf(path)
		if text == "" {
			text = "(" + filepath.Base(path) + " was to be told here, and cannot be read)"
		}
		texts = append(texts, text)
	}
	return texts
}

// EnvScratch is the variable by which a user says where intermediate files of a session go.
const EnvScratch = "CLAUDE_SCRATCHPAD_DIR"

// scratch is a folder for the intermediate files of a session. It is the user's own, so that nobody else can put links
// there.
func (h *Handler) scratch(session string) string {
	if dir := env(h.Getenv, EnvScratch); filepath.IsAbs(dir) {
		return dir
	}
	top := filepath.Join(os.TempDir(), "pipeline-"+strconv.Itoa(os.Getuid()))
	dir := filepath.Join(top, filepath.Base(session))
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = private(top)
	}
	if err != nil {
		h.Notes = append(h.Notes, "the scratch folder cannot be made: "+err.Error())
		return ""
	}
	return dir
}

// private makes sure that a folder which was there already is the user's, and that nobody else may write to it.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() || !info.IsDir() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s belongs to somebody else, or others may write to it", dir)
	}
	return nil
}
