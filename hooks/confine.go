package hooks

import (
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
)

// A Kernel is what can hold the shell lines of a client that runs them through our launcher. The zero Kernel holds
// none.
type Kernel struct {
	Dir string // that holds all our state; empty to leave no tickets
	kernel.Capability
}

// KeepsFiles reports whether what is ours is kept from a shell line that no rule confines.
func (k *Kernel) KeepsFiles() bool { return k.Dir != "" && k.Engine != "" && k.Keeps }

// ticketAge is how long a ticket stays open whose line never ran: the person has not agreed to it.
const ticketAge = 10 * time.Minute

// collectTicket takes back what the call has left for its shell line.
func (g gathering) collectTicket() {
	if g.Kernel.Dir == "" {
		return
	}
	ticket, used := kernel.OpenTickets(g.Kernel.Dir, g.Event.Session).Collect(g.Tool.Command, g.Tool.UseID)
	if ticket != nil {
		g.Facts.Ticket = &fsm.TicketResult{Confined: ticket.Confined, Used: used}
	}
}

// leaveTicket has the kernel hold the shell line of a call: where a rule confines it, and else from
// changing what is ours. It says why a line is refused that is to be confined and cannot be. What was left for lines
// that will not run any more is taken back.
func (h *Handler) leaveTicket(e fsm.Event, d *fsm.Decision) (refused string) {
	tickets := kernel.OpenTickets(h.Kernel.Dir, e.Session)
	switch {
	case e.Kind == fsm.SessionEnd:
		_ = tickets.Close()
	case e.Kind == fsm.Prompt && e.Origin == fsm.Person || e.Kind == fsm.AgentStop:
		tickets.Drop(e.Agent.ID, e.Time.Add(-ticketAge))
	}
	if h.Kernel.Engine == "" || e.Tool.Command == "" || d.Verdict == fsm.Deny || d.Level == fsm.Off {
		return ""
	}
	// A line may run what cannot run without privileges, or another client, whose hooks write our state.
	isExempt := func(p fsm.Part) bool { return p.Client != "" || h.Guards.IsExempt(p.Words, p.Via) }
	t := kernel.Ticket{Engine: h.Kernel.Engine, Agent: e.Agent.ID, Limits: kernel.Limits{Writable: []string{"/"}}}
	switch l := d.Limits; {
	case l != nil:
		t.Confined, t.ReadOnly = true, l.ReadOnly
		t.Writable = slices.Concat(l.Writable, h.Policy.Confinement.Writable)
		h.Guards.AddWorktrees(&t.Limits)
		if h.Policy.Confinement.Ignored {
			t.Folders = []string{h.Root}
		}
	case len(d.KeptOut) > 0:
		t.Confined = true
	case !h.Kernel.KeepsFiles() || slices.ContainsFunc(e.Tool.Parts, isExempt):
		return ""
	}
	t.KeepOut(d.KeptOut, d.Own)
	t.ReadOnly = append(slices.Clip(t.ReadOnly), h.Guards.ListKept()...)
	if err := tickets.Leave(e.Tool.Command, e.Tool.UseID, t); err != nil {
		d.Notices = append(d.Notices, "the kernel's limits for a command could not be written: "+err.Error())
		if t.Confined {
			return "This command could not be confined: " + err.Error() + ". Tell the user."
		}
	}
	return ""
}
