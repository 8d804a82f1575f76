package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"

	"github.com/agent-pipeline/pipeline/fsm"
)

// debug writes what came in and what was decided to debug.log, if PIPELINE_DEBUG is set. Secrets are left out as far as
// they can be told by their form.
func (r *hookRun) debug(e fsm.Event, d fsm.Decision) {
	if r.getenv("PIPELINE_DEBUG") == "" {
		return
	}
	line, err := json.Marshal(struct {
		Event    fsm.Event
		Decision fsm.Decision
	}{e, d})
	if err != nil {
		r.fail("debug: " + err.Error())
		return
	}
	f, err := os.OpenFile(filepath.Join(store(r.open, 0).Dir, "debug.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(append(redacted(line), '\n'))
		f.Close()
	}
	if err != nil {
		r.fail("debug: " + err.Error())
	}
}

// redacted takes out what looks like a key, a token or a password. It runs only for debugging, so the expression is
// compiled here and not at every start.
func redacted(line []byte) []byte {
	secret := regexp.MustCompile(`(?i)(sk-|ghp_|gho_|github_pat_|xox[abp]-|AKIA|eyJ)[A-Za-z0-9_\-.]{8,}|((?:api[_-]?key|token|secret|password|passwd|authorization)["'\\:= ]+)[^\s"'\\,}]+|(://[^/\s:@"]+:)[^@\s"]+@`)
	return secret.ReplaceAll(line, []byte("${2}${3}[redacted]"))
}
