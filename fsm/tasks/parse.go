package tasks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm/nearest"
)

// Limits of a graph. They keep a session's state and the agents' messages small. A larger
// plan must be split.
const (
	MaxPhases    = 200
	MaxTeammates = 16       // in one phase
	MaxText      = 64 << 10 // bytes of JSON
	maxSlots     = 400
	maxName      = 64  // characters of an id
	maxAgent     = 128 // and of an agent's name
	maxTitle     = 200
	maxNote      = 1000 // and of a deliverable
)

// A Mistake is something wrong in a graph, explained so that its writer can fix it.
type Mistake struct {
	Where string `json:"where"`          // phases[2].after[0]; "" is the whole
	What  string `json:"what"`           // a sentence without its full stop
	Note  bool   `json:"note,omitempty"` // the graph is valid all the same
}

func (m Mistake) String() string {
	if m.Where == "" {
		return m.What
	}
	return m.Where + ": " + m.What
}

// HasErrors reports whether one of the mistakes is more than a note.
func HasErrors(all []Mistake) bool {
	return slices.ContainsFunc(all, func(m Mistake) bool { return !m.Note })
}

// DescribeMistakes puts mistakes into one paragraph of at most limit characters, for the agent that
// wrote the graph: as many as fit and the number of the others, or the start of the
// first. Notes are included only where nothing is wrong.
func DescribeMistakes(all []Mistake, limit int) string {
	wrong, texts := HasErrors(all), []string{}
	for _, m := range all {
		if m.Note != wrong {
			texts = append(texts, m.String())
		}
	}
	for n := min(len(texts), limit); n > 0; n-- { // none is empty
		out := strings.Join(texts[:n], "; ")
		if n < len(texts) {
			out += fmt.Sprintf("; and %d more", len(texts)-n)
		}
		if utf8.RuneCountInString(out) <= limit {
			return out
		}
	}
	return shorten(strings.Join(texts, "; "), limit)
}

// ReadGraph reads a graph from a text that is one, or from a message that contains one.
func ReadGraph(text string) (g Graph, mistakes []Mistake, found bool) {
	if trimmed := strings.TrimLeft(text, " \t\r\n\ufeff"); strings.HasPrefix(trimmed, "{") {
		text = trimmed
	} else if text, found = FindGraph(text); !found {
		return Graph{}, nil, false
	}
	g, mistakes = Parse([]byte(text))
	return g, mistakes, true
}

// FindGraph returns the graph in a message: the first fenced code block marked json that holds
// an object with the key "phases". If none is valid JSON, it is the first that was meant
// as one, so that its writer learns what is wrong.
func FindGraph(text string) (graph string, ok bool) {
	meant := ""
	for _, b := range codeBlocks(text) {
		if words := strings.Fields(b.info); len(words) == 0 || !strings.EqualFold(words[0], "json") {
			continue
		}
		if gjson.Valid(b.body) {
			if gjson.Get(b.body, "phases").Exists() {
				return b.body, true
			}
		} else if meant == "" && strings.Contains(b.body, `"phases"`) {
			meant = b.body
		}
	}
	return meant, meant != ""
}

// codeBlocks lists the fenced code blocks of a message, as CommonMark 0.31 section 4.5 defines them.
// A fence is three or more backticks or tildes, at most three spaces from the margin. As many of
// the same close it, or the end of the text. So a block within a longer fence is a quotation.
func codeBlocks(text string) (out []codeBlock) {
	isOpen, begin, end := false, 0, 0
	for line := range strings.Lines(text) {
		b, last := parseFence(line), len(out)-1
		end += len(line)
		switch {
		case !isOpen && b.run > 0:
			isOpen, begin, out = true, end, append(out, b)
		case !isOpen:
		case b.char == out[last].char && b.run >= out[last].run && b.info == "":
			isOpen = false
		default:
			out[last].body = text[begin:end] // indentation has no meaning in JSON
		}
	}
	return out
}

// A codeBlock is what a fence opens.
type codeBlock struct {
	char byte
	run  int // how many of them; 0: no fence
	info string
	body string
}

func parseFence(line string) codeBlock {
	line = strings.TrimRight(line, "\r\n")
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
		return codeBlock{}
	}
	b := codeBlock{char: rest[0], run: len(rest) - len(strings.TrimLeft(rest, rest[:1]))}
	b.info = strings.Trim(rest[b.run:], " \t")
	if b.run < 3 || b.char == '`' && strings.Contains(b.info, "`") {
		return codeBlock{}
	}
	return b
}

// Parse reads a graph, and returns all that is wrong with it. When HasErrors(mistakes) the
// graph is empty.
//
// Besides the JSON names of Graph it accepts those that planners use for the same:
//
//   - `mode` for execution_mode;
//   - in a phase `phase_id` for id, `name` for title, `type` for phase_type;
//   - `agent_type`, `subagent_type` and `assigned_agent` for agent;
//   - `depends_on` and `dependencies` for after;
//   - `waves`, a list of lists of ids, for the wave of each phase.
//
// An id may be a number, `after` a single id, a teammate just an agent's name, and null
// is nothing. The keys description, prompt, files, check and acceptance are the writer's
// own. Other keys are noted.
func Parse(text []byte) (Graph, []Mistake) {
	r := &reader{}
	g := r.readGraph(text)
	if HasErrors(r.found) {
		g = Graph{}
	}
	return g, r.found
}

// A reader goes through the JSON and collects what is wrong. It uses gjson because hook
// calls read graphs too: the reflection of encoding/json takes longer than the reading.
type reader struct{ found []Mistake }

func (r *reader) addError(where, format string, a ...any) {
	r.found = append(r.found, Mistake{Where: where, What: fmt.Sprintf(format, a...)})
}

func (r *reader) addNote(where, format string, a ...any) {
	r.addError(where, format, a...)
	r.found[len(r.found)-1].Note = true
}

func (r *reader) readGraph(text []byte) (g Graph) {
	if len(text) > MaxText {
		r.addError("", "the graph has %d bytes, at most %d are read: leave out long texts", len(text), MaxText)
		return g
	}
	text = bytes.ToValidUTF8(text, []byte("\ufffd")) // as encoding/json does
	if !gjson.ValidBytes(text) {
		what, syntax := "this is not JSON", new(json.SyntaxError)
		if errors.As(json.Unmarshal(text, new(any)), &syntax) {
			before := string(text[:min(int(syntax.Offset), len(text))])
			line, column := strings.Count(before, "\n")+1, len([]rune(before[strings.LastIndex(before, "\n")+1:]))
			what += fmt.Sprintf(": line %d, column %d: %v", line, column, syntax)
		}
		r.addError("", "%s", what)
		return g
	}
	o := r.readObject("", gjson.ParseBytes(text))
	if o == nil {
		return g
	}
	g.Mode = take(o, o.word(Subagents, Team), "execution_mode", "mode")
	g.Source = take(o, o.word("plan", FromHost), "source")
	phases := take(o, o.list, "phases")
	waves := take(o, func(f field) field { return f }, "waves")
	o.noteRest("title", "description", "goal")
	if len(phases) == 0 && g.Source != FromHost && !o.bad {
		r.addError("phases", "there are no phases: expected a list of {\"id\", \"agent\", \"wave\" or \"after\"}")
		return g
	}
	if len(phases) > MaxPhases {
		r.addError("phases", "there are %d phases, at most %d are allowed", len(phases), MaxPhases)
		return g
	}
	for _, p := range phases {
		g.Phases = append(g.Phases, r.readPhase(p, g.Source))
	}
	if waves.Exists() {
		o.setWaves(g, waves)
	}
	r.checkGraph(g)
	return g
}

func (r *reader) readPhase(f field, source string) Phase {
	o := r.readObject(f.key, f.Result)
	if o == nil {
		return Phase{}
	}
	p := Phase{
		ID:          take(o, o.id, "id", "phase_id"),
		Title:       take(o, o.text(maxTitle), "title", "name"),
		Agent:       take(o, o.name, "agent", "agent_type", "subagent_type", "assigned_agent"),
		Wave:        take(o, o.wave, "wave"),
		Type:        take(o, o.word(Subagents, Team), "phase_type", "type"),
		Deliverable: take(o, o.text(maxNote), "deliverable"),
		After:       take(o, o.ids, "after", "depends_on", "dependencies"),
		Teammates:   take(o, o.teammates, "teammates"),
	}
	o.noteRest("description", "prompt", "files", "check", "acceptance")
	if p.ID == "" && !o.bad {
		r.addError(f.key, "a phase needs an \"id\"")
	}
	switch {
	case o.bad || len(p.Teammates) > 0:
	case p.Type == Team:
		r.addError(f.key, "phase %s is a team's and needs \"teammates\"", quoteName(p.ID))
	case p.Agent == "" && source != FromHost:
		r.addError(f.key, "phase %s needs an \"agent\": the type of the agent that does it", quoteName(p.ID))
	}
	return p
}

func (o *object) teammates(f field) (out []Teammate) {
	all := o.list(f)
	if len(all) > MaxTeammates {
		o.addError(f.key, "there are %d teammates, at most %d are allowed in a phase", len(all), MaxTeammates)
		return nil
	}
	for _, one := range all {
		if one.Type == gjson.String {
			out = append(out, Teammate{Agent: o.name(one)})
			continue
		}
		m := o.readObject(o.pathOf(one.key), one.Result)
		if m == nil {
			o.bad = true
			continue
		}
		t := Teammate{
			Agent: take(m, m.name, "agent", "agent_type", "subagent_type"),
			Name:  take(m, m.name, "name"),
			Role:  take(m, m.text(maxTitle), "role"),
		}
		m.noteRest("description", "prompt", "files", "check", "acceptance")
		if t.Agent == "" && t.Name == "" && !m.bad {
			o.reader.addError(m.at, "a teammate needs an \"agent\" or a \"name\"")
		}
		o.bad = o.bad || m.bad
		out = append(out, t)
	}
	return out
}

// setWaves gives the phases the waves of the list at the top.
func (o *object) setWaves(g Graph, waves field) {
	if !o.expect(waves.IsArray(), waves, "a list of lists of ids") {
		return
	}
	for w, ids := range o.list(waves) {
		if !o.expect(ids.IsArray(), ids, "a list of ids") {
			continue
		}
		for k, id := range o.ids(ids) {
			at, i := fmt.Sprintf("%s[%d]", ids.key, k), g.indexOf(id)
			switch {
			case id == "": // reported when it was read
			case i < 0:
				o.addError(at, "there is no phase %s%s", quoteName(id), o.hintNearest(g, id))
			case g.Phases[i].Wave != 0 && g.Phases[i].Wave != w+1:
				o.addError(at, "phase %s is in wave %d already", quoteName(id), g.Phases[i].Wave)
			default:
				g.Phases[i].Wave = w + 1
			}
		}
	}
}

// checkGraph finds what is wrong between phases.
func (r *reader) checkGraph(g Graph) {
	seen := len(r.found)
	for i, p := range g.Phases {
		if first := g.indexOf(p.ID); first < i && p.ID != "" {
			at := fmt.Sprintf("phases[%d].id", i)
			r.addError(at, "there are two phases %s: phases[%d] has the same id", quoteName(p.ID), first)
		}
	}
	for i, p := range g.Phases {
		for k, id := range p.After {
			at := fmt.Sprintf("phases[%d].after[%d]", i, k)
			before := g.indexOf(id)
			switch {
			case id == "": // reported when it was read
			case before < 0:
				r.addError(at, "phase %s comes after %s, which does not exist%s",
					quoteName(p.ID), quoteName(id), r.hintNearest(g, id))
			case id == p.ID:
				r.addError(at, "phase %s comes after itself", quoteName(id))
			case p.Wave > 0 && g.Phases[before].Wave > p.Wave:
				r.addError(at, "phase %s is in wave %d, but comes after %s of wave %d",
					quoteName(p.ID), p.Wave, quoteName(id), g.Phases[before].Wave)
			}
		}
	}
	if n := len(g.listSlots()); n > maxSlots {
		r.addError("phases", "the phases have %d teammates and agents together, at most %d are allowed", n, maxSlots)
	}
	if !HasErrors(r.found[seen:]) { // a wrong order of waves is a cycle too, and reported already
		r.checkCycles(g)
	}
}

// checkCycles reports each cycle of phases that wait for each other, at most one for each
// phase: another shows when that one is fixed.
func (r *reader) checkCycles(g Graph) {
	closed, path := make([]bool, len(g.Phases)), []int{}
	var visit func(i int)
	visit = func(i int) {
		switch at := slices.Index(path, i); {
		case closed[i]:
		case at >= 0:
			r.reportCycle(g, path[at:])
		default:
			path = append(path, i)
			for _, b := range g.phasesBefore(i) {
				visit(b)
			}
			path, closed[i] = path[:len(path)-1], true
		}
	}
	for i := range g.Phases {
		visit(i)
	}
}

func (r *reader) reportCycle(g Graph, path []int) {
	where := fmt.Sprintf("phases[%d]", path[0])
	if slices.ContainsFunc(r.found, func(m Mistake) bool { return m.Where == where && !m.Note }) {
		return
	}
	var steps []string
	for k, i := range path {
		a, b := g.Phases[i], g.Phases[path[(k+1)%len(path)]]
		step := fmt.Sprintf("%s comes after %s", quoteName(a.ID), quoteName(b.ID))
		if !slices.Contains(a.After, b.ID) {
			step = fmt.Sprintf("%s of wave %d after %s of wave %d", quoteName(a.ID), a.Wave, quoteName(b.ID), b.Wave)
		}
		steps = append(steps, step)
	}
	r.addError(where, "these phases wait for each other: %s", strings.Join(steps, ", "))
}

// hintNearest is the hint for an id that does not exist; "" when none is like it, or there are many mistakes.
func (r *reader) hintNearest(g Graph, id string) string {
	if len(r.found) >= 50 {
		return ""
	}
	ids, longer := []string{}, ""
	for _, p := range g.Phases {
		if ids = append(ids, p.ID); longer == "" && strings.HasPrefix(p.ID, id) {
			longer = p.ID
		}
	}
	best := cmp.Or(nearest.Find(id, ids), longer)
	if best == "" {
		return ""
	}
	return "; did you mean " + quoteName(best) + "?"
}
