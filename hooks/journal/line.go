package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unsafe"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A Line is a record as it is written, for readers of many records: decoding one whole
// takes many times as long as looking up what a reader asks for. All of it, strings
// included, is valid until visit returns: clone what is kept.
type Line struct {
	Raw  []byte // without its newline
	File string
	Line int   // number in the file, 1 for the first
	Torn bool  // the newline is missing: it may be being written just now
	At   Place // where it begins, of what From reads

	// What stands before the session is looked up at once.
	Version, Seq       int64
	Time               time.Time // zero where it cannot be read
	Kind               fsm.Kind
	AgentID, Agent     string // id and type
	Tool, UseID        string
	Verdict            string
	StrictVerdict      string
	Rule, RuleType     string
	Where, Reason      string
	Role, Level        string
	InjectedChars      int64
	Proposed           string
	IsBypassed         bool   // a bypass let an objection pass
	bypassed           string // the first rule that objected then
	Failed             bool   // pipeline itself had an error
	event, tool, moves gjson.Result

	rest    int // where the session begins; 0 where it is not the last object of the line
	session gjson.Result
}

// Clone is a line that outlives its reader.
func (l *Line) Clone() Line {
	out := Line{File: l.File, Line: l.Line, Torn: l.Torn}
	out.parse(bytes.Clone(l.Raw))
	return out
}

// viewString is a string that shares the bytes: a million lines are not copied.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

const sessionKey = `,"session":`

// parse takes a line apart. It reports whether it has the form of a record; its hash is
// not checked.
func (l *Line) parse(raw []byte) bool {
	*l = Line{Raw: raw, File: l.File, Line: l.Line, Torn: l.Torn}
	if _, ok := splitHash(raw); !ok || raw[0] != '{' {
		return false
	}
	head := raw
	if i := bytes.Index(raw, []byte(sessionKey+"{")); i >= 0 { // in a string the quotes would be escaped
		head, l.rest = raw[:i], i+len(sessionKey)
	}
	gjson.Parse(viewString(head)).ForEach(func(key, value gjson.Result) bool {
		l.setMember(key.Str, value)
		return true
	})
	return l.Seq != 0 && l.Kind != ""
}

// parseOrigin looks up kind, time and agent alone. It reports whether they stand where
// a record has them.
func (l *Line) parseOrigin(raw []byte) bool {
	const key = `,"event":{`
	i := bytes.Index(raw[:min(len(raw), 64)], []byte(key))
	if i < 0 {
		return false
	}
	gjson.Parse(viewString(raw[i+len(key)-1:])).ForEach(func(key, value gjson.Result) bool {
		return l.setOrigin(key.Str, value)
	})
	return l.Kind != ""
}

// setOrigin sets what stands at the beginning of an event. It reports whether the key
// is of that.
func (l *Line) setOrigin(key string, value gjson.Result) bool {
	switch key {
	case "kind":
		l.Kind = fsm.Kind(value.Str)
	case "time":
		l.Time, _ = time.Parse(time.RFC3339Nano, value.Str)
	case "agent":
		value.ForEach(func(key, value gjson.Result) bool {
			switch key.Str {
			case "id":
				l.AgentID = value.Str
			case "type":
				l.Agent = value.Str
			}
			return true
		})
	default:
		return false
	}
	return true
}

func (l *Line) setMember(key string, value gjson.Result) {
	switch key {
	case "v":
		l.Version = value.Int()
	case "n":
		l.Seq = value.Int()
	case "event":
		l.setEvent(value)
	case "verdict":
		l.Verdict = value.Str
	case "strict_verdict":
		l.StrictVerdict = value.Str
	case "rule":
		l.Rule = value.Str
	case "rule_type":
		l.RuleType = value.Str
	case "where":
		l.Where = value.Str
	case "reason":
		l.Reason = value.Str
	case "role":
		l.Role = value.Str
	case "level":
		l.Level = value.Str
	case "injected_chars":
		l.InjectedChars = value.Int()
	case "error":
		l.Failed = value.Str != ""
	case "moves":
		l.moves = value
	case "proposed":
		l.Proposed = value.Str
	case "bypassed":
		l.IsBypassed, l.bypassed = value.IsArray(), value.Get("0").Str
	}
}

func (l *Line) setEvent(event gjson.Result) {
	l.event = event
	event.ForEach(func(key, value gjson.Result) bool {
		if l.setOrigin(key.Str, value) {
			return true
		}
		if key.Str == "tool" {
			l.tool = value
			l.Tool, l.UseID = value.Get("name").Str, value.Get("use").Str
		}
		return false // what follows is looked up when it is asked for
	})
}

// Event looks up a member of the event by its path: "text", "facts.gate.ok".
func (l *Line) Event(path string) gjson.Result { return l.event.Get(path) }

// Starts is what the call starts: members how, type and name.
func (l *Line) Starts() gjson.Result { return l.tool.Get("starts") }

// Moves are the firings of the machine.
func (l *Line) Moves() gjson.Result { return l.moves }

// Session is the session after the record.
func (l *Line) Session() gjson.Result {
	switch {
	case l.session.Exists():
	case l.rest > 0:
		l.session = gjson.Parse(viewString(l.Raw[l.rest:]))
	default:
		l.session = gjson.Get(viewString(l.Raw), "session")
	}
	return l.session
}

// State is the state that the machine is in after the record.
func (l *Line) State() string { return l.Session().Get("machine.state").Str }

// Prev is the hash of the record before, as the record has it.
func (l *Line) Prev() string {
	const key = `,"prev":"`
	body, _ := splitHash(l.Raw)
	from := len(body) - len(key) - hashLen - len(`"`)
	if from < 0 || string(body[from:from+len(key)]) != key {
		return ""
	}
	return string(body[from+len(key) : len(body)-1])
}

// Hash is the hash that the line carries.
func (l *Line) Hash() string {
	return string(l.Raw[len(l.Raw)-len(`"}`)-hashLen : len(l.Raw)-len(`"}`)])
}

// EachPart gives what a call comes to, part by part, to visit.
func (l *Line) EachPart(visit func(gjson.Result)) {
	l.tool.Get("parts").ForEach(func(_, p gjson.Result) bool {
		visit(p)
		return true
	})
}

// IsOrchestrator reports whether the rules of the orchestrator held for the caller.
func (l *Line) IsOrchestrator() bool {
	if l.Role != "" {
		return l.Role == "orchestrator"
	}
	return l.AgentID == ""
}

// IsObjected reports whether strict would have objected: to anything less than a pass,
// a warning included.
func (l *Line) IsObjected() bool {
	v := l.StrictVerdict
	if v == "" {
		v = l.Verdict
	}
	return v != "" && v != fsm.Pass.String()
}

// Decider names what decided: a rule as it is, of a bypassed call the rule that objected,
// and the state where its list of agents decided.
func (l *Line) Decider() string { return NameDecider(l.Rule, []string{l.bypassed}, l.State()) }

// statePrefix begins the name of what decided where a state's list of agents did.
const statePrefix = "state "

// NameDecider names what decided a call, for people: "bypass" and "pipeline" are no rules
// that they can find in the config.
func NameDecider(rule string, bypassed []string, state string) string {
	if rule == fsm.RuleBypass && len(bypassed) > 0 && bypassed[0] != "" {
		rule = bypassed[0]
	}
	if rule == fsm.RulePipeline && state != "" {
		return statePrefix + state
	}
	return rule
}

// DescribeDecider is a decider in a sentence: "rule no-editing", "state IDLE".
func DescribeDecider(decider string) string {
	if strings.HasPrefix(decider, statePrefix) {
		return decider
	}
	return "rule " + decider
}

// verdictOrPass is the answer to a call; a pass is left out of its record.
func (l *Line) verdictOrPass() string {
	if l.Verdict == "" && l.Kind == fsm.ToolRequest {
		return fsm.Pass.String()
	}
	return l.Verdict
}

// splitHash is the part of a line that its hash covers. It reports whether the line
// ends in a hash.
func splitHash(line []byte) (body []byte, ok bool) {
	cut := len(line) - len(hashKey) - hashLen - len(`"}`)
	if cut <= 0 || string(line[cut:cut+len(hashKey)]) != hashKey {
		return nil, false
	}
	return line[:cut], true
}

// checkHash verifies the hash of a line.
func checkHash(line []byte) error {
	body, ok := splitHash(line)
	if !ok {
		return fmt.Errorf("%w: it has no hash", ErrDamaged)
	}
	sum := sha256.Sum256(body)
	var want [hashLen]byte
	hex.Encode(want[:], sum[:hashLen/2])
	if from := len(body) + len(hashKey); !bytes.Equal(line[from:from+hashLen], want[:]) {
		return fmt.Errorf("%w: its hash does not fit", ErrDamaged)
	}
	return nil
}

// ErrPacked says that the rest of a packed file cannot be read.
var ErrPacked = errors.New("the rest of the file cannot be unpacked")

// Walk gives every line of a journal to visit, oldest first, until visit returns an
// error. Their hashes are checked; err says why a line is no record, which is also how
// a packed file that is damaged ends.
func Walk(path string, visit func(l *Line, err error) error) error {
	return eachFile(path, func(p *part) error { return p.walkLines(visit) })
}

func (p *part) walkLines(visit func(l *Line, err error) error) error {
	in := lineReader{in: bufio.NewReaderSize(p, 256<<10)}
	l := Line{File: p.name}
	for {
		raw, end := in.next()
		if end != nil && end != io.EOF && !isUnreadable(end) {
			return fmt.Errorf("read journal: %w", end)
		}
		l.Line++
		if len(raw) > 0 {
			l.Torn = end != nil
			l.Raw = bytes.TrimSuffix(raw, []byte("\n"))
			if err := visit(&l, l.verify()); err != nil {
				return err
			}
		}
		if isUnreadable(end) {
			if err := visit(&l, fmt.Errorf("%w: %v", ErrPacked, end)); err != nil {
				return err
			}
		}
		if end != nil {
			return nil
		}
	}
}

// verify says why a line is no record that this reader knows.
func (l *Line) verify() error {
	if err := checkHash(l.Raw); err != nil {
		return err
	}
	if !gjson.ValidBytes(l.Raw) {
		return fmt.Errorf("%w: not JSON", ErrDamaged)
	}
	if l.parse(l.Raw); l.Version > Version { // also where the rest of it is not as we know it
		return newerVersion(l.Version)
	}
	return nil
}

func newerVersion(v int64) error {
	return fmt.Errorf("record of version %d: this pipeline knows up to %d", v, Version)
}

// Record decodes the line whole.
func (l *Line) Record() (r Record, err error) {
	err = Decode(l.Raw, &r)
	if r.Version > Version {
		return r, newerVersion(int64(r.Version))
	}
	if err != nil {
		return r, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	r.Hash = l.Hash()
	return r, nil
}

// longest is the length of a line, in bytes, above which only its beginning is kept: it
// is no record of ours.
const longest = 16 << 20

// A lineReader reads lines without copying those that fit its buffer.
type lineReader struct {
	in   *bufio.Reader
	long []byte
}

func (r *lineReader) next() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	r.long = append(r.long[:0], line...)
	for err == bufio.ErrBufferFull {
		line, err = r.in.ReadSlice('\n')
		if len(r.long) < longest || err == nil {
			r.long = append(r.long, line...)
		}
	}
	return r.long, err
}
