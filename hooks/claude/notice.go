package claude

import (
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// spoken tells a person's prompt from a background task's notification, which the client sends as a prompt too.
func spoken(prompt string) (string, fsm.Origin, fsm.Notice) {
	if !strings.HasPrefix(strings.TrimSpace(prompt), "<task-notification>") {
		return prompt, fsm.Person, fsm.Notice{}
	}
	head := prompt
	for _, own := range []string{"<summary>", "<note>", "<result>"} { // from there on it is in the agent's own words
		head, _, _ = strings.Cut(head, own)
	}
	return "", fsm.Notification, fsm.Notice{Task: element(head, "task-id"), Status: element(head, "status")}
}

func element(s, name string) string {
	_, rest, ok := strings.Cut(s, "<"+name+">")
	if !ok {
		return ""
	}
	text, _, ok := strings.Cut(rest, "</"+name+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(text)
}
