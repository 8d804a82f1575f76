package kernel

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
)

// A Ticket says how a shell line is to run that a client was allowed to run. It is open until
// the client reports the line's result.
type Ticket struct {
	Engine string `json:"engine"`
	Agent  string `json:"agent,omitempty"` // the caller's id; empty for the main agent
	// Confined: by a rule, and not only to keep our own files
	Confined bool `json:"confined,omitempty"`
	Limits
	Folders []string `json:"folders,omitempty"` // of the project: those of them that git ignores are writable too
}

// Tickets are those of one session.
type Tickets struct{ dir string }

// OpenTickets opens those of a session below the folder that holds all our state.
func OpenTickets(dir, session string) Tickets {
	return Tickets{filepath.Join(dir, "tickets", session)}
}

// hashOf names a line in a file's name.
func hashOf(line string) string {
	sum := sha256.Sum256([]byte(line))
	return hex.EncodeToString(sum[:8])
}

// fileOf is the ticket of a call; use is the client's id of the call.
func (t Tickets) fileOf(line, use string) string {
	return filepath.Join(t.dir, hashOf(line)+"-"+hashOf(use))
}

const usedMark = ".used"

// Leave leaves a ticket for a line.
func (t Tickets) Leave(line, use string, ticket Ticket) error {
	body, _ := json.Marshal(ticket) // of strings only
	return system.MakeFile(t.fileOf(line, use), body)
}

// patience is how long Collect waits for a line to begin: a client reports one that runs in the
// background at once.
const patience = time.Second

// Collect takes the ticket of a call back; nil for none. It reports whether the line has run under it.
func (t Tickets) Collect(line, use string) (ticket *Ticket, used bool) {
	file := t.fileOf(line, use)
	found, there := readTicket(file)
	if !there {
		return nil, false
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if used = os.Remove(file+usedMark) == nil; used || time.Now().After(end) {
			break
		}
	}
	_ = os.Remove(file)
	return &found, used
}

// readTicket reads a ticket. One that cannot be read has no engine, and leaves nothing writable.
func readTicket(file string) (t Ticket, there bool) {
	body, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(body, &t) != nil || t.Engine == "" {
		t = Ticket{Confined: true}
	}
	return t, !errors.Is(err, fs.ErrNotExist)
}

// Drop takes back what calls have left that never ran: all of an agent's, or all that are old.
func (t Tickets) Drop(agent string, before time.Time) {
	for _, file := range t.listFiles("") {
		info, err := os.Stat(file)
		ticket, _ := readTicket(file)
		if err != nil || ticket.Engine != "" && ticket.Agent == agent || info.ModTime().Before(before) {
			_ = os.Remove(file)
			_ = os.Remove(file + usedMark)
		}
	}
}

// Close takes all of them back.
func (t Tickets) Close() error { return os.RemoveAll(t.dir) }

// listFiles lists the files of open tickets whose names begin so.
func (t Tickets) listFiles(prefix string) (files []string) {
	entries, _ := os.ReadDir(t.dir) // without a folder there are none
	for _, e := range entries {
		name := e.Name() // a mark, and one that is being written, has another form
		if strings.HasPrefix(name, prefix) && !strings.Contains(name, ".") && strings.Count(name, "-") == 1 {
			files = append(files, filepath.Join(t.dir, name))
		}
	}
	return files
}

// Find finds the ticket for a line that is about to run, the strictest of several, and marks it as
// used. Without a line, because it could not be read, any open ticket counts. A ticket that
// cannot be read leaves nothing writable, under the engine that this machine has.
func (t Tickets) Find(line string, isKnown bool, fallback string) (best Ticket, found bool) {
	prefix := ""
	if isKnown {
		prefix = hashOf(line) + "-"
	}
	for _, file := range t.listFiles(prefix) {
		ticket, there := readTicket(file)
		if !there {
			continue
		}
		ticket.Engine = cmp.Or(ticket.Engine, fallback)
		if f, err := os.OpenFile(file+usedMark, os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_ = f.Close()
		}
		if !found || ticket.rank() < best.rank() {
			best, found = ticket, true
		}
	}
	return best, found
}

// rank orders tickets, the strictest first.
func (t Ticket) rank() int {
	rank := len(t.Writable)<<10 - len(t.ReadOnly)
	if t.AnyPlace() {
		rank += 1 << 28
	}
	if !t.Confined {
		rank += 1 << 29
	}
	return rank
}
