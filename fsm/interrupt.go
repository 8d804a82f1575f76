package fsm

// A user who interrupts a turn has taken the work into his own hands: his next turn is not held for what is left of it.
// The host tells nothing of an interruption (by experiment, Claude Code 2.1.197 and 2.1.329: no event until the next
// prompt), so a turn counts as interrupted when another prompt comes and it has not ended. What is typed while a turn runs
// carries the prompt id of that turn, or comes after its end.

// turnBegins notes which prompt a person's turn began with, and whether the turn before was interrupted.
func (st *step) turnBegins() {
	id := short(st.e.Prompt, 16)
	if id == "" || id == st.s.Turn.Prompt {
		return
	}
	if st.s.Turn.Prompt != "" {
		st.s.Turn.Interrupted, st.s.Tasks.Planned = true, false
		st.d.note("the turn before was interrupted: this one is not held")
	}
	st.s.Turn.Prompt = id
}

// turnOver notes that the turn has ended.
func (st *step) turnOver() { st.s.Turn.Prompt, st.s.Turn.Interrupted = "", false }
