package rehearse

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// ScenarioFormat is how scenarios are written; `test --help` prints it.
const ScenarioFormat = `A line is a step: who and what, and after two blanks or more what is expected of it.
A # begins a comment.

   config ../pipeline.yaml               # what is tested, seen from this file; without it the project's config
   == reading has a budget               # begins a scenario, in a new session
   main  Read(c.go)                      pass read-budget
   main  Bash(git log | wc -l)           pass       # a call ends at the ) before two blanks
   main  Write(x.go)                     deny no-editing, says "the next step"
   main  Agent({"subagent_type": "Plan", "model": "opus"})  deny   # in braces: the tool's whole input
   main  says "next"                     told "context-gatherer"   # a person's prompt
   main  Agent(context-gatherer)         pass
   context-gatherer  starts              # an agent that was asked for begins
   context-gatherer  Read(c.go)          pass       # a call of its own
   context-gatherer  done "found 42"     IDLE -> GATHERING
   context-refiner  fails                GATHERING  # still in it
   main  ExitPlanMode({"plan": "both"})  pass       # the person approves the plan: on_plan, if the state has it
   main  ends                            GATHERING  # the turn, while an agent runs
   reset --to EXECUTING                  EXECUTING  # by a person; without --to to the initial state
   approve                               EXECUTING  # a person agrees to what waits; or: reject
   level guidance                        # for the rest of the scenario
   env NAME=VALUE                        # a variable that the config asks for; no other is set
   gate ok                               # gates succeed from here on; or: gate fails
   check fails                           # checks fail from here on; or: check ok
   kernel yes                            # it holds what rules confine, from here on; or: kernel no

Expected is any of these, joined by commas: pass, warn, confine, ask or deny, with the rule that decides if
need be; STATE or STATE -> STATE; told "a part of what is injected", or "" for nothing; says "a part
of the denial", or of why a turn or an agent is held, or "" for none. A call that passes is also
made. An agent that is done or fails without having been started is asked for and started first; one
that only makes calls counts as started earlier. A file that an agent says it wrote counts as
written. Gates and checks are commands, which are run only with --run. Without it, a step that
depends on one is reported: its gate has not been passed.`

// A Script is a file of scenarios.
type Script struct {
	Config    string // the config that it is about; empty for the project's
	Scenarios []Scenario

	file  string // as it was named
	lines []string
}

// A Scenario is played in a session of its own.
type Scenario struct {
	Title string
	Steps []Step
}

// A Step is one line of a scenario.
type Step struct {
	Line   int
	Text   string // as written, without what is expected
	actor  string // "main" or an agent's type
	verb   verb
	call   Call
	arg    string // of the verb: what is said, the state, the level, NAME=VALUE, ok or fails
	argCol int
	wants  []want
}

// A verb is what happens in a step.
type verb string

// The verbs.
const (
	actCall   verb = "call"
	actStarts verb = "starts"
	actDone   verb = "done"
	actFails  verb = "fails"
	actSays   verb = "says"
	actEnds   verb = "ends"
	actReset  verb = "reset"
	actAgree  verb = "approve"
	actReject verb = "reject"
	actLevel  verb = "level"
	actEnv    verb = "env"
	actGate   verb = "gate"
	actCheck  verb = "check"
	actKernel verb = "kernel"
)

// A want is one thing that is expected of a step.
type want struct {
	text    string // as written
	col     int
	kind    wantKind
	verdict string
	rule    string
	moves   bool // from one state to another
	from    string
	state   string
	part    string // of what is told or said
}

type wantKind int

const (
	wantVerdict wantKind = iota
	wantState
	wantTold
	wantSays
)

// A Problem is what is wrong with a line of a script.
type Problem struct {
	File    string
	Line    int
	Col     int // in characters, from 1
	Message string
	Hint    string
	Source  string // the line
}

func (s *Script) problemAt(line, col int, message, hint string) Problem {
	return Problem{File: s.file, Line: line, Col: col, Message: message, Hint: hint, Source: s.lines[line-1]}
}

// ReadScript reads a file of scenarios, and everything that is wrong with it.
func ReadScript(file string) (*Script, []Problem, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read scenarios: %w", err)
	}
	s := &Script{file: file, lines: strings.Split(strings.ReplaceAll(string(body), "\r\n", "\n"), "\n")}
	var problems []Problem
	for i, text := range s.lines {
		r := &lineReader{text: text}
		if bad := s.readLine(r, i+1); bad != nil {
			problems = append(problems, s.problemAt(i+1, r.col(bad.at), bad.message, bad.hint))
		}
	}
	return s, problems, nil
}

func (s *Script) readLine(r *lineReader, line int) *misread {
	if r.isOver() {
		return nil
	}
	from := r.at
	switch first := r.readWord(); first {
	case "==":
		s.Scenarios = append(s.Scenarios, Scenario{Title: r.readColumn()})
		return nil
	case "config":
		return s.readConfig(r, from)
	default:
		if len(s.Scenarios) == 0 {
			return &misread{from, "found a step, expected a scenario to begin before it",
				`begin one with a line "== what it shows"`}
		}
		step := Step{Line: line, actor: first}
		bad := step.read(r, first, from)
		last := &s.Scenarios[len(s.Scenarios)-1]
		last.Steps = append(last.Steps, step)
		return bad
	}
}

func (s *Script) readConfig(r *lineReader, from int) *misread {
	path := r.readColumn()
	switch {
	case path == "":
		return &misread{r.at, "found nothing, expected the path of a config", ""}
	case s.Config != "" || len(s.Scenarios) > 0:
		return &misread{from, "found config here, expected it once and before the first scenario", ""}
	}
	s.Config = path
	if !filepath.IsAbs(path) {
		s.Config = filepath.Join(filepath.Dir(s.file), path)
	}
	return nil
}

// read reads a step of which the first word is read.
func (st *Step) read(r *lineReader, first string, from int) *misread {
	var bad *misread
	switch verb(first) {
	case actReset, actAgree, actReject, actLevel, actEnv, actGate, actCheck, actKernel:
		st.verb = verb(first)
		bad = st.readSetting(r)
	default:
		bad = st.readAct(r)
	}
	if st.Text = strings.TrimSpace(r.text[from:r.at]); bad != nil {
		return bad
	}
	if st.verb == actCall {
		st.Text = st.actor + "  " + st.call.String()
		return nil
	}
	st.wants, bad = r.readWants()
	return bad
}

// readSetting reads what a person or the world does.
func (st *Step) readSetting(r *lineReader) *misread {
	if r.endsColumn() && (st.verb == actReset || st.verb == actAgree || st.verb == actReject) {
		return nil
	}
	r.skipBlanks()
	at := r.at
	st.arg = r.readWord()
	found := func(expected string) *misread {
		return &misread{at, fmt.Sprintf("found %q, expected %s", st.arg, expected), ""}
	}
	switch st.verb {
	case actAgree, actReject:
		return found("two blanks, or nothing")
	case actReset:
		if st.arg != "--to" {
			return found("--to STATE or two blanks")
		}
		r.skipBlanks()
		st.argCol = r.col(r.at)
		if st.arg = r.readWord(); st.arg == "" {
			return &misread{r.at, "found nothing, expected the state to go to", ""}
		}
	case actLevel:
		if _, ok := fsm.ParseLevel(st.arg); !ok {
			return found("one of " + strings.Join(fsm.LevelNames(), ", "))
		}
	case actEnv:
		if name, _, ok := strings.Cut(st.arg, "="); !ok || name == "" {
			return found("NAME=VALUE")
		}
	case actGate, actCheck:
		if st.arg != "ok" && st.arg != "fails" {
			return found("ok or fails")
		}
	case actKernel:
		if st.arg != "yes" && st.arg != "no" {
			return found("yes or no")
		}
	}
	return nil
}

// readAct reads what an agent does.
func (st *Step) readAct(r *lineReader) *misread {
	r.skipBlanks()
	at := r.at
	name := toolName().FindString(r.rest())
	ofMain, ofAgents := []verb{actSays, actEnds}, []verb{actStarts, actDone, actFails}
	var bad *misread
	switch v := verb(name); {
	case name == "":
		return &misread{at, fmt.Sprintf("found %s, expected a call, starts, done, fails, says or ends", r.found()), ""}
	case strings.HasPrefix(r.rest()[len(name):], "(") || !slices.Contains(append(ofMain, ofAgents...), v):
		st.verb = actCall
		st.call, st.wants, bad = r.readCall()
		return bad
	case slices.Contains(ofMain, v) != (st.actor == "main"):
		const roles = "only the main agent is spoken to and ends its turn, only others start and are done"
		return &misread{at, fmt.Sprintf("found %s of %q: %s", name, st.actor, roles), ""}
	default:
		st.verb = v
	}
	r.at += len(name)
	if st.verb == actDone || st.verb == actSays {
		st.arg, bad = r.readQuoted(name)
	}
	return bad
}

// UnknownStates finds what a script calls a state and the policy does not have.
func (s *Script) UnknownStates(p *fsm.Policy) []Problem {
	var out []Problem
	check := func(line, col int, name, others string) {
		if _, ok := p.FindState(name); !ok && name != "" {
			out = append(out, s.problemAt(line, col,
				fmt.Sprintf("found %q, expected %s%s", name, others, listStates(p)), ""))
		}
	}
	for _, sc := range s.Scenarios {
		for _, st := range sc.Steps {
			if st.verb == actReset {
				check(st.Line, st.argCol, st.arg, "")
			}
			for _, w := range st.wants {
				if w.moves {
					check(st.Line, w.col, w.from, "")
					check(st.Line, w.col, w.state, "")
					continue
				}
				check(st.Line, w.col, w.state, "pass, warn, ask, deny or ")
			}
		}
	}
	return out
}

func listStates(p *fsm.Policy) string {
	var names []string
	for _, s := range p.States {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return "no state: the config has none"
	}
	return "one of the states " + strings.Join(names, ", ")
}
