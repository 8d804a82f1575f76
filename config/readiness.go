package config

import (
	"fmt"

	"github.com/agent-pipeline/pipeline/fsm"
)

// checkReadiness checks the thresholds: none below nothing, no share above the whole.
func (k *checker) checkReadiness() {
	r := k.Readiness
	for key, n := range map[string]*int{"days": r.Days, "calls": r.Calls, "sessions": r.Sessions} {
		k.between(key, n, 1<<30)
	}
	for key, n := range map[string]*int{"certain": r.Certain, "errors": r.Errors, "bypassed": r.Bypassed, "bypassed_sessions": r.BypassedSessions} {
		k.between(key, n, 100)
	}
}

func (k *checker) between(key string, n *int, most int) {
	if n != nil && (*n < 0 || *n > most) {
		k.report(to("readiness", key), fmt.Sprintf("found %d, expected a number from 0 to %d", *n, most), "")
	}
}

func (r Readiness) compile() fsm.Readiness {
	value := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	return fsm.Readiness{Days: value(r.Days), Calls: value(r.Calls), Sessions: value(r.Sessions), Certain: value(r.Certain),
		Errors: value(r.Errors), Bypassed: value(r.Bypassed), BypassedSessions: value(r.BypassedSessions)}
}
