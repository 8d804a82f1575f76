package config

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// checkState checks one state.
func (k *checker) checkState(name string) {
	s, at := k.States[name], to("states", name)
	if !isWord(name, "", "_-") {
		k.reportKey(at, fmt.Sprintf("found state name %s, expected a letter, then letters, digits, _ and -", quoteShort(name)), "")
	}
	k.checkTarget(at.key("on_complete"), s.OnComplete)
	k.checkTarget(at.key("on_stop"), s.OnStop)
	k.checkCaptureName(at.key("capture"), s.Capture)
	k.checkUselessKeys(s, at)
	k.checkMoves(s, at.key("moves"))
	k.checkTriggers(s, at)
	k.checkClear(s, at.key("clear"))
	k.checkTemplate(at.key("inject"), s.Inject)
	k.checkTemplate(at.key("brief"), s.Brief)
}

// checkUselessKeys reports keys that say nothing because what they are about is missing.
func (k *checker) checkUselessKeys(s State, at trail) {
	if len(s.Agents)+len(s.Helpers)+len(s.Moves) == 0 {
		k.reportKey(at, "found a state in which no agent may run, expected `agents`, `helpers` or `moves`", "")
		return
	}
	if s.Agents == nil && s.OnComplete != "" {
		k.reportKey(at.key("on_complete"), "found `on_complete` without `agents`, expected those whose completion counts", "")
	}
	if s.Agents == nil && s.Capture != "" {
		k.reportKey(at.key("capture"), "found `capture` without `agents`, expected those whose message is kept", "")
	}
	if s.Agents == nil && s.Moves == nil && s.OnStop != "" {
		k.reportKey(at.key("on_stop"), "found `on_stop` without `agents`, expected those whose work the turn is to end", "")
	}
}

func (k *checker) checkMoves(s State, at trail) {
	for i, m := range s.Moves {
		k.checkPattern(at.item(i).key("agent"), m.Agent)
		k.checkRegexp(at.item(i).key("says"), m.Says)
		k.checkTarget(at.item(i).key("to"), m.To)
		k.checkCaptureName(at.item(i).key("capture"), m.Capture)
		k.checkGate(at.item(i).key("gate"), m.Gate)
	}
}

// A written trigger is one as the user wrote it, and where.
type written struct {
	name  string
	agent string
	says  bool
	at    trail
}

// checkTriggers checks who is named in a state, and that nobody is named twice: only the first would count.
func (k *checker) checkTriggers(s State, at trail) {
	var all []written
	for i, m := range s.Moves {
		all = append(all, written{m.triggerName(), m.Agent, m.Says != "", at.key("moves").item(i).key("agent")})
	}
	for i, a := range s.Agents {
		k.checkPattern(at.key("agents").item(i), a)
		all = append(all, written{a, a, false, at.key("agents").item(i)})
	}
	for i, a := range s.Helpers {
		k.checkPattern(at.key("helpers").item(i), a)
		all = append(all, written{a, a, false, at.key("helpers").item(i)})
	}
	for i, t := range all {
		if j := slices.IndexFunc(all[:i], t.repeats); j >= 0 {
			k.report(t.at, fmt.Sprintf("found %s again in this state, first in line %d", quoteShort(t.name), k.origins.at[all[j].at].value.line),
				"remove one of them: only the first would count")
		}
	}
}

// repeats reports whether an earlier trigger takes all that this one could.
func (t written) repeats(earlier written) bool {
	if earlier.says || t.says {
		return earlier.name == t.name
	}
	return earlier.agent == t.agent || !fsm.IsGlob(earlier.agent) && fsm.MatchAgent([]string{earlier.agent}, t.agent)
}

// checkPattern checks one pattern of agent types.
func (k *checker) checkPattern(at trail, pattern string) {
	group, isGroup := groupName(pattern)
	_, bad := path.Match(pattern, "")
	switch {
	case isGroup && k.origins.bad["groups"]:
	case isGroup && !slices.Contains(k.groupNames(), group):
		k.report(at, fmt.Sprintf("found group %s, expected one of `groups`", quoteShort(pattern)), hintGroup(group, k.groupNames()))
	case bad != nil:
		k.report(at, fmt.Sprintf("found glob %s that cannot be read, expected such as bash-* or [a-c]*", quoteShort(pattern)), "")
	case pattern == fsm.TurnEnds:
		k.report(at, fmt.Sprintf("found %s, expected the name of an agent", quoteShort(pattern)), "use on_stop")
	case strings.TrimSpace(pattern) != pattern:
		k.report(at, fmt.Sprintf("found %s, expected no blanks around it", quoteShort(pattern)), "")
	}
}

func hintGroup(name string, names []string) string {
	if meant := findNearest(name, names); meant != "" {
		return didYouMean("@"+name, []string{"@" + meant})
	}
	if len(names) == 0 {
		return "there are no groups"
	}
	return "the groups are " + listNames(names)
}

func (k *checker) checkRegexp(at trail, expr string) {
	if _, err := regexp.Compile(expr); err != nil {
		text := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		k.report(at, fmt.Sprintf("found a regular expression that cannot be read: %s", text), "")
	}
}

// checkCaptureName checks a name that becomes a file's and that templates must be able to name.
func (k *checker) checkCaptureName(at trail, name string) {
	if name == fsm.TasksCapture {
		k.report(at, fmt.Sprintf("found capture name %s, expected another: it is where the task graph is kept", quoteShort(name)), "")
	}
	if name != "" && !isWord(name, "_", "_") {
		k.report(at, fmt.Sprintf("found capture name %s, expected a letter, then letters, digits and _", quoteShort(name)), "")
	}
}

func (k *checker) checkClear(s State, at trail) {
	for i, name := range s.Clear {
		if names := k.captureNames(); !slices.Contains(names, name) {
			k.report(at.item(i), fmt.Sprintf("found %s, expected the name of a capture", quoteShort(name)), hintCapture(name, names))
		}
	}
}

func hintCapture(name string, names []string) string {
	switch hint := didYouMean(name, names); {
	case hint != "":
		return hint
	case len(names) == 0:
		return "nothing is captured"
	}
	return "captured are " + listNames(names)
}

// isWord reports whether a name begins with a letter or one of first, and goes on with letters, digits or one of more.
func isWord(name, first, more string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		digit := r >= '0' && r <= '9'
		if !letter && !(i == 0 && strings.ContainsRune(first, r)) && !(i > 0 && (digit || strings.ContainsRune(more, r))) {
			return false
		}
	}
	return name != "" && len(name) <= 64
}
