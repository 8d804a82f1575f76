// Package statusline draws the client's status line: a session in one line of text.
package statusline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
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

// A segment is one part of the line: its text, empty for nothing to show, and its style.
type segment struct {
	name string
	show func(Line) (text, style string)
}

// segments are in the order of the line. Where there is no room, the last goes
// first.
func segments() []segment {
	return []segment{
		{"state", Line.showState},
		{"agents", Line.showAgents},
		{"level", Line.showLevel},
		{"denials", Line.showDenials},
		{"context", Line.showContext},
		{"cost", Line.showCost},
		{"branch", Line.showBranch},
		{"turns", Line.showTurns},
		{"client", Line.showVersion},
	}
}

func (l Line) showState() (string, string) {
	trouble := visible.Shorten(l.Trouble, 120)
	if trouble != "" && l.State.ID == "" {
		return "pipeline: " + trouble, visible.Yellow
	}
	state := l.State.Machine.State
	if state == "" {
		state = "no states"
	}
	if trouble != "" {
		return state + " (" + trouble + ")", visible.Yellow
	}
	if a := l.State.Machine.Approval; a != nil {
		return fmt.Sprintf("%s waits for you: %s (%s)", state, visible.Shorten(a.Ask, 60), a.Hash()), visible.Yellow
	}
	return state, visible.Bold
}

// showAgents counts those that run and names the first three types.
func (l Line) showAgents() (string, string) {
	running := l.State.RunningAgents()
	if len(running) == 0 {
		return "", ""
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
	return fmt.Sprintf("⚙ %d (%s)", len(running), strings.Join(names, ", ")), visible.Cyan
}

func (l Line) showLevel() (string, string) {
	if l.Level == fsm.Strict.String() {
		return l.Level, visible.Green
	}
	return l.Level, visible.Yellow
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

func (l Line) showDenials() (string, string) {
	if l.State.Counts.Denied == 0 {
		return "", ""
	}
	return "✗" + strconv.Itoa(l.State.Counts.Denied), visible.Red
}

// showContext shows how much of the context window is used. Near its end the client
// compacts.
func (l Line) showContext() (string, string) {
	if l.Used == nil {
		return "", ""
	}
	used := min(max(*l.Used, 0), 100)
	style := visible.Green
	switch {
	case used >= 80:
		style = visible.Red
	case used >= 60:
		style = visible.Yellow
	}
	return fmt.Sprintf("ctx %s %.0f%%", drawBar(used), used), style
}

func (l Line) showCost() (string, string) {
	if l.Cost == nil {
		return "", ""
	}
	return fmt.Sprintf("$%.2f", *l.Cost), ""
}

func (l Line) showBranch() (string, string) {
	return visible.Shorten(readBranch(l.Dir), 40), ""
}

// showTurns shows the duration of the last turn, and a sparkline of the last ten.
func (l Line) showTurns() (string, string) {
	var t []time.Duration
	for _, ms := range l.State.Counts.Turns {
		t = append(t, time.Duration(ms)*time.Millisecond)
	}
	if len(t) == 0 {
		return "", ""
	}
	last := formatDuration(t[len(t)-1])
	if len(t) == 1 {
		return last, ""
	}
	return last + " " + drawSparkline(t), ""
}

func (l Line) showVersion() (string, string) { return l.Version, visible.Dim }

// A drawn segment is its text, and what separates it from the one before.
type drawn struct {
	lead, text, style string
}

// Draw joins the segments, as many as fit into the terminal's columns; all where their number
// is not known.
func (l Line) Draw(columns int, hasColours bool) string {
	var parts []drawn
	for _, s := range segments() {
		text, style := s.show(l)
		if text = visible.Line(text); text == "" {
			continue
		}
		lead := " · "
		switch {
		case len(parts) == 0:
			lead = ""
		case s.name == "agents":
			lead = " "
		}
		parts = append(parts, drawn{lead, text, style})
	}
	var b strings.Builder
	for _, d := range fitSegments(parts, columns) {
		b.WriteString(d.lead)
		if hasColours && d.style != "" {
			fmt.Fprintf(&b, "\x1b[%sm%s\x1b[0m", d.style, d.text)
			continue
		}
		b.WriteString(d.text)
	}
	return b.String()
}

// margin is what the client takes of the terminal's width: two columns before the line
// (2.1.197 and 2.1.329, by experiment), and as many stay free behind it.
const margin = 4

// fitSegments drops segments from the right until the line fits, and shortens the last
// one left.
func fitSegments(parts []drawn, columns int) []drawn {
	if columns <= 0 {
		return parts
	}
	columns = max(columns-margin, 1)
	width, n := 0, 0
	for ; n < len(parts); n++ {
		width += utf8.RuneCountInString(parts[n].lead + parts[n].text)
		if width > columns {
			break
		}
	}
	if n == 0 && len(parts) > 0 {
		parts[0].text, n = visible.Shorten(parts[0].text, columns), 1
	}
	return parts[:n]
}

// cells is how wide a bar is.
const cells = 10

func drawBar(percent float64) string {
	full := int(percent*cells/100 + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// drawSparkline draws durations against the longest of them.
func drawSparkline(all []time.Duration) string {
	steps := []rune("▁▂▃▄▅▆▇█")
	longest := slices.Max(append([]time.Duration{time.Millisecond}, all...))
	var b strings.Builder
	for _, d := range all {
		b.WriteRune(steps[int64(d)*int64(len(steps)-1)/int64(longest)])
	}
	return b.String()
}

// formatDuration writes 12s, 3m05s, 1h02m.
func formatDuration(d time.Duration) string {
	s := int(d.Seconds() + 0.5)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
}
