package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The plots are a few rectangles and words each. They are drawn here: every library
// that draws charts costs each hook call more at start-up, or each page a script.

const (
	width  = 960
	gutter = 190 // for the names on the left
	figure = 130 // for the figures on the right
	plotW  = width - gutter - figure
	rowH   = 26
)

func (p *page) plots(r Report) {
	p.drawTimeline(r)
	p.drawBars("Objections by rule", []key{{"r", "blocked"}, {"o", "asked"}, {"y", "warned"}, {"g", "let through"}},
		rulesPlotted(r))
	p.drawColumns("Objections per day", r.Days)
	p.drawBars("Time per state",
		[]key{{"b", "somebody worked"}, {"w", "waiting for a person, or silent for over an hour"}}, statesPlotted(r))
	p.drawBars("How long agents took", []key{{"b", "median"}, {"w", "longest"}}, agentsPlotted(r))
}

// A key is a colour and what it stands for.
type key struct{ class, name string }

// A bar is a row of a plot: a piece for each key, one after the other.
type bar struct {
	name   string
	pieces []float64
	text   string
}

func rulesPlotted(r Report) (out []bar) {
	for _, x := range firstN(r.Rules, 15) {
		out = append(out, bar{x.Rule,
			[]float64{float64(x.Blocked), float64(x.Asked), float64(x.Warned), float64(x.Allowed)},
			fmt.Sprint(x.Objections)})
	}
	return out
}

func statesPlotted(r Report) (out []bar) {
	for _, x := range firstN(r.States, 15) {
		if x.Working+x.Waiting > 0 {
			out = append(out, bar{cmp.Or(x.Name, "(none)"), []float64{x.Working, x.Waiting},
				took(x.Working) + optional(" + ", countKnown(x.Waiting))})
		}
	}
	return out
}

// countKnown is a duration, if there was any.
func countKnown(s float64) string {
	if s == 0 {
		return ""
	}
	return took(s)
}

func agentsPlotted(r Report) (out []bar) {
	for _, x := range r.Agents {
		if x.Longest > 0 && len(out) < 15 {
			out = append(out, bar{x.Name, []float64{x.Median, x.Longest - x.Median},
				took(x.Median) + " / " + took(x.Longest)})
		}
	}
	return out
}

func (b bar) sum() (s float64) {
	for _, v := range b.pieces {
		s += v
	}
	return s
}

// beginPlot opens a plot of a height; what it shows is its caption.
func (p *page) beginPlot(title string, keys []key, height int) {
	p.printf(`<figure><figcaption>%s</figcaption>`, title)
	if len(keys) > 0 {
		p.printf("<p>")
		for _, k := range keys {
			p.printf(`<span><i class="%s"></i>%s</span>`, k.class, k.name)
		}
		p.printf("</p>")
	}
	p.printf(`<div class="wide"><svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, width, height, title)
}

func (p *page) endPlot() { p.printf("</svg></div></figure>\n") }

func (p *page) drawRect(class string, x, y, w, h float64, title string) {
	p.printf(`<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="2"><title>%s</title></rect>`, class,
		x, y, w, h, title)
}

func (p *page) drawLabel(class, anchor string, x, y float64, text string) {
	p.printf(`<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`, class, anchor, x, y, text)
}

// drawBars draws lying bars. With none there is no plot.
func (p *page) drawBars(title string, keys []key, list []bar) {
	most := 0.0
	for _, b := range list {
		most = max(most, b.sum())
	}
	if most == 0 {
		return
	}
	p.beginPlot(title, keys, len(list)*rowH+4)
	for i, b := range list {
		y, x := float64(i*rowH), float64(gutter)
		p.drawLabel("", "end", gutter-10, y+17, shorten(b.name, 24))
		for k, v := range b.pieces {
			if w := v / most * plotW; w > 0 {
				p.drawRect(keys[k].class, x, y+4, max(w, 1.5), rowH-8, b.name+": "+keys[k].name)
				x += w
			}
		}
		p.drawLabel("soft", "start", x+8, y+17, b.text)
	}
	p.endPlot()
}

const (
	columnsH = 150
	baseline = columnsH + 14.0
	left     = 40.0 // of the columns, for the scale
)

// drawColumns draws the objections of each day.
func (p *page) drawColumns(title string, days []Tally) {
	days = everyDay(days)
	most := 0
	for _, d := range days {
		most = max(most, d.Objections)
	}
	if most == 0 || len(days) < 2 {
		return
	}
	p.beginPlot(title, []key{{"r", "blocked"}, {"y", "other objections"}}, columnsH+40)
	for _, part := range slices.Compact([]int{0, most / 2, most}) {
		y := baseline - float64(part)/float64(most)*columnsH
		p.printf(`<line class="axis" x1="%.1f" x2="%d" y1="%.1f" y2="%.1f"/>`, left, width, y, y)
		p.drawLabel("soft", "end", left-8, y+4, fmt.Sprint(part))
	}
	step := (width - left) / float64(len(days))
	for i, d := range days {
		p.drawColumn(d, left+float64(i)*step, step, float64(columnsH)/float64(most))
		if every := (len(days) + 9) / 10; i%every == 0 {
			p.drawLabel("soft", "middle", left+(float64(i)+0.5)*step, baseline+18,
				strings.TrimPrefix(d.Name, d.Name[:5]))
		}
	}
	p.endPlot()
}

// everyDay fills in the days on which nothing was recorded, of the last ninety.
func everyDay(days []Tally) (out []Tally) {
	for _, d := range days {
		at, err := time.Parse(time.DateOnly, d.Name)
		for len(out) > 0 && err == nil {
			last, _ := time.Parse(time.DateOnly, out[len(out)-1].Name)
			if !last.AddDate(0, 0, 1).Before(at) {
				break
			}
			if at.Sub(last) > 90*24*time.Hour { // what lies before so long a silence does not fit
				last = at.AddDate(0, 0, -90)
			}
			out = append(out, Tally{Name: last.AddDate(0, 0, 1).Format(time.DateOnly)})
		}
		out = append(out, d)
	}
	return out[max(0, len(out)-90):]
}

func (p *page) drawColumn(d Tally, x, step, unit float64) {
	w := min(step*0.7, 48)
	x += (step - w) / 2
	title := fmt.Sprintf("%s: %d objections, %d blocked, %d requests", d.Name, d.Objections, d.Blocked, d.Requests)
	red, rest := float64(d.Blocked)*unit, float64(d.Objections-d.Blocked)*unit
	if red > 0 {
		p.drawRect("r", x, baseline-red, w, red, title)
	}
	if rest > 0 {
		p.drawRect("y", x, baseline-red-rest, w, rest, title)
	}
}

// hasRoom reports whether a text is likely to fit a width.
func hasRoom(text string, w float64) bool { return float64(utf8.RuneCountInString(text))*7.4+10 < w }
