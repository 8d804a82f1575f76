package diagram

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// The picture is a column of states. An edge to the next state goes straight down. Loops
// are on the left. All other edges leave on the right, run along a lane of the state that
// they lead to, and enter it on the right.
const (
	lineH    = 16 // of a line of text
	letterW  = 7.3
	padding  = 14
	laneGap  = 16
	smallGap = 12
)

// A picture is a graph with a place for everything.
type picture struct {
	graph
	boxes []box
	lanes []lane
	left  float64 // where the boxes begin
	boxW  float64
	sideW float64 // of the labels right of the boxes
	height,
	width float64
}

// A box is a state's rectangle. Its edges on the right side end at ports.
type box struct{ top, height float64 }

// A lane collects the edges that lead to one state.
type lane struct {
	to    int
	in    float64 // where it enters the state
	outs  []port
	place int // 0 for the innermost
}

// A port is where an edge leaves a state.
type port struct {
	edge
	y float64
}

func newPicture(g graph) *picture {
	p := &picture{graph: g}
	for _, name := range g.states {
		p.boxW = max(p.boxW, textWidth([]string{name})*1.15+2*padding)
	}
	for _, e := range g.edges {
		switch {
		case e.to == e.from:
			p.left = max(p.left, textWidth(e.lines())+3*padding)
		case e.to == e.from+1: // its label begins in the middle
			p.sideW = max(p.sideW, textWidth(e.lines())+padding-p.boxW/2)
		default:
			p.sideW = max(p.sideW, textWidth(e.lines())+padding)
		}
	}
	p.left += padding
	p.layOutBoxes()
	p.layOutLanes()
	lanes := 0
	for _, l := range p.lanes {
		lanes = max(lanes, l.place+1)
	}
	p.width = p.left + p.boxW + p.sideW + float64(lanes*laneGap) + padding
	return p
}

func textWidth(lines []string) (w float64) {
	for _, l := range lines {
		w = max(w, float64(utf8.RuneCountInString(l))*letterW)
	}
	return w
}

// layOutBoxes stacks the boxes. Each is as high as its ports need.
func (p *picture) layOutBoxes() {
	y := float64(padding)
	for i := range p.states {
		right, left, below := 0.0, 0.0, 0.0
		for _, e := range p.edges {
			text := float64(len(e.lines()) * lineH)
			switch {
			case e.from == i && e.to == i:
				left = text
			case e.from == i && e.to == i+1:
				below = text
			case e.from == i:
				p.addPort(port{e, y + right + text})
				right += text + smallGap
			}
		}
		if slices.ContainsFunc(p.edges, func(e edge) bool { return e.to == i && e.from != i && e.from != i-1 }) {
			p.lane(i).in = y + right + smallGap
			right += 2 * smallGap
		}
		b := box{y, max(right+smallGap/2, left+smallGap, 44)}
		p.boxes = append(p.boxes, b)
		y += b.height + below + 28
	}
	p.height = y - 28 + padding
}

// lane is the lane of a state, which is made when it is needed.
func (p *picture) lane(to int) *lane {
	at := slices.IndexFunc(p.lanes, func(l lane) bool { return l.to == to })
	if at < 0 {
		p.lanes, at = append(p.lanes, lane{to: to}), len(p.lanes)
	}
	return &p.lanes[at]
}

func (p *picture) addPort(out port) {
	l := p.lane(out.to)
	l.outs = append(l.outs, out)
}

// layOutLanes gives the shortest lanes the innermost places, and one place to lanes that
// do not meet.
func (p *picture) layOutLanes() {
	slices.SortStableFunc(p.lanes, func(a, b lane) int { return cmp.Compare(a.bottom()-a.top(), b.bottom()-b.top()) })
	for i := range p.lanes {
		l := &p.lanes[i]
		for slices.ContainsFunc(p.lanes[:i], func(x lane) bool {
			return x.place == l.place && x.top() <= l.bottom()+4 && l.top() <= x.bottom()+4
		}) {
			l.place++
		}
	}
}

func (l lane) top() float64 {
	y := l.in
	for _, o := range l.outs {
		y = min(y, o.y)
	}
	return y
}

func (l lane) bottom() float64 {
	y := l.in
	for _, o := range l.outs {
		y = max(y, o.y)
	}
	return y
}

const svgStyle = `text{font:13px ui-sans-serif,system-ui,"DejaVu Sans",sans-serif;fill:#1b1f24}` +
	`.s{font-weight:600;text-anchor:middle}.l{text-anchor:end}path{fill:none;stroke:#57606a;stroke-width:1.3}` +
	`rect{fill:#f5f6f8;stroke:#8c96a1}.c{fill:#cfe3fa;stroke:#0b5cad;stroke-width:2.5}.d{stroke-dasharray:5 4}` +
	`marker path{fill:#57606a;stroke:none}` +
	`@media(prefers-color-scheme:dark){text{fill:#e8ecf1}path{stroke:#a3adb8}rect{fill:#181d24;stroke:#667484}` +
	`.c{fill:#1d4672;stroke:#8cc2ff}marker path{fill:#a3adb8}}`

// draw writes the picture. It needs no other file, and follows the reader's light or dark
// mode.
func (p *picture) draw() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" `+
		`role="img" aria-label="the states of the pipeline"><style>%s</style><defs><marker id="a" viewBox="0 0 8 8" `+
		`refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>`,
		p.width, p.height, p.width, p.height, svgStyle)
	for i, name := range p.states {
		class := ""
		if i == p.current {
			class = ` class="c"`
		}
		box := p.boxes[i]
		fmt.Fprintf(&b, `<rect%s x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="9"/>`+"\n", class, p.left, box.top,
			p.boxW, box.height)
		drawText(&b, "s", p.left+p.boxW/2, box.top+box.height/2+4.5, []string{name})
	}
	for _, e := range p.edges {
		p.drawNear(&b, e)
	}
	for _, l := range p.lanes {
		p.drawLane(&b, l)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawNear draws a loop, or an edge to the next state.
func (p *picture) drawNear(b *strings.Builder, e edge) {
	if e.to != e.from && e.to != e.from+1 {
		return
	}
	from, lines := p.boxes[e.from], e.lines()
	middle := from.top + from.height/2
	if e.to == e.from {
		drawPath(b, e, "M%.1f %.1fc-26 -4 -26 20 -2 16", p.left, middle-7)
		drawText(b, "l", p.left-2*padding, middle+4.5-float64((len(lines)-1)*lineH)/2, lines)
		return
	}
	x, y, end := p.left+p.boxW/2, from.top+from.height, p.boxes[e.to].top
	drawPath(b, e, "M%.1f %.1fV%.1f", x, y, end-1)
	drawText(b, "", x+10, (y+end)/2+4.5-float64((len(lines)-1)*lineH)/2, lines)
}

// drawLane draws the edges that lead to a state from elsewhere than the one before it.
func (p *picture) drawLane(b *strings.Builder, l lane) {
	right := p.left + p.boxW
	x := right + p.sideW + float64((l.place+1)*laneGap)
	for _, o := range l.outs {
		bend := 8.0 // of the corners, up or down
		if l.in < o.y {
			bend = -bend
		}
		drawPath(b, o.edge, "M%.1f %.1fH%.1fq8 0 8 %.1fV%.1fq0 %.1f -8 %.1fH%.1f", right, o.y, x-8, bend, l.in-bend,
			bend, bend, right+1)
		lines := o.lines()
		drawText(b, "", right+10, o.y-4-float64((len(lines)-1)*lineH), lines)
	}
}

func drawPath(b *strings.Builder, e edge, d string, at ...any) {
	class := ""
	if e.isDashed() {
		class = ` class="d"`
	}
	fmt.Fprintf(b, `<path%s marker-end="url(#a)" d="%s"/>`+"\n", class, fmt.Sprintf(d, at...))
}

func drawText(b *strings.Builder, class string, x, y float64, lines []string) {
	for i, line := range lines {
		fmt.Fprintf(b, `<text class="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, x, y+float64(i*lineH),
			html.EscapeString(line))
	}
}
