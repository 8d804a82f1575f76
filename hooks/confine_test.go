package hooks

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
)

// confining is a handler whose kernel holds shell lines, and the folder of its tickets.
func confining(t *testing.T) (h *Handler, tickets string) {
	h = handler(t)
	h.Policy.Main.List = []fsm.Rule{{Name: "hold", Tools: []string{"Bash"}, Verdict: fsm.Confine}}
	h.Kernel = Kernel{Dir: system.Join(h.store().Dir, "all"), Capability: kernel.Capability{Engine: "landlock"}}
	return h, system.Join(h.Kernel.Dir, "tickets")
}

func shellCall(line string) fsm.Event {
	return fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Bash", Command: line, UseID: "u1"}}
}

// TestNotConfined: a line that could not be confined is recorded as it was answered.
func TestNotConfined(t *testing.T) {
	h, tickets := confining(t)
	write(t, tickets, "in the way")
	h.answer(t, NoCall{}, prompt("hello"))
	d := h.answer(t, NoCall{}, shellCall("make"))
	if d.Verdict != fsm.Deny || !strings.Contains(d.Reason, "could not be confined") {
		t.Fatalf("answered %+v", d)
	}
	r := h.records(t, "s1")[1]
	if r.Verdict != "deny" || r.StrictVerdict != "" || r.Reason != d.Reason || r.Limits != nil ||
		r.State.Denied != 1 || r.State.Passed != 0 {
		t.Errorf("recorded %+v", r)
	}
}

// TestTicket: a line that is confined has a ticket. One that is refused has none, and neither has one whose answer was
// given before.
func TestTicket(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(h *Handler)
		want    int
	}{
		"confined": {func(*Handler) {}, 1},
		"denied":   {func(h *Handler) { h.Policy.Main.List[0].Verdict = fsm.Deny }, 0},
		"denied where what is ours is kept": {func(h *Handler) {
			h.Kernel.Keeps, h.Policy.Main.List[0].Verdict = true, fsm.Deny
		}, 0},
		"no line where what is ours is kept": {func(h *Handler) {
			h.Kernel.Keeps, h.Policy.Main.List[0].Verdict = true, fsm.Deny
			h.answer(t, NoCall{}, request("go"))
		}, 0},
		"late": {func(h *Handler) {
			h.waits(t, NoCall{}, shellCall("make all"))
			_ = os.RemoveAll(system.Join(h.Kernel.Dir, "tickets"))
		}, 1},
	} {
		h, tickets := confining(t)
		h.answer(t, NoCall{}, prompt("hello"))
		c.prepare(h)
		h.answer(t, NoCall{}, shellCall("make"))
		if all, _ := os.ReadDir(system.Join(tickets, "s1")); len(all) != c.want {
			t.Errorf("%s: %d tickets, expected %d", name, len(all), c.want)
		}
	}
}

// TestTicketSays: a ticket has where its line may write, and is left for a line that no rule confines where the kernel
// keeps what is ours.
func TestTicketSays(t *testing.T) {
	free := func(h *Handler) { h.Policy.Main.List = nil }
	keeps := func(h *Handler) { free(h); h.Kernel.Keeps = true }
	for name, c := range map[string]struct {
		prepare            func(h *Handler)
		left, confined     bool
		isIgnored, isCache bool
	}{
		"confined": {func(*Handler) {}, true, true, false, false},
		"and caches": {func(h *Handler) { h.Policy.Confinement.Writable = []string{"/cache"} },
			true, true, false, true},
		"and what git ignores": {func(h *Handler) { h.Policy.Confinement.Ignored = true }, true, true, true, false},
		"kept":                 {keeps, true, false, false, false},
		"kept, but exempt": {func(h *Handler) { keeps(h); h.Guards.Exempt = []string{"make"} },
			false, false, false, false},
		"not kept":            {free, false, false, false, false},
		"no engine":           {func(h *Handler) { keeps(h); h.Kernel.Engine = "" }, false, false, false, false},
		"nowhere to leave it": {func(h *Handler) { keeps(h); h.Kernel.Dir = "" }, false, false, false, false},
		"off":                 {func(h *Handler) { keeps(h); h.Policy.Level = fsm.Off }, false, false, false, false},
	} {
		h, _ := confining(t)
		dir := h.Kernel.Dir
		c.prepare(h)
		h.answer(t, NoCall{}, prompt("hello"))
		h.answer(t, NoCall{}, shellCall("make"))
		ticket, isLeft := kernel.OpenTickets(dir, "s1").Find("make", true, "")
		if isLeft != c.left {
			t.Errorf("%s: left %t", name, isLeft)
		}
		if isLeft && (ticket.Confined != c.confined || ticket.Engine != "landlock" ||
			slices.Equal(ticket.Folders, []string{h.Root}) != c.isIgnored ||
			slices.Contains(ticket.Writable, "/cache") != c.isCache) {
			t.Errorf("%s: %+v", name, ticket)
		}
	}
}

// TestTicketOfAWorktree: the ticket of an agent that is held to its own worktree keeps its line out of the project.
func TestTicketOfAWorktree(t *testing.T) {
	h, _ := confining(t)
	tree := system.Join(system.Dir(h.Root), "tree")
	h.Guards.Root, h.Guards.Worktrees = h.Root, func() []string { return []string{tree} }
	h.Policy.Main.List, h.Policy.Limits.OwnWorktree = nil, []string{"go"}
	h.answer(t, NoCall{}, request("go"))
	agent := fsm.Agent{ID: "a1", Type: "go"}
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: agent})
	e := shellCall("make")
	e.Agent, e.Dir = agent, tree
	h.answer(t, NoCall{}, e)
	ticket, isLeft := kernel.OpenTickets(h.Kernel.Dir, "s1").Find("make", true, "")
	if !isLeft || !ticket.Confined || !slices.Contains(ticket.ReadOnly, h.Root) {
		t.Errorf("left %t: %+v", isLeft, ticket)
	}
}

// TestTicketsEnd: the end of a session takes its tickets along, and a call's end its own.
func TestTicketsEnd(t *testing.T) {
	h, tickets := confining(t)
	left := func() int {
		all, _ := os.ReadDir(system.Join(tickets, "s1"))
		return len(all)
	}
	h.answer(t, NoCall{}, prompt("hello"))
	h.answer(t, NoCall{}, shellCall("make"))
	if _, isLeft := kernel.OpenTickets(h.Kernel.Dir, "s1").Find("make", true, ""); !isLeft { // it runs
		t.Error("no ticket")
	}
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Bash", Command: "make", UseID: "u1"}})
	if left() != 0 {
		t.Errorf("%d tickets after the call", left())
	}
	h.answer(t, NoCall{}, shellCall("make all"))
	if h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionEnd}); left() != 0 {
		t.Errorf("%d tickets after the session", left())
	}
}

// TestKeepsFiles: what is ours is kept where there is an engine that keeps it, and a place for tickets.
func TestKeepsFiles(t *testing.T) {
	for _, k := range []Kernel{{}, {Dir: "/d"}, {Dir: "/d", Capability: kernel.Capability{Engine: "x"}},
		{Dir: "/d", Capability: kernel.Capability{Keeps: true}},
		{Capability: kernel.Capability{Engine: "x", Keeps: true}}} {
		if k.KeepsFiles() {
			t.Errorf("%+v", k)
		}
	}
	if k := (Kernel{Dir: "/d", Capability: kernel.Capability{Engine: "x", Keeps: true}}); !k.KeepsFiles() {
		t.Error("it does not")
	}
}

// TestTicketIsRecorded: the result of a line says whether it ran within its limits. One without limits says nothing.
func TestTicketIsRecorded(t *testing.T) {
	h, _ := confining(t)
	h.answer(t, NoCall{}, prompt("hello"))
	h.answer(t, NoCall{}, shellCall("make"))
	kernel.OpenTickets(h.Kernel.Dir, "s1").Find("make", true, "") // it runs
	for _, line := range []string{"make", "make other"} {
		h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Bash", Command: line, UseID: "u1"}})
	}
	all := h.records(t, "s1")
	if got := all[2].Event.Facts.Ticket; got == nil || !got.Confined || !got.Used {
		t.Errorf("%+v", got)
	}
	if got := all[3].Event.Facts.Ticket; got != nil {
		t.Errorf("without limits: %+v", got)
	}
}

// TestTicketsAreTakenBack: what a person answers, and the end of an agent, take back what was left for the lines of
// whoever waited for it. What is left for others goes once it is old.
func TestTicketsAreTakenBack(t *testing.T) {
	agent := fsm.Agent{ID: "a1", Type: "go"}
	all := []string{"agent", "main", "old"}
	for name, c := range map[string]struct {
		e    fsm.Event
		want []string
	}{
		"a person":        {prompt("go on"), []string{"agent"}},
		"a notification":  {fsm.Event{Kind: fsm.Prompt, Origin: fsm.Notification}, all},
		"the agent's end": {fsm.Event{Kind: fsm.AgentStop, Agent: agent}, []string{"main"}},
		"the turn's end":  {fsm.Event{Kind: fsm.TurnStop}, all},
		"a call":          {fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read"}}, all},
	} {
		h, _ := confining(t)
		h.answer(t, NoCall{}, request("go"))
		h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: agent})
		tickets := kernel.OpenTickets(h.Kernel.Dir, "s1")
		for line, id := range map[string]string{"main": "", "agent": "a1", "old": "a2"} {
			if err := tickets.Leave(line, "u", kernel.Ticket{Engine: "landlock", Agent: id}); err != nil {
				t.Fatal(err)
			}
		}
		dir := system.Join(h.Kernel.Dir, "tickets/s1")
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			if file := system.Join(dir, e.Name()); err == nil && strings.Contains(read(t, file), "a2") {
				old := time.Now().Add(-ticketAge - time.Minute)
				err = os.Chtimes(file, old, old)
			}
		}
		c.e.Session, c.e.Time = "s1", time.Now()
		if _, failed := h.Answer(NoCall{}, c.e); err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		var left []string
		for _, line := range all {
			if _, isLeft := tickets.Find(line, true, ""); isLeft {
				left = append(left, line)
			}
		}
		if !slices.Equal(left, c.want) {
			t.Errorf("%s: %q is left, expected %q", name, left, c.want)
		}
	}
}

// TestConfinedInEachWorktree: a line that may write a folder of the project may write it in the other worktrees.
func TestConfinedInEachWorktree(t *testing.T) {
	h, _ := confining(t)
	tree := system.Join(system.Dir(h.Root), "tree")
	h.Guards.Root, h.Guards.Worktrees = h.Root, func() []string { return []string{tree} }
	h.Policy.Confinement.Writable = []string{system.Join(h.Root, "build")}
	h.answer(t, NoCall{}, prompt("hello"))
	h.answer(t, NoCall{}, shellCall("make"))
	ticket, _ := kernel.OpenTickets(h.Kernel.Dir, "s1").Find("make", true, "")
	if !slices.Contains(ticket.Writable, system.Join(tree, "build")) {
		t.Errorf("%+v", ticket)
	}
}

// TestRefusedAtOnce: where the first line of a session cannot be confined, the session begins with the refusal.
func TestRefusedAtOnce(t *testing.T) {
	h, tickets := confining(t)
	write(t, tickets, "in the way")
	d := h.answer(t, NoCall{}, shellCall("make"))
	r := h.records(t, "s1")[0]
	if d.Verdict != fsm.Deny || r.Verdict != "deny" || r.State.ID != "s1" || r.State.Denied != 1 {
		t.Errorf("%+v, recorded %+v", d, r)
	}
}
