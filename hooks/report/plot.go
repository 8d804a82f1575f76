package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// The plots are boxes whose sizes are shares of the page's width, so that they fit each
// screen. They are drawn here: every library that draws charts costs each hook call more at
// start-up, or each page a script.

// A plot has rows of lying bars, or lanes of a timeline; where it has an axis, columns.
type plot struct {
	Title, Class string
	Keys         []key
	Rows         []row
	Axis         []string // what the highest column is, its half, and nothing
	Ticks        []piece  // of a timeline
	Note         string
}

// A key is a colour and what it stands for.
type key struct{ Class, Name string }

type row struct {
	Name, Text string
	Pieces     []piece
}

// A piece is a box of a row.
type piece struct{ Class, Style, Title, Text string }

// A bar is what a row or a column stands for: a figure for each key, one after the other.
type bar struct {
	name    string
	figures []float64
	text    string
}

func (b bar) sum() (s float64) {
	for _, v := range b.figures {
		s += v
	}
	return s
}

// highest is the sum of the highest bar.
func highest(list []bar) (most float64) {
	for _, b := range list {
		most = max(most, b.sum())
	}
	return most
}

func (r Report) plots() []plot {
	var rules, states, agents []bar
	for _, x := range firstN(r.Rules, 15) {
		rules = append(rules, bar{x.Rule, []float64{float64(x.Blocked), float64(x.Asked), float64(x.Warned),
			float64(x.Allowed)}, groupDigits(x.Objections)})
	}
	for _, x := range firstN(r.States, 15) {
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
	return slices.Concat(
		r.plotTimeline(),
		plotBars("Objections by rule", []key{{"r", "blocked"}, {"o", "asked"}, {"y", "warned"}, {"g", "let through"}},
			rules),
		plotDays("Objections per day", []key{{"r", "blocked"}, {"y", "other objections"}}, countDays(everyDay(r.Days))),
		plotBars("Time per state",
			[]key{{"b", "agents worked"}, {"w", "waiting for a person, or silent for over an hour"}}, states),
		plotBars("How long agents took", []key{{"b", "median"}, {"w", "longest"}}, agents))
}

// plotBars plots the first lying bars. With none there is no plot.
func plotBars(title string, keys []key, list []bar) []plot {
	list = firstN(slices.DeleteFunc(list, func(b bar) bool { return b.sum() == 0 }), 15)
	p, most := plot{Title: title, Class: "bars", Keys: keys}, highest(list)
	for _, b := range list {
		r := row{Name: visible.Shorten(b.name, 60), Text: b.text}
		for k, v := range b.figures {
			if v > 0 {
				r.Pieces = append(r.Pieces, piece{Class: keys[k].Class, Style: fmt.Sprintf("width:%.2f%%", v/most*100),
					Title: b.name + ": " + keys[k].Name})
			}
		}
		p.Rows = append(p.Rows, r)
	}
	if most == 0 {
		return nil
	}
	return []plot{p}
}

func countDays(days []Tally) (out []bar) {
	for _, d := range days {
		out = append(out, bar{d.Name, []float64{float64(d.Blocked), float64(d.Objections - d.Blocked)},
			fmt.Sprintf("%s: %d objections, %d blocked, %d calls", d.Name, d.Objections, d.Blocked, d.Requests)})
	}
	return out
}

// plotDays plots a column for each day. Without an objection, or of
// one day alone, there is no plot.
func plotDays(title string, keys []key, days []bar) []plot {
	most := highest(days)
	if most == 0 || len(days) < 2 {
		return nil
	}
	p := plot{Title: title, Class: "days", Keys: keys,
		Axis: []string{fmt.Sprintf("%.0f", most), fmt.Sprintf("%.0f", most/2), "0"}}
	every := (len(days) + 9) / 10
	for i, d := range days {
		r := row{Text: d.text}
		for k, v := range d.figures {
			if v > 0 {
				r.Pieces = append(r.Pieces,
					piece{Class: keys[k].Class, Style: fmt.Sprintf("height:%.2f%%", v/most*100)})
			}
		}
		if i%every == 0 {
			r.Name = d.name[5:]
		}
		p.Rows = append(p.Rows, r)
	}
	return []plot{p}
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

// A scale maps times to places.
type scale struct {
	from time.Time
	long float64 // seconds
}

// percent is the place of a time, of the plot's width.
func (s scale) percent(t time.Time) float64 {
	return min(max(t.Sub(s.from).Seconds()/s.long, 0), 1) * 100
}

func (s scale) newPiece(x Span, class, text string) piece {
	from := s.percent(x.From)
	return piece{class, fmt.Sprintf("left:%.2f%%;width:%.2f%%", from, s.percent(x.To)-from), x.String(), text}
}

// lanes is how many rows of agents a timeline may have.
const lanes = 24

// plotTimeline plots one session: its state, its agents, and when there was an
// objection.
func (r Report) plotTimeline() []plot {
	t, s := r.Timeline, scale{r.SessionStart, r.SessionEnd.Sub(r.SessionStart).Seconds()}
	if t == nil || s.long <= 0 {
		return nil
	}
	p := plot{Title: "Timeline", Class: "bars time", Keys: []key{{"b", "agent done"},
		{"r", "agent failed, or an objection"}, {"g", "agent not finished, lost or not admitted"}}}
	p.Rows = append(p.Rows, row{Name: "state", Pieces: s.placeStates(t.States)})
	rows, omitted := s.placeAgents(t.Agents)
	p.Rows = append(p.Rows, rows...)
	objections := row{Name: "objections"}
	for _, d := range t.Denials {
		objections.Pieces = append(objections.Pieces, piece{Class: "m",
			Style: fmt.Sprintf("left:%.2f%%", s.percent(d.At)),
			Title: d.At.Local().Format(time.TimeOnly) + " " + d.Rule + ": " + d.What})
	}
	p.Rows = append(p.Rows, objections)
	form := time.TimeOnly
	if s.long > 48*3600 {
		form = "Jan 2 15:04"
	}
	for i := range 6 {
		p.Ticks = append(p.Ticks, piece{Style: fmt.Sprintf("left:%d%%", i*20),
			Text: s.from.Add(toDuration(s.long * float64(i) / 5)).Local().Format(form)})
	}
	if omitted += t.Omitted; omitted > 0 {
		p.Note = fmt.Sprintf("%d more states, runs or objections are not drawn.", omitted)
	}
	return []plot{p}
}

// The width of a timeline on a wide screen and on a narrow one, in pixels.
const (
	wideLine   = 600
	narrowLine = 270
)

func (s scale) placeStates(list []Span) (out []piece) {
	colours := map[string]int{}
	for _, x := range list {
		if _, ok := colours[x.Name]; !ok {
			colours[x.Name] = len(colours) % 8
		}
		class, name, share := fmt.Sprint("s", colours[x.Name]), "", (s.percent(x.To)-s.percent(x.From))/100
		needs := float64(utf8.RuneCountInString(x.Name))*7.4 + 10
		if needs < share*wideLine {
			name = x.Name
		}
		if needs >= share*narrowLine {
			class += " tight"
		}
		out = append(out, s.newPiece(x, class, name))
	}
	return out
}

// placeAgents puts every run into the first lane of its agent type that is free again.
func (s scale) placeAgents(runs []Span) (out []row, omitted int) {
	var ends []Span // the last run of each lane
	for _, x := range runs {
		lane := slices.IndexFunc(ends, func(l Span) bool { return l.Name == x.Name && !l.To.After(x.From) })
		switch {
		case lane < 0 && len(out) == lanes:
			omitted++
			continue
		case lane < 0:
			lane, out, ends = len(out), append(out, row{Name: visible.Shorten(x.Name, 60)}), append(ends, x)
		}
		ends[lane] = x
		class := "g"
		switch x.How {
		case "done":
			class = "b"
		case "failed":
			class = "r"
		}
		out[lane].Pieces = append(out[lane].Pieces, s.newPiece(x, class, ""))
	}
	return out, omitted
}

func (s Span) String() string {
	return fmt.Sprintf("%s, %s: %s%s", s.Name, s.From.Local().Format(time.TimeOnly),
		formatSeconds(s.To.Sub(s.From).Seconds()), withPrefix(", ", s.How))
}
