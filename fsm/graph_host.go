package fsm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// hostTask takes a change of the host's own tasks into account: for the graph, where that is made of them, and for what
// is still open.
func (st *step) hostTask(t tasks.HostTask) {
	st.open(t)
	if !st.p.takes(FromHost) {
		return
	}
	g, pr := tasks.Graph{}, tasks.Progress{}
	if st.s.Tasks.Progress != nil {
		old, ok := st.graph()
		if !ok || old.Source != tasks.FromHost {
			return // a plan holds over the list that is kept of it
		}
		g, pr = old, *st.s.Tasks.Progress
	}
	g, pr, mistakes := tasks.Amend(g, pr, t)
	if tasks.Wrong(mistakes) {
		st.inject(wrongGraph("The task list", tasks.Tell(mistakes, 400)))
	}
	text, err := g.Encode()
	if err != nil {
		st.d.note("the host's tasks cannot be kept: " + err.Error())
		return
	}
	sum := sha256.Sum256([]byte(text))
	st.store(g, pr, text, hex.EncodeToString(sum[:]))
}

// How many of the host's tasks a session remembers as open, and how many characters of what each is about.
const (
	openTasks = 40
	subject   = 30
)

// open remembers which of the host's tasks are not completed.
func (st *step) open(t tasks.HostTask) {
	i := slices.IndexFunc(st.s.Tasks.Open, func(o OpenTask) bool { return o.ID == t.ID })
	switch {
	case t.Status == "completed" || t.Status == "deleted":
		if i >= 0 {
			st.s.Tasks.Open = slices.Delete(st.s.Tasks.Open, i, i+1)
		}
	case i < 0 && len(st.s.Tasks.Open) < openTasks:
		st.s.Tasks.Open = append(st.s.Tasks.Open, OpenTask{t.ID, short(t.Subject, subject)})
	case i >= 0 && t.Subject != "":
		st.s.Tasks.Open[i].Subject = short(t.Subject, subject)
	}
}

// OpenTask is one of the host's tasks that is not completed.
type OpenTask struct {
	ID      string `json:"id"`
	Subject string `json:"subject,omitempty"`
}
