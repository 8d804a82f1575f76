package fsm_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestUsage: an agent that has used up its calls or its time is told in time to come to an end, and then
// may only return; a rule does not let it go on, and other agents are not held.
func TestUsage(t *testing.T) {
	p := *states(t)
	p.Limits = fsm.Limits{Calls: 10, Minutes: 30, SessionCalls: 40}
	p.Subagents.List = append([]fsm.Rule{{Name: "all", Verdict: fsm.Pass, Tools: []string{"*"}}}, p.Subagents.List...)
	pl := begin(t, &p).executing()
	pl.asks(main(), "c-developer", "1").starts("c", "c-developer").asks(main(), "bash-developer", "2").starts("b",
		"bash-developer")
	call := func(agent, name, use string) *play { return pl.by(sub(agent, name), use, file("Read", "/a")) }
	result := func(agent, name, use string) *play {
		return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: sub(agent, name), Tool: fsm.Tool{Name: "Read", UseID: use}})
	}
	told := 0
	for i := range 10 {
		call("c", "c-developer", fmt.Sprint("c", i)).passes()
		if result("c", "c-developer", fmt.Sprint("c", i)); strings.Contains(pl.d.Inject, "of 10 calls") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times that the calls come to an end", told)
	}
	call("c", "c-developer", "c9").passes() // reported twice
	call("c", "c-developer", "c10").denied("has used its 10 calls (limits.calls). Return what you have")
	call("b", "bash-developer", "b1").passes()
	pl.now = pl.now.Add(25 * time.Minute)
	if result("b", "bash-developer", "b1"); !strings.Contains(pl.d.Inject, "of 30 minutes") {
		t.Errorf("told %q", pl.d.Inject)
	}
	pl.now = pl.now.Add(6 * time.Minute)
	call("b", "bash-developer", "b2").denied("has run for 30 minutes (limits.minutes). Return what you have")
	for i := range 40 {
		pl.by(main(), fmt.Sprint("m", i), file("Read", "/plan.json"))
	}
	pl.by(main(), "m", file("Read",
		"/plan.json")).denied("This session has used its 40 calls (limits.session_calls). End your turn")
}

// TestUsageOpensNothing: what a rule refuses stays refused, with uses left and without; and an agent that is given
// more to do begins anew.
func TestUsageOpensNothing(t *testing.T) {
	p := *states(t)
	p.Limits = fsm.Limits{Calls: 1}
	p.Subagents.List = []fsm.Rule{{Name: "no-reading", Verdict: fsm.Deny, Tools: []string{"Read"}}}
	pl := begin(t, &p).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	who := sub("g", "context-gatherer")
	pl.by(who, "r1", file("Read", "/a")).denied("no-reading").by(who, "g1", fsm.Part{Tool: "Grep"}).passes()
	pl.by(who, "r2", file("Read", "/a")).denied("limits.calls").by(who, "g2",
		fsm.Part{Tool: "Grep"}).denied("limits.calls")
	if len(pl.by(who, "r3", file("Read", "/a")).d.Objections) != 2 {
		t.Errorf("%+v", pl.d.Objections)
	}
}

// TestTokens: what an agent's model has used is told by its host, and bound where that tells it.
func TestTokens(t *testing.T) {
	p := *states(t)
	p.Limits = fsm.Limits{Tokens: 1000}
	pl := begin(t, &p).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	call := func(kind fsm.Kind, use string, tokens int) *play {
		return pl.do(fsm.Event{Kind: kind, Agent: sub("g", "context-gatherer"), Facts: fsm.Facts{Tokens: tokens},
			Tool: fsm.Tool{Name: "Read", UseID: use, Parts: []fsm.Part{file("Read", "/a")}}})
	}
	call(fsm.ToolRequest, "1", 0).passes()
	if call(fsm.ToolResult, "1", 799); pl.d.Inject != "" {
		t.Errorf("told %q", pl.d.Inject)
	}
	call(fsm.ToolRequest, "2", 799).passes()
	if call(fsm.ToolResult, "2", 900); !strings.Contains(pl.d.Inject, "900 of 1000 tokens") {
		t.Errorf("told %q", pl.d.Inject)
	}
	call(fsm.ToolRequest, "3", 1000).denied("has used its 1000 tokens (limits.tokens). Return what you have")
}
