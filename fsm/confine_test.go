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
	pl.denied(`Agent "context-gatherer" changes files only in a worktree of its own (limits.own_worktree), and it runs ` +
		"in the project. Return, and say that it is to be started in one.")

	line := fsm.Tool{Name: "Bash", Command: "make", Parts: []fsm.Part{{Tool: "Bash", Words: []string{"make"}},
		file("Write", shell.Unknown)}}
	pl = call(started(), trees[1], "bubblewrap", line)
	if pl.d.Verdict != fsm.Confine || pl.d.Own != trees[1] || !slices.Equal(pl.d.KeptOut, []string{"/p", "/w"}) {
		t.Errorf("%v %q %q", pl.d.Verdict, pl.d.Own, pl.d.KeptOut)
	}
	if pl.by(main(), "m", file("Write", "/p/a.go")); pl.d.Rule == fsm.RuleLimits {
		t.Error("the main agent is held")
	}
	failed := fsm.Event{Kind: fsm.ToolFailure, Agent: sub("g", "context-gatherer"), Dir: "/p", Tool: line,
		Facts: fsm.Facts{Ticket: &fsm.TicketResult{Confined: true, Used: true}}}
	pl.do(failed).told("This agent's commands change files only in its own worktree, .claude/worktrees/a.")
	started().do(failed).told("In IDLE the project is read-only for this agent, also for its commands; report what " +
		"should be changed.")
}

// TestOwnWorktreeConfines: what the kernel keeps in an agent's own worktree are its commands that no rule treats more
// strictly, where the level binds and there is a kernel.
func TestOwnWorktreeConfines(t *testing.T) {
	make := fsm.Part{Tool: "Bash", Words: []string{"make"}}
	push := fsm.Part{Tool: "Bash", Words: []string{"git", "push"}}
	look := fsm.Part{Tool: "Bash", Words: []string{"ls"}, Shows: true}
	for name, c := range map[string]struct {
		kernel string
		level  fsm.Level
		parts  []fsm.Part
		rules  []string // of the parts, and of the call
		want   fsm.Verdict
	}{
		"a command":          {"landlock", fsm.Strict, []fsm.Part{make}, []string{"limits", "limits"}, fsm.Confine},
		"where it may ask":   {"landlock", fsm.AskFirst, []fsm.Part{make}, []string{"limits", "limits"}, fsm.Confine},
		"no kernel":          {"", fsm.Strict, []fsm.Part{make}, []string{"default", ""}, fsm.Pass},
		"a level that warns": {"landlock", fsm.Guidance, []fsm.Part{make}, []string{"default", ""}, fsm.Pass},
		"beside a file": {"landlock", fsm.Strict, []fsm.Part{file("Read", "/p/a"), make},
			[]string{"default", "limits", "limits"}, fsm.Confine},
		"beside what a rule confines": {"landlock", fsm.Strict, []fsm.Part{look, make},
			[]string{"looks", "limits", "looks"}, fsm.Confine},
		"beside what is asked": {"landlock", fsm.Strict, []fsm.Part{push, make},
			[]string{"pushes", "limits", "pushes"}, fsm.Ask},
	} {
		p := free()
		p.Level, p.Limits = c.level, fsm.Limits{OwnWorktree: []string{"dev"}}
		p.Subagents.List = []fsm.Rule{{Name: "pushes", Verdict: fsm.Ask, Tools: []string{"Bash"},
			Commands: [][]string{{"git", "push"}}}, {Name: "looks", Verdict: fsm.Confine, Tools: []string{"Bash"},
			Commands: [][]string{{"ls"}}}}
		pl := begin(t, p).asks(main(), "dev", "1").starts("d", "dev")
		pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: sub("d", "dev"), Dir: "/w", Facts: fsm.Facts{Kernel: c.kernel,
			Worktrees: []string{"/p", "/w"}}, Tool: fsm.Tool{Name: "Bash", UseID: "u", Command: "x", Parts: c.parts}})
		var rules []string
		for _, r := range pl.d.Parts {
			rules = append(rules, r.Rule)
		}
		if rules = append(rules, pl.d.Rule); !slices.Equal(rules, c.rules) || pl.d.Verdict != c.want {
			t.Errorf("%s: %s by %q", name, pl.d.Verdict, rules)
		}
		if held := pl.d.Own == "/w" && slices.Equal(pl.d.KeptOut, []string{"/p"}); held != (c.want > fsm.Pass) {
			t.Errorf("%s: in %q, not in %q", name, pl.d.Own, pl.d.KeptOut)
		}
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
	p.Main.List = append(p.Main.List, fsm.Rule{Name: "edits", Verdict: fsm.Warn, Tools: []string{"Edit"},
		Reason: "Edit little."}, fsm.Rule{Name: "reads", Verdict: fsm.Deny, Tools: []string{"Read"}, Levelled: true,
		Level: fsm.Observe})
	begin(t, p).runsLine("landlock", append(parts, file("Edit", "/tmp/n"))...).gets(fsm.Confine, "Keep notes short.")
	begin(t, p).runsLine("landlock", parts[0], file("Read", "/tmp/n")).gets(fsm.Confine, "").reads("")
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
	with := func(r fsm.Rule, set func(*fsm.Rule)) fsm.Rule {
		set(&r)
		return r
	}
	off := func(r *fsm.Rule) { r.Levelled = true }
	elsewhere := func(r *fsm.Rule) { r.States = []string{"ELSEWHERE"} }
	starting := func(r *fsm.Rule) { r.Starts = []string{"dev"} }
	sometimes := func(r *fsm.Rule) { r.Inputs = []fsm.Input{{Name: "x", Value: "1"}} }
	again := func(r *fsm.Rule) { r.Within = 2 }
	no, tmp := write("no", fsm.Deny), write("tmp", fsm.Pass, "/tmp/**")
	shell := fsm.Rule{Name: "shell", Verdict: fsm.Confine, Else: fsm.Ask, Tools: []string{"Bash"}}
	for name, c := range map[string]struct {
		rules              []fsm.Rule
		writable, readOnly []string
	}{
		"a rule that is off":           {[]fsm.Rule{shell, with(no, off)}, []string{"/"}, nil},
		"a rule of another state":      {[]fsm.Rule{shell, with(no, elsewhere)}, []string{"/"}, nil},
		"a rule about starts":          {[]fsm.Rule{shell, with(no, starting)}, []string{"/"}, nil},
		"an exception with an input":   {[]fsm.Rule{shell, with(tmp, sometimes), no}, nil, nil},
		"an exception that is counted": {[]fsm.Rule{shell, with(tmp, again), no}, nil, nil},
		"a file in a folder": {[]fsm.Rule{shell, write("tmp", fsm.Pass, "/tmp/a.md", "/tmp/**"), no},
			[]string{"/tmp"}, nil},
		"a folder that may be read": {[]fsm.Rule{shell, {Name: "reads", Tools: []string{"Read"},
			Paths: []string{"/tmp/a/**"}}, tmp, no}, []string{"/tmp"}, nil},
		"the root by a glob": {[]fsm.Rule{shell, write("all", fsm.Pass, "/**"), no}, []string{"/"}, nil},
		"but for the second of two places": {[]fsm.Rule{shell, write("secret", fsm.Deny, "/etc/**", "/tmp/s/**"), tmp,
			no}, []string{"/tmp"}, []string{"/tmp/s"}},
		"a place that no folder holds": {[]fsm.Rule{shell, write("secret", fsm.Deny, "/t*/s/**"), tmp, no}, nil, nil},
		"nothing":                      {[]fsm.Rule{shell, write("no", fsm.Deny)}, nil, nil},
		"everything":                   {[]fsm.Rule{shell}, []string{"/"}, nil},
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

// TestLimitsOfADefault: what no rule is about is writable where the default objects to nothing, and where it warns.
func TestLimitsOfADefault(t *testing.T) {
	for v, want := range map[fsm.Verdict]int{fsm.Pass: 1, fsm.Warn: 1, fsm.Ask: 0, fsm.Deny: 0} {
		p := confining(fsm.Rule{})
		p.Main.Default.Verdict = v
		if d := begin(t, p).runsLine("bubblewrap", unknownCode).d; d.Limits == nil || len(d.Limits.Writable) != want {
			t.Errorf("by default %s: %+v", v, d.Limits)
		}
	}
}

var (
	unknownCode  = fsm.Part{Tool: "Bash", Words: []string{"make"}, Code: true}
	knownCommand = fsm.Part{Tool: "Bash", Words: []string{"touch", "a"}}
)

// confining is a policy whose rule shell confines what the given rules are not about.
func confining(rules ...fsm.Rule) *fsm.Policy {
	return &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: append(rules,
		fsm.Rule{Name: "shell", Verdict: fsm.Confine, Else: fsm.Ask, Tools: []string{"Bash"}})}}
}

// runsLine is the request of a shell line where this can confine it.
func (pl *play) runsLine(kernel string, parts ...fsm.Part) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolRequest, Facts: fsm.Facts{Kernel: kernel}, Tool: fsm.Tool{Name: "Bash",
		Command: "x", UseID: fmt.Sprint("l", pl.now.Unix()), Parts: parts}})
}

// TestWithoutAKernel: what is known passes where no kernel can confine it, and of the rest Else says what counts.
// What hands work to others is held by no kernel.
func TestWithoutAKernel(t *testing.T) {
	command := func(code, shows bool, groups ...string) fsm.Part {
		return fsm.Part{Tool: "Bash", Words: []string{"x"}, Code: code, Shows: shows, Groups: groups}
	}
	for name, c := range map[string]struct {
		part            fsm.Part
		without, within fsm.Verdict
	}{
		"known":             {command(false, false), fsm.Pass, fsm.Confine},
		"only shows":        {command(false, true), fsm.Pass, fsm.Confine},
		"unknown":           {command(true, false), fsm.Ask, fsm.Confine},
		"unknown, shows":    {command(true, true), fsm.Ask, fsm.Confine},
		"builds":            {command(false, false, fsm.BuildCommands), fsm.Ask, fsm.Confine},
		"shows what builds": {command(false, true, fsm.BuildCommands), fsm.Pass, fsm.Confine},
		"hands on":          {command(false, false, fsm.CommandsElsewhere), fsm.Ask, fsm.Ask},
	} {
		for kernel, want := range map[string]fsm.Verdict{"": c.without, "landlock": c.within} {
			if pl := begin(t, confining()).runsLine(kernel, c.part); pl.d.Verdict != want {
				t.Errorf("%s, by %q: %s, expected %s", name, kernel, pl.d.Verdict, want)
			}
		}
	}
}

// TestFirstOfTwoConfines: of two rules that confine the first is named, and the limits are one call's.
func TestFirstOfTwoConfines(t *testing.T) {
	p := confining(fsm.Rule{Name: "makes", Verdict: fsm.Confine, Tools: []string{"Bash"},
		Commands: [][]string{{"make"}}})
	pl := begin(t, p).runsLine("landlock", unknownCode, knownCommand).would(fsm.Confine, "makes")
	if pl.d.Parts[0].Rule != "makes" || pl.d.Parts[1].Rule != "shell" || pl.d.Limits == nil {
		t.Errorf("%+v", pl.d)
	}
	e := fsm.Event{Kind: fsm.ToolRequest, Facts: fsm.Facts{Kernel: "landlock"},
		Tool: fsm.Tool{Name: "Bash", Command: "x", Parts: []fsm.Part{unknownCode}}}
	if _, d := p.NewTable().Judge(pl.s, e); d.Verdict != fsm.Confine || d.Limits != nil {
		t.Errorf("only judged: %+v", d)
	}
}

// TestRanWithoutLimits: the person hears once that a command ran without its limits; from then on Else counts. One that
// ran within them is spoken of only where it failed.
func TestRanWithoutLimits(t *testing.T) {
	ran := func(kind fsm.Kind, ticket fsm.TicketResult) fsm.Event {
		return fsm.Event{Kind: kind, Tool: fsm.Tool{Name: "Bash", Command: "make", UseID: "u"},
			Facts: fsm.Facts{Ticket: &ticket}}
	}
	held, free := fsm.TicketResult{Confined: true, Used: true}, fsm.TicketResult{Confined: true}
	pl := begin(t, confining()).do(ran(fsm.ToolResult, held)).told("").hears("")
	pl.do(ran(fsm.ToolFailure, fsm.TicketResult{Used: true})).told("").hears("")
	pl.runsLine("landlock", unknownCode).gets(fsm.Confine, "")
	pl.do(ran(fsm.ToolFailure, free)).told("").hears("a command ran without the kernel's limits, although it was to " +
		"be confined: from now on in this session such commands are judged as on a system that cannot confine " +
		"(see: pipeline doctor)")
	pl.runsLine("landlock", unknownCode).gets(fsm.Ask, "rule shell")
	pl.do(ran(fsm.ToolFailure, free)).told("").hears("")
	pl.do(ran(fsm.ToolFailure, held)).told("Here the project is read-only for the main agent's commands")
}

// TestUnknownFileIsKept: a file that a line does not name is the kernel's to keep where the caller's lines are
// confined, and the rule's where they are not or no kernel is there.
func TestUnknownFileIsKept(t *testing.T) {
	confine := fsm.Rule{Name: "shell", Verdict: fsm.Confine, Else: fsm.Ask, Tools: []string{"Bash"}}
	deny := fsm.Rule{Name: "no", Verdict: fsm.Deny, Tools: []string{"Write"}}
	ask, unknown := deny, confine
	ask.Verdict, unknown.Commands = fsm.Ask, [][]string{{fsm.UnknownCode}}
	for name, c := range map[string]struct {
		kernel string
		rules  []fsm.Rule
		path   string
		want   fsm.Verdict
	}{
		"kept":                             {"bubblewrap", []fsm.Rule{deny, confine}, shell.Unknown, fsm.Confine},
		"no kernel":                        {"", []fsm.Rule{deny, confine}, shell.Unknown, fsm.Deny},
		"unconfined":                       {"bubblewrap", []fsm.Rule{deny}, shell.Unknown, fsm.Deny},
		"asked":                            {"bubblewrap", []fsm.Rule{ask, confine}, shell.Unknown, fsm.Confine},
		"only what is unknown is confined": {"bubblewrap", []fsm.Rule{deny, unknown}, shell.Unknown, fsm.Confine},
		"named":                            {"bubblewrap", []fsm.Rule{deny, confine}, "/p/a", fsm.Deny},
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
			(pl.d.Rule == fsm.RuleBypass) != (want == fsm.Pass) || pl.d.Parts[0].Bypassed != (want == fsm.Pass) {
			t.Errorf("bypass of %q: %s, strict %s by %q", rule, pl.d.Verdict, pl.d.StrictVerdict, pl.d.Rule)
		}
	}
}
