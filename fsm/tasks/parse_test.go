package tasks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// same is how names compare in these tests: in lower case, and "x-*" by what it begins with.
func same(pattern, name string) bool {
	if head, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, head)
	}
	return strings.EqualFold(pattern, name)
}

func parsed(t testing.TB, text string) tasks.Graph {
	t.Helper()
	g, mistakes := tasks.Parse([]byte(text))
	if mistakes != nil {
		t.Fatalf("%s: %v", text, mistakes)
	}
	return g
}

func TestParse(t *testing.T) {
	want := tasks.Graph{Mode: "subagent", Phases: []tasks.Phase{
		{ID: "1", Title: "Look around", Agent: "Explore", Wave: 1},
		{ID: "b", Agent: "bash-*", Wave: 2, After: []string{"1"}, Deliverable: "a script"},
		{ID: "t", Wave: 2, Type: "team", Teammates: []tasks.Teammate{{Agent: "c-dev"},
			{Agent: "c-dev", Name: "ann", Role: "tests"}}}}}
	for name, text := range map[string]string{
		"its own names": `{"execution_mode":"subagent","phases":[{"id":"1","title":"Look around","agent":"Explore","wave":1},
			{"id":"b","agent":"bash-*","wave":2,"after":["1"],"deliverable":"a script","prompt":"…"},
			{"id":"t","wave":2,"phase_type":"team","teammates":["c-dev",{"agent":"c-dev","name":"ann","role":"tests"}]}]}`,
		"what planners write": `{"mode":"subagent","waves":[[1],["b","t"]],"phases":[{"phase_id":1,"name":"Look\naround","agent_type":"Explore","after":null},
			{"id":" b ","assigned_agent":"bash-*","depends_on":1,"deliverable":"a script"},
			{"id":"t","type":"team","dependencies":[],"teammates":["c-dev",{"agent_type":"c-dev","name":"ann","role":"tests"}]}]}`,
	} {
		if diff := cmp.Diff(want, parsed(t, text)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff(want, parsed(t, want.Encode())); diff != "" {
		t.Errorf("written and read again: %s", diff)
	}
}

// TestMistakes compares the mistakes in testdata/mistakes/*.json with *.out.
func TestMistakes(t *testing.T) {
	files, err := filepath.Glob("testdata/mistakes/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			g, mistakes := tasks.Parse([]byte(read(t, f)))
			var out strings.Builder
			for _, m := range mistakes {
				if m.Note {
					out.WriteString("note: ")
				}
				fmt.Fprintln(&out, m)
			}
			golden(t, strings.TrimSuffix(f, ".json")+".out", out.String())
			if tasks.HasErrors(mistakes) != (len(g.Phases) == 0) {
				t.Errorf("wrong %v, and a graph of %d phases", tasks.HasErrors(mistakes), len(g.Phases))
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	many := func(n int, rest string) string {
		var phases []string
		for i := range n {
			phases = append(phases, fmt.Sprintf(`{"id":%d,"agent":"a"%s}`, i, rest))
		}
		return `{"phases":[` + strings.Join(phases, ",") + `]}`
	}
	parsed(t, many(tasks.MaxPhases, ""))
	teammates := `,"teammates":["` + strings.Join(slices.Repeat([]string{"a"}, tasks.MaxTeammates), `","`) + `"]`
	for text, want := range map[string]string{
		many(tasks.MaxPhases+1, ""):                          "201 phases, at most 200",
		many(26, teammates):                                  "416 teammates and agents together, at most 400",
		many(1, `,"title":"`+long(tasks.MaxText)):            "bytes, at most 65536",
		many(1, `,"title":"`+long(201)+`"`):                  "phases[0].title: the text has 201 characters",
		`{"phases":[{"id":"` + long(65) + `","agent":"a"}]}`: "phases[0].id: the name has 65 characters",
	} {
		_, mistakes := tasks.Parse([]byte(text))
		if len(mistakes) != 1 || !strings.Contains(mistakes[0].String(), want) {
			t.Errorf("want %q, got %.300v", want, mistakes)
		}
	}
}

// TestManyMistakes: all are known, the first with hints; those that fit are described, and the others counted.
func TestManyMistakes(t *testing.T) {
	unknown := strings.Join(slices.Repeat([]string{`"ab"`}, 12000), ",")
	_, mistakes := tasks.Parse([]byte(`{"phases":[{"id":"abc","agent":"x","after":[` + unknown + `]}]}`))
	hasHint := func(m tasks.Mistake) bool { return strings.Contains(m.What, "did you mean") }
	if len(mistakes) != 12000 || !hasHint(mistakes[49]) || slices.ContainsFunc(mistakes[50:], hasHint) {
		t.Errorf("%d mistakes, the last: %s", len(mistakes), mistakes[11999])
	}
	describe := func() { tasks.DescribeMistakes(mistakes, 60) }
	few := testing.AllocsPerRun(1, describe)
	mistakes = append(mistakes, mistakes...)
	if many := testing.AllocsPerRun(1, describe); many > 2*few+100 {
		t.Errorf("12000 mistakes: %v, twice as many cost %v", few, many)
	}
	got := tasks.DescribeMistakes(mistakes, 600)
	if !strings.HasSuffix(got, " more") || len(got) < 500 || len(got) > 600 {
		t.Error(got)
	}
}

func long(n int) string { return strings.Repeat("x", n) }

func read(t testing.TB, file string) string {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// golden compares with a file; UPDATE=1 writes it.
func golden(t testing.TB, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, file), got); diff != "" {
		t.Errorf("%s: %s", file, diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"phases":[{"id":"a","agent":"x","wave":1},{"id":2,"agent":"y","after":["a"],"teammates":["z",{"name":"n"}]}],"waves":[["a"],[2]]}`)
	f.Add("{\"phases\":[{\"id\":\"a\xff\",\"agent\":\"x\"}]}")
	f.Add(`{"phases":[{"id":"a","agent":"x","after":"b"},{"id":"b","agent":"x","depends_on":["a"]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		g, mistakes := tasks.Parse([]byte(text))
		if tasks.HasErrors(mistakes) {
			return
		}
		if diff := cmp.Diff(g, parsed(t, g.Encode())); diff != "" {
			t.Errorf("written and read again: %s", diff)
		}
		if left := finished(t, g); left != nil {
			t.Errorf("it stops with %v left", left)
		}
		_ = g.Text(tasks.Progress{})
	})
}

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

func TestTell(t *testing.T) {
	all := []tasks.Mistake{{Where: "a", What: "one"}, {What: "note", Note: true}, {Where: "b", What: "two"},
		{Where: "c", What: "thrée"}}
	for limit, want := range map[int]string{
		100: "a: one; b: two; c: thrée", 24: "a: one; b: two; c: thrée", 23: "a: one; and 2 more",
		18: "a: one; and 2 more", 17: "a: one; b: two; …", 5: "a: o…"} {
		if got := tasks.DescribeMistakes(all, limit); got != want || utf8.RuneCountInString(got) > limit {
			t.Errorf("%d: %q", limit, got)
		}
	}
	if got := tasks.DescribeMistakes(all[1:2], 100); got != "note" {
		t.Errorf("a note alone: %q", got)
	}
	_, mistakes := tasks.Parse([]byte(read(t, "testdata/mistakes/types.json")))
	if got := tasks.DescribeMistakes(mistakes, 400); !strings.HasSuffix(got, "more") || len(got) < 300 {
		t.Errorf("%q", got)
	}
}
