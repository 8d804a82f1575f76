package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// settings: does the client read the files as they are, and does one of them switch hooks off?
func (x *exam) settings() []Finding {
	var found []Finding
	for _, s := range x.sources {
		if f, ok := x.unread(s); ok {
			found = append(found, f)
		}
		if why := settings.Blocks(s.body, nil); why != "" {
			found = append(found, problem("remove disableAllHooks from "+s.file, "%s: %s: the client runs no hook of any file", s, why))
		}
	}
	return orFine(found, "%s", x.seen())
}

// unread is a file that the client ignores: with our hooks in it that is a problem.
func (x *exam) unread(s source) (Finding, bool) {
	why := s.ignore
	if s.err != nil {
		why = s.err.Error()
	}
	switch {
	case why == "":
		return Finding{}, false
	case s.mentions(len(x.Wants(s.file)) > 0):
		return problem("mend "+s.file, "%s: the client ignores the whole file, our hooks in it do not run: %s", s, why), true
	}
	return warn("mend "+s.file, "%s: the client ignores the whole file: %s", s, why), true
}

func (x *exam) seen() string {
	var there []string
	for _, s := range x.sources {
		if s.body != nil {
			there = append(there, s.file)
		}
	}
	if there == nil {
		return "there are none"
	}
	return strings.Join(there, ", ") + ": read by the client, hooks not disabled"
}

// registration: are we called once for each event that we need?
func (x *exam) registration() []Finding {
	in := x.registered()
	if len(in) == 0 {
		return []Finding{problem("", "no hook of ours is registered where the client looks: nothing is enforced%s", x.taken())}
	}
	var found []Finding
	if len(in) > 1 {
		found = append(found, x.twice(in))
	}
	for _, s := range in {
		found = append(found, x.complete(s)...)
	}
	return orFine(found, "%s: %d events", in[0], len(in[0].ours))
}

// taken names the files that hold no hooks of ours any more, though a person has installed some.
func (x *exam) taken() string {
	for _, s := range x.sources {
		if s.counts() && len(x.Wants(s.file)) > 0 {
			return "; they were installed into " + s.file + ", and somebody else than pipeline uninstall took them out"
		}
	}
	return ""
}

// twice: two files register us.
func (x *exam) twice(in []source) Finding {
	var names []string
	same := true
	for _, s := range in {
		names = append(names, s.String())
		same = same && !s.isPlugin() && sameHooks(s.ours, in[0].ours)
	}
	what := "each call is judged and recorded by both"
	if same {
		what = "they are the same, so the client runs one of them; when one is taken out the other stays"
	}
	remedy := "pipeline uninstall --scope " + in[len(in)-1].scope
	if in[len(in)-1].isPlugin() {
		remedy = "claude plugin disable " + strings.TrimPrefix(in[len(in)-1].scope, "plugin ")
	}
	return problem(remedy, "registered %d times, in %s: %s", len(in), strings.Join(names, " and in "), what)
}

func sameHooks(a, b []settings.Hook) bool {
	return slices.EqualFunc(a, b, func(a, b settings.Hook) bool { return commandLine(a) == commandLine(b) })
}

// complete holds the hooks of one file against what install would write there.
func (x *exam) complete(s source) []Finding {
	var found []Finding
	counts := map[string]int{}
	for _, h := range s.ours {
		counts[h.Event]++
	}
	for _, want := range x.entries(s.ours[0].Command) {
		there := slices.IndexFunc(s.ours, func(h settings.Hook) bool { return h.Event == want.Event })
		switch {
		case there < 0:
			found = append(found, problem("", "%s: not registered for %s", s, want.Event))
		case counts[want.Event] > 1:
			found = append(found, problem("", "%s: registered %d times for %s: each call is judged and recorded so often", s, counts[want.Event], want.Event))
		default:
			found = append(found, differs(s, s.ours[there], want)...)
		}
		delete(counts, want.Event)
	}
	for _, event := range sorted(counts) {
		found = append(found, warn("", "%s: registered for %s, which we do not need", s, event))
	}
	return x.mendable(s, found)
}

// differs says how a hook is not what install would write; its matcher is another check's.
func differs(s source, h settings.Hook, want settings.Entry) []Finding {
	var found []Finding
	if h.Muted != "" {
		found = append(found, problem("", "%s: the hook for %s has %q set: it does not always run, or is not waited for", s, h.Event, h.Muted))
	}
	if h.Ours && !slices.Equal(h.Args, want.Args) {
		found = append(found, problem("", "%s: the hook for %s has the arguments %q, expected %q", s, h.Event, h.Args, want.Args))
	}
	if h.Timeout < want.Timeout && h.Timeout > 0 {
		found = append(found, warn("", "%s: the hook for %s has %d s to answer, expected %d", s, h.Event, h.Timeout, want.Timeout))
	}
	switch {
	case want.OnFailureBlock && !h.OnFailureBlock:
		found = append(found, problem("", "%s: the config says on_error: deny, but the hook for %s lacks onFailure: block: if pipeline cannot be run, the tool runs", s, h.Event))
	case h.OnFailureBlock && !want.OnFailureBlock:
		found = append(found, warn("", "%s: the hook for %s has onFailure: block, but the config says on_error: allow", s, h.Event))
	}
	return found
}

// matchers: do our hooks let all through that they are to judge?
func (x *exam) matchers() []Finding {
	var found []Finding
	n := 0
	for _, s := range x.registered() {
		var of []Finding
		for _, h := range s.ours {
			n++
			if what := misses(h); what != "" {
				of = append(of, problem("", "%s: the matcher %q of the hook for %s %s", s, h.Matcher, h.Event, what))
			}
		}
		found = append(found, x.mendable(s, of)...)
	}
	if n == 0 {
		return []Finding{fine("no hook of ours, no matcher")}
	}
	return orFine(found, "each of our hooks is called for every tool and every agent")
}

// mendable adds the remedy to findings without one: install writes these entries anew, where a file is the user's and
// the entries are ours.
func (x *exam) mendable(s source, found []Finding) []Finding {
	remedy := "pipeline install --scope " + s.scope
	mend := func() (string, error) { return x.Register(s.scope) }
	if i := slices.IndexFunc(s.ours, func(h settings.Hook) bool { return !h.Ours }); i >= 0 {
		remedy, mend = fmt.Sprintf("take the hook for %s that was written by hand out of %s, then: %s", s.ours[i].Event, s.file, remedy), nil
	}
	if s.isPlugin() {
		remedy, mend = "claude plugin update "+strings.TrimPrefix(s.scope, "plugin "), nil
	}
	for i := range found {
		if f := &found[i]; f.Status != OK && f.Remedy == "" {
			f.Remedy, f.mend = remedy, mend
		}
	}
	return found
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
