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
		if file := findAtRoot(x); file != "" {
			x.problem("start the client in "+x.Root+", or: pipeline install --scope user",
				"a client that is started in %s finds no hook of ours: nothing is enforced; "+
					"it reads %s only where it is started in %s", x.Dir, file, x.Root)
		} else {
			x.problem("", "no hook of ours is registered where the client looks: nothing is enforced%s",
				explainMissing(x))
		}
		return
	}
	if len(x.running) > 1 {
		describeTwice(x)
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

// findAtRoot is a settings file of the project's root that has our hooks, where the client
// is started below the root and reads it not; "" for none.
func findAtRoot(x *exam) string {
	if x.Dir == x.Root {
		return ""
	}
	for _, s := range settingsSources(x.Root, x.Client, "") {
		if s.loadHooks(); s.isRead() && len(s.ours) > 0 {
			return s.file
		}
	}
	return ""
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

// describeTwice: two files register us.
func describeTwice(x *exam) {
	in := x.running
	var names []string
	same := true
	for _, s := range in {
		names = append(names, s.String())
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
	x.problem(remedy, "registered %d times, in %s: %s", len(in), strings.Join(names, " and in "), what)
}

// checkComplete compares the hooks of one file with what install would write there.
func checkComplete(x *exam, s source) {
	counts := map[string]int{}
	for _, h := range s.ours {
		counts[h.Event]++
	}
	failClosed := s.isManaged() || x.Opened.Policy != nil && x.Opened.Policy.FailClosed
	for _, want := range claude.Entries(s.ours[0].Program(), failClosed) {
		there := slices.IndexFunc(s.ours, func(h settings.Hook) bool { return h.Event == want.Event })
		switch {
		case there < 0:
			x.problem("", "%s: not registered for %s", s, want.Event)
		case counts[want.Event] > 1:
			x.problem("", "%s: registered %d times for %s: each call is judged and recorded that often",
				s, counts[want.Event], want.Event)
		default:
			compareHook(x, s, s.ours[there], want)
		}
		delete(counts, want.Event)
	}
	for _, event := range slices.Sorted(maps.Keys(counts)) {
		x.warn("", "%s: registered for %s, which we do not need", s, event)
	}
	s.addRemedy(x)
}

// compareHook says how a hook differs from what install would write. Its matcher is
// another check's.
func compareHook(x *exam, s source, h settings.Hook, want settings.Entry) {
	if h.Muted != "" {
		x.problem("", "%s: the hook for %s has %q set: it does not always run, or is not waited for",
			s, h.Event, h.Muted)
	}
	switch {
	case !h.Ours || slices.Equal(h.Args, want.Args):
	case want.Args == nil:
		x.warn("", "%s: the hook for %s is of an older form: the client of a teammate without "+
			"pipeline reports an error at each call", s, h.Event)
	default:
		x.problem("", "%s: the hook for %s has the arguments %q, expected %q", s, h.Event, h.Args, want.Args)
	}
	if h.Timeout < want.Timeout && h.Timeout > 0 {
		x.warn("", "%s: the hook for %s has %d s to answer, expected %d", s, h.Event, h.Timeout, want.Timeout)
	}
	switch {
	case want.OnFailureBlock && !h.OnFailureBlock:
		x.problem("", "%s: the config says on_error: deny, but the hook for %s lacks "+
			"onFailure: block: if pipeline cannot be run, the tool runs", s, h.Event)
	case h.OnFailureBlock && !want.OnFailureBlock:
		x.warn("", "%s: the hook for %s has onFailure: block, but the config says on_error: allow",
			s, h.Event)
	}
}

// checkMatchers: are our hooks called for everything that they judge?
func checkMatchers(x *exam) {
	n := 0
	for _, s := range x.registered {
		for _, h := range s.ours {
			n++
			if what := whatMisses(h); what != "" {
				x.problem("", "%s: the matcher %q of the hook for %s %s", s, h.Matcher, h.Event, what)
			}
		}
		s.addRemedy(x)
	}
	if n == 0 {
		x.pass("no hook of ours, no matcher")
	}
	x.orPass("each of our hooks is called for every tool and every agent")
}

// addRemedy adds the remedy to findings without one: install rewrites these entries, where
// the file is the user's and the entries are ours.
func (s source) addRemedy(x *exam) {
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
	for i := range x.findings {
		if f := &x.findings[i]; f.Status != OK && f.Remedy == "" {
			f.Remedy = remedy
		}
	}
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

// whatMisses says what the matcher of a hook keeps from it; "" for nothing.
func whatMisses(h settings.Hook) string {
	if h.Matcher == "" || h.Matcher == "*" || h.Matcher == ".*" {
		return ""
	}
	switch h.Event {
	case "UserPromptSubmit", "Stop": // for which the client ignores a matcher (2.1.197 and 2.1.329, tried)
		return ""
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
		return listMissedTools(h.Matcher)
	}
	return "keeps it from some of them: expected none"
}

// listMissedTools names the tools that a matcher does not let through, those that change something first.
// A server may offer any tool.
func listMissedTools(matcher string) string {
	const server, most = "mcp__server__tool", 8
	tools := []string{"Agent", "Bash", "Write", "Edit", "Read", server}
	for _, t := range claude.Tools() {
		if !slices.Contains(tools, t) {
			tools = append(tools, t)
		}
	}
	var missed []string
	for _, t := range tools {
		yes, certain := settings.Matches(matcher, t)
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
