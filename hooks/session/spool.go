package session

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/agent-pipeline/pipeline/config/system/filepath"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A spooledEvent could not wait for the lock any longer. It is a file of its own, which the
// next holder records.
type spooledEvent struct {
	path  string
	event fsm.Event
}

// spoolName is the folder of the spool, as every version calls it.
const spoolName = "aside"

func enqueue(dir string, e fsm.Event) error {
	body := journal.Encode(nil, &e)
	spool := filepath.Join(dir, spoolName)
	err := os.MkdirAll(spool, 0o700)
	if err == nil {
		err = checkOwner(dir)
	}
	if err != nil {
		return fmt.Errorf("spool an event: %w", err)
	}
	name := strconv.FormatInt(time.Now().UnixNano(), 10) + "-" + strconv.Itoa(os.Getpid()) + ".json"
	if err := system.WriteFile(filepath.Join(spool, name), body); err != nil {
		return fmt.Errorf("spool an event: %w", err)
	}
	return nil
}

// readSpool lists the spooled events in the order in which they happened: some wait
// longer than others before they give up. One that cannot be read is left where it is.
func readSpool(dir string) []spooledEvent {
	var out []spooledEvent
	for _, name := range filepath.Glob(dir, spoolName+"/*.json") {
		body, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		var e fsm.Event
		if journal.Decode(body, &e) == nil && e.Session == filepath.Base(dir) {
			out = append(out, spooledEvent{name, e})
		}
	}
	slices.SortStableFunc(out, func(a, b spooledEvent) int { return a.event.Time.Compare(b.event.Time) })
	return out
}

// Waiting are a session's events that wait in the spool, in the order in which they
// happened.
func (st Store) Waiting(id string) []fsm.Event {
	var out []fsm.Event
	for _, a := range readSpool(st.Path(id)) {
		out = append(out, a.event)
	}
	return out
}
