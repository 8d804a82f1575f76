package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// Limits of a graph. They keep a session's state and the agent's messages small; a plan that needs more is several.
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

// A Mistake is something wrong in a graph, told so that its writer can mend it.
type Mistake struct {
	Where string `json:"where"`          // phases[2].after[0]; "" is the whole
	What  string `json:"what"`           // a sentence without its full stop
	Note  bool   `json:"note,omitempty"` // the graph holds all the same
}

func (m Mistake) String() string {
	if m.Where == "" {
		return m.What
	}
	return m.Where + ": " + m.What
}

// Wrong reports whether one of the mistakes is more than a note.
func Wrong(all []Mistake) bool {
	for _, m := range all {
		if !m.Note {
			return true
		}
	}
	return false
}

// Parse reads a graph, and says all that is wrong with it. When Wrong(mistakes) the graph returned is empty.
//
// Besides the names that Graph has in JSON it takes the ones that planners use for the same: `mode` for execution_mode;
// in a phase `phase_id` for id, `name` for title, `agent_type`, `subagent_type` and `assigned_agent` for agent,
// `depends_on` and `dependencies` for after, `type` for phase_type; and `waves`, a list of lists of ids, for the wave of
// each. An id may be a number, `after` a single id, a teammate just an agent's name, and null stands for nothing. The
// keys description, prompt, files, check and acceptance are the writer's own; others are noted.
func Parse(text []byte) (Graph, []Mistake) {
	r := &reader{}
	g, ok := r.readGraph(text)
	if ok {
		r.checkGraph(g)
	}
	if Wrong(r.found) {
		return Graph{}, r.found
	}
	return g, r.found
}

// A reader goes through the JSON and collects what is wrong. (It uses gjson because a graph is also read in hook calls,
// where the reflection of encoding/json would cost more than the reading.)
type reader struct{ found []Mistake }

func (r *reader) addError(where, format string, a ...any) {
	r.found = append(r.found, Mistake{Where: where, What: fmt.Sprintf(format, a...)})
}

func (r *reader) addNote(where, format string, a ...any) {
	r.found = append(r.found, Mistake{Where: where, What: fmt.Sprintf(format, a...), Note: true})
}

func (r *reader) readGraph(text []byte) (Graph, bool) {
	if len(text) > MaxText {
		r.addError("", "the graph has %d bytes, at most %d are read: leave long texts out of it", len(text), MaxText)
		return Graph{}, false
	}
	text = bytes.ToValidUTF8(text, []byte("\ufffd")) // as encoding/json reads it
	if !gjson.ValidBytes(text) {
		r.addError("", "%s", describeSyntaxError(text))
		return Graph{}, false
	}
	o, ok := r.readObject("", gjson.ParseBytes(text))
	if !ok {
		return Graph{}, false
	}
	g := Graph{Mode: o.readWord([]string{Subagents, Team}, "execution_mode", "mode"), Source: o.readWord([]string{"plan", FromHost}, "source")}
	_, phases := o.readList("phases")
	waves := o.takeField("waves")
	o.noteRest("title", "description", "goal")
	if len(phases) == 0 && g.Source != FromHost && !o.bad {
		r.addError("phases", "there are no phases: expected a list of {\"id\", \"agent\", \"wave\" or \"after\"}")
		return g, false
	}
	if len(phases) > MaxPhases {
		r.addError("phases", "there are %d phases, at most %d may be", len(phases), MaxPhases)
		return g, false
	}
	for i, p := range phases {
		g.Phases = append(g.Phases, r.readPhase(fmt.Sprintf("phases[%d]", i), p, g.Source))
	}
	r.readWaves(g, waves)
	return g, true
}

func (r *reader) readPhase(at string, v gjson.Result, source string) Phase {
	o, ok := r.readObject(at, v)
	if !ok {
		return Phase{}
	}
	p := Phase{ID: o.readID(maxName, "id", "phase_id"), Title: o.readText(maxTitle, "title", "name"),
		Agent: o.readLine(maxAgent, "agent", "agent_type", "subagent_type", "assigned_agent"), Wave: o.readCount("wave"),
		Type: o.readWord([]string{Subagents, Team}, "phase_type", "type"), Deliverable: o.readText(maxNote, "deliverable")}
	p.After = o.readIDs("after", "depends_on", "dependencies")
	p.Teammates = o.readTeammates()
	o.noteRest("description", "prompt", "files", "check", "acceptance")
	if p.ID == "" && !o.bad {
		r.addError(at, "a phase needs an \"id\"")
	}
	switch {
	case o.bad || len(p.Teammates) > 0:
	case p.Type == Team:
		r.addError(at, "phase %s is a team's and needs \"teammates\"", quoteName(p.ID))
	case p.Agent == "" && source != FromHost:
		r.addError(at, "phase %s needs an \"agent\": the type of the agent that does it", quoteName(p.ID))
	}
	return p
}

func (o *object) readTeammates() []Teammate {
	where, all := o.readList("teammates")
	if len(all) > MaxTeammates {
		o.addError(where, "there are %d teammates, at most %d may be in a phase", len(all), MaxTeammates)
		return nil
	}
	var out []Teammate
	for i, v := range all {
		out = append(out, o.readTeammate(fmt.Sprintf("%s[%d]", where, i), v))
	}
	return out
}

func (o *object) readTeammate(at string, v gjson.Result) Teammate {
	if v.Type == gjson.String {
		return Teammate{Agent: o.checkName(at, v, maxAgent)}
	}
	m, ok := o.readObject(at, v)
	if !ok {
		o.bad = true
		return Teammate{}
	}
	t := Teammate{Agent: m.readLine(maxAgent, "agent", "agent_type", "subagent_type"), Name: m.readLine(maxAgent, "name"), Role: m.readText(maxTitle, "role")}
	m.noteRest("description", "prompt", "files", "check", "acceptance")
	if t.Agent == "" && t.Name == "" && !m.bad {
		o.reader.addError(at, "a teammate needs an \"agent\" or a \"name\"")
	}
	o.bad = o.bad || m.bad
	return t
}

// readWaves gives the phases the waves of the list at the top.
func (r *reader) readWaves(g Graph, f field) {
	if !f.isSet() {
		return
	}
	if !f.value.IsArray() {
		r.addError("waves", "found %s, expected a list of lists of ids", describeValue(f.value))
		return
	}
	for w, ids := range f.value.Array() {
		if !ids.IsArray() {
			r.addError(fmt.Sprintf("waves[%d]", w), "found %s, expected a list of ids", describeValue(ids))
		}
		for i, v := range arrayOf(ids) {
			r.setWave(g, fmt.Sprintf("waves[%d][%d]", w, i), v, w+1)
		}
	}
}

func (r *reader) setWave(g Graph, at string, v gjson.Result, wave int) {
	if v.Type != gjson.String && v.Type != gjson.Number {
		r.addError(at, "found %s, expected the id of a phase", describeValue(v))
		return
	}
	id := strings.TrimSpace(v.String())
	if v.Type == gjson.Number {
		id = v.Raw
	}
	i := g.indexOf(id)
	switch {
	case i < 0:
		r.addError(at, "there is no phase %s%s", quoteName(id), hintNearest(id, g.phaseIDs()))
	case g.Phases[i].Wave != 0 && g.Phases[i].Wave != wave:
		r.addError(at, "phase %s is in wave %d already", quoteName(id), g.Phases[i].Wave)
	default:
		g.Phases[i].Wave = wave
	}
}

// describeSyntaxError says where a text stops being JSON.
func describeSyntaxError(text []byte) string {
	var v any
	err := json.Unmarshal(text, &v)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return "this is not JSON"
	}
	before := string(text[:min(int(syntax.Offset), len(text))])
	line := strings.Count(before, "\n") + 1
	return fmt.Sprintf("this is not JSON: line %d, column %d: %v", line, len([]rune(before[strings.LastIndex(before, "\n")+1:])), syntax)
}
