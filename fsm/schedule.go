package fsm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// schedules is how many prompts a session remembers that the host is to give by itself.
const schedules = 16

// schedule remembers a prompt that will come by the host's clock. It arrives as one that a person typed (by experiment,
// with client 2.1.329), so that its words are all there is to tell it by.
func (st *step) schedule(prompt string) {
	key := promptKey(prompt)
	if key == "" || slices.Contains(st.s.Turn.Scheduled, key) {
		return
	}
	st.s.Turn.Scheduled = append(st.s.Turn.Scheduled[max(0, len(st.s.Turn.Scheduled)-schedules+1):], key)
}

func (st *step) scheduled(prompt string) bool { return st.s.IsScheduled(prompt) }

// IsScheduled reports whether a prompt is one that an agent has had scheduled, and so is not a person's.
func (s Session) IsScheduled(prompt string) bool {
	return slices.Contains(s.Turn.Scheduled, promptKey(prompt))
}

func promptKey(prompt string) string {
	prompt = strings.Join(strings.Fields(prompt), " ")
	if prompt == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:6])
}
