package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/diagram"
)

// A Screen is what is known of a session at a moment.
type Screen struct {
	Project  string
	Policy   *fsm.Policy
	Session  fsm.Session
	Ended    bool
	Level    string   // in force, with bypasses
	Warnings []string // what is wrong, the worst first
	History  *History
	Now      time.Time
}

// widePage is the width from which on the decisions have a column of their own.
const widePage = 120

// Draw draws the screen in so many columns and lines. With no lines it is as long as it
// needs to be.
func (s Screen) Draw(columns, lines int, colours bool) []string {
	head := s.drawHead(columns)
	state := slices.Concat(s.drawMachine(columns), s.drawAgents(), s.drawBudgets())
	var rows []row
	if columns < widePage {
		body := max(0, lines-len(head))
		if least := min(body/3, 8); lines > 0 && len(state) > body-least { // leave some for the decisions
			state = append(trimRows(state[:max(0, body-least-1)]), say(dim, " …"))
		}
		rows = slices.Concat(head, state, s.drawDecisions(columns))
	} else {
		left := columns * 2 / 5
		state = slices.Concat(s.drawMachine(left-2), s.drawAgents(), s.drawBudgets())
		rows = append(head, joinColumns(state, s.drawDecisions(columns - left)[1:], left, columns)...)
	}
	if lines > 0 && len(rows) > lines {
		rows = rows[:lines]
	}
	var out []string
	for _, r := range rows {
		out = append(out, strings.TrimRight(r.clean(columns).paint(colours, 0), " "))
	}
	return out
}

// trimRows drops the empty rows at the end.
func trimRows(rows []row) []row {
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// joinColumns puts two lists of rows beside each other.
func joinColumns(left, right []row, at, columns int) (out []row) {
	for i := range max(len(left), len(right)) {
		var r row
		if i < len(left) {
			r = left[i].clean(at - 2)
		}
		if i < len(right) {
			r = append(r, piece{plain, strings.Repeat(" ", at-r.countCells())})
			r = append(r, right[i].clean(columns-at)...)
		}
		out = append(out, r)
	}
	return out
}

func (s Screen) drawHead(columns int) []row {
	level := green
	if s.Level != fsm.Strict.String() {
		level = yellow
	}
	id := s.Session.ID
	if len(id) > 8 {
		id = id[:8]
	}
	head := row{{bold, " " + s.Project}, {plain, " · session " + id + " · "}, {level, s.Level}}
	if s.Ended {
		head = append(head, piece{yellow, " · ended"})
	}
	clock := s.Now.Local().Format(time.TimeOnly) + " "
	if room := columns - head.countCells() - len(clock); room > 0 {
		head = append(head, piece{dim, strings.Repeat(" ", room) + clock})
	}
	out := []row{head}
	for _, w := range s.Warnings {
		for _, line := range wrapText(w, columns-2, 2) {
			out = append(out, say(yellow, " "+line))
		}
	}
	return append(out, say(dim, strings.Repeat("─", columns)))
}

// drawMachine draws the states in their order, and what leads on from the current one.
func (s Screen) drawMachine(columns int) []row {
	m := s.Session.Machine
	_, known := s.Policy.FindState(m.State)
	if len(s.Policy.States) == 0 {
		return []row{say(dim, " This config has no states, only rules.")}
	}
	var out []row
	line := row{{plain, " "}}
	for i, st := range s.Policy.States {
		p, arrow := piece{dim, st.Name}, " → "
		if st.Name == m.State {
			p = piece{reverse, "[" + st.Name + "]"}
		}
		if i == 0 {
			arrow = ""
		}
		if i > 0 && line.countCells()+countCells(arrow+p.text) > columns {
			out, line = append(out, line), row{{plain, "  "}}
		}
		line = append(line, piece{dim, arrow}, p)
	}
	out = append(out, line)
	if !known {
		return append(out, say(yellow, fmt.Sprintf(" in %s, which is no longer in the config", m.State)))
	}
	since := ""
	if !m.Since.IsZero() {
		since = " for " + formatAge(s.Now.Sub(m.Since))
	}
	out = append(out, row{{plain, " "}, {bold, m.State}, {plain, since}})
	if a := m.Approval; a != nil {
		out = append(out, say(yellow, fmt.Sprintf("   waits for a person: %s (the result %s of %s, for %s)", a.Ask,
			a.Hash(), a.Agent, formatAge(s.Now.Sub(a.Since)))))
	}
	for _, l := range diagram.Leads(s.Policy, m.State) {
		out = append(out, row{{dim, "   " + l.Where + " "}, {plain, l.Agents}})
	}
	return out
}

func (s Screen) drawAgents() []row {
	running := s.Session.RunningAgents()
	out := []row{{}, heading("Agents running", fmt.Sprint(len(running)))}
	for _, r := range running {
		line := row{{cyan, " ● "}, {plain, r.Type}}
		if from, ok := s.History.started[r.ID]; ok {
			line = append(line, piece{dim, "  " + formatAge(s.Now.Sub(from))})
		}
		if r.Status == fsm.Waiting {
			line = append(line, piece{dim, "  waits for agents of its own"})
		}
		if r.Quarantined != "" {
			line = append(line, piece{red, "  not admitted: its calls are refused"})
		}
		out = append(out, line)
	}
	for _, a := range s.Session.Agents.Runs {
		if a.Status == fsm.Admitted && a.Type != "" {
			out = append(out, row{{dim, " ○ " + a.Type + "  about to start"}})
		}
	}
	return out
}

// drawBudgets draws the main agent's budgets that count in the current state, and those
// that running agents have used.
func (s Screen) drawBudgets() []row {
	var out []row
	add := func(r fsm.Rule, id, by string) {
		used := 0
		for _, u := range s.Session.Budgets.Uses {
			if u.Rule == r.Name && u.Agent == id {
				used = u.Used + len(u.Held)
			}
		}
		if id != "" && used == 0 {
			return
		}
		how := green
		if used >= r.Budget {
			how = red
		}
		out = append(out, row{{plain, " " + r.Name + " "}, {how, fmt.Sprintf("%d of %d", used, r.Budget)},
			{dim, " used" + by}})
	}
	for _, r := range s.Policy.Main.List {
		if r.Budgeted && r.FitsState(s.Session.Machine.State) {
			add(r, "", "")
		}
	}
	for _, a := range s.Session.RunningAgents() {
		for _, r := range s.Policy.Subagents.List {
			if r.Budgeted {
				add(r, a.ID, " by "+a.Type)
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return append([]row{{}, heading("Budgets", "")}, out...)
}

// drawDecisions draws the history, the newest first: what does not fit is old.
func (s Screen) drawDecisions(columns int) []row {
	h := s.History
	out := []row{{}, heading("Last decisions", fmt.Sprintf("%d calls, %d refused", h.Calls, h.Denied))}
	if h.Damaged > 0 {
		out = append(out, say(yellow, fmt.Sprintf(" %d damaged lines: pipeline audit verify", h.Damaged)))
	}
	for i, e := range slices.Backward(h.entries) {
		lines := 2
		if i == len(h.entries)-1 {
			lines = 4
		}
		out = append(out, e.draw(columns, lines)...)
	}
	if len(h.entries) == 0 {
		out = append(out, say(dim, " none yet"))
	}
	return out
}

// indent is where the text of an entry begins, behind its time.
const indent = 12

func (e entry) draw(columns, lines int) []row {
	mark := map[string]piece{"": {dim, "·"}, "pass": {green, "✓"}, "warn": {yellow, "!"}, "ask": {yellow, "?"},
		"deny": {red, "✗"}}[e.verdict]
	line := row{{dim, " " + e.at.Local().Format(time.TimeOnly) + " "}, mark, {bold, " " + cutText(e.who, 24)},
		{plain, " " + e.what}}
	switch {
	case e.who == machine:
		line[2].style, line[3].style = cyan, cyan
	case e.verdict == "":
		line[2].style, line[3].style = dim, dim
	}
	if e.times > 1 {
		line[2].text += fmt.Sprintf(" ×%d", e.times)
	}
	out := []row{line}
	if e.verdict == "" || e.verdict == fsm.Pass.String() {
		return out
	}
	reason := e.reason
	if e.rule != "" {
		reason = e.rule + ": " + reason
	}
	for _, text := range wrapText(reason, columns-indent, lines) {
		out = append(out, row{{mark.style, strings.Repeat(" ", indent) + text}})
	}
	return out
}

func heading(title, figure string) row { return row{{bold, " " + title}, {dim, "  " + figure}} }

// formatAge writes a duration in whole seconds; from an hour on in minutes.
func formatAge(d time.Duration) string {
	if d >= time.Hour {
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return max(d, 0).Round(time.Second).String()
}
