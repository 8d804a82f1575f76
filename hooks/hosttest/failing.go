package hosttest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

// checkFailures: an agent that fails is over, by the payload that says so, and a sign of life revives it.
func checkFailures(t testingT, h hooks.Host, c Cases) {
	if len(c.Failed) == 0 && h.Can().Has(hooks.TellsStart) {
		t.Errorf("the host tells that agents start, and there are no payloads of one that failed")
	}
	p := &fsm.Policy{Level: fsm.Strict}
	for i, list := range c.Failed {
		name := fmt.Sprintf("Failed[%d]", i)
		var payloads []json.RawMessage
		if err := json.Unmarshal([]byte(list), &payloads); err != nil || len(payloads) < 2 {
			t.Errorf("%s: %d payloads, %v", name, len(payloads), err)
			continue
		}
		var s fsm.Session
		for k, payload := range payloads {
			_, e, ok := readRole(t, h, role{name: name, payload: string(payload)})
			if !ok {
				return
			}
			if k == len(payloads)-1 && countRunning(s) != 1 {
				t.Errorf("%s: %d agents run before the last payload: %+v", name, countRunning(s), s.Agents.Runs)
			}
			s, _ = p.Step(s, e)
		}
		if countRunning(s) > 0 || len(s.Agents.Runs) != 1 {
			t.Errorf("%s: after it the session has %+v", name, s.Agents.Runs)
			continue
		}
		run := s.Agents.Runs[0]
		s, _ = p.Step(s, fsm.Event{Kind: fsm.ToolRequest, Session: s.ID, Time: now, Tool: fsm.Tool{Name: "Read"},
			Agent: fsm.Agent{ID: run.ID, Type: run.Type}})
		if countRunning(s) != 1 {
			t.Errorf("%s: it calls a tool, and does not run: %+v", name, s.Agents.Runs)
		}
	}
}

func countRunning(s fsm.Session) int {
	return len(slices.DeleteFunc(slices.Clone(s.Agents.Runs), func(r fsm.Run) bool { return r.Status != fsm.Running }))
}
