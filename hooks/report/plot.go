package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// A plot has lying bars, or standing ones where it has an axis. The page draws them as boxes whose sizes are shares of
// the page's width, so that they fit each screen: every library that draws charts costs each hook call more at
// start-up, or each page a script.
type plot struct {
	Title string
	Keys  []key
	Bars  []bar
	Axis  []string // what the highest bar is, its half, and nothing
	most  float64  // the sum of the highest bar
}

// A key is a colour and what it stands for.
type key struct{ Class, Name string }

// A bar has a figure for each key, one after the other.
type bar struct {
	Name    string
	Figures []float64
	Text    string
}

func (b bar) sum() (s float64) {
	for _, v := range b.Figures {
		s += v
	}
	return s
}

// Share is a figure's part of the highest bar, in percent.
func (p plot) Share(v float64) string { return fmt.Sprintf("%.2f%%", v/p.most*100) }

// plots are the plots in which there is something to see.
func (r Report) plots() []plot {
	var rules, states, agents []bar
	for _, x := range r.Rules {
		rules = append(rules, bar{x.Rule, []float64{float64(x.Blocked), float64(x.Asked), float64(x.Warned),
			float64(x.Allowed)}, groupDigits(x.Objections)})
	}
	for _, x := range r.States {
		text := formatSeconds(x.Working)
		if x.Waiting > 0 {
			text += " + " + formatSeconds(x.Waiting)
		}
		states = append(states, bar{cmp.Or(x.Name, "(none)"), []float64{x.Working, x.Waiting}, text})
	}
	for _, x := range r.Agents {
		agents = append(agents, bar{x.Name, []float64{x.Median, x.Longest - x.Median},
			formatSeconds(x.Median) + " / " + formatSeconds(x.Longest)})
	}
	plots := []plot{
		plotBars("Objections by rule", []key{{"r", "blocked"}, {"o", "asked"}, {"y", "warned"}, {"g", "let through"}},
			rules),
		plotDays(everyDay(r.Days)),
		plotBars("Time per state",
			[]key{{"b", "agents worked"}, {"w", "waiting for a person, or silent for over an hour"}}, states),
		plotBars("How long agents took", []key{{"b", "median"}, {"w", "longest"}}, agents),
	}
	return slices.DeleteFunc(plots, func(p plot) bool { return p.most == 0 })
}

// plotBars plots the first bars that have a length.
func plotBars(title string, keys []key, list []bar) plot {
	p := plot{Title: title, Keys: keys}
	p.Bars = firstN(slices.DeleteFunc(list, func(b bar) bool { return b.sum() == 0 }), 15)
	for i, b := range p.Bars {
		p.Bars[i].Name, p.most = visible.Shorten(b.Name, 60), max(p.most, b.sum())
	}
	return p
}

// plotDays plots a bar for each day, and names about ten of them. One day alone is no plot.
func plotDays(days []Tally) plot {
	p := plot{Title: "Objections per day", Keys: []key{{"r", "blocked"}, {"y", "other objections"}}}
	if len(days) < 2 {
		return p
	}
	for i, d := range days {
		b := bar{Figures: []float64{float64(d.Blocked), float64(d.Objections - d.Blocked)}, Text: fmt.Sprintf(
			"%s: %d objections, %d blocked, %d calls", d.Name, d.Objections, d.Blocked, d.Requests)}
		if i%((len(days)+9)/10) == 0 {
			b.Name = d.Name[len("2006-"):]
		}
		p.Bars, p.most = append(p.Bars, b), max(p.most, b.sum())
	}
	p.Axis = []string{fmt.Sprintf("%.0f", p.most), fmt.Sprintf("%.0f", p.most/2), "0"}
	return p
}

// everyDay fills in the days on which nothing was recorded, of the last ninety.
func everyDay(days []Tally) (out []Tally) {
	if len(days) == 0 {
		return nil
	}
	first, _ := time.Parse(time.DateOnly, days[0].Name) // the names are ours
	last, _ := time.Parse(time.DateOnly, days[len(days)-1].Name)
	if ago := last.AddDate(0, 0, -89); first.Before(ago) {
		first = ago
	}
	for at := first; !at.After(last); at = at.AddDate(0, 0, 1) {
		day := Tally{Name: at.Format(time.DateOnly)}
		if i := slices.IndexFunc(days, func(d Tally) bool { return d.Name == day.Name }); i >= 0 {
			day = days[i]
		}
		out = append(out, day)
	}
	return out
}
