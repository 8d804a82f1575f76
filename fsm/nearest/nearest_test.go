package nearest

import "testing"

func TestFind(t *testing.T) {
	known := []string{"agents", "on_complete", "on_stop", "A", "context-gatherer"}
	for word, want := range map[string]string{"agnets": "agents", "Agents": "agents", "on_complte": "on_complete",
		"onstop": "on_stop", "B": "", "a": "A", "orchestrator": "", "": "", "contextgatherer": "context-gatherer"} {
		if got := Find(word, known); got != want {
			t.Errorf("Find(%q) is %q, want %q", word, got, want)
		}
	}
	if got := editDistance("ca", "abc"); got != 3 || editDistance("ab", "ba") != 1 || editDistance("", "abc") != 3 {
		t.Errorf("distance is %d", got)
	}
}
