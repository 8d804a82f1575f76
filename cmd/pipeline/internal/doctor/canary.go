package doctor

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// CanaryPrefix begins the ids of the sessions that the canary calls are made in.
const CanaryPrefix = "doctor-canary-"

// canaries runs each registered command as the client would. The one for PreToolUse is given a call that must be
// refused: it would write the config, which nobody's rules allow. The others are given an event that is none of our
// business, which they must take in silence: they leave no trace then.
func (x *exam) canaries() []Finding {
	var found []Finding
	silent := 0
	seen := map[string]bool{}
	for _, s := range x.registered() {
		for _, h := range s.ours {
			line := commandLine(h)
			if seen[line] {
				continue
			}
			seen[line] = true
			switch f, ok := x.canary(s, h); {
			case !ok:
				silent++
			default:
				found = append(found, x.mendable(s, []Finding{f})...)
			}
		}
	}
	if silent > 0 {
		found = append(found, fine("the commands of %d other events run, and keep silent when they should", silent))
	}
	return orFine(found, "no command is registered: there is nothing to run")
}

// canary is false for a command that has kept silent, and was to.
func (x *exam) canary(s source, h settings.Hook) (Finding, bool) {
	if h.Event == "PreToolUse" {
		return x.refusal(s, h), true
	}
	id := canaryID()
	r := x.call(s, h, id, "Notification", nil)
	x.forget(id)
	switch broken := r.broken(h); {
	case broken != "":
		return problem("", "%s: %s: %s: what happens there is not recorded", h.Event, commandLine(h), broken), true
	case len(strings.TrimSpace(string(r.out))) > 0:
		return problem("", "%s: %s says what nobody asked for: %s", h.Event, commandLine(h), oneLine(string(r.out))), true
	}
	return Finding{}, false
}

// refusal sends a call that is refused at every level but off, and judges the answer.
func (x *exam) refusal(s source, h settings.Hook) Finding {
	file := x.guarded()
	if file == "" {
		return warn("pipeline init", "%s: not tried: without a config there is nothing that it would refuse", commandLine(h))
	}
	id := canaryID()
	began := time.Now()
	r := x.call(s, h, id, "PreToolUse", map[string]any{"tool_name": "Write", "tool_use_id": "toolu_" + id,
		"tool_input": map[string]string{"file_path": file, "content": "level: off\n"}})
	took := time.Since(began)
	x.forget(id)
	if broken := r.broken(h); broken != "" {
		return problem("", "%s: %s: %s", commandLine(h), broken, unasked(h))
	}
	return x.judge(h, claude.Hear(r.out, r.err, r.exit), r, took)
}

// elsewhere is the remedy where the command runs as it should, and its surroundings are wrong.
const elsewhere = "the other lines say why; PIPELINE_DEBUG=1 makes pipeline write down each call"

func (x *exam) judge(h settings.Hook, said claude.Heard, r ran, took time.Duration) Finding {
	line := commandLine(h)
	switch {
	case said.Ignored != "":
		return problem("", "%s: the client ignores its answer, the tool would have run: %s: %s", line, said.Ignored, oneLine(string(r.out)))
	case x.Opened.Policy != nil && x.Opened.Policy.Level == fsm.Off && x.switches() != "":
		return fine("%s: runs, and refuses nothing until the policy is switched on; to try that: PIPELINE_LEVEL=strict pipeline doctor", line)
	case x.Opened.Policy != nil && x.Opened.Policy.Level == fsm.Off:
		return warn("set level: strict", "%s: runs, and refuses nothing, because the level is off", line)
	case said.Permission != "deny":
		return problem(elsewhere, "%s: a call that would write the config was not refused, the tool would have run%s", line, because(said, r))
	case !strings.Contains(said.Reason, "the pipeline's config"):
		return problem(elsewhere, "%s: a call that would write the config was refused for another reason: %s", line, oneLine(said.Reason))
	}
	return fine("%s: refused a call that would write the config, after %d ms", line, took.Milliseconds())
}

// because is what the command itself said of it.
func because(said claude.Heard, r ran) string {
	for _, why := range []string{said.Message, string(r.err)} {
		if why = oneLine(why); why != "" {
			return ": " + why
		}
	}
	return ""
}

// broken says why a command did not do its work; "" if it did. An answer counts whatever the exit code is.
func (r ran) broken(h settings.Hook) string {
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

// unasked is what the client does when a hook before a tool call fails.
func unasked(h settings.Hook) string {
	if h.OnFailureBlock {
		return "the tool would have been blocked by a client that knows onFailure, and have run with an older one"
	}
	return "the tool would have run"
}

// call runs a hook as the client does: started directly, or by /bin/sh -c; in the project's folder; with the client's
// environment and its own variables (2.1.197 and 2.1.329, tried).
func (x *exam) call(s source, h settings.Hook, id, event string, with map[string]any) ran {
	payload := map[string]any{"session_id": id, "cwd": x.Root, "hook_event_name": event, "permission_mode": "default",
		"transcript_path": filepath.Join(x.Client, "projects", id, id+".jsonl")}
	for k, v := range with {
		payload[k] = v
	}
	body, _ := json.Marshal(payload) // texts and maps of texts can always be encoded
	argv := []string{"/bin/sh", "-c", h.Command}
	if h = s.filled(x, h); h.Exec {
		argv = append([]string{h.Command}, h.Args...)
	}
	if path, err := x.lookPath(h.Command); h.Exec && err == nil && !strings.Contains(h.Command, "/") {
		argv[0] = path[0]
	}
	return run(x.limit(h), x.Root, x.hookEnv(s, id), string(body)+"\n", argv...)
}

func (x *exam) hookEnv(s source, id string) []string {
	env := append(append([]string{}, x.Environ...), "CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1", "CLAUDE_CODE_SESSION_ID="+id,
		"CLAUDE_CODE_ENTRYPOINT=cli", "AI_AGENT=claude-code_harness", "CLAUDE_PROJECT_DIR="+x.Root)
	if s.isPlugin() {
		env = append(env, "CLAUDE_PLUGIN_ROOT="+s.root, "CLAUDE_PLUGIN_DATA="+x.data(s))
	}
	return env
}

// limit is how long the client would wait, as far as we do.
func (x *exam) limit(h settings.Hook) time.Duration {
	if given := time.Duration(h.Timeout) * time.Second; given > 0 {
		return min(given, x.Patience)
	}
	return x.Patience
}

// guarded is a file of the config, which no agent may write.
func (x *exam) guarded() string {
	if files := x.Opened.Project.Files; len(files) > 0 {
		return files[len(files)-1]
	}
	return ""
}

// forget removes what a canary call has left in the state.
func (x *exam) forget(id string) {
	_ = os.RemoveAll(x.Store.Path(id)) // what stays is a session that says of itself what it is
	_ = os.Remove(filepath.Dir(x.Store.Path(id)))
}

// canaryID is unlike any other; it need not be hard to guess. (crypto/rand would be started with every hook call.)
func canaryID() string { return fmt.Sprintf("%s%012x", CanaryPrefix, rand.Uint64()>>16) }
