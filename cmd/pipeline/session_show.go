package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A shownDoc is the document of `session show --json`.
type shownDoc struct {
	sessionDoc
	Level   standingLevel      `json:"level"` // and what is lifted
	Next    []string           `json:"next"`
	Agents  []fsm.Run          `json:"agents"` // that run
	Context map[string]fsm.Ref `json:"context"`
	Budgets []budgetDoc        `json:"budgets"`
	Refused []refusedDoc       `json:"refused"` // the latest
	Held    int                `json:"held"`    // how often in a row the turn was held
	Planned bool               `json:"planned"` // a plan was approved, and no agent has started since
	Open    []fsm.OpenTask     `json:"open"`    // the client's own tasks
	Tasks   *tasksDoc          `json:"tasks,omitempty"`
	Moves   int                `json:"moves"`
	Notes   []string           `json:"notes"`
	Files   []string           `json:"files"`
	drawn   string             // the task graph
}

// A budgetDoc is how far somebody's budget is used up.
type budgetDoc struct {
	Rule   string   `json:"rule"`
	Agent  string   `json:"agent,omitempty"` // empty for the main agent
	Used   int      `json:"used"`
	Of     int      `json:"of"`
	Denied int      `json:"denied"`
	Files  []string `json:"files,omitempty"`
}

func (p *program) showSession(c *cli.Context) error {
	s, err := p.pickNamed(c, c.Args().Get(1))
	if err != nil {
		return err
	}
	v, err := s.store.View(s.id)
	if err != nil {
		return err
	}
	d, err := p.shown(s, v)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json(d)
	}
	for _, note := range v.Notes {
		p.sayf("%s", note)
	}
	p.overview(s, v)
	p.details(d)
	return nil
}

// pickNamed is pick, where the session may also be named by an argument, or by its beginning.
func (p *program) pickNamed(c *cli.Context, id string) (picked, error) {
	if id == "" {
		return p.pick(c)
	}
	o, err := p.project(c)
	if err != nil {
		return picked{}, err
	}
	out := picked{Opened: o, store: store(o, 0), how: "named"}
	items, err := out.store.List()
	if err == nil {
		out.id, err = oneSession(items, id)
	}
	return out, err
}

// shown gathers what is known of a session.
func (p *program) shown(s picked, v session.View) (shownDoc, error) {
	now := time.Now()
	level, err := p.levelNow(s.Opened, v.Session, now)
	if err != nil {
		p.sayf("%v", err)
	}
	items, err := s.store.List()
	if err != nil {
		return shownDoc{}, err
	}
	d := shownDoc{Level: level, Next: s.Policy.NextAgents(v.State), Agents: v.Session.RunningAgents(), Context: v.Session.Machine.Captures,
		Held: v.Session.Turn.Held, Planned: v.Session.Tasks.Planned, Open: v.Session.Tasks.Open, Moves: v.Session.Machine.Moves, Notes: v.Notes}
	for _, i := range items {
		if i.ID == s.id {
			d.sessionDoc = p.sessionRow(s.store, i, now)
		}
	}
	if d.Refused, err = refusedLately(s.store.Path(s.id)); err != nil {
		p.sayf("%v", err)
	}
	d.Budgets, d.Files = budgetsOf(s.Policy, v.Session), filesIn(d.Dir)
	if g, _, found := tasks.Read(v.Context[fsm.TasksCapture]); found && v.Session.Tasks.Progress != nil {
		doc := documented(g, *v.Session.Tasks.Progress)
		d.Tasks, d.drawn = &doc, g.Text(*v.Session.Tasks.Progress)
	}
	return d, nil
}

// budgetsOf are the budgets of which something is used. A rule that the config does not have any more has none.
func budgetsOf(p *fsm.Policy, s fsm.Session) []budgetDoc {
	out := []budgetDoc{}
	for _, b := range s.Budgets.Uses {
		set := p.Subagents.List
		if b.Agent == "" {
			set = p.Main.List
		}
		for i := range set {
			if used := b.Used + len(b.Held); set[i].Name == b.Rule && used+b.Tries > 0 {
				out = append(out, budgetDoc{b.Rule, b.Agent, used, set[i].Budget, b.Tries, b.Files})
			}
		}
	}
	return out
}

// A refusedDoc is a call that was refused.
type refusedDoc struct {
	Record int64     `json:"n"` // as `pipeline log` counts
	Time   time.Time `json:"time"`
	Agent  string    `json:"agent,omitempty"` // empty for the main agent
	Tool   string    `json:"tool"`
	Rule   string    `json:"rule"`
	Where  string    `json:"where,omitempty"`
	Reason string    `json:"reason"`
}

// lately is how many refusals are shown.
const lately = 5

// refusedLately lists the calls of a session that were refused last, the oldest first.
func refusedLately(dir string) ([]refusedDoc, error) {
	out, last := []refusedDoc{}, ""
	_, err := journal.ReadAll(dir, func(r journal.Record) bool {
		if r.Event.Kind != fsm.ToolRequest || r.Verdict != fsm.Deny.String() || r.Event.Tool.UseID != "" && r.Event.Tool.UseID == last {
			return true // the last: the same call through a second registration
		}
		last = r.Event.Tool.UseID
		out = append(out, refusedDoc{r.Seq, r.Event.Time, r.Event.Agent.Type, r.Event.Tool.Name, r.Rule, r.Where, r.Reason})
		out = out[max(0, len(out)-lately):]
		return true
	})
	return out, err
}

// filesIn names what a folder holds.
func filesIn(dir string) []string {
	out := []string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return out // it was read a moment ago: it has just been removed
	}
	for _, e := range entries {
		out = append(out, filepath.Join(dir, e.Name()))
	}
	return out
}

// details tells what the overview does not.
func (p *program) details(d shownDoc) {
	t := p.table()
	fmt.Fprintf(t, "%s\tlast heard of %s, %s\n", d.Life, ago(d.Last, time.Now()), plural(d.Moves, "move"))
	for _, b := range d.Budgets {
		fmt.Fprintf(t, "budget\t%s: %d of %d used%s\n", b.Rule, b.Used, b.Of, whose(b))
	}
	fmt.Fprintf(t, "denied\t%s\n", denials(d.sessionDoc))
	for _, r := range d.Refused {
		fmt.Fprintf(t, "refused\t%s (%s): %s\n", ago(r.Time, time.Now()), r.Rule, cut(oneLineOf(r.Reason), 120))
	}
	if d.Held > 0 {
		fmt.Fprintf(t, "held\tthe turn was kept from ending, %s in a row\n", plural(d.Held, "time"))
	}
	if d.Planned {
		fmt.Fprintf(t, "planned\ta plan was approved, and no agent has been started for it\n")
	}
	for _, o := range d.Open {
		fmt.Fprintf(t, "open\ttask %s %s\n", o.ID, o.Subject)
	}
	fmt.Fprintf(t, "files\t%s (%s)\n", d.Dir, bytesOf(d.Bytes))
	t.Flush()
	if d.drawn != "" {
		p.printf("tasks\n%s", d.drawn)
	}
}

func whose(b budgetDoc) string {
	out := ""
	if b.Denied > 0 {
		out = fmt.Sprintf(", refused %s", plural(b.Denied, "time"))
	}
	if b.Agent != "" {
		out += " (agent " + b.Agent + ")"
	}
	return out
}
