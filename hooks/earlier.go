package hooks

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// findEarlier finds what was captured earlier under the names that the policy offers,
// and what has changed since.
func (g gathering) findEarlier() {
	g.Facts.Earlier = map[string]*fsm.Earlier{}
	for _, st := range g.Policy.States {
		for _, t := range st.Triggers {
			if t.Capture == "" || !g.Policy.OffersEarlier(t.Capture) || g.Facts.Earlier[t.Capture] != nil {
				continue
			}
			var kept session.Earlier
			switch err := g.Sessions.ReadFile(session.EarlierFile(t.Capture), &kept); {
			case err != nil:
				g.note("what was captured earlier is not offered: ", err)
			case !kept.Time.IsZero():
				g.Facts.Earlier[t.Capture] = &fsm.Earlier{Text: kept.Text,
					When: kept.Time.Local().Format("2006-01-02 15:04"), Changed: describeChanges(g.Root, kept.Commit)}
			}
		}
	}
}

// keepForLater keeps for the sessions to come what this one begins with, and what the call has captured, if the policy
// offers it.
func (h *Handler) keepForLater(e fsm.Event, d *fsm.Decision) {
	if e.Kind == fsm.SessionStart {
		now := fsm.Judged{Policy: h.Policy.Fingerprint, Level: d.Level.String()}
		var before fsm.Judged
		err := h.Sessions.ReadFile(session.JudgedFile, &before)
		if err == nil && before != now {
			err = h.Sessions.WriteFile(session.JudgedFile, &now)
		}
		if err != nil {
			d.Notices = append(d.Notices, "what this project is judged by could not be kept: "+err.Error())
		}
	}
	for _, m := range d.Moves {
		i := slices.IndexFunc(d.Texts, func(t fsm.Text) bool { return t.Ref.Agent == m.AgentID })
		if i < 0 || m.Capture == "" || !h.Policy.OffersEarlier(m.Capture) {
			continue
		}
		err := h.Sessions.WriteFile(session.EarlierFile(m.Capture), &session.Earlier{Time: e.Time, Session: e.Session,
			Commit: currentCommit(h.Root), Text: d.Texts[i].Text})
		if err != nil { // the call is answered all the same
			d.Notices = append(d.Notices, "it will not be offered to later sessions: "+err.Error())
		}
	}
}

// gitTimeout bounds the wait for git: an agent's start waits for it, and the user with it.
const gitTimeout = 2 * time.Second

// runGit asks git about the project; ok is false if there is no git, or it took too
// long.
func runGit(root string, args ...string) (out string, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root, "--no-optional-locks"}, args...)...)
	text, err := cmd.Output()
	return strings.TrimSpace(string(text)), err == nil
}

// currentCommit is the commit that the project is at; "" outside of a repository. Where HEAD and its branch are plain
// files, they are read: to start git takes longer than all the rest of a call.
func currentCommit(root string) (id string) {
	isElsewhere := os.Getenv("GIT_DIR") != ""
	for dir := range system.Upward(root) {
		git := system.Join(dir, ".git")
		if _, err := os.Lstat(git); err != nil && !isElsewhere {
			continue
		}
		id = system.ReadLine(system.Join(git, "HEAD"))
		if ref, isRef := strings.CutPrefix(id, "ref: "); isRef {
			id = system.ReadLine(system.Join(git, ref))
		}
		// It is none in packed refs and in a linked work tree.
		if isElsewhere || len(id) < 40 || strings.Trim(id, "0123456789abcdef") != "" {
			id, _ = runGit(root, "rev-parse", "--verify", "--quiet", "HEAD")
		}
		break
	}
	return id
}

// changeLimit is how many lines of changes an agent reads.
const changeLimit = 40

// describeChanges says what has changed since a commit: commits, and files in the work
// tree. It also says when that is not known.
func describeChanges(root, since string) string {
	if since == "" {
		return "(what has changed since is not known: the project had no commit then)"
	}
	log, ok := runGit(root, "log", "--oneline", "--no-decorate", "-n", "20", since+"..HEAD")
	files, okFiles := runGit(root, "diff", "--stat=100", since)
	fresh, _ := runGit(root, "ls-files", "--others", "--exclude-standard")
	if !ok || !okFiles {
		return "(what has changed since is not known: git does not say)"
	}
	if fresh != "" {
		fresh = "not tracked: " + strings.ReplaceAll(fresh, "\n", ", ")
	}
	parts := slices.DeleteFunc([]string{log, files, fresh}, func(s string) bool { return s == "" })
	if len(parts) == 0 {
		return "(nothing has changed since, as far as git knows)"
	}
	lines := strings.Split(strings.Join(parts, "\n"), "\n")
	if n := len(lines); n > changeLimit {
		lines = append(lines[:changeLimit], "…")
	}
	return strings.Join(lines, "\n")
}

// What calls were judged by before is kept, so that a person hears of a policy that has become
// weaker, by whatever hand.

// findJudged finds what a session was last judged by, or for a new one its project, and what passes
// now that was refused then.
func (g gathering) findJudged() {
	j := fsm.Judged{Policy: g.session.Policy, Level: g.session.Machine.Level}
	if g.session.ID == "" {
		if err := g.Sessions.ReadFile(session.JudgedFile, &j); err != nil {
			g.note("", err)
			return
		}
	}
	if j.Policy == "" || g.Widens == nil {
		return
	}
	if g.Getenv.Env(EnvLevel) != "" {
		j.From = "environment: " + EnvLevel
	}
	if j.Policy != g.Policy.Fingerprint {
		old, err := g.Older(j.Policy)
		if err != nil {
			g.note("the policy before this one cannot be compared: ", err)
		} else {
			j.Widened = g.Widens(old, g.Policy)
		}
	}
	g.Facts.Judged = &j
}
