package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// checkRegistration: are we called exactly once for each event that we need?
func checkRegistration(x *exam) {
	if len(x.registered) == 0 {
		for _, s := range settingsSources(x.Root, x.Client, "") {
			if s.loadHooks(); x.Dir != x.Root && s.isRead() && len(s.ours) > 0 {
				x.problem("start the client in "+x.Root+", or: pipeline install --scope user",
					"a client that is started in %s finds no hook of ours: nothing is enforced; "+
						"it reads %s only where it is started in %s", x.Dir, s.file, x.Root)
				return
			}
		}
		x.problem("", "no hook of ours is registered where the client looks: nothing is enforced%s", explainMissing(x))
		return
	}
	if in := x.running; len(in) > 1 {
		var files []string
		same := true
		for _, s := range in {
			files = append(files, s.String())
			same = same && !s.isPlugin() && slices.EqualFunc(s.ours, in[0].ours,
				func(a, b settings.Hook) bool { return commandLine(a) == commandLine(b) })
		}
		what := "each call is judged and recorded by both"
		if same {
			what = "they are the same, so the client runs one of them; when one is removed the other stays"
		}
		last := in[len(in)-1]
		if last.isManaged() {
			last = in[len(in)-2] // the user's own is the one to remove
		}
		remedy := "pipeline uninstall --scope " + last.scope
		if last.isPlugin() {
			remedy = "claude plugin disable " + strings.TrimPrefix(last.scope, "plugin ")
		}
		x.problem(remedy, "registered %d times, in %s: %s", len(in), strings.Join(files, " and in "), what)
	}
	for _, s := range x.registered {
		checkComplete(x, s)
	}
	for _, s := range x.absent {
		x.warn("put pipeline on PATH, then: pipeline doctor",
			"%s: its hooks do nothing, since pipeline is not on PATH; %s enforces, whatever the note at a session's "+
				"start says", s, x.registered[0])
	}
	x.orPass("%s: %d events", x.registered[0], len(x.registered[0].ours))
}

// explainMissing names a file from which hooks of ours that a person installed are gone.
func explainMissing(x *exam) string {
	for _, s := range x.sources {
		if s.isRead() && len(x.Wants(s.file)) > 0 {
			return "; they were installed into " + s.file + ", and something other than pipeline uninstall removed them"
		}
	}
	return ""
}

// checkComplete compares the hooks of one file with what install would write there. Their matchers are another check's.
func checkComplete(x *exam, s source) {
	counts := map[string]int{}
	for _, h := range s.ours {
		counts[h.Event]++
	}
	failClosed := s.isManaged() || x.Opened.Policy != nil && x.Opened.Policy.FailClosed
	for _, want := range claude.Entries(s.ours[0].Program(), failClosed) {
		n := counts[want.Event]
		delete(counts, want.Event)
		if n == 0 {
			s.problem(x, "not registered for %s", want.Event)
			continue
		} else if n > 1 {
			s.problem(x, "registered %d times for %s: each call is judged and recorded that often", n, want.Event)
			continue
		}
		h := s.ours[slices.IndexFunc(s.ours, func(h settings.Hook) bool { return h.Event == want.Event })]
		if h.Muted != "" {
			s.problem(x, "the hook for %s has %q set: it does not always run, or is not waited for", h.Event, h.Muted)
		}
		switch {
		case !h.Ours || slices.Equal(h.Args, want.Args):
		case want.Args == nil:
			s.warn(x, "the hook for %s is of an older form: the client of a teammate without pipeline reports an "+
				"error at each call", h.Event)
		default:
			s.problem(x, "the hook for %s has the arguments %q, expected %q", h.Event, h.Args, want.Args)
		}
		if h.Timeout < want.Timeout && h.Timeout > 0 {
			s.warn(x, "the hook for %s has %d s to answer, expected %d", h.Event, h.Timeout, want.Timeout)
		}
		switch {
		case want.OnFailureBlock && !h.OnFailureBlock:
			s.problem(x, "the config says on_error: deny, but the hook for %s lacks onFailure: block: if pipeline "+
				"cannot be run, the tool runs", h.Event)
		case h.OnFailureBlock && !want.OnFailureBlock:
			s.warn(x, "the hook for %s has onFailure: block, but the config says on_error: allow", h.Event)
		}
	}
	for _, event := range slices.Sorted(maps.Keys(counts)) {
		s.warn(x, "registered for %s, which we do not need", event)
	}
}

// checkMatchers: are our hooks called for everything that they judge?
func checkMatchers(x *exam) {
	for _, s := range x.registered {
		for _, h := range s.ours {
			if what := whatMisses(h); what != "" {
				s.problem(x, "the matcher %q of the hook for %s %s", h.Matcher, h.Event, what)
			}
		}
	}
	if len(x.registered) == 0 {
		x.pass("no hook of ours, no matcher")
	}
	x.orPass("each of our hooks is called for every tool and every agent")
}

// remedy is what rewrites the entries of a source: install, where the file is the user's and the entries are ours.
func (s source) remedy() string {
	remedy := "pipeline install --scope " + s.scope
	if i := slices.IndexFunc(s.ours, func(h settings.Hook) bool { return !h.Ours }); i >= 0 {
		remedy = fmt.Sprintf("remove the hook for %s that was written by hand from %s, then: %s",
			s.ours[i].Event, s.file, remedy)
	}
	if s.isManaged() {
		remedy = "ask who manages this machine: " + s.file
	}
	if s.isPlugin() {
		remedy = "claude plugin update " + strings.TrimPrefix(s.scope, "plugin ")
	}
	return remedy
}

// problem adds a problem of a source.
func (s source) problem(x *exam, format string, a ...any) {
	x.problem(s.remedy(), "%s: %s", s, fmt.Sprintf(format, a...))
}

func (s source) warn(x *exam, format string, a ...any) {
	x.warn(s.remedy(), "%s: %s", s, fmt.Sprintf(format, a...))
}

// commandLine is a hook as a person would type it.
func commandLine(h settings.Hook) string {
	if !h.Exec {
		return h.Command
	}
	words := []string{h.Command}
	for _, a := range h.Args {
		if strings.ContainsAny(a, " \t\"'$\\") || a == "" {
			a = fmt.Sprintf("%q", a)
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// whatMisses says what the matcher of a hook keeps from it, tools that change something first; "" for nothing. A server
// may offer any tool.
func whatMisses(h settings.Hook) string {
	switch {
	case h.Matcher == "" || h.Matcher == "*" || h.Matcher == ".*":
		return ""
	case h.Event == "UserPromptSubmit" || h.Event == "Stop": // whose matchers the client ignores (2.1.197, 2.1.329)
		return ""
	case !slices.Contains([]string{"PreToolUse", "PostToolUse", "PostToolUseFailure"}, h.Event):
		return "keeps it from some of them: expected none"
	}
	const server, most = "mcp__server__tool", 8
	tools := []string{"Agent", "Bash", "Write", "Edit", "Read", server}
	for _, t := range claude.Tools() {
		if !slices.Contains(tools, t) {
			tools = append(tools, t)
		}
	}
	var missed []string
	for _, t := range tools {
		yes, certain := settings.Matches(h.Matcher, t)
		if !certain {
			return "is an expression that cannot be judged here: expected none"
		}
		if !yes {
			missed = append(missed, strings.Replace(t, server, "mcp__*", 1))
		}
	}
	switch {
	case len(missed) == len(tools):
		return "never matches: no tool is judged"
	case len(missed) == 0:
		return ""
	case len(missed) > most:
		return "misses " + strings.Join(missed[:most], ", ") + " and others"
	}
	return "misses " + strings.Join(missed, ", ")
}
