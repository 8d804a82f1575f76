package rehearse

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/nearest"
)

// ScenarioFormat is how scenarios are written; `test --help` prints it.
//
//go:embed format.txt
var ScenarioFormat string

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
	verb   string // "call", or the word that says what happens
	call   Call
	arg    string // of the verb: what is said, the state, the level, NAME=VALUE, ok or fails
	argCol int
	wants  []want
}

// A want is one thing that is expected of a step.
type want struct {
	text string // as written
	col  int
	kind string // verdict, state, told or says
	arg  string // the verdict, the state, or a part of what is told or said
	rule string // of a verdict
	from string // of a state: that it was reached from; empty where that is all the same
}

// A Problem is what is wrong with a line of a script.
type Problem struct {
	File    string
	Line    int
	Col     int // in characters, from 1
	Message string
	Hint    string
	Source  string // the line
}

func (s *Script) problemAt(line, col int, message string) Problem {
	return Problem{File: s.file, Line: line, Col: col, Message: message, Source: s.lines[line-1]}
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
		if s.readLine(r, i+1); r.bad != "" {
			problems = append(problems, s.problemAt(i+1, r.col(r.badAt), r.bad))
		}
	}
	if len(s.Scenarios)+len(problems) == 0 {
		problems = append(problems, s.problemAt(1, 1, `found no scenario, expected a line "== what it shows"`))
	}
	return s, problems, nil
}

func (s *Script) readLine(r *lineReader, line int) {
	if r.isOver() {
		return
	}
	from := r.at
	switch first := r.readWord(); {
	case first == "==":
		s.Scenarios = append(s.Scenarios, Scenario{Title: r.readColumn()})
	case first == "config":
		path := r.readColumn()
		switch {
		case path == "":
			r.fail(r.at, "found nothing, expected the path of a config")
		case s.Config != "" || len(s.Scenarios) > 0:
			r.fail(from, "found config here, expected it once and before the first scenario")
		case filepath.IsAbs(path):
			s.Config = path
		default:
			s.Config = filepath.Join(filepath.Dir(s.file), path)
		}
	case len(s.Scenarios) == 0:
		r.fail(from, `found a step, expected a scenario to begin before it: a line "== what it shows"`)
	default:
		step := Step{Line: line, actor: first}
		switch first {
		case "reset", "approve", "reject", "level", "env", "gate", "check", "kernel":
			step.verb = first
			step.readSetting(r)
		default:
			step.readAct(r)
		}
		if step.Text = strings.TrimSpace(r.text[from:r.at]); step.verb == "call" {
			step.Text = step.actor + "  " + step.call.String()
		} else if r.bad == "" {
			step.wants = r.readWants()
		}
		last := &s.Scenarios[len(s.Scenarios)-1]
		last.Steps = append(last.Steps, step)
	}
}

// readSetting reads what a person or the world does.
func (st *Step) readSetting(r *lineReader) {
	mayBeBare := st.verb == "reset" || st.verb == "approve" || st.verb == "reject"
	if mayBeBare && r.endsColumn() {
		return
	}
	r.skipBlanks()
	at, ok, expected := r.at, false, "two blanks, or nothing"
	st.arg = r.readWord()
	switch st.verb {
	case "reset":
		ok, expected = st.arg == "--to", "--to STATE or two blanks"
	case "level":
		_, ok = fsm.ParseLevel(st.arg)
		expected = "one of " + strings.Join(fsm.LevelNames(), ", ")
	case "env":
		ok, expected = strings.Index(st.arg, "=") > 0, "NAME=VALUE"
	case "gate", "check":
		ok, expected = st.arg == "ok" || st.arg == "fails", "ok or fails"
	case "kernel":
		ok, expected = st.arg == "yes" || st.arg == "no", "yes or no"
	}
	if !ok {
		r.fail(at, "found %q, expected %s", st.arg, expected)
	}
	if st.verb == "reset" {
		r.skipBlanks()
		st.argCol = r.col(r.at)
		if st.arg = r.readWord(); st.arg == "" {
			r.fail(r.at, "found nothing, expected the state to go to")
		}
	}
}

// readAct reads what an agent does.
func (st *Step) readAct(r *lineReader) {
	r.skipBlanks()
	at := r.at
	name := r.readName()
	isOfMain, isOfOthers := name == "says" || name == "ends", name == "starts" || name == "done" || name == "fails"
	switch {
	case name == "":
		r.fail(at, "found %s, expected a call, starts, done, fails, says or ends", r.found())
		return
	case strings.HasPrefix(r.rest(), "(") || !isOfMain && !isOfOthers:
		st.verb, st.argCol = "call", r.col(r.at)+1
		if !strings.HasPrefix(r.rest(), "(") && name == strings.ToLower(name) && !strings.HasPrefix(name, "mcp__") {
			r.fail(at, "found %q, expected a tool, starts, done, fails, says or ends", name)
		}
		st.call, st.wants = r.readCall(name)
		return
	case isOfMain != (st.actor == "main"):
		r.fail(at, "found %s of %q: only the main agent is spoken to and ends its turn, only others start and are done",
			name, st.actor)
		return
	}
	st.verb = name
	if name == "done" || name == "says" {
		st.arg = r.readQuoted(name)
	}
}

// FindUnknown finds what a script calls a state and the policy does not have. It also finds agents and tools that
// nothing names and whose names are misspelt, as far as a similar name shows.
func (s *Script) FindUnknown(p *fsm.Policy) (out []Problem) {
	report := func(line, col int, name, expected string) {
		out = append(out, s.problemAt(line, col, fmt.Sprintf("found %q, expected %s", name, expected)))
	}
	var states []string
	agents, tools := []string{"main"}, []string{}
	for _, t := range fsm.KnownTools() {
		tools = append(tools, t.Name)
	}
	for _, state := range p.States {
		states = append(states, state.Name)
		for _, t := range state.Triggers {
			agents = append(agents, t.Agents...)
		}
	}
	known := "one of the states " + strings.Join(states, ", ")
	if len(states) == 0 {
		known = "no state: the config has none"
	}
	checkState := func(line, col int, name, others string) {
		if p.FindState(name).Name != name {
			report(line, col, name, others+known)
		}
	}
	checkName := func(line, col int, name string, known []string) {
		if meant := nearest.Find(name, known); meant != "" && !fsm.IsGlob(meant) && !fsm.MatchAgent(known, name) {
			report(line, col, name, meant)
		}
	}
	for _, sc := range s.Scenarios {
		for _, st := range sc.Steps {
			if st.actor != st.verb {
				checkName(st.Line, strings.Index(s.lines[st.Line-1], st.actor)+1, st.actor, agents)
			}
			switch tool := fsm.CanonicalTool(st.call.Tool); {
			case st.verb == "reset":
				checkState(st.Line, st.argCol, st.arg, "")
			case tool == "Agent":
				checkName(st.Line, st.argCol, st.call.Argument, agents)
			default:
				checkName(st.Line, st.argCol-len(st.call.Tool)-1, tool, tools)
			}
			for _, w := range st.wants {
				switch {
				case w.from != "":
					checkState(st.Line, w.col, w.from, "")
					checkState(st.Line, w.col, w.arg, "")
				case w.kind == "state":
					checkState(st.Line, w.col, w.arg, "pass, warn, ask, deny or ")
				}
			}
		}
	}
	return out
}
