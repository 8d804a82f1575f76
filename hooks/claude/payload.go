// Package claude is the adapter for Claude Code: it reads its payloads, writes its answers
// and knows its files. What it relies on was established by experiment with clients
// 2.1.197 and 2.1.329; the recorded payloads in testdata are from those.
package claude

import (
	"io"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

type (
	payload = dialect.Payload
	object  = dialect.Object
)

// call is one call of a hook.
type call struct {
	payload
	host Host
}

// Read takes one payload.
func (h Host) Read(r io.Reader) (hooks.Call, error) {
	p, err := dialect.Decode(r)
	if err != nil {
		return nil, err
	}
	c := &call{payload: p, host: h}
	if err := c.CheckNamed(dialect.EventName(h.Can(), h.Event)); err != nil && !c.isForeign() {
		return nil, err
	}
	return c, nil
}

// Bare is a call whose payload could not be read: only the event's name is known.
func (h Host) Bare(event string) hooks.Call {
	return &call{host: h, payload: payload{Event: dialect.EventName(h.Can(), event)}}
}
