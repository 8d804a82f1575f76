package tasks

import "slices"

// Status is how far a phase has come.
type Status string

// The statuses.
const (
	Waiting Status = "waiting" // for other phases
	Ready   Status = "ready"
	Running Status = "running"
	Done    Status = "done"
	Failed  Status = "failed" // it ended without success, and may be tried again
)

// An Order says whether the graph lets an agent start.
type Order struct {
	Bound bool     // the agent is in the graph; if not, the graph does not apply to it
	Phase int      // the phase that it is about, or -1
	First []string // what must finish first, as Phase.String; none: it may start
	slot  int      // that the agent takes, or -1
}

// MayStart reports whether an agent of this type may start now. Each agent of the type that is
// admitted but not started yet takes a ready phase away. An agent may start
//
//   - where a phase of its own is ready;
//   - where none of its phases waits any more: it runs again, or helps itself;
//   - where a phase has failed that builds on one that it has done: to fix that.
//
// Otherwise First has what must finish before the first of its phases that wait.
func (g Graph) MayStart(pr Progress, agent string, admitted int, same Same) Order {
	b := g.layOut(pr)
	out, worked := Order{Phase: -1, slot: -1}, false
	for n, s := range b.slots {
		if !s.isFor(agent, same) {
			continue
		}
		out.Bound = true
		worked = worked || s.mark == done
		if s.mark == done || s.live {
			continue
		}
		first := b.unmetBefore(s.phase)
		switch {
		case len(first) > 0 && out.slot < 0:
			out.Phase, out.First, out.slot = s.phase, g.Describe(first), n
		case len(first) == 0 && admitted > 0:
			admitted--
		case len(first) == 0:
			return Order{Bound: true, Phase: s.phase, slot: n}
		}
	}
	if g.Mode == Team {
		out.First = nil
	} else if worked && b.canFix(agent, same) {
		return Order{Bound: true, Phase: -1, slot: -1}
	}
	return out
}

// Ready lists the phases that may start now, also those that failed.
func (g Graph) Ready(pr Progress) (out []int) {
	b := g.layOut(pr)
	for i, p := range g.Phases {
		if st := b.statusOf(i); !p.isUnseen() && (st == Ready || st == Failed && len(b.unmetBefore(i)) == 0) {
			out = append(out, i)
		}
	}
	return out
}

// Status is how far a phase has come.
func (g Graph) Status(pr Progress, phase int) Status { return g.layOut(pr).statusOf(phase) }

// Waits lists the phases that a phase still waits for.
func (g Graph) Waits(pr Progress, phase int) []int { return g.layOut(pr).unmetBefore(phase) }

// Left lists the phases that are not done, as Phase.String. It includes those that no
// agent does, for which no other phase waits.
func (g Graph) Left(pr Progress) (out []string) {
	for i, isLeft := range g.layOut(pr).left {
		if isLeft {
			out = append(out, g.Phases[i].String())
		}
	}
	return out
}

// A board is a graph with its progress laid out.
type board struct {
	Graph
	slots []slot
	left  []bool // by phase: not all of it is done
}

func (g Graph) layOut(pr Progress) board {
	b := board{g, g.listSlots(), make([]bool, len(g.Phases))}
	for n := range b.slots {
		s := &b.slots[n]
		s.mark = pr.markAt(n)
		b.left[s.phase] = b.left[s.phase] || s.mark != done
	}
	for _, r := range pr.Runs {
		if !r.Ended && r.Slot >= 0 && r.Slot < len(b.slots) {
			b.slots[r.Slot].live = true
		}
	}
	return b
}

func (b board) statusOf(phase int) Status {
	live, bad := false, false
	for _, s := range b.slots {
		if s.phase == phase {
			live, bad = live || s.live, bad || s.mark == failed
		}
	}
	switch {
	case !b.left[phase]:
		return Done
	case live:
		return Running
	case bad:
		return Failed
	case len(b.unmetBefore(phase)) > 0:
		return Waiting
	}
	return Ready
}

// unmetBefore lists the phases that must finish before this one. A phase that no agent
// does gives no evidence, so none waits for it. What it waits for itself, those after it
// wait for too.
func (b board) unmetBefore(phase int) (out []int) {
	before := make([]bool, len(b.Phases))
	b.markBefore(phase, before, false)
	for k, marked := range before {
		if marked && b.left[k] && !b.Phases[k].isUnseen() {
			out = append(out, k)
		}
	}
	return out
}

// canFix reports whether a phase has failed that builds, directly or not, on a part that
// this agent has done.
func (b board) canFix(agent string, same Same) bool {
	below := make([]bool, len(b.Phases))
	for i := range b.Phases {
		if b.statusOf(i) == Failed {
			b.markBefore(i, below, true)
		}
	}
	return slices.ContainsFunc(b.slots,
		func(s slot) bool { return below[s.phase] && s.mark == done && s.isFor(agent, same) })
}

// Describe names phases, as Phase.String.
func (g Graph) Describe(phases []int) (out []string) {
	for _, i := range phases {
		out = append(out, g.Phases[i].String())
	}
	return out
}
