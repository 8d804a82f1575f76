package doctor

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// tools: do the rules speak of tools that the client has, and does the client have tools that no rule speaks of?
func (x *exam) tools() []Finding {
	if x.Opened.Policy == nil {
		return []Finding{fine("no policy, no rules")}
	}
	var found []Finding
	rules := 0
	for section, list := range x.sections() {
		for _, r := range list.List {
			rules++
			found = append(found, strangers(section, r)...)
		}
	}
	found = append(found, x.unspoken()...)
	return orFine(found, "%d rules, which speak of tools that the client has", rules)
}

func (x *exam) sections() map[string]fsm.Rules {
	return map[string]fsm.Rules{"orchestrator": x.Opened.Policy.Main, "subagents": x.Opened.Policy.Subagents}
}

// strangers are the tools of a rule that no client has. A rule without any other never fits.
func strangers(section string, r fsm.Rule) []Finding {
	var strange []string
	for _, t := range r.Tools {
		if !exists(t) {
			strange = append(strange, fmt.Sprintf("%q%s", t, meant(t)))
		}
	}
	if strange == nil {
		return nil
	}
	what := fmt.Sprintf("%s: rule %s (%s) names %s, which the client does not have", section, r.Name, r.Place, strings.Join(strange, ", "))
	if len(strange) == len(r.Tools) {
		return []Finding{problem("name the tool as the client does", "%s: the rule never fits", what)}
	}
	return []Finding{warn("name the tool as the client does", "%s", what)}
}

// exists reports whether a tool, or one that a glob of tools names, is known: of the client, of a server of the user's,
// or one that a client had. Delete is what a shell line does to a file.
func exists(glob string) bool {
	if strings.HasPrefix(glob, "mcp__") {
		return true
	}
	return slices.ContainsFunc(slices.Concat(claude.Tools(), bygone(), []string{"Delete"}), func(tool string) bool {
		ok, err := path.Match(fsm.CanonicalTool(glob), tool)
		return ok && err == nil
	})
}

// bygone are tools of older clients and of others, which stay in rules so that those hold there too.
func bygone() []string {
	return []string{"LS", "NotebookRead", "BashOutput", "AgentOutputTool", "TodoRead", "TeamCreate", "TeamDelete"}
}

// meant suggests the tool that a name is most likely meant to be.
func meant(name string) string {
	for _, t := range claude.Tools() {
		if a, b := strings.ToLower(t), strings.ToLower(name); len(b) > 3 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
			return fmt.Sprintf(" (did you mean %s?)", t)
		}
	}
	return ""
}

// week is how far back mishaps count.
const week = 7 * 24 * time.Hour

// unspoken are tools that the client has offered of late which pipeline does not know and no rule names.
func (x *exam) unspoken() []Finding {
	items, err := x.Store.List()
	if err != nil {
		return nil // the check of the state says so
	}
	seen := map[string]bool{}
	for _, i := range items[:min(len(items), 20)] {
		if x.Now.Sub(i.Last) > week {
			break
		}
		_, _ = journal.Read(x.Store.Path(i.ID)+"/"+journal.Name, func(r journal.Record) bool {
			if r.Event.Tool.Unknown {
				seen[r.Event.Tool.Name] = true
			}
			return true
		}) // what is damaged in it is for pipeline audit
	}
	var found []Finding
	for _, tool := range sorted(seen) {
		if section := x.passes(tool); section != "" {
			found = append(found, problem("name it in a rule, if it is one that was renamed: deny: ["+tool+"]",
				"the client has used a tool %q that pipeline does not know and no rule of %s names: it passes by default", tool, section))
		}
	}
	return found
}

// passes is the section in which no rule speaks of the tool and the default lets it pass; "" if there is none.
func (x *exam) passes(tool string) string {
	for _, section := range []string{"orchestrator", "subagents"} {
		rules := x.sections()[section]
		named := slices.ContainsFunc(rules.List, func(r fsm.Rule) bool {
			return slices.ContainsFunc(r.Tools, func(t string) bool {
				ok, err := path.Match(t, tool)
				return ok && err == nil
			})
		})
		if !named && rules.Default.Verdict == fsm.Pass && len(rules.List) > 0 {
			return section
		}
	}
	return ""
}
