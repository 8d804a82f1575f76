package report

import (
	"fmt"
	"time"
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

func (s scale) x(t time.Time) float64 {
	return gutter + min(max(t.Sub(s.from).Seconds()/s.long, 0), 1)*(width-gutter-10)
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
	rows := len(agents) + 2
	p.beginPlot("Timeline", []key{{"b", "agent done"}, {"r", "agent failed, or an objection"},
		{"g", "agent not finished, lost or not let in"}}, rows*rowH+30)
	p.drawTicks(s, rows)
	p.drawStates(s, t.States)
	for i, l := range agents {
		p.drawLane(s, l, float64((i+1)*rowH))
	}
	p.drawDenials(s, t.Denials, float64((rows-1)*rowH))
	p.endPlot()
	if left += t.Omitted; left > 0 {
		p.printf("<p>%d more states, runs or objections are not drawn.</p>", left)
	}
}

func (p *page) drawTicks(s scale, rows int) {
	form := time.TimeOnly
	if s.long > 48*3600 {
		form = "Jan 2 15:04"
	}
	for i := range 6 {
		at := s.from.Add(seconds(s.long * float64(i) / 5))
		x, anchor := s.x(at), "middle"
		if i == 5 {
			anchor = "end"
		}
		p.printf(`<line class="axis" x1="%.1f" x2="%.1f" y1="0" y2="%d"/>`, x, x, rows*rowH+6)
		p.drawLabel("soft", anchor, x, float64(rows*rowH+22), at.Local().Format(form))
	}
}

func (p *page) drawStates(s scale, list []Span) {
	p.drawLabel("", "end", gutter-10, 17, "state")
	colours := map[string]int{}
	for _, x := range list {
		if _, ok := colours[x.Name]; !ok {
			colours[x.Name] = len(colours) % 8
		}
		from, to := s.x(x.From), s.x(x.To)
		p.drawRect(fmt.Sprint("s", colours[x.Name]), from, 2, max(to-from, 1), rowH-4, x.String())
		if hasRoom(x.Name, to-from) {
			p.drawLabel("", "middle", (from+to)/2, 17, x.Name)
		}
	}
}

func (p *page) drawLane(s scale, l lane, y float64) {
	p.drawLabel("", "end", gutter-10, y+17, shorten(l.name, 24))
	for _, x := range l.spans {
		class := "g"
		switch x.How {
		case "done":
			class = "b"
		case "failed":
			class = "r"
		}
		from := s.x(x.From)
		p.drawRect(class, from, y+6, max(s.x(x.To)-from, 2), rowH-12, x.String())
	}
}

func (p *page) drawDenials(s scale, list []Point, y float64) {
	p.drawLabel("", "end", gutter-10, y+17, "objections")
	for _, d := range list {
		p.printf(`<line class="m" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"><title>%s</title></line>`, s.x(d.At),
			s.x(d.At), y+5, y+rowH-5,
			d.At.Local().Format(time.TimeOnly)+" "+d.Rule+": "+d.What)
	}
}

func (s Span) String() string {
	return fmt.Sprintf("%s, %s: %s%s", s.Name, s.From.Local().Format(time.TimeOnly), took(s.To.Sub(s.From).Seconds()),
		optional(", ", s.How))
}
