package fsm

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Rules are read top to bottom; the first that fits decides.
type Rules struct {
	List    []Rule
	Default Rule // for what no rule fits; its Verdict, Reason and DelegateTo count
	Locked  bool // these are the organisation's, which are judged in their place
}

// A Rule says what to do with the calls that it fits. An empty list of a condition fits
// everything.
type Rule struct {
	Name       string
	Place      string
	Verdict    Verdict    // Pass for allow: no objection, look no further
	Else       Verdict    // with Confine: of what the kernel cannot hold
	Tools      []string   // globs of canonical tool names
	Paths      []string   // globs of whole paths: absolute, "~" and the project's folder filled in
	Commands   [][]string // word patterns: {"git", "push"}; or a group of commands alone: {"?"}
	Changes    *bool      // false: only what is known to change nothing; true: only what may change something
	Inputs     []Input
	States     []string
	Agents     []string // patterns of the caller's type
	AdmittedIn []string // states: one of them must have let the calling agent start
	Starts     []string // patterns of the agent that the call starts
	Env        []Input  // environment variables that must be set so; "*" for any value
	UnlessEnv  []Input
	Budget     int // so many are free, of changes so many files; only with Budgeted
	Budgeted   bool
	ResetOn    []string // what gives the budget back: delegate, prompt, task, state; never says that nothing does
	Within     int      // fits only if the caller used the tool in its last so many calls
	DelegateTo []string // patterns of agents for this kind of work; empty: any that may start and may do it
	Reason     string   // in the config's words
	Type       string   // its name in reports: READ_LIMIT_EXCEEDED
	Example    string
	Describe   bool  // the denial describes the agents of DelegateTo
	Level      Level // of this rule alone; only with Levelled
	Levelled   bool
}

// Input is a condition on something that has a name: a tool's input, an environment
// variable.
type Input struct {
	Name  string
	Value string // a glob
}

// fits reports whether the rule's conditions hold for a part of a call, except for
// Budget and Within, which depend on earlier calls.
func (r *Rule) fits(st *situation, p Part) bool {
	return r.fitsTool(p) && r.fitsPath(p) && r.fitsCommand(p) && (r.Changes == nil || *r.Changes == p.mayChange()) &&
		(len(r.Starts) == 0 || slices.ContainsFunc(st.startedBy(p),
			func(agent string) bool { return MatchAgent(r.Starts, agent) })) &&
		hold(r.Inputs, nil, st.e.Tool.Input) && r.fitsCaller(st)
}

// fitsCaller reports whether the rule's conditions hold that are about the caller.
func (r *Rule) fitsCaller(st *situation) bool {
	return r.FitsState(st.s.State) &&
		(len(r.AdmittedIn) == 0 || slices.Contains(r.AdmittedIn, st.admittedIn())) &&
		(len(r.Agents) == 0 || MatchAgent(r.Agents, st.e.Agent.Type)) &&
		hold(r.Env, r.UnlessEnv, st.e.Facts.Env)
}

// IsUnconditional reports whether the rule fits every call of its tools, by anybody.
func (r *Rule) IsUnconditional() bool {
	return len(r.Paths)+len(r.Commands)+len(r.Inputs)+len(r.States)+len(r.AdmittedIn)+len(r.Agents)+len(r.Starts)+
		len(r.Env)+len(r.UnlessEnv)+r.Within == 0 && r.Changes == nil
}

// FitsState reports whether the rule applies in a state.
func (r *Rule) FitsState(state string) bool {
	return len(r.States) == 0 || slices.Contains(r.States, state)
}

// CoversTool reports whether the rule fits calls of a tool.
func (r *Rule) CoversTool(tool string) bool { return r.fitsTool(Part{Tool: tool}) }

// IsOff reports whether the rule is switched off on purpose.
func (r *Rule) IsOff() bool { return r.Levelled && r.Level == Off }

// fitsTool: what a rule allows a command, it allows to the files that the command changes and the line
// does not name. An objection to a group of commands fits the tools of servers in it; no kernel confines those.
func (r *Rule) fitsTool(p Part) bool {
	isServerTool := len(p.Groups) > 0 && p.Tool != "Bash"
	isUnnamedChange := len(p.Words) > 0 && ChangesFiles(p.Tool)
	if len(r.Commands) > 0 && (isUnnamedChange && r.Verdict <= Warn || isServerTool && r.Verdict >= Ask) &&
		r.CoversTool("Bash") {
		return true
	}
	return slices.ContainsFunc(r.Tools, func(t string) bool {
		return MatchTool(CanonicalTool(t), p.Tool) || slices.Contains(otherNames[p.Tool], t)
	})
}

// fitsPath: an unknown path fits no glob, so hiding where one writes gains no
// exception. An objection also fits what a pattern on the line may name.
func (r *Rule) fitsPath(p Part) bool {
	if len(r.Paths) == 0 {
		return true
	}
	if r.Verdict > Pass && slices.ContainsFunc(p.Names, func(name string) bool {
		return slices.ContainsFunc(r.Paths, func(glob string) bool {
			if p.Fold {
				return shell.MayName(FoldPath(name), FoldPath(glob))
			}
			return shell.MayName(name, glob)
		})
	}) {
		return true
	}
	return slices.ContainsFunc([]string{p.Path, p.Twin}, func(path string) bool {
		matchesFolded := func(glob string) bool { return matchGlobPath(FoldPath(glob), FoldPath(path)) }
		return path != "" && path != shell.Unknown &&
			(matchPath(r.Paths, path) || p.Fold && slices.ContainsFunc(r.Paths, matchesFolded))
	})
}

// fitsCommand: an objection also fits wrappers (sudo, xargs). An exception fits only a
// command whose effect is known, or a program that it names.
func (r *Rule) fitsCommand(p Part) bool {
	if len(r.Commands) == 0 {
		return true
	}
	return slices.ContainsFunc(r.Commands, func(pattern []string) bool {
		switch group := commandGroup(pattern); {
		case group == UnknownCode:
			return p.Code
		case group != "":
			return slices.Contains(p.Groups, group) && (r.Verdict > Pass || !p.Code || group == TestCommands)
		case r.Verdict > Pass:
			return shell.Match(pattern, p.Words) || slices.ContainsFunc(p.Via,
				func(via string) bool { return shell.Match(pattern, strings.Fields(via)) })
		}
		return (!p.Code || p.Unlisted) && shell.Match(pattern, p.Words)
	})
}

// mayChange reports whether a part may change anything: all but the commands that only
// show something, and the tools that only read.
func (p Part) mayChange() bool { return (!p.Shows || p.Code) && !readsOnly(p.Tool) }

// Groups of commands that a rule may name in place of words. What belongs to each is
// decided where a shell line is read.
const (
	UnknownCode        = "?"          // what cannot be known before it runs
	BuildCommands      = "@builds"    // what builds, tests or runs a project, or fetches packages for it
	TestCommands       = "@tests"     // of these, what only tests or checks
	RemoteCommands     = "@remote"    // what leaves this machine, or cannot be taken back
	DestroyingCommands = "@destroys"  // what removes what no undo brings back, or stops the machine
	CommandsElsewhere  = "@elsewhere" // what hands work to another process or machine
)

// CommandGroups lists the groups.
func CommandGroups() []string {
	return []string{UnknownCode, BuildCommands, TestCommands, RemoteCommands, DestroyingCommands, CommandsElsewhere}
}

// commandGroup is the group for which a pattern stands, or "".
func commandGroup(pattern []string) string {
	if len(pattern) == 1 && slices.Contains(CommandGroups(), pattern[0]) {
		return pattern[0]
	}
	return ""
}

// CommandPart is what rules judge of a command in a shell line.
func CommandPart(c shell.Call) Part {
	return Part{Tool: "Bash", Words: c.Words, Via: c.Via, Code: c.Code, Unlisted: c.Unlisted, Shows: c.Shows,
		Groups: c.Groups.Names()}
}

// MatchTool compares a tool's name with a glob. Each client writes the names of servers in its
// own way: one replaces the hyphens, another joins server and tool by one. So in the name
// of a server's tool all runs of them are equal.
func MatchTool(glob, tool string) bool {
	const servers = "mcp__"
	return matchGlob(glob, tool) || strings.HasPrefix(tool, servers) && strings.HasPrefix(glob, servers) &&
		!strings.ContainsAny(glob, `[\`) && matchGlob(foldServer(glob), foldServer(tool))
}

// foldServer writes a name with one _ for each run of -, _, . and blanks.
func foldServer(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case !strings.ContainsRune("-_. ", rune(c)):
			b.WriteByte(c)
		case i == 0 || !strings.ContainsRune("-_. ", rune(name[i-1])):
			b.WriteByte('_')
		}
	}
	return b.String()
}

// matchGlob compares what is before the first wildcard itself: each call asks all rules, and most of many are about
// another tool.
func matchGlob(pattern, s string) bool {
	for i := range len(pattern) {
		if c := pattern[i]; strings.IndexByte(`*?[\`, c) >= 0 {
			ok, _ := path.Match(pattern, s) // false for an invalid pattern
			return ok
		} else if i == len(s) || s[i] != c {
			return false
		}
	}
	return len(pattern) == len(s)
}

func matchPath(globs []string, file string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return matchGlobPath(g, file) })
}

func matchGlobPath(glob, file string) bool {
	ok, _ := doublestar.Match(glob, file) // false for an invalid glob
	return ok
}

// FoldPath writes a path so that those which lead to one file where case does not matter
// are equal: in one case, composed, without the characters that some file systems skip.
func FoldPath(path string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < unicode.MaxASCII:
			return unicode.ToLower(r)
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		least := r // of all that fold to each other: the Kelvin sign is k
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return unicode.ToLower(least)
	}, norm.NFKC.String(path))
}

// hold reports whether all of some conditions hold, and none of others.
func hold(all, none []Input, values map[string]string) bool {
	holds := func(c Input) bool {
		v, ok := values[c.Name]
		return ok && (c.Value == "*" || matchGlob(c.Value, v))
	}
	return !slices.ContainsFunc(all, func(c Input) bool { return !holds(c) }) && !slices.ContainsFunc(none, holds)
}
