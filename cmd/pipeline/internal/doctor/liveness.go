package doctor

import (
	"time"

	"github.com/agent-pipeline/pipeline/hooks/claude/live"
)

// lately is how long ago a gap is still a fault of the installation as it stands, rather than history.
const lately = 24 * time.Hour

// liveness: were there calls that we were never asked about? The client's own transcripts tell.
func (x *exam) liveness() []Finding {
	sessions, err := live.CompareAll(x.Store, x.Client)
	if err != nil {
		return []Finding{warn("", "the client's transcripts cannot be compared: %v", err)}
	}
	var found []Finding
	compared := 0
	for _, s := range sessions {
		if s.Err != nil {
			found = append(found, warn("", "session %s cannot be compared: %v", s.ID, s.Err))
			continue
		}
		if s.Transcript != "" {
			compared++
		}
		for _, gap := range s.Stretches {
			found = append(found, x.gap(s.ID, gap))
		}
	}
	return orFine(found, "%d session(s) compared with the client's transcripts: pipeline was asked about every call", compared)
}

// gap is a stretch of calls that we were not asked about.
func (x *exam) gap(id string, s live.Stretch) Finding {
	const words = "session %s: enforcement was off from %s to %s: %d call(s) were made that pipeline was never asked about"
	args := []any{id, s.From.Local().Format(time.DateTime), s.To.Local().Format(time.DateTime), len(s.Calls)}
	if x.Now.Sub(s.To) > lately {
		return warn("", words, args...)
	}
	return problem("look at the findings above: what kept the hooks from running?", words, args...)
}
