package hooks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/agent-pipeline/pipeline/fsm"
)

// WriteDebug appends what came in and what was decided to debug.log in a folder,
// without what looks like a secret.
func WriteDebug(dir string, e fsm.Event, d fsm.Decision) error {
	line, err := json.Marshal(struct {
		Event    fsm.Event
		Decision fsm.Decision
	}{e, d})
	if err != nil {
		return fmt.Errorf("debug: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "debug.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(append(redactSecrets(line), '\n'))
		f.Close()
	}
	if err != nil {
		return fmt.Errorf("debug: %w", err)
	}
	return nil
}

// redactSecrets replaces what looks like a key, a token or a password. Only debugging
// runs it, so the expression is compiled here and not at every start.
func redactSecrets(line []byte) []byte {
	const (
		tokens    = `(sk-|ghp_|gho_|github_pat_|xox[abp]-|AKIA|eyJ)[A-Za-z0-9_\-.]{8,}`
		values    = `((?:api[_-]?key|token|secret|password|passwd|authorization)["'\\:= ]+)[^\s"'\\,}]+`
		passwords = `(://[^/\s:@"]+:)[^@\s"]+@`
	)
	secret := regexp.MustCompile(`(?i)` + tokens + `|` + values + `|` + passwords)
	return secret.ReplaceAll(line, []byte("${2}${3}[redacted]"))
}
