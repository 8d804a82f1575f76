package report

import (
	"cmp"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// The plots are boxes whose sizes are shares of the page's width, so that they fit each
// screen. They are drawn here: every library that draws charts costs each hook call more at
// start-up, or each page a script.

func (p *page) drawPlots(r Report) {
	p.drawTimeline(r)
	p.drawBars("Objections by rule", []key{{"r", "blocked"}, {"o", "asked"}, {"y", "warned"}, {"g", "let through"}},
		rulesPlotted(r))
	days := everyDay(r.Days)
	p.drawDays("Objections per day", []key{{"r", "blocked"}, {"y", "other objections"}}, countDays(days), nil)
	p.drawDays("Trend over days", []key{{"w", "objections per 100 calls"}, {"b", "over the last seven days"}},
		rateDays(days, 1), rateDays(days, 7))
	p.drawBars("Time per state",
		[]key{{"b", "agents worked"}, {"w", "waiting for a person, or silent for over an hour"}}, statesPlotted(r))
	p.drawBars("How long agents took", []key{{"b", "median"}, {"w", "longest"}}, agentsPlotted(r))
}

// A key is a colour and what it stands for.
type key struct{ class, name string }

// A bar is a row or a column of a plot: a piece for each key, one after the other.
type bar struct {
	name   string
	pieces []float64
	text   string
}

func rulesPlotted(r Report) (out []bar) {
	for _, x := range firstN(r.Rules, 15) {
		out = append(out, bar{x.Rule,
			[]float64{float64(x.Blocked), float64(x.Asked), float64(x.Warned), float64(x.Allowed)},
			groupDigits(x.Objections)})
	}
	return out
}

func statesPlotted(r Report) (out []bar) {
	for _, x := range firstN(r.States, 15) {
		if x.Working+x.Waiting > 0 {
			out = append(out, bar{cmp.Or(x.Name, "(none)"), []float64{x.Working, x.Waiting},
				formatSeconds(x.Working) + withPrefix(" + ", countKnown(x.Waiting))})
		}
	}
	return out
}

// countKnown is a duration, if there was any.
func countKnown(s float64) string {
	if s == 0 {
		return ""
	}
	return formatSeconds(s)
}

func agentsPlotted(r Report) (out []bar) {
	for _, x := range r.Agents {
		if x.Longest > 0 && len(out) < 15 {
			out = append(out, bar{x.Name, []float64{x.Median, x.Longest - x.Median},
				formatSeconds(x.Median) + " / " + formatSeconds(x.Longest)})
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

// beginPlot opens a plot; what it shows is its caption.
func (p *page) beginPlot(title, class string, keys []key) {
	p.printf(`<figure><figcaption>%s</figcaption>`, title)
	if len(keys) > 0 {
		p.printf("<p>")
		for _, k := range keys {
			p.printf(`<span><i class="%s"></i>%s</span> `, k.class, k.name)
		}
		p.printf("</p>")
	}
	p.printf(`<div class="%s" role="img" aria-label="%s">`, class, title)
}

func (p *page) endPlot() { p.printf("</div></figure>\n") }

// drawBars draws lying bars. With none there is no plot.
func (p *page) drawBars(title string, keys []key, list []bar) {
	most := 0.0
	for _, b := range list {
		most = max(most, b.sum())
	}
	if most == 0 {
		return
	}
	p.beginPlot(title, "bars", keys)
	for _, b := range list {
		p.printf(`<span>%s</span><div>`, visible.Shorten(b.name, 60))
		for k, v := range b.pieces {
			if v > 0 {
				p.printf(`<i class="%s" style="width:%.2f%%" title="%s"></i>`, keys[k].class, v/most*100,
					b.name+": "+keys[k].name)
			}
		}
		p.printf(`</div><small>%s</small>`, b.text)
	}
	p.endPlot()
}

func countDays(days []Tally) (out []bar) {
	for _, d := range days {
		out = append(out, bar{d.Name, []float64{float64(d.Blocked), float64(d.Objections - d.Blocked)},
			fmt.Sprintf("%s: %d objections, %d blocked, %d calls", d.Name, d.Objections, d.Blocked, d.Requests)})
	}
	return out
}

// rateDays are the objections per 100 calls over so many days up to each day.
func rateDays(days []Tally, over int) (out []bar) {
	for i, d := range days {
		calls, objections := 0, 0
		for _, x := range days[max(0, i-over+1) : i+1] {
			calls, objections = calls+x.Requests, objections+x.Objections
		}
		rate := float64(objections) * 100 / float64(max(calls, 1))
		out = append(out, bar{d.Name, []float64{rate},
			fmt.Sprintf("%s: %.1f objections per 100 calls", d.Name, rate)})
	}
	return out
}

// drawDays draws a column for each day, and a line over them. Without an objection, or of
// one day alone, there is no plot.
func (p *page) drawDays(title string, keys []key, days, line []bar) {
	most := 0.0
	for _, d := range days {
		most = max(most, d.sum())
	}
	if most == 0 || len(days) < 2 {
		return
	}
	p.beginPlot(title, "days", keys)
	form := "%.0f"
	if most < 10 && line != nil {
		form = "%.1f"
	}
	p.printf(`<div><small>%s</small><small>%s</small><small>0</small></div><div>`, fmt.Sprintf(form, most),
		fmt.Sprintf(form, most/2))
	every := (len(days) + 9) / 10
	for i, d := range days {
		p.printf(`<span title="%s">`, d.text)
		for k, v := range d.pieces {
			if v > 0 {
				p.printf(`<i class="%s" style="height:%.2f%%"></i>`, keys[k].class, v/most*100)
			}
		}
		if i%every == 0 {
			p.printf(`<small>%s</small>`, d.name[5:])
		}
		p.printf("</span>")
	}
	if line != nil {
		p.printf(`<svg viewBox="0 0 %d 100" preserveAspectRatio="none"><polyline points="`, len(line))
		for i, d := range line {
			p.printf("%.1f,%.1f ", float64(i)+0.5, 100-d.sum()/most*100)
		}
		p.printf(`"/></svg>`)
	}
	p.printf("</div>")
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

// hasRoom reports whether a text is likely to fit a width.
func hasRoom(text string, w float64) bool { return float64(utf8.RuneCountInString(text))*7.4+10 < w }

// lanes is how many rows of agents a timeline may have.
const lanes = 24

// A lane is a row of a timeline: runs of one agent type that do not overlap.
type lane struct {
	name  string
	spans []Span
}

// layOut puts every run into the first lane of its type that is free again.
func layOut(runs []Span) (out []lane, left int) {
next:
	for _, s := range runs {
		for i := range out {
			if l := &out[i]; l.name == s.Name && !l.spans[len(l.spans)-1].To.After(s.From) {
				l.spans = append(l.spans, s)
				continue next
			}
		}
		if len(out) == lanes {
			left++
			continue
		}
		out = append(out, lane{s.Name, []Span{s}})
	}
	return out, left
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

// drawTimeline draws one session: its state, its agents, and when there was an
// objection.
func (p *page) drawTimeline(r Report) {
	t := r.Timeline
	long := r.SessionEnd.Sub(r.SessionStart).Seconds()
	if t == nil || long <= 0 {
		return
	}
	s := scale{r.SessionStart, long}
	agents, left := layOut(t.Agents)
	p.beginPlot("Timeline", "bars time", []key{{"b", "agent done"}, {"r", "agent failed, or an objection"},
		{"g", "agent not finished, lost or not admitted"}})
	p.drawStates(s, t.States)
	for _, l := range agents {
		p.printf(`<span>%s</span><div>`, visible.Shorten(l.name, 60))
		for _, x := range l.spans {
			p.drawSpan(s, x, agentClass(x.How), "")
		}
		p.printf("</div>")
	}
	p.printf(`<span>objections</span><div>`)
	for _, d := range t.Denials {
		p.printf(`<i class="m" style="left:%.2f%%" title="%s"></i>`, s.percent(d.At),
			d.At.Local().Format(time.TimeOnly)+" "+d.Rule+": "+d.What)
	}
	p.printf("</div>")
	p.drawTicks(s)
	p.endPlot()
	if left += t.Omitted; left > 0 {
		p.printf("<p>%d more states, runs or objections are not drawn.</p>", left)
	}
}

// agentClass is the colour of a run by how it ended.
func agentClass(how string) string {
	switch how {
	case "done":
		return "b"
	case "failed":
		return "r"
	}
	return "g"
}

func (p *page) drawTicks(s scale) {
	form := time.TimeOnly
	if s.long > 48*3600 {
		form = "Jan 2 15:04"
	}
	p.printf(`<span></span><div class="ticks">`)
	for i := range 6 {
		p.printf(`<small style="left:%d%%">%s</small>`, i*20,
			s.from.Add(toDuration(s.long*float64(i)/5)).Local().Format(form))
	}
	p.printf("</div>")
}

// The width of a timeline on a wide screen and on a narrow one, in pixels.
const (
	wideLine   = 600
	narrowLine = 270
)

func (p *page) drawStates(s scale, list []Span) {
	p.printf(`<span>state</span><div>`)
	colours := map[string]int{}
	for _, x := range list {
		if _, ok := colours[x.Name]; !ok {
			colours[x.Name] = len(colours) % 8
		}
		class, name, share := fmt.Sprint("s", colours[x.Name]), "", (s.percent(x.To)-s.percent(x.From))/100
		if hasRoom(x.Name, share*wideLine) {
			name = x.Name
		}
		if !hasRoom(x.Name, share*narrowLine) {
			class += " tight"
		}
		p.drawSpan(s, x, class, name)
	}
	p.printf("</div>")
}

func (p *page) drawSpan(s scale, x Span, class, text string) {
	from := s.percent(x.From)
	p.printf(`<i class="%s" style="left:%.2f%%;width:%.2f%%" title="%s"><span>%s</span></i>`, class, from,
		s.percent(x.To)-from, x.String(), text)
}

func (s Span) String() string {
	return fmt.Sprintf("%s, %s: %s%s", s.Name, s.From.Local().Format(time.TimeOnly),
		formatSeconds(s.To.Sub(s.From).Seconds()), withPrefix(", ", s.How))
}
