package tasks_test

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

func TestFind(t *testing.T) {
	const graph = `{"phases":[{"id":"a","agent":"x"}]}`
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"plain":                    {"The plan:\n\n```json\n" + graph + "\n```\nGo.", true},
		"tildes":                   {"~~~json\n" + graph + "\n~~~", true},
		"more in the info string":  {"``` JSON title=\"plan\"\n" + graph + "\n```", true},
		"a tab after the language": {"```json\tx\n" + graph + "\n```", true},
		"windows lines":            {"```json\r\n" + graph + "\r\n```\r\n", true},
		"not closed":               {"```json\n" + graph, true},
		"three spaces in":          {"   ```json\n   " + graph + "\n  ```", true},
		"the second block":         {"```sh\nls\n```\n```json\n{\"a\":1}\n```\n```json\n" + graph + "\n```", true},
		"a list is no graph":       {"```json\n[{\"phases\":1}]\n```\n```json\n" + graph + "\n```", true},
		"the sound one of two":     {"```json\n{\"phases\":[}\n```\n```json\n" + graph + "\n```", true},
		"a longer fence":           {"````json\n" + graph + "\n````", true},
		"closed by tildes only":    {"~~~json\n" + graph + "\n```\n~~~", false},
		"four spaces in":           {"    ```json\n    " + graph + "\n    ```", false},
		"quoted in a longer fence": {"````markdown\n```json\n" + graph + "\n```\n````", false},
		"after a longer fence":     {"````markdown\n```sh\n```\n```json\n" + graph + "\n```\n````", false},
		"not a fence: a backtick in the info string": {"```json `\n" + graph + "\n```", false},
		"closed by a fence without info only":        {"~~~json\n" + graph + "\n~~~ x\n~~~", false},
		"not a fence: two":                           {"``json\n" + graph + "\n``", false},
		"not a fence: inline":                        {"```json " + graph + "```", false},
		"another language":                           {"```yaml\n" + graph + "\n```", false},
		"jsonc is another language":                  {"```jsonc\n" + graph + "\n```", false},
		"no fence":                                   {graph, false},
		"phases deeper down":                         {"```json\n{\"plan\":" + graph + "}\n```", false},
		"nothing":                                    {"", false},
	} {
		got, ok := tasks.FindGraph(c.text)
		if found := ok && strings.TrimSpace(got) == graph; found != c.ok {
			t.Errorf("%s: %q %v", name, got, ok)
		}
	}
}

// A broken graph is found too, so that its writer can fix it.
func TestFindBroken(t *testing.T) {
	_, mistakes, found := tasks.ReadGraph("Plan:\n```json\n{\"phases\": [\n  {\"id\" 1}\n]}\n```\n")
	if !found || len(mistakes) != 1 || !strings.Contains(mistakes[0].What, "line 2, column 9") {
		t.Errorf("%v %v", found, mistakes)
	}
	if g, mistakes, found := tasks.ReadGraph("\ufeff \n" + `{"phases":[{"id":"a","agent":"x"}]}`); !found ||
		mistakes != nil || len(g.Phases) != 1 {
		t.Errorf("a bare graph: %v %v %v", g, mistakes, found)
	}
	if _, _, found := tasks.ReadGraph("# Plan\nnone"); found {
		t.Error("found in a text without")
	}
}

func FuzzFind(f *testing.F) {
	f.Add("```json\n{\"phases\":[]}\n```")
	f.Add("~~~~ json\n  {\"phases\":\n~~~\n~~~~")
	f.Fuzz(func(t *testing.T, text string) {
		graph, ok := tasks.FindGraph(text)
		if ok != (graph != "") || ok && !strings.Contains(graph, "phases") && !strings.Contains(graph, `\u`) {
			t.Errorf("%q %v", graph, ok)
		}
		if quoted, _ := tasks.FindGraph("`````text\n" + strings.ReplaceAll(text, "`````", "") +
			"\n`````\n"); quoted != "" {
			t.Errorf("found in a quotation: %q", quoted)
		}
	})
}
