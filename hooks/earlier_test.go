package hooks

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

const offering = "{{ with .Earlier.found }}On {{ .When }}: {{ .Text }}\nSince: {{ .Changed }}{{ end }}"

// offer is a handler whose first state offers what was found before.
func offer(t *testing.T) *Handler {
	h := handler(t)
	h.Policy.States[0].Brief = offering
	write(t, system.Join(h.Root, "one.go"), "package one\n")
	return h
}

// start has agent go start in a session of its own, and returns what it is told.
func (h *Handler) start(t *testing.T, session string) string {
	t.Helper()
	r := request("go")
	r.Session = session
	h.answer(t, NoCall{}, r)
	return h.answer(t, NoCall{}, fsm.Event{Session: session, Kind: fsm.AgentStart,
		Agent: fsm.Agent{ID: "b-" + session, Type: "go"}}).Inject
}

func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.org"},
		args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// TestEarlier: what one session has gathered is offered to the next one's gatherer,
// with what has changed since.
func TestEarlier(t *testing.T) {
	h := offer(t)
	run(t, h.Root, "init", "-q")
	run(t, h.Root, "add", ".")
	run(t, h.Root, "commit", "-qm", "first")
	if told := h.start(t, "s0"); told != "" {
		t.Fatalf("nothing was found before, and yet: %q", told)
	}
	h.goes(t, "a1", "the parser lives in one.go")
	if told := h.start(t, "s2"); !strings.Contains(told, "the parser lives in one.go") ||
		!strings.Contains(told, "nothing has changed since") {
		t.Fatalf("%q", told)
	}
	write(t, system.Join(h.Root, "two.go"), "package two\n")
	run(t, h.Root, "add", ".")
	run(t, h.Root, "commit", "-qm", "split the parser")
	write(t, system.Join(h.Root, "one.go"), "package one // changed\n")
	write(t, system.Join(h.Root, "new.go"), "package new\n")
	told := h.start(t, "s3")
	for _, want := range []string{"split the parser", "one.go", "two.go", "not tracked: new.go"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q does not tell of %q", told, want)
		}
	}
	h.in(t, "s3", "A") // it is offered; no state is skipped for it
}

// What cannot be told is said: no version control, a commit that is gone, a file that
// is damaged.
func TestEarlierInDoubt(t *testing.T) {
	h := offer(t)
	h.goes(t, "a1", "found")
	if told := h.start(t, "s2"); !strings.Contains(told, "is not known: the project had no commit then") {
		t.Errorf("%q", told)
	}
	if got := describeChanges(h.Root, strings.Repeat("0", 40)); !strings.Contains(got, "git does not say") {
		t.Errorf("%q", got)
	}
	write(t, system.Join(h.store().Dir, "earlier", "found.json"), "{")
	if told := h.start(t, "s3"); told != "" {
		t.Errorf("a damaged file was offered: %q", told)
	}
	all := h.records(t, "s3")
	contains(t, all[len(all)-1].Notes, "what was captured earlier is not offered")
}

// A policy that offers nothing keeps nothing, and other agents are offered nothing.
func TestEarlierOnlyWhereAskedFor(t *testing.T) {
	h := handler(t)
	h.goes(t, "a1", "found")
	var kept session.Earlier
	if err := h.Sessions.ReadFile(session.EarlierFile("found"), &kept); err != nil || kept.Text != "" {
		t.Error("kept without a reader")
	}
	p := offer(t).Policy
	for agent, want := range map[string]bool{"go": true, "back": false, "stranger": false} {
		var needs []fsm.Need
		for n := range fsm.NeedAgents + 1 {
			if p.IsNeeded(n, fsm.Session{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "x", Type: agent}}) {
				needs = append(needs, n)
			}
		}
		if slices.Contains(needs, fsm.NeedEarlier) != want || !want && len(needs) > 1 || len(needs) > 2 ||
			needs[0] != fsm.NeedOverrides {
			t.Errorf("%s: %v", agent, needs)
		}
	}
}

// TestEarlierCannotBeKept: the machine moves, and the user is told.
func TestEarlierCannotBeKept(t *testing.T) {
	h := offer(t)
	write(t, system.Join(h.store().Dir, "earlier"), "in the way")
	h.answer(t, NoCall{}, request("go"))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "a1", Type: "go"}})
	d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a1", Type: "go"}, Text: "found"})
	contains(t, d.Notices, "it will not be offered to later sessions")
	h.in(t, "s1", "B")
}

// TestCurrentCommit: what is read from git's files is what git says.
func TestCurrentCommit(t *testing.T) {
	for name, prepare := range map[string]func(dir string) (root string){
		"a branch":        func(dir string) string { return dir },
		"a folder below":  func(dir string) string { return system.Join(dir, "sub") },
		"a detached head": func(dir string) string { run(t, dir, "checkout", "-q", "--detach"); return dir },
		"a linked work tree": func(dir string) string {
			run(t, dir, "worktree", "add", "-q", "-b", "side", dir+"-side")
			run(t, dir+"-side", "commit", "-q", "--allow-empty", "-m", "side")
			return dir + "-side"
		},
		"packed refs": func(dir string) string { run(t, dir, "pack-refs", "--all"); return dir },
		"a branch that is another": func(dir string) string {
			run(t, dir, "branch", "-M", "the-branch-of-the-first-commit")
			run(t, dir, "symbolic-ref", "refs/heads/alias", "refs/heads/the-branch-of-the-first-commit")
			run(t, dir, "symbolic-ref", "HEAD", "refs/heads/alias")
			return dir
		},
		"no commit yet": func(dir string) string { run(t, dir, "checkout", "-q", "--orphan", "new"); return dir },
	} {
		t.Run(name, func(t *testing.T) {
			dir := system.Join(t.TempDir(), "repo")
			write(t, system.Join(dir, "sub", "one.go"), "package one\n")
			run(t, dir, "init", "-q")
			run(t, dir, "add", ".")
			run(t, dir, "commit", "-qm", "first")
			root := prepare(dir)
			want, _ := runGit(root, "rev-parse", "--verify", "--quiet", "HEAD")
			if got := currentCommit(root); got != want || (want == "") != (name == "no commit yet") {
				t.Errorf("%q; git says %q", got, want)
			}
		})
	}
}

// TestCommitWithoutGit: outside of a repository, and where git's files are plain, git is not started.
func TestCommitWithoutGit(t *testing.T) {
	dir := t.TempDir()
	write(t, system.Join(dir, "sub", "one.go"), "package one\n")
	if started := t.TempDir(); runtime.GOOS != "windows" {
		write(t, system.Join(started, "git"), "#!/bin/sh\ntouch "+started+"/mark\n")
		if err := os.Chmod(system.Join(started, "git"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", started+":/usr/bin:/bin")
		defer func() {
			if _, err := os.Lstat(started + "/mark"); err == nil {
				t.Error("git was started")
			}
		}()
	}
	if got := currentCommit(dir); got != "" {
		t.Errorf("outside of a repository: %q", got)
	}
	want := strings.Repeat("0123456789", 4)
	write(t, system.Join(dir, ".git", "HEAD"), "ref: refs/heads/main\n")
	write(t, system.Join(dir, ".git", "refs", "heads", "main"), want+"\n")
	if got := currentCommit(system.Join(dir, "sub")); got != want {
		t.Errorf("in a folder of a repository: %q", got)
	}
}

// TestWeakerPolicyIsSaid: a session says at its start what its policy lets pass and the one before did not. The same
// policy is not compared.
func TestWeakerPolicyIsSaid(t *testing.T) {
	h, compared := handler(t), 0
	h.Older = func(string) (*fsm.Policy, error) { return policy(), nil }
	h.Widens = func(_, _ *fsm.Policy) string { compared++; return "git push" }
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup", Session: "s2"})
	if compared != 0 {
		t.Errorf("the same policy is compared %d times", compared)
	}
	h.Policy.Fingerprint = "two"
	d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup", Session: "s3"})
	if compared != 1 {
		t.Errorf("another policy is compared %d times", compared)
	}
	contains(t, d.Notices, "git push")
	h.Older = func(string) (*fsm.Policy, error) { return nil, errors.New("gone") }
	h.Policy.Fingerprint = "three"
	d = h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup", Session: "s4"})
	contains(t, slices.Concat(d.Notices, d.Notes), "cannot be compared")
}

// TestLowerLevelNamesTheEnvironment: where the environment lowers the level, that is what is named.
func TestLowerLevelNamesTheEnvironment(t *testing.T) {
	for env, want := range map[string]string{"": "(config)", "guidance": "environment"} {
		h := handler(t)
		h.Older = func(string) (*fsm.Policy, error) { return policy(), nil }
		h.Widens = func(_, _ *fsm.Policy) string { return "" }
		h.Getenv = func(name string) string { return map[string]string{EnvLevel: env}[name] }
		h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
		h.Policy.Level, h.Policy.Fingerprint = fsm.Guidance, "two"
		d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup", Session: "s2"})
		contains(t, d.Notices, "the level was strict and is guidance now")
		contains(t, d.Notices, want)
	}
}

// TestWeakerPolicyIsSaidToAPerson: what becomes weaker during a session is said at once, and again at a person's next
// prompt: who was away reads it then.
func TestWeakerPolicyIsSaidToAPerson(t *testing.T) {
	h := handler(t)
	h.Older = func(string) (*fsm.Policy, error) { return policy(), nil }
	h.Widens = func(_, _ *fsm.Policy) string { return "git push" }
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	h.Policy.Fingerprint = "two"
	contains(t, h.answer(t, NoCall{}, request("go")).Notices, "git push")
	contains(t, h.answer(t, NoCall{}, fsm.Event{Kind: fsm.Prompt, Text: "done", Origin: fsm.Notification}).Notices, "")
	contains(t, h.answer(t, NoCall{}, prompt("go on")).Notices, "git push")
	contains(t, h.answer(t, NoCall{}, prompt("go on")).Notices, "")
}

// TestEarlierOfEachName: each name that is offered is looked up, whichever triggers stand before it. Others are not.
func TestEarlierOfEachName(t *testing.T) {
	h := offer(t)
	a := &h.Policy.States[0]
	a.Triggers = slices.Concat([]fsm.Trigger{{Name: "plain", Agents: []string{"plain"}, To: "A"},
		{Name: "other", Agents: []string{"other"}, To: "A", Capture: "other"}}, a.Triggers)
	h.goes(t, "a1", "found it")
	write(t, system.Join(h.store().Dir, session.EarlierFile("other")), "{")
	write(t, system.Join(h.store().Dir, session.EarlierFile("")), "{")
	if told := h.start(t, "s2"); !strings.Contains(told, "found it") {
		t.Errorf("%q", told)
	}
	for _, r := range h.records(t, "s2") {
		if notes := strings.Join(r.Notes, " "); strings.Contains(notes, "captured earlier") {
			t.Error(notes)
		}
	}
}

// TestMoveWithoutCapture: of a move that captures nothing, nothing is kept for later.
func TestMoveWithoutCapture(t *testing.T) {
	h := offer(t)
	h.goes(t, "a1", "found it")
	h.answer(t, NoCall{}, request("back"))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "a2", Type: "back"}})
	d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a2", Type: "back"}, Text: "done"})
	h.in(t, "s1", "A")
	kept, err := os.ReadDir(system.Join(h.store().Dir, "earlier"))
	if err != nil || len(kept) != 1 || len(d.Notices) > 0 {
		t.Errorf("%v %v %q", kept, err, d.Notices)
	}
}

// TestJudgedIsDamaged: where it cannot be read what a project was judged by, a person hears of it, and it is not
// written over.
func TestJudgedIsDamaged(t *testing.T) {
	h := handler(t)
	h.Older = func(string) (*fsm.Policy, error) { return policy(), nil }
	h.Widens = func(_, _ *fsm.Policy) string { return "" }
	file := system.Join(h.store().Dir, session.JudgedFile)
	write(t, file, "{")
	d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	contains(t, d.Notices, "what this project is judged by could not be kept: ")
	contains(t, h.records(t, "s1")[0].Notes, session.JudgedFile)
	if read(t, file) != "{" {
		t.Error("it was written over")
	}
}

// TestChangesOfABranchWithoutCommits: where git cannot tell the commits since, nothing is said to have changed.
func TestChangesOfABranchWithoutCommits(t *testing.T) {
	h := offer(t)
	run(t, h.Root, "init", "-q")
	run(t, h.Root, "add", ".")
	run(t, h.Root, "commit", "-qm", "first")
	since := currentCommit(h.Root)
	run(t, h.Root, "checkout", "-q", "--orphan", "new")
	if got := describeChanges(h.Root, since); !strings.Contains(got, "git does not say") {
		t.Errorf("%q", got)
	}
}

// TestManyChanges: as many lines of changes as an agent reads are given as a whole.
func TestManyChanges(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "init", "-q")
	for i := range changeLimit {
		write(t, system.Join(dir, fmt.Sprint("f", i)), "x\n")
	}
	run(t, dir, "add", ".")
	run(t, dir, "commit", "-qm", "first")
	since := currentCommit(dir)
	for i := range changeLimit {
		write(t, system.Join(dir, fmt.Sprint("f", i)), "y\n")
		got := strings.Split(describeChanges(dir, since), "\n")
		if n := i + 2; n < changeLimit-1 { // a line for each file, and one for all
			continue
		} else if len(got) != n || (got[len(got)-1] == "…") != (n > changeLimit) {
			t.Errorf("%d lines of %d: %q", len(got), n, got)
		}
	}
}
