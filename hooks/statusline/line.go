// Package statusline draws the client's status line: a session in one line of text.
package statusline

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// A Line is what one drawing shows: the client's payload, and what is known of its session.
type Line struct {
	claude.Status
	State   fsm.Session
	Level   string // as DescribeLevel says; empty without a policy
	Trouble string // why nothing is known of the session, or not all
}

// A segment is one part of the line: what separates it from the one before, its text, empty for nothing to show, and
// its style.
type segment struct{ lead, text, style string }

// segments are in the order of the line. Where there is no room, the last goes first.
func (l Line) segments() []segment {
	level, denials := segment{" · ", l.Level, visible.Yellow}, segment{" · ", "", visible.Red}
	if l.Level == fsm.Strict.String() {
		level.style = visible.Green
	}
	if n := l.State.Counts.Denied; n > 0 {
		denials.text = "✗" + strconv.Itoa(n)
	}
	all := []segment{l.describeState(), {" ", l.describeAgents(), visible.Cyan}, level, denials}
	return slices.DeleteFunc(all, func(s segment) bool { return s.text == "" })
}

func (l Line) describeState() segment {
	state, trouble := cmp.Or(l.State.Machine.State, "no states"), visible.Shorten(l.Trouble, 120)
	switch a := l.State.Machine.Approval; {
	case trouble != "" && l.State.ID == "":
		state = "pipeline: " + trouble
	case trouble != "":
		state += " (" + trouble + ")"
	case a != nil:
		state = fmt.Sprintf("%s waits for you: %s (%s)", state, visible.Shorten(a.Ask, 60), a.Hash())
	default:
		return segment{"", state, visible.Bold}
	}
	return segment{"", state, visible.Yellow}
}

// describeAgents counts those that run and names the first three types.
func (l Line) describeAgents() string {
	running := l.State.RunningAgents()
	if len(running) == 0 {
		return ""
	}
	var names []string
	for _, a := range running {
		if !slices.Contains(names, a.Type) {
			names = append(names, a.Type)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return fmt.Sprintf("⚙ %d (%s)", len(running), strings.Join(names, ", "))
}

// DescribeLevel says which level is in force for a session, and what a person has bypassed in it.
func DescribeLevel(policy *fsm.Policy, s fsm.Session, overrides fsm.Overrides) string {
	text := policy.EffectiveLevel(s, fsm.Event{Facts: fsm.Facts{Overrides: overrides}}).String()
	for _, b := range overrides.Bypasses {
		switch {
		case b.Once:
			text += ", once"
		case b.Until.IsZero():
			text += ", bypass"
		default:
			text += ", bypass until " + b.Until.Local().Format("15:04")
		}
	}
	return text
}

// margin is what the client takes of the terminal's width: two columns before the line
// (2.1.197 and 2.1.329, by experiment), and as many stay free behind it.
const margin = 4

// Draw joins the segments, as many as fit into the terminal's columns; all where their number
// is not known. Where not even one fits, it is shortened.
func (l Line) Draw(columns int, hasColours bool) string {
	var b strings.Builder
	room := max(columns-margin, 1)
	for i, d := range l.segments() {
		text := visible.Line(d.text)
		if i == 0 && columns > 0 {
			text = visible.Shorten(text, room)
		}
		if room -= utf8.RuneCountInString(d.lead + text); room < 0 && columns > 0 {
			break
		}
		if hasColours && d.style != "" {
			text = fmt.Sprintf("\x1b[%sm%s\x1b[0m", d.style, text)
		}
		b.WriteString(d.lead + text)
	}
	return b.String()
}
