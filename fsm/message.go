package fsm

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// What the machine and the rules say to agents stands in this file, and short sentences where
// they are decided: one paragraph, plain text. None says how to switch anything off. Only notices for the user
// do, at the end. Agents also read the self-check (selfcheck.go), the texts of the
// config, and what the hook says when it fails or answers a typed command (cmd/pipeline).

func startOneOf(agents []string) string {
	if len(agents) == 0 {
		return "no agent may start here; finish the turn and report to the user"
	}
	return "start one of: " + listShort(agents, 160)
}

const ifMain = "If you are the main agent: "

func graphMistakes(what, mistakes string) string {
	return what + " has mistakes: " + mistakes + ". Fix them and send it again, as a ```json block with \"phases\"."
}

// checksFailed is what checks have found, for the agent that made the edit.
func checksFailed(results []CheckResult) string {
	var out []string
	for _, r := range results {
		if !r.OK && !r.Missing {
			out = append(out, fmt.Sprintf("The check %s fails:\n%s", r.Name, strings.TrimSpace(r.Output)))
		}
	}
	return strings.Join(out, "\n")
}

func gateFailed(run, output string) string {
	return fmt.Sprintf("The command %q must succeed first, and fails. The end of what it printed:\n%s",
		short(run, 80), strings.TrimSpace(output))
}

// What a pending notice is about.
type noticeKind string

const (
	asItIs       noticeKind = ""             // what Why says, at any time
	notCounted   noticeKind = "not-counted"  // an agent's result does not count
	agentFailed  noticeKind = "agent-failed" // an agent failed on which the state waits
	stateStays   noticeKind = "state-stays"  // an agent came back, and the state stays
	personAsked  noticeKind = "person-asked" // a person must agree to an agent's result
	personAgreed noticeKind = "person-agreed"
)

// wordNotice puts a notice into words, as things stand now; empty where it no longer holds.
func (st *situation) wordNotice(n PendingNotice) string {
	switch n.About {
	case notCounted:
		return fmt.Sprintf("The result of agent %q does not count: %s. %s", short(n.Agent, 60), n.Why,
			st.whereItStands())
	case agentFailed, stateStays:
		stays := fmt.Sprintf("Agent %q %s, so the pipeline stays in %s.", short(n.Agent, 60), n.Why, st.s.State)
		switch isFailed, isHere := n.About == agentFailed, n.Visit == st.s.Visit; {
		case isFailed && isHere:
			return stays + " Next: " + st.describeNext(Agent{}) + "."
		case isFailed:
			return countsAsFailed(n.Agent, n.Why)
		case isHere:
			return stays
		}
	case personAsked:
		if a := st.s.Approval; a != nil {
			return fmt.Sprintf("Agent %q came back. The user must agree before the pipeline goes on: %s. "+
				"End your turn and say so.", short(a.Agent, 60), short(a.Ask, 160))
		}
	case personAgreed:
		return strings.TrimSpace(fmt.Sprintf("The user agrees to what agent %q found. %s", short(n.Agent, 60),
			st.whereItStands()))
	case asItIs:
		return n.Why
	}
	return ""
}

func countsAsFailed(agent, why string) string {
	return fmt.Sprintf("Agent %q %s: it counts as failed.", short(agent, 60), why)
}

// moreNotices ends notices for the main agent that became too many.
const moreNotices = "More agents came back and do not count: start again what the pipeline asks for."

// A refusal says what is refused, why, and what to do instead.

// refusalRoom bounds the text of a refusal, in characters.
const refusalRoom = 399

// refusalText is a rule's objection: what is refused, why, and what to do instead. A
// question is for the person who answers it. Of a long text the reason is shortened.
func (st *situation) refusalText(r *Rule, part Part, attempt, times int, v Verdict) (text, proposed string) {
	what, who, rule := st.describePart(part), callerName(st.e.Agent), ruleName(r.Name)
	switch {
	case v == Ask && part.Tool == "Bash":
		text = fmt.Sprintf("Allow %s to run %s (rule %s)?", who, what, rule)
	case v == Ask:
		text = fmt.Sprintf("Allow %s by %s (rule %s)?", what, who, rule)
	case r.Verdict == Warn:
		text = fmt.Sprintf("Advice on %s (rule %s).", what, rule)
	case times > 1:
		text = fmt.Sprintf("%s is refused again (rule %s, %d times).", capitalize(what), rule, times)
	default:
		if !st.e.Agent.IsOrchestrator() && len(r.AdmittedIn) > 0 {
			who += " that started in " + st.admittedIn()
		} else if !st.e.Agent.IsOrchestrator() && len(r.States) > 0 {
			who += " in state " + st.s.State
		}
		text = fmt.Sprintf("%s is not for %s (rule %s).", capitalize(what), who, rule)
	}
	if attempt > 0 {
		var files []string
		if b := st.s.findBudget(r.Name, st.e.Agent.ID); b != nil {
			for _, f := range b.Files[max(0, len(b.Files)-3):] {
				files = append(files, short(st.nameFile(f), 40))
			}
		}
		text += fmt.Sprintf(" This is attempt %d of %d", attempt, r.Budget)
		if len(files) > 0 {
			text += " (so far: " + strings.Join(files, ", ") + ")"
		}
		text += "."
	}
	if v == Ask { // it is read by the person who answers
		return short(strings.TrimSpace(text+" "+endSentence(st.e.Say(r.Reason))), refusalRoom), ""
	}
	way, proposed := search{st, part}.proposeInstead(r, times)
	text = short(text, refusalRoom-1-len([]rune(way)))
	if room := refusalRoom - len([]rune(text+way)) - 2; r.Reason != "" && room > 20 {
		text += " " + short(endSentence(st.e.Say(r.Reason)), room)
	}
	return text + " " + way, proposed
}

func callerName(a Agent) string {
	if a.IsMain() {
		return "the main agent"
	}
	return fmt.Sprintf("agent %q", short(a.Type, 40))
}

func ruleName(name string) string { return short(cmp.Or(name, DefaultRule), 40) }

// proposeInstead names what can be done instead, and the agent type that it proposes. The
// main agent delegates, but nothing that cannot be undone; another agent reports.
func (q search) proposeInstead(r *Rule, times int) (text, proposed string) {
	kept := Rule{Verdict: Deny, Commands: q.p.NeverDelegated}
	if !q.e.Agent.IsOrchestrator() && len(r.DelegateTo) == 0 || kept.Commands != nil && kept.fitsCommand(q.part) {
		return leaveOut, ""
	}
	w, isOwn := q.findWay(r), findTool(q.part.Tool).Own
	switch {
	case len(w.agents) > 0 && times == 1 && r.Describe:
		return fmt.Sprintf("Delegate it to one of: %s. For example: %s.", q.p.describeAgents(w.agents, 170),
			q.callFor(w.agents[0], short(q.delegationPrompt(), 60))), w.agents[0]
	case r.Example != "" && times == 1 && (len(w.agents) > 0 || isOwn):
		return "Instead: " + short(q.e.Say(r.Example), 130), ""
	case len(w.agents) > 0:
		proposed = w.agents[0]
		if q.e.Tool.Starts != nil {
			return "Instead: " + q.callFor(proposed, "…") + ".", proposed
		}
		return "Delegate it: " + q.callFor(proposed, short(q.delegationPrompt(), 70)) + ".", proposed
	case !q.e.Agent.IsOrchestrator():
		return leaveOut, ""
	case isOwn:
		return "Go on without it, or end your turn.", ""
	}
	return q.describeWait(w)
}

const leaveOut = "Leave it out, and say in your final message what you would have done."

// describeWait says what the pipeline waits for before a call can be made, and where such
// calls are made.
func (q search) describeWait(w way) (text, proposed string) {
	if w.state != "" && w.state != q.s.State {
		done, _ := nameWork(q.part.Tool)
		text = done + " in " + w.state + "; "
	}
	switch a := q.s.Approval; {
	case a != nil:
		return "The " + mustAgree(*a) + " and say so.", ""
	case w.running != "":
		text += q.isRunning(w.running)
	case w.next != "":
		text += "the next step is " + short(w.next, 60) + ", with the user's task"
	case w.trigger == TurnEnds:
		text += "end your turn, which leads there"
	case w.trigger == PlanApproved:
		text += q.e.Say("a plan that the user approves (ExitPlanMode) leads there")
	default:
		return "Finish the turn and tell the user what is needed.", ""
	}
	if w.running == "" && w.next != "" {
		text = strings.ToUpper(text[:1]) + text[1:] // not the name of an agent
	}
	return text + ".", w.next
}

// nameWork says that what a tool does is done somewhere, and how one would ask an agent for
// it, up to the name of a file.
func nameWork(tool string) (done, ask string) {
	switch {
	case tool == "Delete":
		return "Files are changed", "Delete "
	case ChangesFiles(tool):
		return "Files are changed", "Implement … in "
	case isReading(tool):
		return "Files are read and searched", "Find out … in "
	case tool == "Bash":
		return "Such commands run", "Run … and report what it prints"
	}
	return tool + " is used", "…"
}

// delegationPrompt is how one would ask an agent for what was refused.
func (q search) delegationPrompt() string {
	part := q.part
	_, ask := nameWork(part.Tool)
	switch {
	case len(part.Words) > 0:
		return "Run " + short(q.describePart(part), 40) + " and report what it prints"
	case !strings.HasSuffix(ask, " "):
		return ask
	case part.Path == "" || part.Path == shell.Unknown:
		return ask + "…"
	}
	return ask + q.nameFile(part.Path)
}

// isRunning says how to wait for an agent. Of a host that delivers no result after a turn's end only a wait learns that
// an agent has failed.
func (st *situation) isRunning(agent string) string {
	if wait := st.e.Starter.Wait; wait != "" {
		return short(agent, 60) + " is running; wait for it (" + wait + ")"
	}
	return short(agent, 60) + " is running; end your turn, its result will be delivered"
}

func mustAgree(a Approval) string {
	return "user must agree first (" + short(a.Ask, 80) + "); end your turn"
}

// callFor is a call of the host's tool that starts an agent.
func (st *situation) callFor(agent, prompt string) string {
	tool := st.e.Starter
	if tool.Tool == "" {
		return fmt.Sprintf("start agent %q with the prompt %q", agent, prompt)
	}
	args := fmt.Sprintf("%s=%q, ", tool.Agent, agent)
	if tool.Describe != "" {
		args += tool.Describe + "=\"…\", "
	}
	return fmt.Sprintf("%s(%s%s=%q)", tool.Tool, args, tool.Prompt, prompt)
}

// describeAgents lists as many agents as there is room for, with their descriptions.
func (p *Policy) describeAgents(names []string, room int) (out string) {
	for _, name := range names {
		line := name
		for _, a := range p.Agents {
			if sameAgent(a.Name, name) && a.Description != "" {
				line += " (" + strings.TrimRight(short(a.Description, 60), ".") + ")"
			}
		}
		if out != "" {
			if line = ", " + line; len([]rune(out+line)) > room {
				break
			}
		}
		out += line
	}
	return out
}

// describeNext is what an agent can do now that wants to start another one.
func (st *situation) describeNext(caller Agent) string {
	if st.verdictOnly {
		return ""
	}
	if a := st.s.Approval; a != nil && caller.IsMain() {
		return "the " + mustAgree(*a)
	}
	by := *st
	by.e.Agent = caller
	q, m, atWork := search{situation: &by}, st.s.Machine, by.listAtWork()
	if caller.IsMain() { // the state waits for an agent whose completion leads out of it
		for _, r := range atWork {
			if t := q.table().Admits(m.State, r.Type); t != nil && !t.Helper && t.To != m.State && r.isOfMain() &&
				r.Visit == m.Visit && r.Epoch == m.Epoch {
				return st.isRunning(r.Type)
			}
		}
	}
	startable := q.listStartable()
	switch {
	case len(startable) > 0:
		return startOneOf(startable)
	case len(atWork) > 0 && caller.IsMain():
		return st.isRunning(atWork[0].Type)
	case !caller.IsMain():
		return "do it yourself as far as you may, or report what is left"
	}
	return startOneOf(nil)
}

// describePart names a part for people, without the secrets in it.
func (st *situation) describePart(p Part) string {
	switch {
	case len(p.Words) > 0:
		line, parts := [][]string{p.Words}, st.e.Tool.Parts
		at := slices.IndexFunc(parts, func(q Part) bool { return slices.Equal(q.Words, p.Words) })
		for _, q := range parts[at+1:] { // it may read a password that this one prints
			line = append(line, q.Words)
		}
		line, _ = redact.Line(line, st.e.Tool.Command)
		return strings.ReplaceAll(short(strings.Join(line[0], " "), 60), shell.Unknown, "?")
	case p.Code:
		return "a command that cannot be known beforehand"
	case p.Path == shell.Unknown:
		return st.nameTool(p) + " of a file that cannot be known"
	case p.Path != "":
		return st.nameTool(p) + " of " + short(st.nameFile(p.Path), 50)
	}
	return st.nameTool(p)
}

// nameTool is a part's tool in the words of the host.
func (st *situation) nameTool(p Part) string {
	if p.Tool == st.e.Tool.Name {
		return cmp.Or(st.e.Tool.Native, p.Tool)
	}
	return p.Tool
}

// The notices for the user. They alone name the user's ways out.

// describeRefused says which call was refused, why and how often, and the way out.
func (st *step) describeRefused(times int) string {
	what := short(cmp.Or(st.e.Tool.Native, st.e.Tool.Name), 60)
	if start := st.e.Tool.Starts; start != nil {
		what = "the start of " + short(cmp.Or(start.Type, start.Name, "a workflow"), 40)
	}
	if !st.e.Agent.IsMain() {
		what += " by " + callerName(st.e.Agent)
	}
	if st.Rule == RuleProtect {
		i := slices.IndexFunc(st.e.Tool.Parts, func(p Part) bool { return p.Guards != "" })
		return fmt.Sprintf("refused %s: agents may not touch %s, only you may", what, st.e.Tool.Parts[i].Guards)
	}
	if st.s.State != "" {
		what += " in " + st.s.State
	}
	text := fmt.Sprintf("refused %s (rule %s)", what, ruleName(st.Rule))
	if times > 1 {
		text += fmt.Sprintf(", %d times in this session", times)
	}
	return text + "; " + st.wayOut(st.Rule)
}

// wayOut is how the person lets pass what a rule refuses.
func (st *situation) wayOut(rule string) string {
	if st.p.Ceiling.binds(rule) || st.p.Ceiling.Level > Guidance {
		return "locked by " + st.p.Ceiling.Place
	}
	if st.e.Host.NoCommands {
		return "pipeline once in a terminal lets the next turn through"
	}
	return "/pipeline once lets the next turn through"
}

// askPerson asks the person for what the machine waits for.
func (st *step) askPerson() {
	a, what := st.s.Approval, "the result"
	if a.Again {
		what = "another result than before,"
	}
	way, pipeline := st.e.Host.takesCommands("Type ")
	st.notify("waits for you: %s (%s %s of %s). %s%s %s, or %[6]s reject REASON",
		short(a.Ask, 160), what, a.Hash(), short(a.Agent, 60), way, pipeline, a.Command())
}

// What is printed in place of a rule without a name, and of no state.
const (
	DefaultRule = "default"
	noState     = "(no state)"
)

// short cuts a text at a word, to at most n characters.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n-1])
	if i := strings.LastIndex(cut, " "); i > n/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

func listShort(names []string, n int) string { return short(strings.Join(names, ", "), n) }

func countOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", more)
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func capitalize(s string) string {
	if strings.HasPrefix(s, "a command") || strings.HasPrefix(s, `agent "`) {
		return "A" + s[1:]
	}
	return s
}

func endSentence(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}

// nameFile is the path of a file, without the secrets in it: from the caller's folder, if
// it lies there. Of a long path it is the end.
func (st *situation) nameFile(path string) string {
	const most = 40
	if rel, err := filepath.Rel(st.e.Dir, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	name := redact.Text(path)
	for rest := name; len([]rune(name)) > most; name = "…/" + rest {
		_, after, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		rest = after
	}
	return name
}
