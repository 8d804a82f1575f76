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

//go:embed rival/*.sh
var rivalScripts embed.FS

// rivalState is the rival's state file at its best: small and new.
const rivalState = `{"version":"1.0","state":"IDLE","context":{},"history":[]}` + "\n"

// rivalRuns bounds the rival's rounds: it is slow, and its figures need no third digit.
const rivalRuns = 50

// A rival is the older design: bash scripts, jq, and one state file.
type rival struct {
	dir, state   string
	gate, update program
	version      string // of jq
}

func (l *lab) setUpRival() (*rival, error) {
	jq, err := exec.LookPath(l.jq)
	if err != nil {
		return nil, err
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil, err
	}
	version, err := exec.Command(jq, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("run %s --version: %w", jq, err)
	}
	r := &rival{dir: filepath.Join(l.dir, "rival"), version: strings.TrimSpace(string(version))}
	r.state = filepath.Join(r.dir, "state.json")
	if err := r.unpackScripts(jq); err != nil {
		return nil, err
	}
	env := append(l.hookEnv(), "STATE_FILE="+r.state, "PATH="+r.dir+":"+os.Getenv("PATH"))
	r.gate = program{path: bash, args: []string{filepath.Join(r.dir, "gate.sh")}, dir: l.project, env: env[1:]}
	r.update = r.gate
	r.update.args = []string{filepath.Join(r.dir, "update.sh")}
	return r, r.resetState()
}

// unpackScripts writes the scripts to a folder, with a link to the chosen jq.
func (r *rival) unpackScripts(jq string) error {
	if err := os.CopyFS(filepath.Dir(r.dir), rivalScripts); err != nil {
		return fmt.Errorf("unpack the rival's scripts: %w", err)
	}
	jq, err := filepath.Abs(jq)
	if err != nil {
		return fmt.Errorf("find jq: %w", err)
	}
	return os.Symlink(jq, filepath.Join(r.dir, "jq"))
}

func (r *rival) resetState() error { return os.WriteFile(r.state, []byte(rivalState), 0o600) }

// gateCall is the rival's part before an agent starts. It must approve.
func (r *rival) gateCall(stdin []byte) contender {
	check := func(s sample) error {
		if s.code != 0 || s.out != `{"decision":"approve"}`+"\n" {
			return fmt.Errorf("expected an approval, found %s", s)
		}
		return nil
	}
	return contender{name: "bash + jq: gate", of: r.gate, stdin: func() []byte { return stdin }, check: check}
}

// updateCall is the rival's part after an agent has completed. Its state must have moved.
func (r *rival) updateCall(stdin []byte) contender {
	check := func(s sample) error {
		var now struct{ State string }
		text, err := os.ReadFile(r.state)
		if err == nil {
			err = json.Unmarshal(text, &now)
		}
		if err != nil || s.code != 0 || now.State != "GATHERING" {
			return fmt.Errorf("expected a state file in GATHERING, found %q and %s", text, s)
		}
		return r.resetState()
	}
	return contender{name: "bash + jq: update", of: r.update, stdin: func() []byte { return stdin }, check: check}
}

// agentStop is our hook after an agent has completed. The machine must have moved.
func (s *session) agentStop(stdin []byte) contender {
	return contender{name: "pipeline hook subagent-stop",
		of: s.lab.hookProgram("subagent-stop"), stdin: func() []byte { return stdin },
		check: func(got sample) error {
			if got.code != 0 || got.err != "" {
				return fmt.Errorf("expected an agent's end to be taken, found %s", got)
			}
			if err := s.wantRecord(`"moves":[`, `"to":"GATHERING"`); err != nil {
				return err
			}
			return s.restore()
		}}
}

// startAgent starts a session in which context-gatherer runs.
func (l *lab) startAgent(id string) (*session, error) {
	s, err := l.startSession(id)
	if err != nil {
		return nil, err
	}
	use := l.nextUseID()
	if err := s.callHook("pre-tool-use", "agent", "@USE", use, "@AGENT", "context-gatherer"); err != nil {
		return nil, err
	}
	if err := s.callHook("subagent-start", "agent-start", "@AGENT", "context-gatherer"); err != nil {
		return nil, err
	}
	if err := s.writeAgentNote(use); err != nil {
		return nil, err
	}
	return s, s.keepFiles()
}

// writeAgentNote writes the client's own note about a started agent.
func (s *session) writeAgentNote(use string) error {
	const form = `{"agentType":"context-gatherer","description":"gather the context","toolUseId":%q,"spawnDepth":1}`
	note := fmt.Sprintf(form, use)
	path := filepath.Join(s.transcriptDir(), "subagents", "agent-a0bench.meta.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write the client's note: %w", err)
	}
	return os.WriteFile(path, []byte(note), 0o600)
}

// measureRival compares both parts of the older design with the hooks that do the same.
func measureRival(l *lab) (part, error) {
	p := part{Title: "The older design: bash and jq, one state file, no lock"}
	r, err := l.setUpRival()
	if err != nil {
		p.Note = "NOT MEASURED: " + err.Error() + ". Install jq (apt-get install jq) and run this again."
		return p, nil
	}
	s, err := l.startSession("rival-gate")
	if err != nil {
		return p, err
	}
	running, err := l.startAgent("rival-update")
	if err != nil {
		return p, err
	}
	rounds := min(rivalRuns, l.rounds)
	agent := s.fillPayload("agent", "@USE", "toolu_rival", "@AGENT", "context-gatherer")
	stop := running.fillPayload("agent-stop", "@AGENT", "context-gatherer")
	got, err := runPaired(rounds,
		s.toolCall("pipeline hook pre-tool-use", "agent", wantSilence, "@AGENT", "context-gatherer"), r.gateCall(agent),
		running.agentStop(stop), r.updateCall(stop))
	if err != nil {
		return p, err
	}
	p.Note = "with " + r.version + ". jq 1.6 compiles its own library at each start, later versions do not: " +
		"never quote these figures without it."
	p.addRow("pipeline hook pre-tool-use", got[0], 0)
	p.addRow("bash + jq: gate", got[1], ratio(got[1], got[0]))
	p.addRow("pipeline hook subagent-stop", got[2], 0)
	p.addRow("bash + jq: update", got[3], ratio(got[3], got[2]))
	p.addResult("before an agent: pipeline is faster", ratio(got[1], got[0]), "times, with "+r.version)
	p.addResult("after an agent: pipeline is faster", ratio(got[3], got[2]), "times, with "+r.version)
	return p, nil
}
