package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/report"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newHookCommand(*program) *cli.Command {
	return &cli.Command{
		Name:      "hook",
		Usage:     "answer one hook call of the client (this is what `install` registers)",
		ArgsUsage: "[EVENT]",
		Description: "Reads the payload from standard input and answers on standard output: nothing, or one JSON object.\n" +
			"The exit code is 0, whatever the answer; 1 for a command line that makes no sense, and for a call from an agent's shell.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "host", Value: "claude", Usage: "the client that calls: claude"}},
	}
}

// A hookRun is one call of a hook, from its payload to its answer.
type hookRun struct {
	*program
	began time.Time
	event string // as registered: pre-tool-use
	gone  bool   // there was a config, and there is none any more
	open  config.Opened
	host  hooks.Host
	call  hooks.Call
	id    string   // of the session, once it is known
	alien []string // variables that another client has set: they do not count
	spoke bool     // the call has been answered: what goes wrong from here on is no answer of it
}

// deepen has the stack grow once, while there is hardly anything on it: else it grows by doubling, four times, and has more
// to be copied each time. It saves 0.05 ms of a call's 0.5 (60 calls each, by turns).
//
//go:noinline
func deepen(at int) byte {
	var room [32 << 10]byte
	return room[at]
}

// hook is the hot path.
func (p *program) hook(args []string) int {
	_ = deepen(min(len(args), 1))
	name, event, err := hookArgs(args)
	if err != nil {
		p.fail(err.Error())
		return 1
	}
	r := &hookRun{program: p, event: event, began: time.Now()}
	p.getenv = p.own(nil, r.hide)
	defer r.rescue()
	dir := p.getenv("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir, _ = os.Getwd() // unknown: then no config is found, and that is said
	}
	if !r.find(p.world(dir, "")) {
		return 0
	}
	var known bool
	if r.host, known = p.host(name, r.open); !known {
		p.fail("unknown host " + quote(name))
		return 1
	}
	if isForged(p) {
		r.logError(errForged)
		p.fail(errForged.Error())
		return 1
	}
	r.finish(r.answer())
	return 0
}

var errForged = errors.New("a hook was called from an agent's shell: nothing was decided, and nothing of the session was changed")

// isForged reports whether an agent calls us in the place of its client: what the client starts as a hook and what it starts
// as an agent's shell differ in this variable (by experiment, 2.1.197 and 2.1.329). Its absence proves nothing.
func isForged(p *program) bool { return strings.HasSuffix(p.getenv("AI_AGENT"), "_agent") }

func hookArgs(args []string) (host, event string, err error) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--host" && i+1 < len(args):
			i++
			host = args[i]
		case strings.HasPrefix(a, "--host="):
			host = strings.TrimPrefix(a, "--host=")
		case strings.HasPrefix(a, "-") || event != "":
			return "", "", fmt.Errorf("hook: unknown argument %s", quote(a))
		default:
			event = a
		}
	}
	return host, event, nil
}

// find opens the policy. Where there is no config the hooks have nothing to say; where there was one, its last good form
// stays in force for the sessions that had it.
func (r *hookRun) find(w config.World) bool {
	o, err := config.Open(w)
	if err == nil && o.None {
		o, r.gone = vanished(w)
		if !r.gone {
			return false
		}
	}
	r.open = o
	if err != nil {
		r.open.Problems = append(r.open.Problems, config.Problem{Message: err.Error()})
	}
	return true
}

func vanished(w config.World) (config.Opened, bool) {
	proj, ok := config.Vanished(w)
	if !ok {
		return config.Opened{}, false
	}
	policy, ok := config.LastGood(proj, w)
	return config.Opened{Project: proj, Policy: policy, Stale: true, Notes: []string{
		"the config of " + proj.Root + " is gone: what it said last stays in force for this session"}}, ok
}

// answer reads the payload and decides.
func (r *hookRun) answer() error {
	call, err := r.host.Read(r.in)
	if err != nil {
		return err
	}
	r.call = call
	e, ok := call.Event(time.Now().UTC()) // the local zone is a file to be read
	if !ok {
		return nil
	}
	r.id = e.Session
	if r.gone && !store(r.open, 0).Has(e.Session) {
		return nil // a session that never had a config
	}
	if r.open.Policy == nil {
		return r.unreadable(e)
	}
	if words, typed, ok := ordered(e); typed && ok {
		return r.order(e, words)
	} else if ok {
		return nil
	}
	r.program.getenv = r.own(lifting(r.open), r.hide)
	h := r.handler(r.open, patience(e.Kind))
	for _, name := range lifting(r.open) {
		h.Getenv(name) // one that does not count is told of
	}
	h.Began, h.Warnings = r.began, r.warnings()
	d, err := h.Answer(call, e)
	if err != nil {
		return err
	}
	r.debug(e, d)
	d.Notices = append(d.Notices, r.liveness(e)...)
	if err := r.reply(d); err != nil {
		return err
	}
	return r.afterwards(e)
}

// reply answers the call, once: a client takes two objects for none.
func (r *hookRun) reply(d fsm.Decision) error {
	r.spoke = true
	return r.call.Reply(r.out, d)
}

// afterwards is what is done around a session, after the call has been answered: its report, and the housekeeping.
func (r *hookRun) afterwards(e fsm.Event) error {
	st := store(r.open, 0)
	ends := e.Kind == fsm.SessionEnd || e.Kind == fsm.Compacted && e.Agent.IsMain()
	if ends && st.Has(e.Session) {
		if err := report.WriteSession(st, e.Session); err != nil {
			return err
		}
	}
	if e.Kind == fsm.TurnStop && e.Agent.IsMain() {
		_, err := st.EndTurn(e.Session, time.Now())
		return err
	}
	if e.Kind != fsm.SessionStart && e.Kind != fsm.SessionEnd {
		return nil
	}
	notes, err := st.Housekeep(time.Now(), r.open.Policy.Keep)
	r.logHousekeeping(notes)
	return err
}

// patience is how long a call waits for the session's lock: far less than the client waits for us. An agent's end is
// worth more waiting than anything else, because the machine moves by it.
func patience(k fsm.Kind) time.Duration {
	if k == fsm.AgentStop {
		return 20 * time.Second
	}
	return 2 * time.Second
}

// warnings are what the person should know of the config.
func (r *hookRun) warnings() []string {
	var out []string
	if n := len(r.open.Problems); n > 0 {
		out = append(out, fmt.Sprintf("the config has %d problem(s), the first is %s; the last config without problems stays in force (see: pipeline check)",
			n, oneLine(r.open.Problems[0])))
	}
	for _, name := range r.alien {
		out = append(out, name+" was set by another agent client, which has started this one: it does not count")
	}
	return append(out, r.open.Notes...)
}

func (r *hookRun) hide(name string) {
	if !slices.Contains(r.alien, name) {
		r.alien = append(r.alien, name)
	}
}

// unreadable is the answer while there is no policy at all.
func (r *hookRun) unreadable(e fsm.Event) error {
	return fmt.Errorf("the config cannot be used: %s (see: pipeline check)", oneLine(r.open.Problems[0]))
}

func (r *hookRun) closed() bool {
	if r.open.Policy != nil {
		return r.open.Policy.FailClosed
	}
	c, _, _, err := config.Load(r.open.Project, r.world(r.open.Project.Root, ""))
	return err == nil && c != nil && c.OnError == "deny" // a broken config may still say this much
}

// finish turns an error of our own into the answer that on_error asks for, and says it aloud.
func (r *hookRun) finish(err error) {
	if err == nil {
		return
	}
	r.fail(err.Error())
	r.logError(err)
	if r.spoke {
		return // it is in errors.jsonl, where doctor finds it
	}
	call := r.call
	if call == nil {
		call = r.host.Bare(r.event)
	}
	var d fsm.Decision
	what := "this call was not judged and goes on (on_error: allow)"
	if r.closed() {
		what = "tool calls are refused until it is mended (on_error: deny)"
		d.Verdict, d.Rule = fsm.Deny, "pipeline"
		d.Reason = "The pipeline could not judge this call because it failed itself: " + cut(err.Error(), 200) + ". Stop here and tell the user."
	}
	if errors.Is(err, session.ErrBusy) {
		what = "it is put aside and recorded by the next call; " + what
	}
	if r.firstTime(err) {
		d.Notices = []string{cut(err.Error(), 400) + ": " + what}
	}
	if err := call.Reply(r.out, d); err != nil {
		r.fail(err.Error())
	}
}

// rescue answers for a crash as for any other error, and keeps its trace.
func (r *hookRun) rescue() {
	if v := recover(); v != nil {
		r.keepTrace(fmt.Sprint(v), debug.Stack())
		if r.host == nil {
			r.host, _ = r.program.host("", r.open)
		}
		r.finish(fmt.Errorf("crashed: %v", v))
	}
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
