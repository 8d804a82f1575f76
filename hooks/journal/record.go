// Package journal keeps what happened: one line a call, appended under the session's lock and chained by hashes. The
// last line carries the session's state, so that reading it is all a hook call must read.
package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Version is the form of a record. A reader takes every version up to its own.
const Version = 1

// A Record is one line of the journal: what was asked, what was answered, and the session after it.
type Record struct {
	Version       int         `json:"v"`
	Seq           int64       `json:"n"` // 1 for the first record of a session
	Time          time.Time   `json:"time"`
	Kind          string      `json:"kind"` // the event, in our words
	Agent         string      `json:"agent_id,omitempty"`
	Type          string      `json:"agent,omitempty"`
	Basis         string      `json:"basis,omitempty"` // how the caller is known
	Tool          string      `json:"tool,omitempty"`
	UseID         string      `json:"use,omitempty"`
	Starts        *fsm.Start  `json:"starts,omitempty"`
	Verdict       string      `json:"verdict,omitempty"` // left out when nothing objected
	StrictVerdict string      `json:"would,omitempty"`   // what strict would have said, where that differs
	Rule          string      `json:"rule,omitempty"`
	RuleType      string      `json:"type,omitempty"` // what reports call the rule: READ_LIMIT_EXCEEDED
	Where         string      `json:"where,omitempty"`
	Reason        string      `json:"reason,omitempty"`
	Of            int64       `json:"of,omitempty"` // the record that a dispute is about
	Moves         []fsm.Move  `json:"moves,omitempty"`
	Texts         []string    `json:"texts,omitempty"` // hashes of the texts kept
	Notes         []string    `json:"notes,omitempty"`
	Role          string      `json:"role,omitempty"`  // orchestrator or subagent: whose rules the call met
	Level         string      `json:"level,omitempty"` // the level in force
	InjectedChars int         `json:"said,omitempty"`  // characters that were injected
	Input         *Input      `json:"input,omitempty"` // what was decided on
	Took          int64       `json:"us,omitempty"`    // microseconds from our start until the record was made, the wait for the lock included
	Error         string      `json:"error,omitempty"` // what went wrong in pipeline itself
	Policy        string      `json:"policy,omitempty"`
	State         fsm.Session `json:"session"`
	Prev          string      `json:"prev,omitempty"` // hash of the record before
	Hash          string      `json:"-"`              // written as the last member of the line
}

// Input is what an event was decided on, beside the session: enough to decide it again under another policy.
type Input struct {
	Dir     string            `json:"dir,omitempty"`
	Parts   []fsm.Part        `json:"parts,omitempty"`
	Args    map[string]string `json:"args,omitempty"` // of a tool, as far as rules asked for them
	Env     map[string]string `json:"env,omitempty"`  // as far as rules asked for it
	Result  *fsm.Result       `json:"result,omitempty"`
	Source  string            `json:"source,omitempty"`
	Origin  string            `json:"origin,omitempty"` // of a prompt: notification; empty for a person
	Notice  *fsm.Notice       `json:"notice,omitempty"`
	Tasks   *fsm.Background   `json:"tasks,omitempty"`
	Spawn   *fsm.Spawn        `json:"spawn,omitempty"`
	Orders  *fsm.Overrides    `json:"orders,omitempty"`
	Present string            `json:"present,omitempty"` // a file that is there, of those that switch the policy on
	Skill   string            `json:"skill,omitempty"`
	Gate    *fsm.GateResult   `json:"gate,omitempty"`
	Checks  []fsm.CheckResult `json:"checks,omitempty"`
	Absent  string            `json:"absent,omitempty"` // the file that a final message names, where it does not exist
	Text    string            `json:"text,omitempty"`   // the beginning of what was said
	Length  int               `json:"length,omitempty"` // of the whole text, in bytes
	Held    bool              `json:"held,omitempty"`
	Cut     bool              `json:"cut,omitempty"` // something was cut or made unreadable: it cannot be replayed exactly
}

// hashLen is the length of a record's hash in characters: the first 128 bits of a SHA-256.
const hashLen = 32

const hashKey = `,"hash":"`

// seal encodes a record as its line, newline included, and sets its hash.
func (r *Record) seal() []byte {
	body := appendValue(make([]byte, 0, 2048), reflect.ValueOf(r).Elem())
	body = body[:len(body)-1] // the closing brace comes after the hash
	r.Hash = digest(body)
	body = append(body, hashKey...)
	body = append(body, r.Hash...)
	return append(body, '"', '}', '\n')
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])[:hashLen]
}

// ErrDamaged says that a line is not what was written.
var ErrDamaged = errors.New("damaged record")

// unseal checks a line's hash and decodes it.
func unseal(line []byte) (Record, error) {
	var r Record
	line = bytes.TrimSuffix(line, []byte("\n"))
	cut := len(line) - len(hashKey) - hashLen - len(`"}`)
	if cut < 0 || string(line[cut:cut+len(hashKey)]) != hashKey {
		return r, fmt.Errorf("%w: it has no hash", ErrDamaged)
	}
	hash := string(line[cut+len(hashKey) : cut+len(hashKey)+hashLen])
	if digest(line[:cut]) != hash {
		return r, fmt.Errorf("%w: its hash does not fit", ErrDamaged)
	}
	err := decode(line, &r)
	if r.Version > Version { // also where the rest of it is not as we know it
		return r, fmt.Errorf("record of version %d: this pipeline knows up to %d", r.Version, Version)
	}
	if err != nil {
		return r, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	r.Hash = hash
	return r, nil
}
