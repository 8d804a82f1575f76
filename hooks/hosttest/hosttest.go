// Package hosttest holds the tests that every host adapter passes. An adapter's own tests
// call Run with payloads that were recorded from the real program.
package hosttest

import (
	"testing"

	"github.com/agent-pipeline/pipeline/hooks"
)

// Cases are payloads of one session, by what they are. One may be empty where the host
// cannot tell it: see hooks.Set.
type Cases struct {
	Start      string // a session starts
	Prompt     string // a person's prompt
	Request    string // a tool request of the main agent
	SubRequest string // a tool request of a subagent
	AgentStart string // a subagent starts
	AgentStop  string // a subagent stops
	TurnStop   string // the main agent ends its turn

	// Failed are agents that end by an error: each a JSON list of payloads, from the request to what says that it is over.
	Failed []string

	Result  string   // of a tool, whose event takes text; empty where none does
	Others  []string // of events that do not concern us
	Foreign []string // of another client that reads the same settings

	RequestEvent string // what the hook of a tool request is registered with: pre-tool-use
}

// Run runs the tests, each under its name.
func Run(t *testing.T, h hooks.Host, c Cases) {
	if h.Name() == "" {
		t.Error("the host has no name")
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, h, c) })
	}
}

// testingT is what a test needs: the tests have tests too.
type testingT interface {
	Helper()
	Errorf(format string, args ...any)
}

var tests = []struct {
	name string
	run  func(t testingT, h hooks.Host, c Cases)
}{
	{"reads its payloads", checkReads},
	{"tells who is calling", checkCallers},
	{"knows its business", checkOthers},
	{"leaves others alone", checkForeign},
	{"refuses garbage", checkGarbage},
	{"passes a reader's error on", checkReadError},
	{"denies with the reason", checkDenies},
	{"denies without a payload", checkDeniesBare},
	{"passes in silence", checkPasses},
	{"never approves", checkNeverApproves},
	{"writes one answer", checkWritesOne},
	{"reports that it cannot write", checkWriteError},
	{"has no facts from nowhere", checkNoFacts},
	{"knows its surroundings", checkSurroundings},
	{"asks only where it can", checkAsks},
	{"says what it cannot", checkInfo},
	{"takes text where it can", checkInjects},
	{"holds where it can", checkHolds},
	{"registers and restores", checkInstalls},
	{"notices that an agent failed", checkFailures},
}
