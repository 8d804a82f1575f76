package tasks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// fromTasks makes a graph of the host's tasks, in the order in which they were made or
// changed.
func fromTasks(list []tasks.HostTask) (tasks.Graph, tasks.Progress, []tasks.Mistake) {
	g, pr, all := tasks.Graph{Source: tasks.FromHost}, tasks.Progress{}, []tasks.Mistake(nil)
	for _, t := range list {
		var found []tasks.Mistake
		g, pr, found = tasks.AmendGraph(g, pr, t)
		all = append(all, found...)
	}
	return g, pr, all
}

func TestWhoDoesATask(t *testing.T) {
	for name, c := range map[string]struct {
		task        tasks.HostTask
		want, title string
	}{
		"no agent": {tasks.HostTask{Subject: "write"}, "1", "write"},
		"in brackets": {tasks.HostTask{Subject: "[bash-developer] write", Description: "Agent: other",
			Owner: "ann"}, "1 (bash-developer)", "write"},
		"brackets with a remark": {tasks.HostTask{Subject: "[to do later] write"}, "1", "[to do later] write"},
		"brackets at the end":    {tasks.HostTask{Subject: "write [draft]"}, "1", "write [draft]"},
		"in the description": {tasks.HostTask{Subject: "write",
			Description: "Do it.\r\n- **Agent**: `c-developer`.\r\nDone"}, "1 (c-developer)", "write"},
		"a sentence about agents": {tasks.HostTask{Subject: "write", Description: "agent: anyone who has time"}, "1",
			"write"},
		"the owner":      {tasks.HostTask{Subject: "write", Owner: "ann"}, "1 (ann)", "write"},
		"the main agent": {tasks.HostTask{Subject: "write", Owner: "team-lead"}, "1", "write"},
		"its metadata": {tasks.HostTask{Subject: "[x] write", Agent: "c-developer"}, "1 (c-developer)",
			"write"},
	} {
		c.task.ID = "1"
		g, _, mistakes := fromTasks([]tasks.HostTask{c.task})
		if got := g.Phases[0]; got.String() != c.want || got.Title != c.title || mistakes != nil {
			t.Errorf("%s: %+v %v", name, got, mistakes)
		}
	}
}

func TestFromTasks(t *testing.T) {
	g, pr, mistakes := fromTasks([]tasks.HostTask{
		{ID: "1", Subject: "[dev] build"},
		{ID: "2", Subject: "tell the user"},
		{ID: "3", Subject: "[tester] test"},
		{ID: "2", BlockedBy: []string{"1"}, Blocks: []string{"3"}},
		{ID: "1", Status: "completed"}, // the model's claim: no agent was seen to do it
	})
	if mistakes != nil {
		t.Fatal(mistakes)
	}
	pr = play(t, g, pr, "dev=", "tester=1 (dev)", "+r dev")
	g, pr, _ = tasks.AmendGraph(g, pr, tasks.HostTask{ID: "4", Subject: "[writer] news", Status: "pending"})
	pr = play(t, g, pr, "-r", "tester=", "writer=") // task 2 gates nothing …
	if diff := cmp.Diff([]string{"2", "3 (tester)", "4 (writer)"}, g.Left(pr)); diff != "" {
		t.Error(diff)
	}
	if r := g.Ready(pr); !slices.Equal(r, []int{2, 3}) {
		t.Errorf("ready %v", r)
	}
	g, pr, _ = tasks.AmendGraph(g, pr, tasks.HostTask{ID: "2", Status: "completed"}) // … and is done by its status
	g, pr, _ = tasks.AmendGraph(g, pr, tasks.HostTask{ID: "3", Status: "deleted"})
	if diff := cmp.Diff([]string{"4 (writer)"}, g.Left(pr)); diff != "" {
		t.Error(diff)
	}
	_, reopened, _ := tasks.AmendGraph(g, pr, tasks.HostTask{ID: "2", Status: "in_progress"})
	if left := g.Left(reopened); len(left) != 2 {
		t.Errorf("after reopening: %v", left)
	}
	_, again, _ := tasks.AmendGraph(g, pr, tasks.HostTask{ID: "1", Status: "pending"})
	if left := g.Left(again); len(left) != 1 {
		t.Errorf("evidence is taken back by a status: %v", left)
	}
	g, _, _ = tasks.AmendGraph(g, pr, tasks.HostTask{ID: "5", Subject: "[dev] more", BlockedBy: []string{"2"}})
	g, _, _ = tasks.AmendGraph(g, pr, tasks.HostTask{ID: "2", Status: "deleted"}) // others waited for it
	text := g.Encode()
	if again := parsed(t, text).Encode(); again != text {
		t.Errorf("%s, read and written: %s", text, again)
	}
}

// A graph that was amended twice has become two graphs.
func TestAmendLeavesTheOld(t *testing.T) {
	g, pr, _ := fromTasks([]tasks.HostTask{{ID: "1"}, {ID: "2"}, {ID: "3"}, {ID: "4"}, {ID: "5"},
		{ID: "6", BlockedBy: []string{"1", "2", "3"}}})
	a, _, _ := tasks.AmendGraph(g, pr, tasks.HostTask{ID: "6", BlockedBy: []string{"4", "4", "1"}})
	b, _, _ := tasks.AmendGraph(g, pr, tasks.HostTask{ID: "6", BlockedBy: []string{"5"}})
	tasks.AmendGraph(a, pr, tasks.HostTask{ID: "1", Status: "deleted"})
	for _, c := range []struct {
		g    tasks.Graph
		want string
	}{{g, "1 2 3"}, {a, "1 2 3 4"}, {b, "1 2 3 5"}} {
		if got := strings.Join(c.g.Phases[5].After, " "); got != c.want || len(c.g.Phases) != 6 {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// A teammate takes a task and hands it on.
func TestOwners(t *testing.T) {
	g, pr, _ := fromTasks([]tasks.HostTask{{ID: "1", Subject: "x"}, {ID: "1", Owner: "ann"}, {ID: "1", Owner: "bob"}})
	play(t, g, pr, "ann=free", "bob=")
	g, pr, _ = tasks.AmendGraph(g, pr, tasks.HostTask{ID: "1", Subject: "[dev] x", Owner: "ann"})
	play(t, g, pr, "ann=free", "bob=free", "dev=")
}

func TestTaskMistakes(t *testing.T) {
	g, pr, mistakes := fromTasks([]tasks.HostTask{{ID: "1", Subject: "[a] x"},
		{ID: "2", Subject: "[b] y", BlockedBy: []string{"1", "7"}}, {ID: "1", Blocks: []string{"9"}}})
	if len(mistakes) != 2 || tasks.HasErrors(mistakes) || !strings.Contains(mistakes[0].What,
		`task "7" is not known here: task "2" does not wait for it`) {
		t.Error(mistakes)
	}
	g, pr, mistakes = tasks.AmendGraph(g, pr, tasks.HostTask{ID: "2", Blocks: []string{"1"}})
	if len(mistakes) != 1 || mistakes[0].What != `task "1" cannot wait for task "2", which waits for it` {
		t.Error(mistakes)
	}
	play(t, g, pr, "a=", "b=1 (a)")
	if _, _, mistakes = tasks.AmendGraph(g, pr, tasks.HostTask{ID: "1", BlockedBy: []string{"1"}}); len(mistakes) != 1 {
		t.Error(mistakes)
	}
	if _, _, mistakes = tasks.AmendGraph(g, pr, tasks.HostTask{Subject: "x"}); len(mistakes) != 1 {
		t.Error(mistakes)
	}
}

// A plan that comes again keeps what is done of the phases that are still the same.
func TestCarry(t *testing.T) {
	from := parsed(t, `{"phases":[{"id":"a","agent":"x"},{"id":"b","teammates":["y","z"]},{"id":"c","agent":"w"},{"id":"d","agent":"v","title":"old"}]}`)
	to := parsed(t, `{"phases":[{"id":"d","agent":"v","title":"new"},{"id":"b","teammates":["y","z"]},{"id":"e","agent":"u"},{"id":"c","agent":"other"},{"id":"a","agent":"x"}]}`)
	pr := play(t, from, tasks.Progress{}, "+1 x", "-1", "+2 z", "+3 w", "-3", "+4 v", "-4")
	pr = play(t, to, tasks.CarryProgress(from, to, pr), "-2", "+5 y", "-5")
	if diff := cmp.Diff([]string{"d (v)", "e (u)", "c (other)"}, to.Left(pr)); diff != "" {
		t.Error(diff)
	}
}
