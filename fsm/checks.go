package fsm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// A CheckResult is what became of a check.
type CheckResult struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok,omitempty"`
	Missing bool   `json:"missing,omitempty"` // its program is not there: that is a matter for the user, not the agent
	Output  string `json:"output,omitempty"`  // the end of what it printed
}

// EditedFiles lists the files that a call has written.
func EditedFiles(t Tool) (files []string) {
	for _, p := range t.Parts {
		if slices.Contains([]string{"Write", "Edit", "MultiEdit", "NotebookEdit"}, p.Tool) && p.Path != "" && p.Path != shell.Unknown && !slices.Contains(files, p.Path) {
			files = append(files, p.Path)
		}
	}
	return files
}

// SelectChecks lists the checks to be run, each with its files. The variables are the client's.
func (p *Policy) SelectChecks(when string, files []string, env map[string]string) (out []Check, on [][]string) {
	for _, c := range p.Checks {
		if !slices.Contains(c.At, when) || !all(c.Env, env) || some(c.UnlessEnv, env) {
			continue
		}
		var these []string
		for _, f := range files {
			if slices.ContainsFunc(c.Files, func(g string) bool { ok, err := doublestar.Match(g, f); return ok && err == nil }) {
				these = append(these, f)
			}
		}
		if len(these) > 0 {
			out, on = append(out, c), append(on, these)
		}
	}
	return out, on
}

// edited remembers what was written in this turn, for the checks at its end.
func (st *step) edited() {
	if !slices.ContainsFunc(st.p.Checks, func(c Check) bool { return slices.Contains(c.At, AtTurnEnd) }) {
		return
	}
	for _, f := range EditedFiles(st.e.Tool) {
		if i := slices.Index(st.s.Turn.Edited, f); i >= 0 {
			st.s.Turn.Edited = slices.Delete(st.s.Turn.Edited, i, i+1)
		}
		st.s.Turn.Edited = append(st.s.Turn.Edited, f)
		for len(st.s.Turn.Edited) > editsKept || len(strings.Join(st.s.Turn.Edited, "")) > editsLong && len(st.s.Turn.Edited) > 1 {
			st.s.Turn.Edited = slices.Delete(st.s.Turn.Edited, 0, 1)
		}
	}
}

// How many written files a session remembers until its turn ends, the latest, and how many bytes of paths.
const (
	editsKept = 20
	editsLong = 1500
)

// failures is what checks have found, for the agent that made the edit.
func failures(results []CheckResult) string {
	var out []string
	for _, r := range results {
		if !r.OK && !r.Missing {
			out = append(out, fmt.Sprintf("The check %s fails:\n%s", r.Name, strings.TrimSpace(r.Output)))
		}
	}
	return strings.Join(out, "\n")
}

// missing tells the user of checks whose program is not there; a late event reaches nobody.
func (st *step) missing() {
	if st.e.Late {
		return
	}
	for _, r := range st.e.Facts.Checks {
		if name := short(r.Name, 40); r.Missing && !slices.Contains(st.s.Turn.MissingChecks, name) {
			st.s.Turn.MissingChecks = append(st.s.Turn.MissingChecks, name)
			st.d.tell(fmt.Sprintf("the check %s could not be run: %s", r.Name, short(r.Output, 200)))
		}
	}
}
