package hosttest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

const binary = "/opt/a b/pipeline"

// checkAsks: what a host cannot ask about is denied, also where the core has not said so.
func checkAsks(t testingT, h hooks.Host, c Cases) {
	call, _, ok := readRole(t, h, role{name: "Request", payload: c.Request})
	if !ok {
		return
	}
	ask := denial
	ask.Verdict = fsm.Ask
	asked, denied := replyTo(t, "an ask", call, ask), replyTo(t, "a denial", call, denial)
	if can := h.Can().Has(hooks.Asks); (asked == denied) == can {
		t.Errorf("the host can ask: %v, but an ask is answered %s, and a denial %s", can, asked, denied)
	}
}

// checkInfo: events carry what the core must know of the host.
func checkInfo(t testingT, h hooks.Host, c Cases) {
	given, _ := c.roles(h.Can())
	for _, r := range given {
		if _, e, ok := readRole(t, h, r); ok && e.Host != h.Can().Describe(h.Name()) {
			t.Errorf("%s: the event says %+v of the host, which can do %+v", r.name, e.Host, h.Can().Describe(h.Name()))
		}
	}
}

// checkInjects: text reaches the agent with those events for which the host takes it.
func checkInjects(t testingT, h hooks.Host, c Cases) {
	for _, at := range []struct {
		name, payload string
		takes         hooks.Set
	}{{"Start", c.Start, hooks.InjectsStart}, {"Prompt", c.Prompt, hooks.InjectsPrompt},
		{"AgentStart", c.AgentStart, hooks.InjectsAgent}, {"Request", c.Request, hooks.InjectsRequest},
		{"Result", c.Result, hooks.InjectsResult}} {
		if at.payload == "" {
			if at.takes == hooks.InjectsResult && h.Can().Has(at.takes) {
				t.Errorf("%s: the host takes text with it, and there is no payload", at.name)
			}
			continue
		}
		call, _, ok := readRole(t, h, role{name: at.name, payload: at.payload})
		if !ok {
			continue
		}
		out := replyTo(t, at.name, call, fsm.Decision{Inject: "read this first"})
		if strings.Contains(out, "read this first") != h.Can().Has(at.takes) {
			t.Errorf("%s: the host takes text: %v, answer %q", at.name, h.Can().Has(at.takes), out)
		}
	}
}

// checkHolds: a turn and an agent are held where the host heeds it.
func checkHolds(t testingT, h hooks.Host, c Cases) {
	for _, at := range []struct {
		name, payload string
		heeds         hooks.Set
	}{{"TurnStop", c.TurnStop, hooks.Holds}, {"AgentStop", c.AgentStop, hooks.HoldsAgents}} {
		if at.payload == "" {
			continue
		}
		if call, _, ok := readRole(t, h, role{name: at.name, payload: at.payload}); ok {
			out := replyTo(t, at.name, call, fsm.Decision{Hold: true, Reason: reason})
			if strings.Contains(out, reason) != h.Can().Has(at.heeds) {
				t.Errorf("%s: the host can be held: %v, answer %q", at.name, h.Can().Has(at.heeds), out)
			}
		}
	}
}

// checkInstalls: what is registered is what is wanted, a second time changes nothing, and
// taking it out again leaves what was there, byte by byte.
func checkInstalls(t testingT, h hooks.Host, c Cases) {
	in, ok := h.(hooks.Installer)
	if !ok {
		t.Errorf("its hooks cannot be registered")
		return
	}
	want := in.Entries(binary, false)
	if !slices.ContainsFunc(want, func(e hooks.Entry) bool { return slices.Contains(e.Args, c.RequestEvent) }) {
		t.Errorf("nothing is registered with %s", c.RequestEvent)
	}
	if _, ok := h.Places().FindSettings(h.Places().Default); !ok {
		t.Errorf("there is no file for the scope %q, in which install registers", h.Places().Default)
	}
	before := []byte(nil)
	first, changed, err := in.Edit(before, want)
	if err != nil || !changed || !bytes.Contains(first, []byte(in.Name())) {
		t.Errorf("registered: %v, %v: %s", changed, err, first)
		return
	}
	if why := in.Blocks(first, want); why != "" {
		t.Errorf("it is registered and would not run: %s", why)
	}
	if in.Blocks(before, want) == "" {
		t.Errorf("nothing is registered, and nothing is missing")
	}
	if again, changed, err := in.Edit(first, want); err != nil || changed || !bytes.Equal(again, first) {
		t.Errorf("a second time: %v, %v: %s", changed, err, again)
	}
	if after, _, err := in.Edit(first, nil); err != nil || !bytes.Equal(after, before) {
		t.Errorf("taken out again: %v: %q", err, after)
	}
}
