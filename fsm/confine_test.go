package fsm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// TestOwnWorktree: an agent that is held to a worktree of its own changes files there and outside of the project, and
// nowhere else in it.
func TestOwnWorktree(t *testing.T) {
	p := *states(t)
	p.Limits = fsm.Limits{OwnWorktree: []string{"context-*"}}
	trees := []string{"/p", "/p/.claude/worktrees/a", "/w"}
	call := func(pl *play, dir, kernel string, tool fsm.Tool) *play {
		tool.UseID = fmt.Sprint("u", pl.now.UnixNano(), tool.Parts)
		return pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: sub("g", "context-gatherer"), Dir: dir, Tool: tool,
			Facts: fsm.Facts{Worktrees: trees, Kernel: kernel}})
	}
	write := func(path string) fsm.Tool { return fsm.Tool{Name: "Write", Parts: []fsm.Part{file("Write", path)}} }
	read := fsm.Tool{Name: "Read", Parts: []fsm.Part{file("Read", "/p/a.go")}}
	started := func() *play {
		return begin(t, &p).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	}
	pl := call(started(), trees[1], "", read).passes()
	call(pl, trees[1], "", write(trees[1]+"/a.go")).passes()
	call(pl, trees[1], "", write("/tmp/a.go")).passes()
	call(pl, trees[2], "",
		write("/w/a.go")).denied("changes files only in a worktree of its own (limits.own_worktree): " +
		"/p/.claude/worktrees/a.")
	call(pl, trees[1], "", write("/p/a.go")).denied("limits.own_worktree")
	call(pl, trees[1], "", write(shell.Unknown)).denied("limits.own_worktree")
	if pl = call(started(), "/p", "", write("/p/a.go")); pl.d.Verdict != fsm.Deny {
		t.Error("the project itself is its own")
	}
	pl.denied("it runs in the project. Return, and say that it is to be started in one.")

	line := fsm.Tool{Name: "Bash", Command: "make", Parts: []fsm.Part{{Tool: "Bash", Words: []string{"make"}},
		file("Write", shell.Unknown)}}
	pl = call(started(), trees[1], "bubblewrap", line)
	if pl.d.Verdict != fsm.Confine || pl.d.Own != trees[1] || !slices.Equal(pl.d.KeptOut, []string{"/p", "/w"}) {
		t.Errorf("%v %q %q", pl.d.Verdict, pl.d.Own, pl.d.KeptOut)
	}
	if pl.by(main(), "m", file("Write", "/p/a.go")); pl.d.Rule == fsm.RuleLimits {
		t.Error("the main agent is held")
	}
}

// TestConfinedFails: an agent whose confined command fails learns what the kernel refuses, and in which state.
func TestConfinedFails(t *testing.T) {
	for _, c := range []struct {
		p    *fsm.Policy
		want string
	}{{states(t), "In IDLE the project is read-only for the main agent's commands"},
		{&fsm.Policy{Level: fsm.Strict}, "Here the project is read-only for the main agent's commands"}} {
		pl := begin(t, c.p).do(fsm.Event{Kind: fsm.ToolFailure,
			Tool:  fsm.Tool{Name: "Bash", Command: "make", UseID: "u"},
			Facts: fsm.Facts{Ticket: &fsm.TicketResult{Confined: true, Used: true}}})
		if !strings.Contains(pl.d.Inject, c.want) {
			t.Errorf("injected %q, expected %q", pl.d.Inject, c.want)
		}
	}
}

// TestConfinedIsWarned: the agent reads the warning about a line that is confined, whichever comes first.
func TestConfinedIsWarned(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{
		{Name: "shell", Verdict: fsm.Confine, Else: fsm.Ask, Tools: []string{"Bash"}},
		{Name: "notes", Verdict: fsm.Warn, Tools: []string{"Write"}, Reason: "Keep notes short."}}}}
	parts := []fsm.Part{{Tool: "Bash", Words: []string{"make"}, Code: true}, file("Write", "/tmp/n")}
	for range 2 {
		pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolRequest, Facts: fsm.Facts{Kernel: "bubblewrap"},
			Tool: fsm.Tool{Name: "Bash", Command: "make", UseID: "u", Parts: parts}})
		if pl.gets(fsm.Confine, "Keep notes short."); pl.d.Rule != "shell" {
			t.Errorf("decided by %q", pl.d.Rule)
		}
		slices.Reverse(parts)
	}
}

// TestLimitsFollowTheRules: a confined command may write where Write may change any file below a folder, and nowhere
// else.
func TestLimitsFollowTheRules(t *testing.T) {
	write := func(name string, v fsm.Verdict, paths ...string) fsm.Rule {
		return fsm.Rule{Name: name, Verdict: v, Tools: []string{"Write"}, Paths: paths}
	}
	changing := func(name string, changes bool) fsm.Rule {
		r := write(name, fsm.Deny)
		r.Changes = &changes
		return r
	}
	shell := fsm.Rule{Name: "shell", Verdict: fsm.Confine, Else: fsm.Ask, Tools: []string{"Bash"}}
	for name, c := range map[string]struct {
		rules              []fsm.Rule
		writable, readOnly []string
	}{
		"nothing":    {[]fsm.Rule{shell, write("no", fsm.Deny)}, nil, nil},
		"everything": {[]fsm.Rule{shell}, []string{"/"}, nil},
		"a folder": {[]fsm.Rule{shell, write("tmp", fsm.Pass, "/tmp/**", "/a/*/**", "/b.md", "/c/*"),
			write("no", fsm.Deny)}, []string{"/tmp"}, nil},
		"but for a place": {[]fsm.Rule{shell, write("secret", fsm.Deny, "/tmp/s/**"), write("tmp", fsm.Pass, "/tmp/**"),
			write("no", fsm.Deny)}, []string{"/tmp"}, []string{"/tmp/s"}},
		"with a warning": {[]fsm.Rule{shell, write("tmp", fsm.Warn, "/tmp/**"), write("no", fsm.Deny)},
			[]string{"/tmp"}, nil},
		"of what only shows": {[]fsm.Rule{shell, changing("no", false)}, []string{"/"}, nil},
		"of what changes":    {[]fsm.Rule{shell, changing("no", true)}, nil, nil},
		"if one is asked":    {[]fsm.Rule{shell, write("tmp", fsm.Ask, "/tmp/**"), write("no", fsm.Deny)}, nil, nil},
	} {
		p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: c.rules}}
		pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolRequest, Facts: fsm.Facts{Kernel: "bubblewrap"}, Tool: fsm.Tool{
			Name: "Bash", Command: "make", UseID: "u",
			Parts: []fsm.Part{{Tool: "Bash", Words: []string{"make"}, Code: true}}}})
		if l := pl.d.Limits; pl.d.Verdict != fsm.Confine || l == nil || !slices.Equal(l.Writable, c.writable) ||
			!slices.Equal(l.ReadOnly, c.readOnly) {
			t.Errorf("%s: %s, %+v", name, pl.d.Verdict, l)
		}
	}
}

// TestUnknownFileIsKept: a file that a line does not name is the kernel's to keep where the caller's lines are
// confined, and the rule's where they are not or no kernel is there.
func TestUnknownFileIsKept(t *testing.T) {
	confine := fsm.Rule{Name: "shell", Verdict: fsm.Confine, Else: fsm.Ask, Tools: []string{"Bash"}}
	deny := fsm.Rule{Name: "no", Verdict: fsm.Deny, Tools: []string{"Write"}}
	for name, c := range map[string]struct {
		kernel string
		rules  []fsm.Rule
		path   string
		want   fsm.Verdict
	}{
		"kept":       {"bubblewrap", []fsm.Rule{deny, confine}, shell.Unknown, fsm.Confine},
		"no kernel":  {"", []fsm.Rule{deny, confine}, shell.Unknown, fsm.Deny},
		"unconfined": {"bubblewrap", []fsm.Rule{deny}, shell.Unknown, fsm.Deny},
		"named":      {"bubblewrap", []fsm.Rule{deny, confine}, "/p/a", fsm.Deny},
	} {
		p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: c.rules}}
		pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolRequest, Facts: fsm.Facts{Kernel: c.kernel}, Tool: fsm.Tool{
			Name: "Bash", Command: "make", UseID: "u",
			Parts: []fsm.Part{{Tool: "Bash", Words: []string{"make"}, Shows: true}, file("Write", c.path)}}})
		if pl.d.Verdict != c.want {
			t.Errorf("%s: %s, want %s", name, pl.d.Verdict, c.want)
		}
	}
}

// TestBypassedConfinement: what a person has lifted is not held, and the record says what would have held it.
func TestBypassedConfinement(t *testing.T) {
	for rule, want := range map[string]fsm.Verdict{"": fsm.Pass, "shell": fsm.Pass, "other": fsm.Confine} {
		p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{
			{Name: "shell", Verdict: fsm.Confine, Else: fsm.Ask, Tools: []string{"Bash"}}}}}
		pl := begin(t, p).ordered("", fsm.Bypass{ID: "1", Rule: rule, From: "bypass", By: "ann"})
		pl.do(fsm.Event{Kind: fsm.ToolRequest, Facts: fsm.Facts{Kernel: "bubblewrap"}, Tool: fsm.Tool{Name: "Bash",
			Command: "make", UseID: "u", Parts: []fsm.Part{{Tool: "Bash", Words: []string{"make"}, Code: true}}}})
		if pl.d.Verdict != want || pl.d.StrictVerdict != fsm.Confine ||
			(pl.d.Rule == fsm.RuleBypass) != (want == fsm.Pass) {
			t.Errorf("bypass of %q: %s, strict %s by %q", rule, pl.d.Verdict, pl.d.StrictVerdict, pl.d.Rule)
		}
	}
}
