package hooks

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// A World is what answering a call touches beside its session: commands that are run,
// and files that are written.
type World interface {
	Run(c Command) (r CommandResult, ran bool)
	MakeScratch(session string) (dir string, err error)
	KeepText(text string) (path string, err error)
}

// A Command is a gate or a check that is to be run.
type Command struct {
	Check   string // the check's name; empty for a gate
	Line    string
	Env     []string // beside the process's own
	Timeout time.Duration
}

// A CommandResult is how a command ended.
type CommandResult struct {
	OK       bool
	Missing  bool // its program is not there, or cannot be run
	TimedOut time.Duration
	Output   string // the end of what it printed
}

// Text is what the command printed, and whether it was stopped.
func (r CommandResult) Text() string {
	if r.TimedOut > 0 {
		return strings.TrimSpace(r.Output + fmt.Sprintf("\n(stopped after %s)", r.TimedOut))
	}
	return r.Output
}

// Disk is the world that the hooks work in.
type Disk struct {
	Root   string // of the project
	Getenv Environment
}

// Run runs a command with sh in the project's folder. It is a process group of its own:
// what it has started is stopped with it when its time is up.
func (d Disk) Run(c Command) (CommandResult, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, system.Shell(), "-c", c.Line)
	cmd.Dir, cmd.Env = d.Root, append(os.Environ(), c.Env...)
	cmd.WaitDelay = time.Second
	var out tail
	cmd.Stdout, cmd.Stderr = &out, &out
	err := system.RunGroup(cmd)
	r := CommandResult{OK: err == nil, Output: out.String()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.OK, r.TimedOut = false, c.Timeout
	case errors.As(err, &exit):
		r.Missing = exit.ExitCode() == 126 || exit.ExitCode() == 127 // POSIX: cannot be run, not found
	case errors.Is(err, exec.ErrWaitDelay): // it succeeded; what it left running still holds its output
		r.OK = true
	case err != nil:
		r.Missing, r.Output = true, fmt.Sprintf("%v (in %s)", err, d.Root)
	}
	return r, true
}

// tailLimit is how much of a command's output an agent reads: its end, where the cause
// of a failure stands.
const tailLimit = 2000

// A tail keeps the end of what is written to it.
type tail struct{ kept []byte }

// Write keeps the end of b.
func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if n := len(t.kept); n > 4*tailLimit {
		t.kept = bytes.Clone(t.kept[n-2*tailLimit:])
	}
	return len(b), nil
}

// String begins at the beginning of a line, unless that costs too much.
func (t *tail) String() string {
	b := bytes.TrimSpace(t.kept)
	if len(b) > tailLimit {
		b = b[len(b)-tailLimit:]
		if i := bytes.IndexByte(b, '\n'); i >= 0 && i < tailLimit/2 {
			b = b[i+1:]
		}
	}
	return strings.ToValidUTF8(string(b), "�")
}

// envScratch is the variable by which a user says where intermediate files of a session
// go.
const envScratch = "CLAUDE_SCRATCHPAD_DIR"

// MakeScratch makes a folder for the intermediate files of a session. It belongs to the
// user, so that no other user can put links there.
func (d Disk) MakeScratch(session string) (string, error) {
	dir, given := ScratchPath(session, d.Getenv)
	if given {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	top := system.Dir(dir)
	info, err := system.Lstat(top)
	switch {
	case err != nil:
		return "", fmt.Errorf("look at %s: %w", top, err)
	case !info.IsDir || !info.IsPrivate:
		return "", fmt.Errorf("%s belongs to another user, or others may write to it", top)
	}
	return dir, nil
}

// ScratchPath is where the intermediate files of a session go, and whether the user has
// said so.
func ScratchPath(session string, env Environment) (dir string, given bool) {
	if dir := env.Env(envScratch); system.IsAbs(dir) {
		return dir, true
	}
	top := system.Join(os.TempDir(), "pipeline-"+strconv.Itoa(os.Getuid()))
	return system.Join(top, filepath.Base(session)), false
}

// KeepText keeps a long text where the agents can read it.
func (d Disk) KeepText(text string) (string, error) {
	path := TextPath(d.Root, text)
	err := os.MkdirAll(system.Dir(path), 0o755)
	ignore := system.Join(d.Root, ".pipeline", ".gitignore")
	if _, missing := os.Stat(ignore); err == nil && missing != nil {
		err = system.WriteShared(ignore, []byte("*\n"), 0)
	}
	if err == nil {
		err = system.WriteShared(path, []byte(strings.TrimRight(text, "\n")+"\n"), 0)
	}
	if err != nil {
		return "", fmt.Errorf("keep a long text: %w", err)
	}
	return path, nil
}

// TextPath is where a long text is kept.
func TextPath(root, text string) string {
	sum := sha256.Sum256([]byte(text))
	return system.Join(root, ".pipeline", "context", hex.EncodeToString(sum[:6])+".md")
}

// fitText cuts a text that is too long behind a word, and says where the whole text is. A
// room above zero is a limit of its own.
func (h *Handler) fitText(text string, room int) string {
	limit := fsm.MaxTalk
	if room > 0 {
		limit = min(limit, room)
	}
	units := utf16.Encode([]rune(text))
	if len(units) <= limit {
		return text
	}
	path, err := h.world().KeepText(text)
	where := "The whole text is in " + path + "; read it before you begin."
	if err != nil {
		where = "The rest could not be kept: " + err.Error() + "."
	}
	end := fmt.Sprintf("\n\n[cut here, of %d characters. %s]", len([]rune(text)), where)
	left := max(0, limit-len(utf16.Encode([]rune(end))))
	head := strings.TrimRight(string(utf16.Decode(units[:left])), "\ufffd") // half a character
	if i := strings.LastIndexAny(head, " \n"); i > len(head)/2 {            // else it is one endless word
		head = head[:i]
	}
	return head + end
}
