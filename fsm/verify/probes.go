package verify

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// anyName is what fillGlob puts for a star. No config is likely to have it, so it also
// stands for agents, files and commands that no rule names.
const anyName = "zq7"

// A probe is one call of one caller that is asked of both policies.
type probe struct {
	caller string // the type of an agent; empty for the main agent
	kind   string // tools or commands
	part   fsm.Part
	input  map[string]string
	start  *fsm.Start
	kernel string // what can confine a shell line
	target string // what the tool is called for, for people
	times  int    // how often in a row, for budgets
	gaps   int    // how many other calls may lie between two of them, for `within`
}

// An answer is a policy's answer to a probe, and when it is asked.
type answer struct {
	fsm.Decision
	when string
}

// ask asks a policy: once, again until every budget is used up, and after others. The caller is that
// of the place.
func (p probe) ask(x *explored, at place, env map[string]string) (out []answer) {
	s, by := x.enter(at)
	e := request(by, p.part)
	if p.start != nil && p.start.How == fsm.ByAgent {
		e.Tool.Input[agentInput] = p.start.Type
	}
	maps.Copy(e.Tool.Input, p.input)
	e.Tool.Starts, e.Facts = p.start, fsm.Facts{Env: env, Kernel: p.kernel}
	used := s
	for i := range p.times {
		part := p.part // a budget of changes counts files: each call is about another one that the glob names
		if at := strings.LastIndex(part.Path, anyName); i > 0 && at >= 0 && fsm.ChangesFiles(part.Tool) {
			part.Path = part.Path[:at] + anyName + fmt.Sprint(i) + part.Path[at+len(anyName):]
		}
		e.Tool.UseID, e.Tool.Parts = fmt.Sprint("probe", i), []fsm.Part{part}
		var a answer
		used, a.Decision = x.Judge(used, e)
		used.Budgets.Recent = nil
		for n := range used.Budgets.Uses {
			used.Budgets.Uses[n].Files = nil // each call is about another file
		}
		if i > 0 {
			a.when = fmt.Sprintf(", from call %d on", i+1)
		}
		out = append(out, a)
	}
	for n := range p.gaps {
		s.Budgets.Recent = recentCalls(by, p.part.Tool, n)
		_, d := x.Judge(s, e)
		out = append(out, answer{d, fmt.Sprintf(", again after %d others", n)})
	}
	return out
}

// printValues prints values with their names, each in this format.
func printValues(format string, values map[string]string) (text string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text += fmt.Sprintf(format, name, printName(values[name]))
	}
	return text
}

// printName prints a name that was made of a glob as the glob.
func printName(name string) string {
	if name == anyName {
		return "any other"
	}
	return strings.ReplaceAll(name, anyName, "*")
}

// A drawer draws the probes for two policies.
type drawer struct {
	rules []fsm.Rule
	out   []probe
}

// drawProbes lists calls that the rules of the policies tell apart, each by all callers
// that they tell apart, and calls that no rule names; agents are those
// that other agents may start.
func drawProbes(agents []string, policies ...*fsm.Policy) (out []probe) {
	for _, ofMain := range []bool{true, false} {
		var d drawer
		for _, p := range policies {
			if ofMain {
				d.rules = append(d.rules, p.Main.List...)
			} else {
				d.rules = append(d.rules, p.Subagents.List...)
			}
		}
		files := d.listFiles()
		for _, tool := range d.listTools() { // each with each path and command that a rule names
			info := fsm.FindTools(tool)
			switch {
			case tool == "Bash":
				d.drawCommands()
			case len(info) == 1 && info[0].Files:
				for _, f := range files {
					d.add(probe{kind: ofTools, target: f.target, part: fsm.Part{Tool: tool, Path: f.path}})
				}
			default:
				d.add(probe{kind: ofTools, target: anyTarget, part: fsm.Part{Tool: tool}})
			}
		}
		d.drawStarts("Skill", fsm.BySkill, nil)
		if !ofMain { // the main agent's starts are compared one by one
			d.drawStarts("Agent", fsm.ByAgent, agents)
		}
		callers := []string{""}
		if !ofMain {
			callers = []string{anyName}
			for _, r := range d.rules {
				for _, pattern := range r.Agents {
					callers = append(callers, listMatches(pattern)...)
				}
			}
		}
		for _, caller := range sortedUnion(callers) {
			for _, p := range d.out {
				p.caller = caller
				out = append(out, p)
			}
		}
	}
	return out
}

// add adds a call: with each input that a rule names, with and without a kernel that can confine it.
func (d *drawer) add(p probe) {
	p.times = 1
	kernels := []string{""}
	for _, r := range d.rules {
		if !r.CoversTool(p.part.Tool) {
			continue
		}
		p.gaps = max(p.gaps, r.Within)
		if r.Budgeted {
			p.times = max(p.times, min(r.Budget, mostTimes)+1)
		}
		if r.Verdict == fsm.Confine {
			kernels = []string{"", anyName}
		}
	}
	for _, p.input = range listInputs(p.part.Tool, d.rules) {
		for _, p.kernel = range kernels {
			d.out = append(d.out, p)
		}
	}
}

// drawStarts draws calls of a tool that start agents: those that the tool's rules name,
// and others.
func (d *drawer) drawStarts(tool string, how fsm.How, others []string) {
	covered, named := d.listStarts(tool)
	if !covered {
		return
	}
	for _, name := range sortedUnion(named, others, []string{anyName}) {
		d.add(probe{kind: ofAgents, target: "that starts " + printName(name), part: fsm.Part{Tool: tool},
			start: &fsm.Start{How: how, Type: name, Name: name}})
	}
}

// listStarts lists the agents that the rules of a tool name, and reports whether any rule
// is about the tool.
func (d *drawer) listStarts(tool string) (covered bool, names []string) {
	for _, r := range d.rules {
		if r.CoversTool(tool) {
			covered = true
			for _, pattern := range r.Starts {
				names = append(names, listMatches(pattern)...)
			}
			for _, in := range r.Inputs {
				if in.Name == agentInput && tool == "Agent" {
					names = append(names, listMatches(in.Value)...)
				}
			}
		}
	}
	return covered, names
}

// mostTimes bounds how often a call is repeated to use up a budget.
const mostTimes = 50

// listTools lists the known tools except the one that starts agents, one unknown, and
// what else rules name.
func (d *drawer) listTools() []string {
	out := []string{anyName, "mcp__" + anyName + "__" + anyName}
	for _, t := range fsm.KnownTools() {
		out = append(out, t.Name)
	}
	for _, r := range d.rules {
		for _, glob := range r.Tools {
			if len(fsm.FindTools(glob)) == 0 {
				out = append(out, fillGlob(glob)...)
			}
		}
	}
	return slices.DeleteFunc(sortedUnion(out), func(t string) bool { return t == "Agent" })
}

// anyTarget is what a tool is called for that no rule names.
const anyTarget = "of anything else"

// A file is one that a glob matches, and the glob.
type file struct{ path, target string }

// listFiles lists files for the globs of all rules, one that none names and one that
// cannot be known.
func (d *drawer) listFiles() []file {
	out := []file{{"/" + anyName + "/" + anyName, anyTarget}, {shell.Unknown, "of a file that cannot be known"}}
	for _, r := range d.rules {
		for _, glob := range r.Paths {
			for _, g := range expandBraces(glob) {
				for _, deep := range []string{anyName, anyName + "/" + anyName} {
					f := file{findMatch(strings.ReplaceAll(g, "**", deep)), "of " + glob}
					if !slices.ContainsFunc(out, func(o file) bool { return o.path == f.path }) {
						out = append(out, f)
					}
				}
			}
		}
	}
	return out
}

// expandBraces expands {a,b} in a glob. A brace in braces is read as a letter: the group ends at the first that closes.
func expandBraces(glob string) (out []string) {
	open := strings.IndexByte(glob, '{')
	end := strings.IndexByte(glob[max(open, 0):], '}')
	if open < 0 || end < 0 {
		return []string{glob}
	}
	for _, s := range strings.Split(glob[open+1:open+end], ",") {
		for _, rest := range expandBraces(glob[open+end+1:]) {
			out = append(out, glob[:open]+s+rest)
		}
	}
	return out
}

// drawCommands draws the commands that rules name, alone, with one more word or
// subcommand, without the last, and inside sudo; what cannot be known; a command that
// only shows something; and one that no rule names.
func (d *drawer) drawCommands() {
	for _, group := range fsm.CommandGroups() {
		part, what := groupPart(group)
		d.add(probe{kind: ofCommands, target: what, part: part})
	}
	lines := []string{"ls", anyName}
	for _, r := range d.rules {
		for _, c := range r.Commands {
			var words []string
			for _, w := range c {
				words = append(words, findMatch(w))
			}
			line := strings.Join(words, " ")
			if _, what := groupPart(line); what == "" {
				lines = append(lines, line, line+" "+anyName, "sudo "+line,
					strings.Join(words[:max(1, len(words)-1)], " "))
				lines = append(lines, listSubcommands(line)...)
			}
		}
	}
	_, clients := d.listStarts("Bash")
	for _, name := range sortedUnion(clients) {
		d.add(probe{kind: ofCommands, target: "that starts the client " + printName(name),
			part: fsm.Part{Tool: "Bash", Words: []string{name}, Client: name}})
	}
	for _, line := range sortedUnion(lines) {
		if part, ok := commandPart(line); ok {
			d.add(probe{kind: ofCommands, target: printLine(line), part: part})
		}
	}
}

// listSubcommands lists lines with a subcommand, for a program of which all are known: any
// other word there is code that cannot be known.
func listSubcommands(line string) (out []string) {
	if part, ok := commandPart(line + " " + anyName); !ok || !part.Code {
		return nil
	}
	for _, word := range strings.Fields("push commit install build apply create add run start update") {
		if part, ok := commandPart(line + " " + word); ok && !part.Code && !part.Shows && len(out) < 2 {
			out = append(out, line+" "+word)
		}
	}
	return out
}

// groupTexts is what people read of a command of each group.
var groupTexts = map[string]string{
	fsm.UnknownCode:        "of what cannot be known",
	fsm.BuildCommands:      "that builds a project",
	fsm.TestCommands:       "that tests a project",
	fsm.RemoteCommands:     "that leaves this machine",
	fsm.DestroyingCommands: "that destroys what no undo brings back",
	fsm.CommandsElsewhere:  "that hands work to another process",
}

// groupPart is a command of a group, and what people read of it: "" for another pattern.
func groupPart(pattern string) (part fsm.Part, what string) {
	part = fsm.Part{Tool: "Bash", Words: []string{anyName}}
	switch what = groupTexts[pattern]; {
	case pattern == fsm.UnknownCode:
		part = fsm.Part{Tool: "Bash", Code: true}
	case pattern == fsm.TestCommands:
		part.Groups = []string{fsm.BuildCommands, fsm.TestCommands}
	case what != "":
		part.Groups = []string{pattern}
	}
	return part, what
}

func printLine(line string) string {
	start, more := strings.CutSuffix(line, " "+anyName)
	switch {
	case line == anyName:
		return anyTarget
	case more:
		return "`" + printName(start) + " …`"
	}
	return "`" + printName(line) + "`"
}

// commandPart is the last command that a line runs.
func commandPart(line string) (fsm.Part, bool) {
	all := listCommands(line)
	if len(all) == 0 {
		return fsm.Part{}, false
	}
	return all[len(all)-1], true
}

// listCommands lists the commands that a line runs.
func listCommands(line string) (out []fsm.Part) {
	for _, c := range shell.Parse(line, shell.Options{}) {
		if c.Kind == shell.Command && len(c.Words) > 0 {
			out = append(out, fsm.CommandPart(c))
		}
	}
	return out
}

// listCandidates lists agents that represent all that may start in a state: those that states, rules
// and these other patterns tell apart, and those that exist. Without states they are all.
func (x *explored) listCandidates(state string, patterns ...string) []string {
	key := strings.Join(append([]string{state}, patterns...), "\x00")
	if out, known := x.open[key]; known {
		return out
	}
	names, out := x.listNames(), []string{}
	for _, r := range x.Subagents.List {
		patterns = append(patterns, r.Agents...)
	}
	for _, pattern := range append(patterns, "*") {
		names = append(names, listMatches(pattern)...)
	}
	for _, name := range names {
		if x.admits(state, name) {
			out = addMissing(out, name)
		}
	}
	x.open[key] = out
	return out
}

// anyWorker is an agent that every client has.
const anyWorker = "general-purpose"

// listNames lists the agents that states and rules can tell apart.
func (x *explored) listNames() []string {
	var patterns, inputs, out []string
	for _, st := range x.States {
		for _, t := range st.Triggers {
			patterns = append(patterns, t.Agents...)
		}
	}
	for _, r := range x.Main.List {
		for _, in := range r.Inputs {
			inputs = append(inputs, in.Value)
		}
		inputs = append(inputs, r.Starts...)
	}
	for _, p := range slices.Concat(patterns, inputs) {
		out = append(out, listMatches(p)...)
	}
	put := func(a, b string) string { return strings.ReplaceAll(a, "*", strings.ReplaceAll(b, "*", "")) }
	for _, a := range patterns {
		for _, b := range inputs { // names that both may mean: the fixed part of one in place of the star of the other
			if fsm.IsGlob(a) && fsm.IsGlob(b) {
				out = slices.Concat(out, listMatches(put(a, b)), listMatches(put(b, a)))
			}
		}
	}
	for _, a := range x.known {
		out = append(out, a.Name)
	}
	return out
}

// maxMatches is how many names stand for one pattern: a class of characters has no
// more.
const maxMatches = 128

// listMatches lists names that a pattern of agents matches. A name matches itself.
// The names for a glob are unlikely in other patterns, so that an earlier trigger does
// not hide them.
func listMatches(pattern string) []string {
	return slices.DeleteFunc(fillGlob(pattern), func(name string) bool {
		return name == "" || !fsm.NamesAgent(pattern, name)
	})
}

// findMatch is a text that a glob matches.
func findMatch(glob string) string { return fillGlob(glob)[0] }

// fillGlob fills in everything that a glob leaves open.
func fillGlob(glob string) []string {
	out := []string{""}
	for rest := glob; rest != ""; {
		var pieces, longer []string
		pieces, rest = nextPiece(rest)
		for _, start := range out {
			for _, p := range pieces {
				longer = append(longer, start+p)
			}
		}
		out = longer[:min(len(longer), maxMatches)]
	}
	return out
}

// nextPiece is what the beginning of a glob may stand for, and the rest of the glob.
func nextPiece(glob string) (names []string, rest string) {
	switch glob[0] {
	case '*':
		return []string{"zq7", ""}, glob[1:]
	case '?':
		return []string{"q", "7", "z"}, glob[1:]
	case '[':
		if end := strings.IndexByte(glob[1:], ']'); end > 0 {
			class := glob[:2+end] // of its characters those that it names, and of what names are made of
			for _, c := range class + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:" {
				if ok, _ := path.Match(class, string(c)); ok {
					names = addMissing(names, string(c))
				}
			}
			if len(names) > 0 {
				return names, glob[2+end:]
			}
		}
	case '\\':
		if len(glob) > 1 {
			return []string{glob[1:2]}, glob[2:]
		}
	}
	return []string{glob[:1]}, glob[1:]
}
