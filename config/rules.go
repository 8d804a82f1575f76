package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Rules are what some callers may do: the first rule that fits decides, else the default.
type Rules struct {
	Default Default `koanf:"default"`
	Rules   []Rule  `koanf:"rules" empty:"is ok"`
}

// rulesOf returns the rules of a section: orchestrator or subagents.
func (c *Config) rulesOf(section trail) Rules {
	if section == "subagents" {
		return c.Subagents
	}
	return c.Orchestrator
}

// A Default is the verdict where no rule fits. It has exactly one of the four verbs.
type Default struct {
	Allow      bool     `koanf:"allow" is:"true"`
	Warn       bool     `koanf:"warn" is:"true"`
	Ask        bool     `koanf:"ask" is:"true"`
	Deny       bool     `koanf:"deny" is:"true"`
	DelegateTo []string `koanf:"delegate_to" as:"pattern"`
	Reason     string   `koanf:"reason"`
}

// A Rule says what to do with the calls that it fits. It has exactly one of the five
// verbs, whose value are the tools.
type Rule struct {
	Name       string            `koanf:"name" must:"be" as:"rule name"`
	Allow      []string          `koanf:"allow" as:"tool"`
	Warn       []string          `koanf:"warn" as:"tool"`
	Confine    []string          `koanf:"confine" as:"tool"`
	Else       string            `koanf:"else" is:"allow ask deny"`
	Ask        []string          `koanf:"ask" as:"tool"`
	Deny       []string          `koanf:"deny" as:"tool"`
	Paths      []string          `koanf:"paths" as:"path"`
	Commands   []string          `koanf:"commands" as:"command"`
	Changes    *bool             `koanf:"changes"`
	Input      map[string]string `koanf:"input" as:"glob"`
	States     []string          `koanf:"states" as:"state"`
	AdmittedIn []string          `koanf:"admitted_in" as:"state"`
	Agents     []string          `koanf:"agents" as:"pattern"`
	Starts     []string          `koanf:"starts" as:"pattern"`
	Env        map[string]string `koanf:"env" keys:"variable" as:"glob"`
	UnlessEnv  map[string]string `koanf:"unless_env" keys:"variable" as:"glob"`
	Budget     *int              `koanf:"budget" range:"0 -"`
	ResetOn    []string          `koanf:"reset_on" of:"delegate prompt task state never"`
	Within     int               `koanf:"within" range:"1 -"`
	DelegateTo []string          `koanf:"delegate_to" as:"pattern"`
	Reason     string            `koanf:"reason"`
	Type       string            `koanf:"type"`
	Example    string            `koanf:"example"`
	Describe   bool              `koanf:"describe"`
	Level      string            `koanf:"level" is:"strict ask guidance observe off"`
}

// A verb is one of the four keys that say what a rule does.
type verb struct {
	key     string
	verdict fsm.Verdict
	tools   []string
}

// verbs lists the verbs that a rule has: one, if it is right.
func (r Rule) verbs() []verb {
	all := []verb{
		{"allow", fsm.Pass, r.Allow}, {"warn", fsm.Warn, r.Warn},
		{"confine", fsm.Confine, r.Confine}, {"ask", fsm.Ask, r.Ask}, {"deny", fsm.Deny, r.Deny},
	}
	return slices.DeleteFunc(all, func(v verb) bool { return v.tools == nil })
}

// verbs lists the verbs of a default: one, if it is right.
func (d Default) verbs() []verb {
	tools := map[bool][]string{true: {}}
	return Rule{Allow: tools[d.Allow], Warn: tools[d.Warn], Ask: tools[d.Ask], Deny: tools[d.Deny]}.verbs()
}

func (k *checker) checkRules(at trail) {
	s := k.rulesOf(at)
	if k.isWritten(at.key("default")) {
		k.checkVerbs(s.Default.verbs(), at.key("default"), "")
	}
	wrong, first := make([]bool, len(s.Rules)), map[string]trail{}
	for i, r := range s.Rules {
		here := at.key("rules").item(i)
		name := here.key("name")
		if earlier, twice := first[r.Name]; twice {
			message := fmt.Sprintf("found rule %s twice, first on line %d", quoteShort(r.Name), k.lineOf(earlier))
			k.report(name, message, "")
		} else if r.Name != "" {
			first[r.Name] = name
		}
		k.checkRule(r, here)
		k.checkCallers(r, here, at == "orchestrator")
		wrong[i] = k.faulty[here] || k.bad[here]
	}
	k.checkHidden(at, wrong)
}

// checkRule checks how the keys of a rule go together.
func (k *checker) checkRule(r Rule, at trail) {
	k.checkVerbs(r.verbs(), at, "make them two rules")
	if verbs := r.verbs(); len(verbs) == 1 && !k.faulty[at] {
		k.checkToolsFit(r, verbs[0], at)
	}
	if r.Budget != nil && r.Allow != nil {
		k.reportKey(at.key("budget"), "found `budget` on a rule that allows, expected warn, ask or deny",
			"the verb applies to the calls over the budget")
	}
	for name, value := range r.UnlessEnv {
		if asked, ok := r.Env[name]; ok && (asked == value || value == "*") {
			k.reportKey(at.key("unless_env").key(name), "found "+quoteShort(name)+" in `env` and in `unless_env`, "+
				"expected one of them: the rule can never fire", "")
		}
	}
	k.checkBeside(at, "else", "both or `confine` alone", "confine")
	k.checkBeside(at, "reset_on", "both or neither", "budget")
	if i := slices.Index(r.ResetOn, "state"); i >= 0 && len(k.stateNames()) == 0 {
		k.report(at.key("reset_on").item(i), "found \"state\" without `states`, expected delegate or prompt", "")
	}
}

// checkCallers reports conditions that no caller of the rule's section can meet.
func (k *checker) checkCallers(r Rule, at trail, main bool) {
	agents := k.expandAgents(r.Agents)
	isMain := func(a string) bool { return fsm.NamesAgent(a, "") || fsm.NamesAgent(a, "fork") }
	if main && r.AdmittedIn != nil {
		k.reportKey(at.key("admitted_in"), "found `admitted_in` on a rule for the main agent, expected it in "+
			"`subagents`: no state lets the main agent start", "")
	}
	switch {
	case len(agents) == 0 || k.faulty[at] || k.bad["groups"]:
	case main && !slices.ContainsFunc(agents, isMain):
		k.reportKey(at.key("agents"), "found `agents` on a rule for the main agent, expected it in `subagents`: "+
			"it says who calls", "which agent is started is `starts`")
	case !main && !slices.ContainsFunc(agents, func(a string) bool { return !fsm.NamesAgent("fork", a) }):
		k.reportKey(at.key("agents"), "found `agents` with forks only, expected other agents",
			"a fork follows the rules of `orchestrator`")
	}
}

// checkVerbs wants exactly one verb. Of several, it reports the second.
func (k *checker) checkVerbs(verbs []verb, at trail, hint string) {
	if len(verbs) == 0 {
		k.report(at, "found no verb, expected allow, warn, confine, ask or deny", "")
		return
	}
	slices.SortStableFunc(verbs, func(a, b verb) int {
		x, y := k.at[at.key(a.key)].field.at, k.at[at.key(b.key)].field.at
		return cmp.Or(cmp.Compare(x.line, y.line), cmp.Compare(x.col, y.col))
	})
	if len(verbs) > 1 {
		k.reportKey(at.key(verbs[1].key), fmt.Sprintf("found `%s` beside `%s`, expected one verb", verbs[1].key,
			verbs[0].key), hint)
	}
}

// checkTool checks one tool of a verb. A name without a glob must be that of a known tool:
// a rule for any other would never fire, unnoticed.
func checkTool(tool string) (message, hint string) {
	name, args, call := strings.Cut(strings.TrimSuffix(tool, ")"), "(")
	switch {
	case hasSpaces(tool):
		return found(tool, noSpaces), ""
	case call && !isNot(variable)(name) && !strings.ContainsAny(args, "|()"):
		key := "paths"
		for _, t := range fsm.FindTools(name) {
			switch {
			case t.Commands:
				key = "commands"
			case t.Starts:
				key = "starts"
			}
		}
		return found(tool, "the name of a tool"), fmt.Sprintf("write %s, and %s: [%s]", name, key, args)
	case isBadGlob(tool):
		return found(tool, "a valid glob such as mcp__* or Task[A-Z]*"), ""
	case isNoName(tool):
		return found(tool, "the name of a tool, or a glob such as mcp__*"), globHint
	case fsm.IsGlob(tool) || strings.HasPrefix(tool, "mcp__") || len(fsm.FindTools(tool)) > 0:
		return "", ""
	}
	var names []string
	for _, t := range fsm.KnownTools() {
		names = append(names, t.Name)
	}
	return found(tool, "an existing tool"), cmp.Or(DidYouMean(tool, names),
		fmt.Sprintf("if it is newer than this pipeline, write %s*", tool))
}

// checkToolsFit reports conditions that none of the rule's tools can meet.
func (k *checker) checkToolsFit(r Rule, v verb, at trail) {
	if r.Paths != nil && r.Commands != nil {
		k.reportKey(at.key("commands"), "found `commands` beside `paths`, expected one of them: no call has both",
			"the files of a command are calls of their own")
		return
	}
	runs := func(t fsm.ToolInfo) bool { return t.Commands }
	for _, c := range []struct {
		key            string
		applies        bool
		fits           func(fsm.ToolInfo) bool
		expected, hint string
	}{
		{"confine", r.Confine != nil, runs, "runs commands", "such as Bash"},
		{"commands", r.Commands != nil, runs, "runs commands", "such as Bash"},
		{"paths", r.Paths != nil, func(t fsm.ToolInfo) bool { return t.Files }, "works on files",
			"the files of a command come as Read, Write and Delete"},
		{"starts", r.Starts != nil, func(t fsm.ToolInfo) bool { return t.Starts }, "starts agents", "such as Agent"},
		{"changes", r.Changes != nil && *r.Changes, func(t fsm.ToolInfo) bool { return !t.Reads },
			"may change something", "leave `changes` out"},
		{"changes", r.Changes != nil && !*r.Changes, func(t fsm.ToolInfo) bool { return t.Reads || t.Name == "Bash" },
			"may be known to change nothing", "such as Bash or Read"},
	} {
		// Of a glob that means no known tool, and of a server's tool, nothing is known.
		mayFit := func(tool string) bool {
			known := fsm.FindTools(tool)
			return len(known) == 0 || slices.ContainsFunc(known, c.fits)
		}
		if c.applies && !slices.ContainsFunc(v.tools, mayFit) {
			tools := strings.Join(v.tools, ", ")
			message := fmt.Sprintf("found `%s` on %s, expected a tool that %s", c.key, tools, c.expected)
			k.reportKey(at.key(c.key), message, c.hint)
			return
		}
	}
}

func (c reading) compileRules(at trail) (out fsm.Rules) {
	s := c.rulesOf(at)
	for _, v := range s.Default.verbs() {
		out.Default = fsm.Rule{Name: "default", Place: c.placeOf(at.key("default")), Verdict: v.verdict,
			DelegateTo: c.expandAgents(s.Default.DelegateTo), Reason: s.Default.Reason}
	}
	for i, r := range s.Rules {
		out.List = append(out.List, c.compileRule(r, at.key("rules").item(i)))
	}
	return out
}

func (c reading) compileRule(r Rule, at trail) fsm.Rule {
	level, levelled := fsm.ParseLevel(r.Level)
	out := fsm.Rule{
		Name: r.Name, Place: c.placeOf(at),
		Paths: c.absoluteGlobs(r.Paths), Commands: c.parseCommands(r.Commands), Changes: r.Changes,
		Inputs: sortedInputs(r.Input),
		States: r.States, AdmittedIn: r.AdmittedIn, Agents: c.expandAgents(r.Agents), Starts: c.expandAgents(r.Starts),
		Env: sortedInputs(r.Env), UnlessEnv: sortedInputs(r.UnlessEnv),
		Budgeted: r.Budget != nil, ResetOn: r.ResetOn, Within: r.Within,
		DelegateTo: c.expandAgents(r.DelegateTo), Reason: r.Reason, Type: r.Type, Example: r.Example,
		Describe: r.Describe, Level: level, Levelled: levelled,
	}
	if r.Budget != nil {
		out.Budget = *r.Budget
	}
	if r.Confine != nil { // where the kernel cannot confine, the person is asked, if nothing is written
		out.Else = map[string]fsm.Verdict{"allow": fsm.Pass, "": fsm.Ask, "ask": fsm.Ask, "deny": fsm.Deny}[r.Else]
	}
	for _, v := range r.verbs() {
		out.Verdict = v.verdict
		for _, tool := range v.tools {
			out.Tools = append(out.Tools, fsm.CanonicalTool(tool))
		}
	}
	return out
}

// parseCommands splits patterns into words. One that cannot be read is left out: it is
// reported. A group has the commands that the config adds to it.
func (c *Config) parseCommands(patterns []string) (out [][]string) {
	for _, group := range patterns {
		patterns = append(slices.Clip(patterns), c.Commands[group]...)
	}
	for _, p := range patterns {
		if words, err := shell.ParsePattern(p); err == nil {
			out = append(out, words)
		}
	}
	return out
}

func sortedInputs(m map[string]string) (out []fsm.Input) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fsm.Input{Name: name, Value: m[name]})
	}
	return out
}

// checkHidden reports rules that never decide anything, because earlier ones decide whatever
// they fit. A rule with another problem neither hides nor is hidden.
func (k *checker) checkHidden(at trail, wrong []bool) {
	rules := k.compileRules(at)
	for i, isWrong := range wrong {
		if isWrong {
			rules.List[i].Tools = nil
		}
	}
	name := func(i int) trail { return at.key("rules").item(i).key("name") }
	for i := range rules.List {
		var by []string
		for _, j := range rules.Covered(i, k.stateNames()) {
			by = append(by, fmt.Sprintf("%s in line %d", quoteShort(rules.List[j].Name), k.lineOf(name(j))))
		}
		if len(by) > 0 {
			k.report(name(i), fmt.Sprintf("found rule %s that never decides: %s always does",
				quoteShort(rules.List[i].Name),
				strings.Join(by, " or ")), "put the narrower rule first")
		}
	}
}

// A ToolUse says what the inputs of a server's tool are for: their names, separated by
// spaces.
type ToolUse struct {
	Reads   string `koanf:"reads" as:"inputs"`
	Writes  string `koanf:"writes" as:"inputs"`
	Deletes string `koanf:"deletes" as:"inputs"`
	Runs    string `koanf:"runs" as:"inputs"`
}

// compileTools lists what the config says of servers' tools: names before globs, and of
// globs the longest first.
func (c *Config) compileTools() (out []fsm.ToolUse) {
	names := slices.SortedFunc(maps.Keys(c.Tools), func(a, b string) int {
		if fsm.IsGlob(a) != fsm.IsGlob(b) {
			return cmp.Compare(strings.IndexAny(a, "*?["), strings.IndexAny(b, "*?["))
		}
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for _, name := range names {
		u := c.Tools[name]
		out = append(out, fsm.ToolUse{Tool: name, Reads: strings.Fields(u.Reads), Writes: strings.Fields(u.Writes),
			Deletes: strings.Fields(u.Deletes), Runs: strings.Fields(u.Runs)})
	}
	return out
}
