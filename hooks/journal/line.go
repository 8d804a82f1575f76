package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A Line is a record as it is written, for readers of many records: decoding one whole
// takes many times as long as looking up what a reader asks for. What Walk gives is valid
// until visit returns, strings included: clone what is kept.
type Line struct {
	Raw  []byte // without its newline
	File string
	Line int   // number in the file, 1 for the first
	Torn bool  // the newline is missing: it may be being written just now
	At   Place // where it begins, of what From reads

	// What stands before the session is looked up at once.
	Version, Seq   int64
	Time           time.Time // zero where it cannot be read
	Kind           fsm.Kind
	AgentID, Agent string // id and type
	Tool, UseID    string
	Verdict        string
	StrictVerdict  string
	Rule, RuleType string
	Where, Reason  string
	Role, Level    string
	InjectedChars  int64
	Proposed       string
	IsBypassed     bool   // a bypass let an objection pass
	bypassed       string // the first rule that objected then
	Repeated       bool   // the call was reported before
	Failed         bool   // pipeline itself had an error
	Parts          []Part // what the call comes to

	Recovered bool // the session before it was not in the journal

	Event  gjson.Result // all of it
	Starts gjson.Result // what the call starts: members how, type and name
	Moves  gjson.Result // the firings of the machine
	texts  gjson.Result

	Session gjson.Result // after the record
	state   string       // in it, once it was looked up
}

// viewString is a string that shares the bytes: a million lines are not copied.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

const sessionKey = `,"session":`

// parse takes a line apart, up to the session. It reports whether it has the form of a
// record; its hash is not checked.
func (l *Line) parse(raw []byte) bool {
	l.Raw = raw
	if body, _ := splitHash(raw); body == nil || raw[0] != '{' {
		return false
	}
	head := raw
	if i := bytes.Index(raw, []byte(sessionKey+"{")); i > 0 {
		head, l.Session = raw[:i], gjson.Parse(viewString(raw[i+len(sessionKey):]))
	}
	gjson.Parse(viewString(head)).ForEach(l.takeMember)
	return l.Seq != 0 && l.Kind != ""
}

// ListMoves are the firings of the machine in words.
func (l *Line) ListMoves() (out []string) {
	l.Moves.ForEach(func(_, m gjson.Result) bool {
		out = append(out, m.Get("from").Str+" → "+m.Get("to").Str)
		return true
	})
	return out
}

func (l *Line) takeMember(name, value gjson.Result) bool {
	switch name.Str {
	case "v":
		l.Version = value.Int()
	case "n":
		l.Seq = value.Int()
	case "event":
		l.Event = value
		value.ForEach(l.takeEvent)
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
	case "recovered":
		l.Recovered = value.Bool()
	case "texts":
		l.texts = value
	case "repeated":
		l.Repeated = value.Bool()
	case "role":
		l.Role = value.Str
	case "level":
		l.Level = value.Str
	case "injected_chars":
		l.InjectedChars = value.Int()
	case "error":
		l.Failed = value.Str != ""
	case "moves":
		l.Moves = value
	case "proposed":
		l.Proposed = value.Str
	case "bypassed":
		l.IsBypassed, l.bypassed = value.IsArray(), value.Get("0").Str
	}
	return true
}

func (l *Line) takeEvent(name, value gjson.Result) bool {
	switch name.Str {
	case "kind":
		l.Kind = fsm.Kind(value.Str)
	case "time":
		l.Time, _ = time.Parse(time.RFC3339Nano, value.Str)
	case "agent":
		l.AgentID, l.Agent = value.Get("id").Str, value.Get("type").Str
	case "tool":
		value.ForEach(l.takeTool)
	}
	return true
}

func (l *Line) takeTool(name, value gjson.Result) bool {
	switch name.Str {
	case "name":
		l.Tool = value.Str
	case "use":
		l.UseID = value.Str
	case "starts":
		l.Starts = value
	case "parts":
		value.ForEach(func(_, part gjson.Result) bool {
			l.Parts = append(l.Parts, Part{part.Get("tool").Str, part.Get("path").Str, part.Get("words").Raw})
			return true
		})
	}
	return true
}

// State is the state that the machine is in after the record.
func (l *Line) State() string {
	if l.state == "" {
		l.state = l.Session.Get("machine.state").Str
	}
	return l.state
}

const (
	prevKey = `,"prev":"`
	prevLen = len(prevKey) + hashLen + len(`"`)
)

// Prev is the hash of the record before, as the record has it.
func (l *Line) Prev() string {
	body, _ := splitHash(l.Raw)
	from := len(body) - prevLen
	if from < 0 || string(body[from:from+len(prevKey)]) != prevKey {
		return ""
	}
	return viewString(body[from+len(prevKey) : len(body)-1])
}

// Hash is the hash that the line carries.
func (l *Line) Hash() string {
	_, hash := splitHash(l.Raw)
	return string(hash)
}

// A Part is a part of a call: a command or a file.
type Part struct {
	Tool, Path string
	words      string
}

// Words are a command's words in one text.
func (p Part) Words() string {
	var out []string
	for _, w := range gjson.Parse(p.words).Array() {
		out = append(out, w.Str)
	}
	return strings.Join(out, " ")
}

// IsOrchestrator reports whether the rules of the orchestrator held for the caller.
func (l *Line) IsOrchestrator() bool {
	if l.Role != "" {
		return l.Role == "orchestrator"
	}
	return l.AgentID == ""
}

// IsObjected reports whether strict would have objected, a warning included. What the kernel
// confines runs without an objection.
func (l *Line) IsObjected() bool {
	v := cmp.Or(l.StrictVerdict, l.Verdict)
	return v != "" && v != fsm.Pass.String() && v != fsm.Confine.String()
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

// A Head is a record that is known to have been written: its number and hash.
type Head struct {
	Seq  int64  `json:"n"`
	Hash string `json:"hash"`
}

// Head is what identifies the record.
func (r *Record) Head() Head { return Head{r.Seq, r.Hash} }

// hashLen is the length of a record's hash in characters: the first 128 bits of a
// SHA-256.
const hashLen = 32

const hashKey = `,"hash":"`

// seal encodes a record as its line, newline included, and sets its hash.
func (r *Record) seal(c *Codec) []byte {
	body := c.appendValue(make([]byte, 0, 2048), reflect.ValueOf(r).Elem())
	body = body[:len(body)-1] // the closing brace comes after the hash
	sum := sha256.Sum256(body)
	r.Hash = hex.EncodeToString(sum[:])[:hashLen]
	body = append(body, hashKey...)
	body = append(body, r.Hash...)
	return append(body, '"', '}', '\n')
}

// ErrDamaged says that a line is not what was written.
var ErrDamaged = errors.New("damaged record")

// openLine checks a line and decodes it.
func (c *Codec) openLine(line []byte) (*Record, error) {
	if err := checkLine(line); err != nil {
		return nil, err
	}
	return c.decode(line)
}

// splitHash splits a line into what its hash covers and its hash. Both are nil where it does not end in one.
func splitHash(line []byte) (body, hash []byte) {
	cut := len(line) - len(hashKey) - hashLen - len(`"}`)
	if cut <= 0 || string(line[cut:cut+len(hashKey)]) != hashKey {
		return nil, nil
	}
	return line[:cut], line[cut+len(hashKey) : len(line)-len(`"}`)]
}

// checkLine says why a line is not what was written.
func checkLine(line []byte) error {
	body, hash := splitHash(line)
	sum := sha256.Sum256(body)
	var want [hashLen]byte
	hex.Encode(want[:], sum[:hashLen/2])
	switch {
	case body == nil:
		return fmt.Errorf("%w: it has no hash", ErrDamaged)
	case !bytes.Equal(hash, want[:]):
		return fmt.Errorf("%w: its hash does not fit", ErrDamaged)
	case !gjson.ValidBytes(line):
		return fmt.Errorf("%w: not JSON", ErrDamaged)
	}
	return nil
}

// ErrPacked says that the rest of a packed file cannot be read.
var ErrPacked = errors.New("the rest of the file cannot be unpacked")

// Walk gives every line of the journal in a folder to visit, oldest first, until visit returns an
// error. Their hashes are checked; err says why a line is no record, which is also how
// a packed file that is damaged ends.
func Walk(dir string, visit func(l *Line, err error) error) error {
	return eachFile(dir, 0, func(p *part) error {
		_, err := p.eachLine(Place{}, true, visit)
		return err
	})
}

func newerVersion(v int64) error {
	return fmt.Errorf("record of version %d: this pipeline knows up to %d", v, Version)
}

// decode decodes a line that was checked, unless it is the line that was decoded last.
func (c *Codec) decode(line []byte) (*Record, error) {
	_, hash := splitHash(line)
	if c.last != nil && c.last.Hash == string(hash) {
		return c.last, nil
	}
	r := &Record{}
	err := c.setValue(reflect.ValueOf(r).Elem(), gjson.ParseBytes(line))
	switch {
	case r.Version > Version:
		return r, newerVersion(int64(r.Version))
	case err != nil:
		return r, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	r.Hash = string(hash)
	c.last = r
	return r, nil
}
