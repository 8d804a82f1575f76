package hooks

import (
	"github.com/agent-pipeline/pipeline/fsm"
)

// What calls were judged by before is kept, so that a person hears of a policy that has become
// weaker, by whatever hand.

// findJudged finds what a session was last judged by, or for a new one its project, and what passes
// now that was refused then.
func (g gathering) findJudged() *fsm.Judged {
	j := fsm.Judged{Policy: g.session.Policy, Level: g.session.Machine.Level}
	if g.session.ID == "" {
		var err error
		if j, err = g.Sessions.Judged(); err != nil {
			g.Notes = append(g.Notes, err.Error())
			return nil
		}
	}
	if j.Policy == "" || g.Widens == nil {
		return nil
	}
	if readEnv(g.Getenv, EnvLevel) != "" {
		j.From = "environment: " + EnvLevel
	}
	if j.Policy != g.Policy.Fingerprint {
		old, err := g.Older(j.Policy)
		if err != nil {
			g.Notes = append(g.Notes, "the policy before this one cannot be compared: "+err.Error())
		} else {
			j.Widened = g.Widens(old, g.Policy)
		}
	}
	return &j
}

// noteJudged keeps for the sessions to come what this one begins with.
func (h *Handler) noteJudged(e fsm.Event, d *fsm.Decision) {
	if e.Kind != fsm.SessionStart {
		return
	}
	now := fsm.Judged{Policy: h.Policy.Fingerprint, Level: d.Level.String()}
	before, err := h.Sessions.Judged()
	if err == nil && before != now {
		err = h.Sessions.KeepJudged(now)
	}
	if err != nil {
		d.Notices = append(d.Notices, "what this project is judged by could not be kept: "+err.Error())
	}
}
