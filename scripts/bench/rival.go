//go:build unix

package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed rival
var rivalScripts embed.FS

// rivalState is the rivals' state file at its best: small and new.
const rivalState = `{"version":"1.0","state":"IDLE","context":{},"history":[]}` + "\n"

// rivals are the older designs: a script for each event, and one state file without a
// lock. Those whose interpreter is missing are named instead.
func (l *lab) rivals(s *session) (all []contender, note string, err error) {
	dir := filepath.Join(l.dir, "rival")
	state := filepath.Join(dir, "state.json")
	reset := func() error { return os.WriteFile(state, []byte(rivalState), 0o600) }
	if err := os.CopyFS(l.dir, rivalScripts); err != nil {
		return nil, "", fmt.Errorf("unpack the rivals' scripts: %w", err)
	}
	if err := reset(); err != nil {
		return nil, "", err
	}
	agent := s.fillPayload("agent", "@USE", "toolu_rival", "@AGENT", "context-gatherer")
	stop := s.fillPayload("agent-stop", "@AGENT", "context-gatherer")
	approved := each(func(got sample) error {
		var reply struct{ Decision string }
		if err := json.Unmarshal([]byte(got.out), &reply); err != nil || got.code != 0 || reply.Decision != "approve" {
			return fmt.Errorf("expected an approval, found %s", got)
		}
		return nil
	})
	moved := func([]sample) error {
		var now struct{ State string }
		text, err := os.ReadFile(state)
		if err == nil {
			err = json.Unmarshal(text, &now)
		}
		if err != nil || now.State != "GATHERING" {
			return fmt.Errorf("expected a state file in GATHERING, found %q", text)
		}
		return nil
	}
	var notes []string
	for _, r := range []struct {
		name, interpreter, needs, script string
		stdin                            []byte
		check                            func([]sample) error
		alone                            bool
	}{
		{"bash and %s, before an agent", "bash", l.jq, "gate.sh", agent, approved, false},
		{"bash and %s, after an agent", "bash", l.jq, "update.sh", stop, moved, true},
		{"Node %s, before an agent", l.node, l.node, "gate.mjs", agent, approved, false},
		{"%s, before an agent", l.python, l.python, "gate.py", agent, approved, false},
	} {
		version, err := exec.Command(r.needs, "--version").CombinedOutput()
		path, missing := exec.LookPath(r.interpreter)
		if err != nil || missing != nil {
			notes = append(notes, fmt.Sprintf("%s is not measured: %s is missing.", r.script, r.needs))
			continue
		}
		if r.needs == l.jq {
			jq, err := exec.LookPath(l.jq)
			if err == nil {
				jq, err = filepath.Abs(jq)
			}
			if err == nil {
				_ = os.Remove(filepath.Join(dir, "jq"))
				err = os.Symlink(jq, filepath.Join(dir, "jq"))
			}
			if err != nil {
				return nil, "", fmt.Errorf("link jq: %w", err)
			}
		}
		of := program{path: path, args: []string{filepath.Join(dir, r.script)}, dir: l.project,
			env: append(l.hookEnv(), "STATE_FILE="+state, "PATH="+dir+":"+os.Getenv("PATH"))[1:]}
		name := fmt.Sprintf(r.name, strings.TrimSpace(string(version)))
		all = append(all, contender{name: name, of: of, alone: r.alone,
			stdin: func() []byte { return r.stdin },
			check: func(got []sample) error {
				err := r.check(got)
				if err == nil || len(got) > 1 { // at once they disturb each other
					err = reset()
				}
				return err
			}})
	}
	return all, strings.Join(notes, " "), nil
}
