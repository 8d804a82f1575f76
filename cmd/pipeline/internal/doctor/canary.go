package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// CanaryPrefix begins the ids of the sessions that the canary calls are made in.
const CanaryPrefix = "doctor-canary-"

// checkCanaries runs each registered command as the client would. The one for PreToolUse gets a
// call that must be refused: it would write the config, which no rules allow. The others
// get an event that does not concern us, which they must take in silence and without trace.
func (x *exam) checkCanaries() []Finding {
	var found []Finding
	silent, left := 0, 0
	seen := map[string]bool{}
	for _, s := range x.registeredSources() {
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
			switch f, ok := x.tryCanary(s, h); {
			case !ok:
				silent++
			default:
				found = append(found, x.withRemedy(s, []Finding{f})...)
			}
		}
	}
	if silent > 0 {
		found = append(found, pass("the commands of %d other events run, and are silent when they should be", silent))
	}
	if left > 0 && len(found) == 0 {
		return []Finding{pass("%d command(s) of a program that does not answer were not tried", left)}
	}
	return orPass(found, "no command is registered: there is nothing to run")
}

// tryCanary is false for a command that is silent and should be.
func (x *exam) tryCanary(s source, h settings.Hook) (Finding, bool) {
	if h.Event == "PreToolUse" {
		return x.tryRefusal(s, h), true
	}
	id := canaryID()
	r := x.callHook(s, h, id, "Notification", nil)
	x.forgetSession(id)
	x.hung[programKey(h)] = r.late
	switch broken := r.whyBroken(h); {
	case broken != "":
		return problem("", "%s: %s: %s: these events are not recorded", h.Event, commandLine(h), broken), true
	case len(strings.TrimSpace(string(r.out))) > 0:
		return problem("", "%s: %s writes what was not asked for: %s", h.Event, commandLine(h),
			oneLine(string(r.out))), true
	}
	return Finding{}, false
}

// tryRefusal sends a call that every level but off refuses, and judges the answer.
func (x *exam) tryRefusal(s source, h settings.Hook) Finding {
	file := x.guardedFile()
	if file == "" {
		return warn("pipeline init", "%s: not tried: without a config there is nothing that it would refuse",
			commandLine(h))
	}
	id := canaryID()
	began := time.Now()
	with := map[string]any{"tool_name": "Write", "tool_use_id": "toolu_" + id,
		"tool_input": map[string]string{"file_path": file, "content": "level: off\n"}}
	r := x.callHook(s, h, id, "PreToolUse", with)
	took := time.Since(began)
	x.forgetSession(id)
	x.hung[programKey(h)] = r.late
	if broken := r.whyBroken(h); broken != "" {
		return problem("", "%s: %s: %s", commandLine(h), broken, describeUnasked(h))
	}
	return x.judgeRefusal(h, claude.Hear(r.out, r.err, r.exit), r, took, x.shouldPass(with))
}

// shouldPass reports whether the policy in force lets a call pass. A rehearsal says so.
func (x *exam) shouldPass(with map[string]any) bool {
	if x.Rehearse == nil {
		return x.Opened.Policy != nil && x.Opened.Policy.Level == fsm.Off
	}
	d, err := x.Rehearse("PreToolUse", with)
	return err == nil && d.Verdict == fsm.Pass
}

// remedyElsewhere is for a command that runs as it should in surroundings that are wrong.
const remedyElsewhere = "see the other lines for the cause; PIPELINE_DEBUG=1 logs each call"

func (x *exam) judgeRefusal(h settings.Hook, said claude.Heard, r result, took time.Duration,
	passes bool) Finding {
	line := commandLine(h)
	switch {
	case said.Ignored != "":
		return problem("", "%s: the client ignores its answer, the tool would have run: %s: %s", line, said.Ignored,
			oneLine(string(r.out)))
	case passes && x.Opened.Policy.Level > fsm.Off:
		return warn("pipeline mode --clear",
			"%s: runs, and refuses nothing, because a person has set the level to off", line)
	case passes && x.listSwitches() != "":
		return pass("%s: runs, and refuses nothing until the policy is switched on; "+
			"to try that: PIPELINE_LEVEL=strict pipeline doctor", line)
	case passes:
		return warn("set level: strict", "%s: runs, and refuses nothing, because the level is off", line)
	case said.Permission != "deny":
		return problem(remedyElsewhere,
			"%s: a call that would write the config was not refused, the tool would have run%s",
			line, quoteWhy(said, r))
	case !strings.Contains(said.Reason, "the pipeline's config"):
		return problem(remedyElsewhere, "%s: a call that would write the config was refused for another reason: %s",
			line, oneLine(said.Reason))
	}
	return pass("%s: refused a call that would write the config, after %d ms", line, took.Milliseconds())
}

// quoteWhy is the message of the command itself.
func quoteWhy(said claude.Heard, r result) string {
	for _, why := range []string{said.Message, string(r.err)} {
		if why = oneLine(why); why != "" {
			return ": " + why
		}
	}
	return ""
}

// whyBroken says why a command did not do its work; "" if it did. An answer counts with any
// exit code.
func (r result) whyBroken(h settings.Hook) string {
	switch {
	case r.failed != nil:
		return fmt.Sprintf("it cannot be started: %v", r.failed)
	case r.late:
		return "it did not answer in time"
	case len(r.out) > 0 || r.exit == 0 || r.exit == 2 && h.Event == "PreToolUse":
		return ""
	case r.exit == 127:
		return "exit 127, the shell did not find the command: " + oneLine(string(r.err))
	case r.exit > 128:
		return fmt.Sprintf("it was killed by signal %d: %s", r.exit-128, oneLine(string(r.err)))
	}
	return fmt.Sprintf("exit %d: %s", r.exit, oneLine(string(r.err)))
}

// describeUnasked is what the client does when a hook before a tool call fails.
func describeUnasked(h settings.Hook) string {
	if h.OnFailureBlock {
		return "the tool would have been blocked by a client that knows onFailure, and have run with an older one"
	}
	return "the tool would have run"
}

// callHook runs a hook as the client does: started directly, or by /bin/sh -c; in the project's
// folder; with the client's environment and its own variables (2.1.197 and 2.1.329, tried).
func (x *exam) callHook(s source, h settings.Hook, id, event string, with map[string]any) result {
	payload := map[string]any{"session_id": id, "cwd": x.Dir, "hook_event_name": event, "permission_mode": "default",
		"transcript_path": filepath.Join(x.Client, "projects", id, id+".jsonl")}
	for k, v := range with {
		payload[k] = v
	}
	body, _ := json.Marshal(payload) // strings and maps of strings can always be encoded
	argv := []string{system.Shell(), "-c", h.Command}
	if h = s.fillPlaceholders(x, h); h.Exec {
		argv = append([]string{h.Command}, h.Args...)
	}
	if path, err := x.lookPath(h.Command); h.Exec && err == nil && !strings.Contains(h.Command, "/") {
		argv[0] = path[0]
	}
	return run(x.timeLimit(h), x.Dir, x.hookEnviron(s, id), string(body)+"\n", argv...)
}

func (x *exam) hookEnviron(s source, id string) []string {
	env := append(append([]string{}, x.Environ...), "CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1",
		"CLAUDE_CODE_SESSION_ID="+id,
		"CLAUDE_CODE_ENTRYPOINT=cli", "AI_AGENT=claude-code_harness", "CLAUDE_PROJECT_DIR="+x.Dir)
	if s.isPlugin() {
		env = append(env, "CLAUDE_PLUGIN_ROOT="+s.root, "CLAUDE_PLUGIN_DATA="+x.pluginData(s))
	}
	return env
}

// timeLimit is how long the client would wait, as far as we do.
func (x *exam) timeLimit(h settings.Hook) time.Duration {
	if given := time.Duration(h.Timeout) * time.Second; given > 0 {
		return min(given, x.Patience)
	}
	return x.Patience
}

// guardedFile is a file of the config, which no agent may write.
func (x *exam) guardedFile() string {
	if files := x.Opened.Project.Files; len(files) > 0 {
		return files[len(files)-1]
	}
	return ""
}

// forgetSession removes what a canary call has left in the state.
func (x *exam) forgetSession(id string) {
	_ = x.Store.Forget(id, time.Now()) // what stays is a session whose name says what it is
	_ = os.Remove(filepath.Dir(x.Store.Path(id)))
}

// canaryID is unique; it need not be hard to guess. (crypto/rand would start in every hook call.)
func canaryID() string { return fmt.Sprintf("%s%012x", CanaryPrefix, rand.Uint64()>>16) }

// A result is what a program left.
type result struct {
	out, err []byte
	exit     int   // 128 + the signal for one that was killed
	failed   error // why it could not be started
	late     bool  // it was not done in time
}

// run starts a program in a group of its own and ends all of the group when the time is up.
func run(limit time.Duration, dir string, env []string, stdin string, argv ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, bytes.NewBufferString(stdin), &out, &errs
	cmd.WaitDelay = time.Second // a child of it may hold its output open
	err := system.RunGroup(cmd)
	r := result{out: out.Bytes(), err: errs.Bytes(), late: ctx.Err() != nil}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited():
		r.exit = exit.ExitCode()
	case errors.As(err, &exit):
		r.exit = 128 + int(exit.Sys().(syscall.WaitStatus).Signal())
	case cmd.Process == nil:
		r.failed = err
	}
	return r
}
