package config

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// A checker finds what is wrong beyond the shape of a config: names that lead nowhere,
// patterns that match nothing, templates that cannot be rendered.
type checker struct {
	reading
	problems []Problem
	faulty   map[trail]bool  // the sections with a problem among these
	texts    map[string]bool // the messages about a text, which is wrong wherever it is written
}

// report adds a problem about a value.
func (k *checker) report(p trail, message, hint string) {
	at := k.at[p]
	k.add(p, at.problemAt(at.valueAt(), message, hint))
}

// reportKey adds a problem about a key rather than about its value.
func (k *checker) reportKey(p trail, message, hint string) {
	at := k.at[p]
	k.add(p, at.problemAt(at.field.at, message, hint))
}

func (k *checker) add(p trail, problem Problem) {
	if !k.bad[p.section()] {
		k.problems = append(k.problems, problem)
		k.faulty[p.section()] = true
	}
}

// reportMissing reports that a key of the file's root is missing: in the last file that
// is not a local one.
func (k *checker) reportMissing(key, value, meaning string) {
	p := Problem{File: "config", Message: fmt.Sprintf("found no `%s`, expected one", key)}
	for _, f := range k.project.Files {
		if p.File == "config" || !strings.Contains(filepath.Base(f), ".local.") {
			p.File = f
		}
	}
	is := ": "
	if filepath.Ext(p.File) == ".toml" {
		is = " = "
	}
	p.Hint = "write " + key + is + value + meaning
	k.add(trail(key), p)
}

// checkBeside reports a key that has no effect without one of the others.
func (k *checker) checkBeside(at trail, key, expected string, others ...string) {
	isWritten := func(name string) bool { return k.isWritten(at.key(name)) }
	if !isWritten(key) || slices.ContainsFunc(others, isWritten) {
		return
	}
	for i, name := range others {
		others[i] = "`" + name + "`"
	}
	k.reportKey(at.key(key), fmt.Sprintf("found `%s` without %s, expected %s", key, JoinOr(others), expected), "")
}

func (k *checker) lineOf(p trail) int { return k.at[p].valueAt().line }

// A textCheck returns what is wrong with a text, and a hint; "" when nothing is.
type textCheck func(s string) (message, hint string)

// A fault is one thing that can be wrong with a text.
type fault struct {
	is             func(s string) bool
	expected, hint string
}

// refuse makes a check that reports the first fault that a text has.
func refuse(faults ...fault) textCheck {
	return func(s string) (message, hint string) {
		for _, f := range faults {
			if f.is(s) {
				return found(s, f.expected), f.hint
			}
		}
		return "", ""
	}
}

// wantOneOf makes a check of names that must exist.
func wantOneOf(names []string, expected, what string) textCheck {
	return func(s string) (message, hint string) {
		if slices.Contains(names, s) {
			return "", ""
		}
		return found(s, expected), hintAmong(s, names, what)
	}
}

// textChecks are the checks by the names that the tags use. Only a template is checked
// elsewhere, because its problems have lines of their own.
func (k *checker) textChecks() map[string]textCheck {
	glob := refuse(
		fault{isBadGlob, "a valid glob such as opus* or [0-9]", ""},
		fault{isRegexp, "a glob such as opus* or [0-9]", globHint})
	lockable := slices.DeleteFunc(keysOf(reflect.TypeFor[Config]()), func(k string) bool {
		return k == "version" || k == "locked"
	})
	return map[string]textCheck{
		"age":           checkMeasure("an age such as 90d", ageUnits, never),
		"captured":      k.checkCaptured,
		"check timeout": checkTimeout(checkMost),
		"command":       checkCommand,
		"command group": wantOneOf(fsm.CommandGroups()[1:], "a group of commands", "groups"),
		"gate timeout":  checkTimeout(gateMost, unbounded), // a person has all the time there is
		"glob":          glob,
		"lockable":      wantOneOf(lockable, "a section of the config", "sections"),
		"pattern":       k.checkPattern,
		"permission":    glob,
		"regexp":        checkRegexp,
		"size":          checkMeasure("a size such as 10MB", sizeUnits, never),
		"span":          checkMeasure("a duration such as 2h", spanUnits, unbounded),
		"state":         k.checkTarget,
		"tool":          checkTool,
		"agent": refuse(
			fault{func(s string) bool { return strings.HasPrefix(s, "@") || fsm.IsGlob(s) || hasSpaces(s) },
				"the name of an agent", ""}),
		"capture": refuse(
			fault{equals(fsm.TasksCapture), "another capture name: the task graph is kept under this one", ""},
			fault{isNot(variable), "a capture name: a letter, then letters, digits and _", ""}),
		"group name": refuse(
			fault{isNot(`[A-Za-z][\w-]{0,63}`), "a group name: a letter, then letters, digits, _ and -", ""}),
		"inputs": refuse(
			fault{isNot("[^,;\\[\\]{}\"']+"), "names of inputs such as path, separated by spaces", ""}),
		"path": refuse(
			fault{isBadPath, "a valid glob such as src/** or *.md", ""},
			fault{isRegexp, "a glob such as src/** or *.md", globHint},
			fault{leavesFolder, "a path in the project", "begin a path outside the project with / or ~/"},
			fault{isNot("~|~/.*|[^~].*"), "~/ for your own home directory", ""},
			fault{hasSpaces, noSpaces, ""}),
		"project glob": refuse(
			fault{func(s string) bool {
				return isBadPath(s) || path.IsAbs(s) || leavesFolder(s) || strings.HasPrefix(s, "~")
			}, "a glob of files in the project, such as features/*.json", ""}),
		"rule name": refuse(fault{isNot("[a-z0-9-]*"), "a rule name of small letters, digits and -", ""}),
		"server tool": refuse(
			fault{func(s string) bool { return isBadGlob(s) || hasSpaces(s) },
				"a name or glob such as mcp__files__save", ""},
			fault{isNoName, "a name or glob such as mcp__files__save", globHint},
			fault{func(s string) bool { return !strings.HasPrefix(s, "mcp__") && len(fsm.FindTools(s)) > 0 },
				"a tool of a server such as mcp__files__save", "what the client's own tools do is known"}),
		"skill": refuse(fault{isNot("[^/ \t][^ \t]*"), "a name", "leave out the slash and the arguments"}),
		"state name": refuse(
			fault{isNot(`[A-Za-z][\w-]{0,63}`), "a state name: a letter, then letters, digits, _ and -", ""}),
		"variable": refuse(
			fault{isNot(variable), "the name of an environment variable", "use letters, digits and _"}),
	}
}

// checkTags applies the checks that tags name to all that files say.
func (k *checker) checkTags() {
	checks := k.textChecks()
	for at, from := range k.at {
		if from.source == nil {
			continue
		}
		apply := func(tag, text string, report func(p trail, message, hint string)) {
			if check := checks[from.tag.Get(tag)]; check != nil {
				if message, hint := check(text); message != "" {
					k.texts[message] = true
					report(at, message, hint)
				}
			}
		}
		apply("name", from.key, k.reportKey)
		switch {
		case from.kind == isNumber:
			if message := outOfRange(from.plain().(int), from.tag.Get("range")); message != "" {
				k.report(at, message, "")
			}
		case from.kind == isText && from.tag.Get("as") == "template":
			k.checkTemplate(at, from.value.text)
		case from.kind == isText:
			apply("as", from.value.text, k.report)
		}
	}
}

// mergeRepeated makes one problem of a text that is wrong in several places, such as a
// group that is missing.
func (k *checker) mergeRepeated() (out []Problem) {
	first, lines := map[Problem]int{}, map[int][]string{}
	for _, p := range sortProblems(k.problems, k.project.Files) {
		same := Problem{File: p.File, Message: p.Message, Hint: p.Hint}
		i, isRepeated := first[same]
		line := strconv.Itoa(p.Line)
		switch {
		case !isRepeated || !k.texts[p.Message]:
			first[same], out = len(out), append(out, p)
		case p.Line > out[i].Line && !slices.Contains(lines[i], line):
			lines[i] = append(lines[i], line)
		}
	}
	for i, also := range lines {
		out[i].Message += " (also in line " + strings.Join(also, ", ") + ")"
	}
	return out
}

func outOfRange(n int, within string) string {
	var low, high int
	switch bounds, _ := fmt.Sscan(within, &low, &high); {
	case bounds == 1 && n < low:
		return fmt.Sprintf("found %d, expected at least %d", n, low)
	case bounds == 2 && (n < low || n > high):
		return fmt.Sprintf("found %d, expected a number from %d to %d", n, low, high)
	}
	return ""
}

// globHint tells who writes a regular expression what a glob is.
const globHint = "in a glob * stands for any text, ? for one character"

// isRegexp reports whether a glob looks as if a regular expression were meant.
func isRegexp(glob string) bool {
	for i, r := range glob {
		escapes := r == '\\' && (i+1 == len(glob) || !strings.ContainsRune(`*?[]{}!^-,\`, rune(glob[i+1])))
		if escapes || r == '|' || i == 0 && r == '^' || r == '$' && i > 0 && i+1 == len(glob) {
			return true
		}
	}
	return strings.Contains(glob, ".+") ||
		strings.HasPrefix(glob, ".*") && strings.HasSuffix(glob, ".*") && len(glob) > 4
}

// isNoName reports whether a pattern has what neither a name nor a glob of names has, but a
// regular expression.
func isNoName(pattern string) bool {
	return isRegexp(pattern) || strings.ContainsAny(pattern, `\$+|(){}`) || strings.Contains(pattern, ".*")
}

func checkRegexp(expr string) (message, hint string) {
	_, err := regexp.Compile(expr)
	if err == nil {
		return "", ""
	}
	if strings.HasPrefix(expr, "*") {
		return found(expr, "a regular expression"), "any text is .*"
	}
	return "found an invalid regular expression: " + strings.TrimPrefix(err.Error(), "error parsing regexp: "), ""
}

func isBadGlob(glob string) bool {
	_, err := path.Match(glob, "")
	return err != nil
}

func equals(text string) func(string) bool { return func(s string) bool { return s == text } }

// variable is what names of variables, captures and tools fit.
const variable = `[A-Za-z_]\w{0,63}`

// isNot makes a test: does an expression fit less than the whole text?
func isNot(expr string) func(string) bool {
	re := regexp.MustCompile("(?s)^(" + expr + ")$")
	return func(s string) bool { return !re.MatchString(s) }
}

const noSpaces = "no spaces around it"

func hasSpaces(s string) bool { return strings.TrimSpace(s) != s }

// checkCommand reports a pattern that fits no command: what reads a line takes its operators, quotes and assignments
// away, and git push:* is how a client writes its permissions. The script of another program may have such a name.
func checkCommand(command string) (message, hint string) {
	words, err := shell.ParsePattern(command)
	switch {
	case err != nil:
		return found(command, "words such as git push or npm run test*"), ""
	case !isNot(`.*[|&;<>()$'"\x60].*|\w+=.*|-.*|(git )?\S+:\*`)(command):
		return found(command, "the words of one command, without the shell's signs"),
			"git push, for example, fits each push, in any line and with any options"
	case len(words) == 1 && slices.Contains(fsm.CommandGroups(), words[0]):
	case strings.HasPrefix(words[0], "@") && !strings.Contains(words[0], "/"): // not @scope/package
		return found(command, "words such as git push, or a group of commands: "+
			strings.Join(fsm.CommandGroups()[1:], ", ")), DidYouMean(words[0], fsm.CommandGroups())
	}
	return "", ""
}

func isBadPath(glob string) bool { return !doublestar.ValidatePattern(glob) }

// leavesFolder reports whether a step of a glob leads upward.
func leavesFolder(glob string) bool { return !isNot(`(.*[/{},])?\.\.([/{},].*)?`)(glob) }

// checkTemplate renders a text twice: with every capture filled in, and with every one
// empty, so that both branches of an `if` are seen.
func (k *checker) checkTemplate(p trail, text string) {
	t, err := template.New("").Option("missingkey=error").Parse(text)
	for _, content := range []string{"text", ""} {
		if err == nil {
			err = t.Execute(new(shortText), k.exampleData(content))
		}
	}
	if err != nil {
		k.reportTemplate(p, err)
	}
}

func (k *checker) exampleData(content string) fsm.TemplateData {
	data := fsm.TemplateData{
		State: "STATE", Agent: "agent", Session: "session", Scratch: "/tmp/scratch", Left: "what is left",
		Context: map[string]string{}, Earlier: map[string]*fsm.Earlier{}, Groups: map[string]string{},
	}
	for name := range k.Groups {
		data.Groups[name] = content
	}
	for _, name := range k.captureNames() {
		data.Context[name] = content
		if data.Earlier[name] = nil; content != "" {
			data.Earlier[name] = &fsm.Earlier{Text: content, When: content, Changed: content}
		}
	}
	return data
}

// shortText is where an example goes: it takes no more than a text may have.
type shortText int

func (s *shortText) Write(b []byte) (int, error) {
	if *s += shortText(len(b)); *s > maxSource {
		return 0, errors.New("the text is too long")
	}
	return len(b), nil
}

// reportTemplate explains the engine's error, such as "template: :2:7: executing …: map
// has no entry for key", at the line of the file where the text is a block.
func (k *checker) reportTemplate(p trail, err error) {
	text := strings.TrimPrefix(err.Error(), "template: :")
	n := 1
	if number, rest, ok := strings.Cut(text, ":"); ok {
		if _, scanErr := fmt.Sscan(number, &n); scanErr == nil {
			text = strings.TrimLeft(rest, "0123456789: ")
		}
	}
	message := "found an invalid template: " + text
	hint := "the fields are .State, .Agent, .Session, .Scratch, .Groups.NAME, .Context.NAME and .Earlier.NAME " +
		"(.Text, .When, .Changed)"
	if _, name, ok := strings.Cut(text, "map has no entry for key "); ok {
		name = strings.Trim(name, `"`)
		want := k.checkCaptured
		if strings.Contains(text, "<.Groups.") {
			want = wantOneOf(slices.Sorted(maps.Keys(k.Groups)), "the name of a group", "groups")
		}
		message, hint = want(name)
	} else if _, rest, ok := strings.Cut(text, `executing "" at `); ok {
		message = "found a template that cannot be rendered: " + strings.TrimSuffix(rest, " in type fsm.TemplateData")
	}
	at := k.at[p]
	if line := at.value.at.line + n; at.block && line <= len(at.lines) {
		k.add(p, at.problemAt(spot{line, indentOf(at.lines[line-1]) + 1}, message, hint))
		return
	}
	k.report(p, message, hint)
}
