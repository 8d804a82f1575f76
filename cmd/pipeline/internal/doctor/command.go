package doctor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/kernel"
	"github.com/agent-pipeline/pipeline/hooks/settings"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// checkCommands: does the registered program exist, can it run, and is it this pipeline?
func checkCommands(x *exam) {
	seen := map[string]bool{}
	for _, s := range x.registered {
		for _, h := range s.ours {
			name := s.fillPlaceholders(h, x.Dir).Program()
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			checkBinary(x, s, h, name)
		}
	}
	if len(x.registered) == 0 {
		x.pass("none is registered")
	}
	x.orPass("the settings have a shell line, which only the canary can check")
}

// fillPlaceholders fills in the placeholders of a hook as the client does in the exec form.
func (s source) fillPlaceholders(h settings.Hook, dir string) settings.Hook {
	if !h.Exec {
		return h
	}
	r := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", dir, "${CLAUDE_PLUGIN_ROOT}", s.root,
		"${CLAUDE_PLUGIN_DATA}", s.data)
	h.Command = r.Replace(h.Command)
	h.Args = slices.Clone(h.Args)
	for i, a := range h.Args {
		h.Args[i] = r.Replace(a)
	}
	return h
}

// checkBinary looks at the program that a hook names.
func checkBinary(x *exam, s source, h settings.Hook, name string) {
	unasked := "the tool runs unjudged"
	if h.OnFailureBlock {
		unasked = "a client that knows onFailure refuses every tool, an older one runs it"
	}
	name = filepath.ToSlash(name)
	file := name
	onPath := x.lookPath(name)
	if isBare := !strings.Contains(name, "/"); isBare && onPath == nil {
		s.problem(x, "%s is not on PATH: %s", name, unasked)
		return
	} else if isBare {
		file = onPath[0]
	}
	at := x.makeAbsolute(file)
	_, err := os.Stat(at)
	switch _, runs := system.FindProgram(at); {
	case err != nil && !runs:
		s.problem(x, "the registered binary is missing: %v: %s", err, unasked)
	case !runs:
		s.problem(x, "%s is not a program that can run: %s", file, unasked)
	default:
		compareBinary(x, s, h, at)
		if strings.Contains(name, "/") && !filepath.IsAbs(name) {
			s.problem(x, "%s is relative: the client looks for it in its current folder", name)
		}
		others := slices.DeleteFunc(onPath, func(f string) bool { return sameContent(f, file) })
		if file != name && len(others) > 0 {
			x.warn("remove the one that is not wanted, or: pipeline install --scope local",
				"%s is registered by its bare name: here it is %s, but %s is on PATH too, and the client's PATH "+
					"may differ", name, file, strings.Join(others, ", "))
		}
	}
}

// compareBinary compares the registered binary with this one.
func compareBinary(x *exam, s source, h settings.Hook, file string) {
	if sameContent(file, x.Self) {
		x.pass("%s: %s is this binary, version %s", s, file, x.Version)
		return
	}
	var answer struct{ Version string }
	r := x.runProgram(file, "version", "--json")
	switch err := json.Unmarshal([]byte(r.out), &answer); {
	case err != nil && r.late:
		x.hung[programKey(h)] = true
		s.problem(x, "%s does not answer within %s: each call waits for it, and then the tool runs; its hooks were "+
			"not tried", file, x.Patience)
		return
	case err != nil || answer.Version == "":
		s.problem(x, "%s does not answer as pipeline does: pipeline version --json has no version", file)
		return
	}
	version := answer.Version
	if !x.Opened.None && x.OpenErr == nil && len(x.Opened.Problems) == 0 { // this one can read the config
		if r := x.runProgram(file, "check"); r.failed != nil || r.exit != 0 {
			s.problem(x, "%s (version %s) is older than the config, of which it says: %s", file, version,
				oneLine(r.out+r.err))
			return
		}
	}
	switch {
	case version == x.Version && s.isPlugin():
		x.pass("%s: %s starts this version, %s", s, file, version)
	case version == x.Version:
		s.warn(x, "%s is another build than this binary (%s), both of version %s", file, x.Self, version)
	default:
		s.warn(x, "%s is version %s, this binary (%s) is %s: the hooks run the registered one", file, version,
			x.Self, x.Version)
	}
}

// programKey is the same for hooks that run the same program, as far as a shell line shows.
func programKey(h settings.Hook) string {
	if h.Exec {
		return h.Command
	}
	before, _, _ := strings.Cut(h.Command, " hook ")
	return before
}

// sameContent reports whether two files have the same bytes.
func sameContent(a, b string) bool {
	one, errA := os.ReadFile(a)
	two, errB := os.ReadFile(b)
	return errA == nil && errB == nil && bytes.Equal(one, two)
}

// checkKernel tries what can confine commands here, and looks whether the client runs them through
// our launcher.
func checkKernel(x *exam) {
	launcher := filepath.Join(x.State, kernel.LauncherName)
	_, runs := system.FindProgram(launcher)
	switch prefix := x.getenv(claude.PrefixVariable); {
	case prefix != "" && prefix != launcher:
		x.warn("take "+claude.PrefixVariable+" out of the environment, then: pipeline install",
			"the client runs commands through %s: nothing confines them", prefix)
	case prefix == launcher && !runs:
		x.problem("pipeline install", "%s is missing or cannot run: every command of the client fails", launcher)
	case prefix == launcher:
		switch c, err := kernel.FindCapability(x.Self, x.State); {
		case err != nil:
			x.warn("", "what can confine commands is not kept: %v", err)
		case c.Engine == "":
			x.warn("install bubblewrap, then: pipeline doctor", "%s", c.Describe(x.Opened.Confines()))
		default:
			x.pass("%s", c.Describe(x.Opened.Confines()))
		}
	case x.Opened.Confines():
		x.warn("pipeline install", "the client's settings name no launcher: of rules that confine, `else` counts")
	}
}

// CanaryPrefix begins the ids of the sessions that the canary calls are made in.
const CanaryPrefix = "doctor-canary-"

// checkCanaries runs each registered command as the client would. The one for PreToolUse gets a
// call that must be refused: it would write the config, which no rules allow. The others
// get an event that does not concern us, which they must take in silence and without trace.
func checkCanaries(x *exam) {
	silent, left := 0, 0
	seen := map[string]bool{}
	for _, s := range x.registered {
		for _, h := range s.ours {
			line := commandLine(h)
			if seen[line] {
				continue
			}
			seen[line] = true
			if x.hung[programKey(h)] { // each of its commands would take as long, and is one fault
				left++
				continue
			}
			switch c := (canary{x, s, h}); {
			case h.Event == "PreToolUse":
				c.tryRefusal()
			case c.isSilent():
				silent++
			}
		}
	}
	if silent > 0 {
		x.pass("the commands of %d other events run, and are silent when they should be", silent)
	}
	if left > 0 {
		x.orPass("not tried: %s of a program that does not answer", visible.Count(left, "command"))
	}
	x.orPass("no command is registered: there is nothing to run")
}

// A canary is a hook of ours, run as the client runs it.
type canary struct {
	*exam
	source source
	hook   settings.Hook
}

// isSilent reports whether a command takes what does not concern us in silence.
func (c canary) isSilent() bool {
	r := c.runHook(newCanaryID(), "Notification", nil)
	line := commandLine(c.hook)
	switch broken := r.whyBroken(c.hook); {
	case broken != "":
		c.problem(c.source.remedy(), "%s: %s: %s: these events are not recorded", c.hook.Event, line, broken)
	case strings.TrimSpace(r.out) != "":
		c.problem(c.source.remedy(), "%s: %s writes what was not asked for: %s", c.hook.Event, line, oneLine(r.out))
	default:
		return true
	}
	return false
}

// tryRefusal sends a call that every level but off refuses, and judges the answer.
func (c canary) tryRefusal() {
	files, line := c.Opened.Project.Files, commandLine(c.hook)
	if len(files) == 0 {
		c.warn("pipeline init", "%s: not tried: without a config there is nothing that it would refuse", line)
		return
	}
	id := newCanaryID()
	with := map[string]any{"tool_name": "Write", "tool_use_id": "toolu_" + id,
		"tool_input": map[string]string{"file_path": files[len(files)-1], "content": "level: off\n"}}
	r := c.runHook(id, "PreToolUse", with)
	if broken := r.whyBroken(c.hook); broken != "" {
		unasked := "the tool would have run"
		if c.hook.OnFailureBlock {
			unasked = "the tool would have been blocked by a client that knows onFailure, " +
				"and have run with an older one"
		}
		c.problem(c.source.remedy(), "%s: %s: %s", line, broken, unasked)
		return
	}
	policy := c.Opened.Policy
	passes := policy != nil && policy.Level == fsm.Off
	if c.Rehearse != nil { // which says whether the policy in force lets the call pass
		d, err := c.Rehearse("PreToolUse", with)
		passes = err == nil && d.Verdict == fsm.Pass
	}
	// The command runs as it should, in surroundings that are wrong.
	const elsewhere = "see the other lines for the cause; PIPELINE_DEBUG=1 logs each call"
	said := claude.Hear([]byte(r.out), []byte(r.err), r.exit)
	switch {
	case said.Ignored != "":
		c.problem(c.source.remedy(), "%s: the client ignores its answer, the tool would have run: %s: %s", line,
			said.Ignored, oneLine(r.out))
	case passes && policy.Level > fsm.Off:
		c.warn("pipeline mode --clear",
			"%s: runs, and refuses nothing, because a person has set the level to off", line)
	case passes && listSwitches(policy) != "":
		c.pass("%s: runs, and refuses nothing until the policy is switched on; "+
			"to try that: PIPELINE_LEVEL=strict pipeline doctor", line)
	case passes:
		c.warn("set level: strict", "%s: runs, and refuses nothing, because the level is off", line)
	case said.Permission != "deny":
		why := cmp.Or(oneLine(said.Message), oneLine(r.err), "it gave no reason")
		c.problem(elsewhere,
			"%s: a call that would write the config was not refused, the tool would have run: %s", line, why)
	case !strings.Contains(said.Reason, "the pipeline's config"):
		c.problem(elsewhere, "%s: a call that would write the config was refused for another reason: %s",
			line, oneLine(said.Reason))
	default:
		c.pass("%s: refused a call that would write the config, after %d ms", line, r.took.Milliseconds())
	}
}

// whyBroken says why a command did not do its work; "" if it did. An answer counts with any
// exit code.
func (r result) whyBroken(h settings.Hook) string {
	switch {
	case r.failed != nil:
		return fmt.Sprintf("it cannot be started: %v", r.failed)
	case r.late:
		return "it did not answer in time"
	case r.out != "" || r.exit == 0 || r.exit == 2 && h.Event == "PreToolUse":
		return ""
	case r.exit == 127:
		return "exit 127, the shell did not find the command: " + oneLine(r.err)
	case r.exit > 128:
		return fmt.Sprintf("it was killed by signal %d: %s", r.exit-128, oneLine(r.err))
	}
	return fmt.Sprintf("exit %d: %s", r.exit, oneLine(r.err))
}

// runHook runs the hook as the client does: started directly, or by /bin/sh -c; in the project's
// folder; with the client's environment and its own variables (2.1.197 and 2.1.329, tried).
// What the call has left in the state goes.
func (c canary) runHook(id, event string, with map[string]any) result {
	payload := map[string]any{"session_id": id, "cwd": c.Dir, "hook_event_name": event, "permission_mode": "default",
		"transcript_path": filepath.Join(c.Client, "projects", id, id+".jsonl")}
	maps.Copy(payload, with)
	body, _ := json.Marshal(payload) // strings and maps of strings can always be encoded
	h := c.source.fillPlaceholders(c.hook, c.Dir)
	argv := []string{system.Shell(), "-c", h.Command}
	if h.Exec {
		argv = append([]string{h.Command}, h.Args...)
	}
	if path := c.lookPath(h.Command); h.Exec && path != nil && !strings.Contains(h.Command, "/") {
		argv[0] = path[0]
	}
	env := append(slices.Clone(c.Environ), "CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_SESSION_ID="+id,
		"CLAUDE_CODE_ENTRYPOINT=cli", "AI_AGENT=claude-code_harness", "CLAUDE_PROJECT_DIR="+c.Dir)
	if c.source.isPlugin() {
		env = append(env, "CLAUDE_PLUGIN_ROOT="+c.source.root, "CLAUDE_PLUGIN_DATA="+c.source.data)
	}
	limit := c.Patience
	if given := time.Duration(h.Timeout) * time.Second; given > 0 {
		limit = min(given, limit)
	}
	r := runLimited(limit, c.Dir, env, string(body)+"\n", argv...)
	c.forgetSession(id)
	c.hung[programKey(c.hook)] = r.late
	return r
}

// newCanaryID is unique; it need not be hard to guess. (crypto/rand would start in every hook call.)
func newCanaryID() string { return fmt.Sprintf("%s%012x", CanaryPrefix, rand.Uint64()>>16) }
