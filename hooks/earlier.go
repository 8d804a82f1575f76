package hooks

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// findEarlier is what was captured before under the names that the policy offers, with what has changed since.
func (h *Handler) findEarlier() map[string]*fsm.Earlier {
	out := map[string]*fsm.Earlier{}
	for _, name := range listCaptures(h.Policy) {
		if !h.Policy.OffersEarlier(name) {
			continue
		}
		kept, err := h.Sessions.Earlier(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			h.Notes = append(h.Notes, "what was captured earlier is not offered: "+err.Error())
			continue
		}
		out[name] = &fsm.Earlier{Text: kept.Text, When: kept.Time.Local().Format("2006-01-02 15:04"), Changed: changed(h.Root, kept.Commit)}
	}
	return out
}

func listCaptures(p *fsm.Policy) (names []string) {
	for _, st := range p.States {
		for _, t := range st.Triggers {
			if t.Capture != "" {
				names = append(names, t.Capture)
			}
		}
	}
	return names
}

// keepEarlier keeps what was captured just now for the sessions to come, if the policy offers it to anybody.
func (h *Handler) keepEarlier(e fsm.Event, d fsm.Decision) error {
	for _, m := range d.Moves {
		if m.Capture == "" || !h.Policy.OffersEarlier(m.Capture) {
			continue
		}
		for _, t := range d.Texts {
			if t.Ref.Agent == m.AgentID {
				return h.Sessions.KeepEarlier(m.Capture, session.Earlier{Time: e.Time, Session: e.Session, Commit: commit(h.Root), Text: t.Text})
			}
		}
	}
	return nil
}

// gitFor bounds how long is waited for git: an agent's start waits for it, and the user with it.
const gitFor = 2 * time.Second

// git asks git about the project; ok is false where there is none, or it took too long.
func git(root string, args ...string) (out string, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), gitFor)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root, "--no-optional-locks"}, args...)...)
	text, err := cmd.Output()
	return strings.TrimSpace(string(text)), err == nil
}

func commit(root string) string {
	out, _ := git(root, "rev-parse", "--verify", "--quiet", "HEAD")
	return out
}

// mostChanges is how many lines of changes are told.
const mostChanges = 40

// changed says what has changed since a commit: commits, and files in the work tree. That it cannot be told is said.
func changed(root, since string) string {
	if since == "" {
		return "(what has changed since cannot be told: the project had no commit then)"
	}
	log, ok := git(root, "log", "--oneline", "--no-decorate", "-n", "20", since+"..HEAD")
	files, okFiles := git(root, "diff", "--stat=100", since)
	fresh, _ := git(root, "ls-files", "--others", "--exclude-standard")
	if !ok || !okFiles {
		return "(what has changed since cannot be told: git does not say)"
	}
	var parts []string
	for _, p := range []string{log, files, untracked(fresh)} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return "(nothing has changed since, as far as git knows)"
	}
	lines := strings.Split(strings.Join(parts, "\n"), "\n")
	if n := len(lines); n > mostChanges {
		lines = append(lines[:mostChanges], "…")
	}
	return strings.Join(lines, "\n")
}

func untracked(files string) string {
	if files == "" {
		return ""
	}
	return "not tracked: " + strings.Join(strings.Split(files, "\n"), ", ")
}
