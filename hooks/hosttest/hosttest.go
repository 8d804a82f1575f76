// Package hosttest holds the tests that every host adapter passes. An adapter's own tests call Run with payloads that
// were recorded from the real program.
package hosttest

import (
	"testing"

	"github.com/agent-pipeline/pipeline/hooks"
)

// Cases are payloads of one session, by what they are.
type Cases struct {
	Start      string // a session starts
	Prompt     string // a person's prompt
	Request    string // a tool request of the main agent
	SubRequest string // a tool request of a subagent
	AgentStart string // a subagent starts
	AgentStop  string // a subagent stops
	TurnStop   string // the main agent ends its turn

	Others  []string // of events that are none of our business
	Foreign []string // of another client, which reads the same settings; in the environment that the host is given

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

// testingT is what a test needs, so that the tests can be tested.
type testingT interface {
	Helper()
	Errorf(format string, args ...any)
}

var tests = []struct {
	name string
	run  func(t testingT, h hooks.Host, c Cases)
}{
	{"reads its payloads", readsPayloads},
	{"tells who is calling", tellsCallers},
	{"knows its business", knowsBusiness},
	{"leaves others alone", leavesOthers},
	{"refuses garbage", refusesGarbage},
	{"passes a reader's error on", passesErrors},
	{"denies with the reason", denies},
	{"denies without a payload", deniesBare},
	{"passes in silence", passes},
	{"never approves", neverApproves},
	{"writes one answer", writesOne},
	{"reports that it cannot write", reportsWriting},
	{"has no facts from nowhere", hasNoFacts},
	{"knows its surroundings", knowsSurroundings},
}
