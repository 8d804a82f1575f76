package doctor

// checks is the table of what is looked at, in the order of a call's way: from what is to be enforced, over the client
// and its settings, to the binary, its answer and its state.
func checks() []check {
	return []check{
		{"config", (*exam).config, "pipeline check"},
		{"client", (*exam).client, ""},
		{"environment", (*exam).environment, ""},
		{"settings", (*exam).settings, ""},
		{"registration", (*exam).registration, "pipeline install"},
		{"matchers", (*exam).matchers, "pipeline install"},
		{"command", (*exam).commands, "pipeline install"},
		{"canary", (*exam).canaries, "pipeline install"},
		{"tools", (*exam).tools, "pipeline check"},
		{"state", (*exam).state, ""},
		{"locks", (*exam).locks, ""},
		{"mishaps", (*exam).mishaps, ""},
		{"liveness", (*exam).liveness, "restart the client"},
		{"clock", (*exam).clock, "set the clock"},
	}
}
