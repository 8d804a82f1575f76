package fsm_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// bounds are the constants of a folder whose names say that they bound what is kept.
func bounds(t *testing.T, dir string) map[string]int {
	t.Helper()
	out := map[string]int{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range files {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+entry.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			for i, name := range spec.Names {
				lit, ok := spec.Values[i].(*ast.BasicLit)
				if low := strings.ToLower(name.Name); !ok || !strings.HasPrefix(low, "max") &&
					!strings.HasPrefix(low, "kept") {
					continue
				}
				if v, err := strconv.Atoi(lit.Value); err == nil {
					out[name.Name] = v
				}
			}
			return true
		})
	}
	return out
}

// beyond has for each bound what must be true one past it.
var beyond = map[string]func(t *testing.T, n int){
	"maxPending": func(t *testing.T, n int) {
		pl := begin(t, free())
		for i := range n {
			pl.asks(main(), "dev", fmt.Sprint(i)).passes().asks(main(), "dev", fmt.Sprint(i)).passes()
		}
		pl.asks(main(), "dev", "one more").denied("too many at once")
		for i := range n {
			pl.starts(fmt.Sprint("a", i), "dev")
		}
		for _, r := range pl.s.Agents.Runs {
			if r.By != "" || r.UseID == "" {
				t.Errorf("%+v", r)
			}
		}
		pl.asks(main(), "dev", "again").passes()
		soft := free()
		soft.Level = fsm.Guidance
		pl = begin(t, soft)
		for i := range n + 1 {
			pl.asks(main(), "dev", fmt.Sprint(i))
		}
		if len(pl.pending()) != n+1 {
			t.Errorf("%d are kept where the level refuses nothing", len(pl.pending()))
		}
	},
	"maxEndedRuns": func(t *testing.T, n int) {
		pl := defaults(t).executing()
		for i := range n + 1 {
			pl.runs(fmt.Sprint("b", i), "bash-developer", "done")
		}
		if len(pl.s.Agents.Runs) > n+1 || pl.s.Agents.Forgotten == 0 {
			t.Errorf("%d runs, %d forgotten", len(pl.s.Agents.Runs), pl.s.Agents.Forgotten)
		}
		pl.do(starting(fsm.ByMessage, "", "o")).denied("Start a new one")
		pl.do(starting(fsm.ByMessage, "", "main")).passes().do(starting(fsm.ByMessage, "", fmt.Sprint("b", n))).passes()
		moves := pl.s.Machine.Moves
		pl.spawn = &fsm.Spawn{Depth: 1, UseID: "use-g"} // it comes back once more
		pl.stops("g", "context-gatherer", "gathered again").in("EXECUTING")
		if pl.s.Machine.Moves != moves {
			t.Error("a forgotten agent moves the machine again")
		}

		pl = begin(t, free()) // who used up a budget, and whose result is on its way, stays
		for i := range n + 1 {
			id := fmt.Sprint("b", i)
			pl.asks(main(), "dev", id).starts(id, "dev")
		}
		if len(pl.s.RunningAgents()) != n+1 {
			t.Errorf("%d run", len(pl.s.RunningAgents()))
		}
		waits := defaults(t).executing()
		for i := range n + 5 {
			id := fmt.Sprint("b", i)
			waits.asks(main(), "bash-developer", id).starts(id, "bash-developer")
		}
		for i := range n + 5 {
			id := fmt.Sprint("b", i)
			waits.stops(id, "bash-developer", "done")
		}
		waits.asks(main(), "bash-developer", "last").starts("last", "bash-developer").stops("last", "bash-developer",
			"done")
		waits.ends().in("EXECUTING").noted("has not yet been given")
	},
	"maxRefusals": func(t *testing.T, n int) {
		pl := begin(t, &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{Default: fsm.Rule{Verdict: fsm.Deny}}})
		for round := range 5 {
			for i := range n + 3 {
				pl.does(fmt.Sprint(round, "-", i), file("Write", fmt.Sprint("/p/f", i))).denied("")
				if again := strings.Contains(pl.d.Reason, "refused again"); again != (round > 0 && i < n) {
					t.Fatalf("round %d, call %d: %s", round, i, pl.d.Reason)
				}
				if told := len(pl.d.Notices) > 0; round == 4 && i < n && !told {
					t.Fatalf("the user hears nothing of call %d", i)
				}
			}
		}
	},
	"maxBudgetFiles": func(t *testing.T, n int) {
		edits := fsm.Rule{Name: "edits", Verdict: fsm.Deny, Tools: []string{"Edit"}, Budgeted: true, Budget: n + 2}
		pl := begin(t, &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{edits}}})
		for i := range n + 1 {
			pl.does(fmt.Sprint("a", i), file("Edit", fmt.Sprint("/p/f", i))).passes()
			pl.does(fmt.Sprint("b", i), file("Edit", fmt.Sprint("/p/f", i))).passes()
		}
		pl.does("c", file("Edit", fmt.Sprint("/p/f", n))).passes()
		pl.does("d", file("Edit", "/p/f0")).passes() // forgotten, so it counts again
		pl.does("e", file("Edit", "/p/another")).denied("")
	},
	"maxScheduled": func(t *testing.T, n int) {
		pl := begin(t, budgeted())
		for i := range n {
			pl.cron(fmt.Sprint("prompt ", i))
		}
		cron := fsm.Tool{Name: "CronCreate", UseID: "c", Prompt: "one more", Parts: []fsm.Part{{Tool: "CronCreate"}}}
		pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: cron}).denied("too many at once").cron("prompt 7")
		pl.do(fsm.Event{Kind: fsm.TurnStop, Crons: []string{"the host has it"}})
		for _, text := range []string{"prompt 0", fmt.Sprint("prompt ", n-1), "the host has it"} {
			if !pl.s.IsScheduled(text) {
				t.Errorf("%q counts as a person's", text)
			}
		}
	},
	"maxEdited":     func(t *testing.T, n int) { editMany(t, n, "/p/f") },
	"maxEditedSize": func(t *testing.T, n int) { editMany(t, 1, "/p/"+strings.Repeat("x", n-4)) },
	"maxSubjects": func(t *testing.T, n int) {
		p := free()
		p.Hold = fsm.Hold{Until: []string{"tasks"}, Tries: 3}
		pl := begin(t, p)
		for i := range n + 1 {
			pl.task(tasks.HostTask{ID: fmt.Sprint(i), Subject: "work", Status: "pending"})
		}
		for i := range n {
			pl.task(tasks.HostTask{ID: fmt.Sprint(i), Status: "completed"})
		}
		pl.ends().held(fsm.RuleHold, fmt.Sprint("open: ", n))
		pl.task(tasks.HostTask{ID: fmt.Sprint(n), Status: "completed"}).ends().over()
	},
	"maxSubject": nil, // of a text for people
	"maxNotice":  nil, // of one text
	"maxNotices": func(t *testing.T, n int) {
		pl := defaults(t)
		for i := range n + 1 {
			id := fmt.Sprint("z", i)
			pl.starts(id, "bash-developer-"+id).stops(id, "bash-developer", "done")
		}
		pl.says("go on").told("More agents came back and do not count")
	},
	"maxDepth": nil, // of a search: what is deeper counts as that deep
	"MaxTalk":  nil, // the rest goes into a file
}

// editMany writes so many files and one more: all checks run, and the turn is held.
func editMany(t *testing.T, n int, name string) {
	p := free()
	p.Checks = []fsm.Check{{Name: "vet", Files: []string{"**"}, At: []string{fsm.AtTurnEnd}}}
	p.Hold = fsm.Hold{Until: []string{"checks"}, Tries: 2}
	pl := begin(t, p)
	for i := range n {
		pl.edits(main(), nil, fmt.Sprint(name, i))
	}
	if pl.s.Turn.EditedMore {
		t.Errorf("%d are too many", n)
	}
	if pl.edits(main(), nil, name+"more"); !pl.s.Turn.EditedMore || pl.s.Turn.Edited[0] != name+"0" {
		t.Errorf("one more than %d: %v %q", n, pl.s.Turn.EditedMore, pl.s.Turn.Edited)
	}
	end := fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}}
	if !p.IsNeeded(fsm.NeedChecks, pl.s, end) {
		t.Error("no check is asked for")
	}
	pl.ends()
	if pl.s.Turn.EditedMore {
		t.Error("it outlives the turn")
	}
}

// TestBoundedLists goes one past each bound. A new constant needs a test here.
func TestBoundedLists(t *testing.T) {
	found := bounds(t, ".")
	for _, name := range slices.Sorted(maps.Keys(found)) {
		check, known := beyond[name]
		if !known {
			t.Errorf("%s = %d has no test of what happens beyond it", name, found[name])
		}
		if check != nil {
			t.Run(name, func(t *testing.T) { check(t, found[name]) })
		}
	}
	for name := range beyond {
		if _, ok := found[name]; !ok {
			t.Errorf("there is no constant %s", name)
		}
	}
}

// TestWithinForManyAgents: what agents used is remembered as long as they run, and for a line of many parts as for one.
func TestWithinForManyAgents(t *testing.T) {
	p := free()
	p.Subagents.List = []fsm.Rule{{Name: "again", Tools: []string{"Read"}, Verdict: fsm.Deny, Within: 3}}
	p.Subagents.List = append(p.Subagents.List, fsm.Rule{Name: "few", Tools: []string{"Grep"}, Verdict: fsm.Deny,
		Budgeted: true, Budget: 1})
	pl := begin(t, p)
	for i := range 40 {
		id := fmt.Sprint("a", i)
		if i%20 == 0 {
			pl.prompt(id)
		}
		pl.asks(main(), "dev", id).passes().starts(id, "dev")
		pl.by(sub(id, "dev"), "r"+id, file("Read", "/a")).passes().by(sub(id, "dev"), "g"+id,
			file("Grep", "/a")).passes()
	}
	for i := range 40 {
		id := fmt.Sprint("a", i)
		pl.by(sub(id, "dev"), "x"+id, fsm.Part{Tool: "Bash", Words: []string{"a"}},
			fsm.Part{Tool: "Bash", Words: []string{"b"}}, file("Write", "/c"), file("Delete", "/d")).passes()
		pl.by(sub(id, "dev"), "s"+id, file("Read", "/a")).denied("again").by(sub(id, "dev"), "h"+id,
			file("Grep", "/a")).denied("few")
	}
}

// by is a call of an agent.
func (pl *play) by(who fsm.Agent, use string, parts ...fsm.Part) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: who,
		Tool: fsm.Tool{Name: parts[0].Tool, UseID: use, Parts: parts}})
}
