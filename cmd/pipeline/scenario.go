package main

import "github.com/agent-pipeline/pipeline/config"

// scenarioFormat is how scenarios are written; `test --help` prints it.
const scenarioFormat = `A line is a step: who and what, and after two blanks or more what is expected of it; # begins a comment.

   config ../pipeline.yaml               # what is tested, seen from this file; without it the project's config
   == reading has a budget               # begins a scenario, in a fresh session
   main  Read(c.go)                      pass read-budget
   main  Bash(git log | wc -l)           pass       # a call ends at the ) before two blanks
   main  Write(x.go)                     deny no-editing, says "Delegate it"
   main  Agent({"subagent_type": "Plan", "model": "opus"})  deny   # in braces: the tool's whole input
   main  says "next"                     told "context-gatherer"   # a person's prompt
   main  Agent(context-gatherer)         pass
   context-gatherer  starts              # who was asked for begins
   context-gatherer  Read(c.go)          pass       # a call of its own
   context-gatherer  done "found 42"     IDLE -> GATHERING
   context-refiner  fails                GATHERING  # still in it
   main  ends                            GATHERING  # the turn, while whoever has started runs
   reset --to EXECUTING                  EXECUTING  # by a person; without --to to the initial state
   level guidance                        # for the rest of the scenario
   env NAME=VALUE                        # a variable that the config asks for; no other is set

Expected is any of these, joined by commas: pass, warn, ask or deny, if need be with the rule that decides; STATE or
STATE -> STATE; told "a part of what is injected", or "" for nothing; says "a part of the denial", or of why a turn or an
agent is held, or "" for none. A call that passes is also made. An agent that is done or fails without having been started
is asked for and started first; one that only makes calls is taken for one that was started earlier.`

// A script is a file of scenarios.
type script struct {
	file      string // as it was named
	lines     []string
	config    string // "" for the project's
	scenarios []scenario
}

// A scenario is played in a session of its own.
type scenario struct {
	title string
	steps []scriptStep
}

// A verb is what happens in a step.
type verb string

// The verbs of a step that is not a call.
const (
	actCall   verb = "call"
	actStarts verb = "starts"
	actDone   verb = "done"
	actFails  verb = "fails"
	actSays   verb = "says"
	actEnds   verb = "ends"
	actReset  verb = "reset"
	actLevel  verb = "level"
	actEnv    verb = "env"
)

// A scriptStep is one line of a scenario.
type scriptStep struct {
	line   int
	text   string // as written, without what is expected
	actor  string // "main" or an agent's type
	verb   verb
	call   toolCall
	arg    string // of the verb: what is said, the state, the level, NAME=VALUE
	argCol int
	wants  []want
}

// A want is one thing that is expected of a step.
type want struct {
	text    string // as written
	col     int
	verdict string
	rule    string
	moves   bool // from one state to another
	from    string
	state   string
	kind    wantKind
	part    string // of what is told or said
}

type wantKind int

const (
	wantVerdict wantKind = iota
	wantState
	wantTold
	wantSays
)

// problem is something wrong with a line of a script.
func (s *script) problem(line, col int, message, hint string) config.Problem {
	return config.Problem{File: s.file, Line: line, Col: col, Message: message, Hint: hint, Source: s.lines[line-1]}
}
