package report

import (
	"fmt"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

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
		{"g", "agent not finished, lost or not let in"}})
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
			s.from.Add(seconds(s.long*float64(i)/5)).Local().Format(form))
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
	return fmt.Sprintf("%s, %s: %s%s", s.Name, s.From.Local().Format(time.TimeOnly), took(s.To.Sub(s.From).Seconds()),
		optional(", ", s.How))
}
