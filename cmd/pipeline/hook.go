package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude/live"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/report"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newHookCommand(p *program) command {
	return command{
		Usage:     "Answer one hook call of the client (this is what `install` registers)",
		ArgsUsage: "[EVENT]",
		Description: `Reads the payload from standard input and answers on standard output:
nothing, or one JSON object.
Exit codes: 0, whatever the answer; 1 for wrong usage, and for a call from an
agent's shell; 2 where a refusal could not be written: the reason is on
standard error.`,
		UsageText: "pipeline hook --host claude pre-tool-use < payload.json",
		Flags:     flags{hostFlag("the `CLIENT` that calls")},
		Action: p.action(func(invocation) error { // run takes the others
			return errors.New("hook: expected no option before it")
		}),
	}
}

// A hookCall is one call of a hook, from its payload to its answer.
type hookCall struct {
	*program
	began     time.Time
	event     string // as registered: pre-tool-use
	open      config.Opened
	from      config.World // where the client runs
	host      hooks.Host
	call      hooks.Call
	session   string                       // empty until it is known
	ignored   []string                     // variables that another client has set: they do not count
	broken    []string                     // what is wrong with the session's journal
	isStart   bool                         // a session starts
	isOpening bool                         // a session starts, or a prompt has come
	answered  bool                         // a client takes two answers for none
	claimed   atomic.Bool                  // by us, or by the clock
	inHand    atomic.Pointer[fsm.Decision] // what is decided, and not recorded yet
	code      int                          // to exit with
}

// runHook answers one call:
//
//	stdin → host.Read → Call.Event → Handler.Answer → Call.Reply → stdout
//
// It runs before the command line's parser is built. What goes wrong is answered as
// on_error says.
func runHook(p *program, args []string) (code int) {
	if system.HasFewDescriptors() { // the runtime opens its poller while some are left: later it would end the process
		if f, err := os.Open(os.DevNull); err == nil {
			f.Close()
		}
	}
	name, event, err := parseHookArgs(args)
	if err != nil {
		p.report(err)
		return 1
	}
	r := &hookCall{program: p, event: event, began: time.Now()}
	r.in = &patientReader{r: p.in}
	defer func() { code = max(code, r.code) }()
	r.hideAgentVariables()
	defer func() {
		if v := recover(); v != nil { // answered like any other error
			r.log().KeepTrace(fmt.Sprint(v), debug.Stack())
			r.answerError(fmt.Errorf("crashed: %v", v))
		}
	}()
	if r.host = makeHost(name, event, p.surroundings(r.open)); r.host == nil {
		p.sayf("unknown host %q", name)
		return 1
	}
	dir, _ := os.Getwd() // unknown: then no config is found
	r.from = r.world(r.host.Root(dir), "")
	if r.open, err = openOrVanished(r.from); err != nil {
		r.noteProblem(err)
	}
	if r.open.None && !config.HasState(r.from) && !r.isPlugin() {
		return 0 // and none of another project, under which the session may have begun
	}
	r.host = makeHost(name, event, p.surroundings(r.open))
	err = r.answer()
	if errors.Is(err, errForged) {
		r.logError(errForged)
		p.report(errForged)
		return 1
	}
	if err != nil {
		r.answerError(err)
	}
	return 0
}

// answer reads the payload, decides and replies.
func (r *hookCall) answer() (err error) {
	isForged := !r.host.IsGenuine()
	if isForged && !r.open.None {
		return errForged
	}
	if r.call, err = r.host.Read(r.in); err != nil {
		if r.open.None {
			return nil
		}
		return err
	}
	e, ok := r.call.Event(time.Now().UTC()) // not the local zone, which is a file to read
	if !ok {
		return nil // it does not concern us
	}
	if e.Agent.Parent != "" && e.Agent.Parent == e.Session { // the host names no other session than the parent
		e.Session = store(r.open, 0).FindByAgent(e.Session)
	}
	r.session, r.isStart = e.Session, e.Kind == fsm.SessionStart
	r.isOpening = r.isStart || e.Kind == fsm.Prompt
	isPinned := r.keepRoot()
	r.watchClock(e)
	switch {
	case r.open.None && r.isPlugin() && e.Kind == fsm.SessionStart && e.Source == "startup":
		note := fmt.Sprintf("this project has no config, so nothing is enforced; to write one: %q init", findProgram())
		return r.reply(fsm.Decision{Notices: []string{note}})
	case r.open.None:
		return nil // there never was one
	case isForged:
		return errForged
	case r.open.Policy == nil:
		return fmt.Errorf("the config cannot be used: %s (see: pipeline check)", oneLine(r.open.Problems[0]))
	}
	if words, answers, ok := typedCommand(e); ok {
		if !answers {
			return nil
		}
		return r.answerTyped(e, words)
	}
	d, err := r.decide(e)
	if err != nil {
		return err
	}
	if st := store(r.open, 0); !isPinned && st.Has(r.session) { // note under which project it began
		r.logError(errors.Join(r.open.Project.Pin(r.session), st.NoteIn(r.open.Project.Home)))
	}
	if err := r.reply(d); err != nil || e.Kind == fsm.ToolRequest {
		return err // a call is only judged: nothing follows its answer
	}
	return r.finishEvent(e)
}

// typedCommand reads the command in an event, if the main agent is given one that is no
// notification. A prompt fires two events, in either order. The client expands only
// what is typed (by experiment: its clock submits the same text and never expands it),
// so that event is the one to answer. Of a client whose prompts give no orders it is a
// prompt like any other.
func typedCommand(e fsm.Event) (words []string, answers, ok bool) {
	if e.Host.NoCommands || !e.Agent.IsMain() || e.Origin != fsm.Person ||
		e.Kind != fsm.Prompt && e.Kind != fsm.PromptExpansion {
		return nil, false, false
	}
	words, ok = guard.ParseTyped(e.Text)
	return words, e.Kind == fsm.PromptExpansion, ok
}

// isPlugin reports whether a plugin registered the hook: then it is called in projects that never asked for it.
func (r *hookCall) isPlugin() bool { return r.getenv("CLAUDE_PLUGIN_ROOT") != "" }

// keepRoot makes sure that the session stays under the project under which it began. It
// reports whether that was noted already.
func (r *hookCall) keepRoot() (pinned bool) {
	if session.CheckID(r.session) != nil || // it has no folder
		!r.open.None && r.open.Project.HasPinned(r.session) {
		return true
	}
	p, ok := config.FindPinned(r.from, r.session)
	if !ok {
		return false
	}
	note := "the root of this project is not found from " + r.from.Dir + " any more (a .git was made, moved or removed)"
	if files := r.open.Project.Files; !r.open.None && len(files) > 0 {
		note = files[len(files)-1] + " does not count for this session"
	}
	var err error
	r.open, err = config.OpenPinned(p, r.from)
	r.open.Notes = append(r.open.Notes, note+": it began under "+p.Root+" and stays under the config there")
	if err != nil {
		r.noteProblem(err)
	}
	return true
}

// noteProblem counts what keeps the config from being opened among its problems.
func (r *hookCall) noteProblem(err error) {
	r.open.Problems = append(r.open.Problems, config.Problem{Message: err.Error()})
}

// decide puts the event to the policy, and adds what a person should know.
func (r *hookCall) decide(e fsm.Event) (fsm.Decision, error) {
	for _, v := range r.open.Policy.Bypass.Env {
		r.getenv(v.Name) // so that one that does not count is reported
	}
	wait := 2 * time.Second // for the session's lock: far less than the client waits for us
	if e.Kind == fsm.AgentStop {
		wait = 20 * time.Second // the machine moves by it
	}
	st := store(r.open, wait)
	st.Codec = new(journal.Codec)
	st.Report = func(what string) { r.broken = append(r.broken, what) }
	h := r.newHandler(r.open, st)
	h.Began, h.InHand = r.began, r.inHand.Store
	if r.isOpening {
		h.Warnings = r.warnings()
	}
	if e.Kind == fsm.SessionStart {
		r.logError(r.renewKernel(&h.Kernel))
	}
	d, err := h.Answer(r.call, e)
	var unrecorded *session.RecordError
	switch {
	case errors.As(err, &unrecorded):
		d.Notices = append(d.Notices, r.reportUnrecorded(unrecorded)...)
	case err != nil:
		return d, err
	}
	if r.getenv("PIPELINE_DEBUG") != "" {
		e.Tool.Parts = h.Guards.Parts(e.Tool, e.Dir)
		r.report(hooks.WriteDebug(st.Dir, e, d))
	}
	resumes := e.Kind == fsm.SessionStart && e.Source == "resume"
	if e.Agent.IsMain() && (resumes || e.Kind == fsm.TurnStop) {
		d.Notices = append(d.Notices, r.findMissedCalls(e)...)
	}
	for _, what := range r.broken {
		r.logError(errors.New(what))
	}
	if r.isOpening {
		d.Notices = append(r.endLapse(), d.Notices...)
		if faults := st.Faults(e.Session); len(faults) > 0 && len(r.broken) == 0 {
			d.Notices = append(d.Notices, fmt.Sprintf("the journal of this session has %s, the last: %s "+
				"(see: pipeline audit verify)", visible.Count(len(faults), "fault"), faults[len(faults)-1]))
		}
	}
	d.Notices = append(slices.Clone(r.broken), d.Notices...)
	return d, nil
}

// reportUnrecorded logs that a call was judged and not recorded as it should be. A
// person hears of it once, and at each start and each prompt while it lasts.
func (r *hookCall) reportUnrecorded(err *session.RecordError) []string {
	r.report(err)
	r.logError(fmt.Errorf("%w: %s", err, err.Effect))
	if isFirst := r.log().IsFirst(r.session, err); !isFirst && !r.isOpening {
		return nil
	}
	return []string{visible.Shorten(err.Error(), 400) + ": " + err.Effect}
}

func (r *hookCall) reply(d fsm.Decision) error {
	r.claimAnswer()
	return r.writeAnswer(d)
}

// claimAnswer goes on where no other process answers.
func (r *hookCall) claimAnswer() {
	if !r.claimed.CompareAndSwap(false, true) {
		select {} // the clock does, and ends the process
	}
	r.answered = true
}

// writeAnswer writes the answer. A refusal that cannot be written leaves by the exit
// code that blocks a call, with its reason on standard error.
func (r *hookCall) writeAnswer(d fsm.Decision) error {
	err := r.call.Reply(r.out, d)
	if err != nil && (d.Verdict >= fsm.Ask || d.Hold) {
		r.sayf("%s", d.Reason)
		r.code = 2
	}
	return err
}

// finishEvent does what follows an answer: it writes the session's report, ends the
// turn, and tidies up.
func (r *hookCall) finishEvent(e fsm.Event) error {
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
	r.report(r.log().AddHousekeeping(notes, time.Now()))
	return err
}

// answerError turns an error of our own into the answer that on_error asks for, and
// reports it.
func (r *hookCall) answerError(err error) {
	r.report(err)
	r.logError(err)
	if r.answered {
		return // it is in errors.jsonl, where doctor finds it
	}
	r.claimAnswer()
	r.answerLapse(err)
}

// answerLapse answers a call that was not judged.
func (r *hookCall) answerLapse(err error) {
	if r.call == nil {
		r.call = r.host.Bare(r.event)
	}
	var d fsm.Decision
	effect := "this call was not judged and goes on (on_error is allow, or cannot be read)"
	if r.failsClosed() {
		effect = "tool calls are refused until it is fixed (on_error: deny)"
		d.Verdict, d.Rule = fsm.Deny, "pipeline"
		d.Reason = "The pipeline could not judge this call because it failed itself: " +
			visible.Shorten(err.Error(), 200) + ". Stop here and tell the user."
	}
	if r.log().AddLapse(r.ownError(err)) || r.isOpening {
		d.Notices = []string{visible.Shorten(err.Error(), 400) + ": " + effect}
	}
	r.report(r.writeAnswer(d))
}

func (r *hookCall) log() hooks.ErrorLog { return hooks.ErrorLog{Home: r.open.Project.Home} }

func (r *hookCall) ownError(err error) hooks.OwnError {
	return hooks.OwnError{Time: time.Now(), Event: r.event, Session: r.session, Error: err.Error(),
		Closed: r.failsClosed()}
}

// logError keeps an error, where there is one.
func (r *hookCall) logError(err error) {
	if err != nil {
		r.report(r.log().AddError(r.ownError(err)))
	}
}

// failsClosed reports whether on_error denies. A broken config may still say this much.
func (r *hookCall) failsClosed() bool {
	if r.open.Policy != nil {
		return r.open.Policy.FailClosed
	}
	c, _, _, err := config.Load(r.open.Project, r.world(r.open.Project.Root, ""))
	return err == nil && c != nil && c.OnError == "deny"
}

// endLapse says which calls of the session were not judged before this one.
func (r *hookCall) endLapse() []string {
	l := r.log().Lapse(r.session)
	if l.Calls == 0 {
		return nil
	}
	effect := "passed without a judgement"
	if l.Closed {
		effect = "were refused without a judgement"
	}
	r.logError(r.log().EndLapse(r.session))
	return []string{fmt.Sprintf("%s %s between %s and %s (the last cause: %s); calls are judged again",
		visible.Count(l.Calls, "hook call"), effect, l.Since.Local().Format(time.TimeOnly),
		l.Last.Local().Format(time.TimeOnly), visible.Shorten(l.Cause, 300))}
}

// warnings are what the person should know of the config.
func (r *hookCall) warnings() (out []string) {
	if n := len(r.open.Problems); n > 0 {
		stays := "the last config without problems stays in force"
		if r.open.Policy.Level == fsm.Off {
			stays += ", and its level is off: nothing is enforced"
		}
		out = append(out, fmt.Sprintf("the config has %s, the first is %s; %s (see: pipeline check)",
			visible.Count(n, "problem"), oneLine(r.open.Problems[0]), stays))
	}
	for _, name := range r.ignored {
		out = append(out, name+" was set by another agent client, which started this one: it does not count")
	}
	if r.isStart {
		out = append(out, r.findNamesake()...)
	}
	return append(out, r.open.Notes...)
}

// findNamesake says that PATH finds another program by our name.
func (r *hookCall) findNamesake() []string {
	file, _ := exec.LookPath("pipeline") // none: it cannot be looked at
	found, err := os.Stat(file)
	own, ownErr := os.Stat(findProgram())
	if err != nil || ownErr != nil || os.SameFile(own, found) || own.Size() == found.Size() { // or a copy
		return nil
	}
	return []string{file + " is what PATH finds as pipeline, and not the program that answers here (" +
		findProgram() + "): who runs pipeline by its name runs that one (see: pipeline doctor)"}
}

// hideAgentVariables takes out of the environment what an agent has set for a client that it
// started: an agent may not loosen the policy for that client either, neither by our variables
// nor by those that the policy names. What is left out is noted.
func (r *hookCall) hideAgentVariables() {
	get := r.getenv
	r.program.getenv = func(name string) string {
		v := get(name)
		bypasses := func(in fsm.Input) bool { return in.Name == name }
		loosens := strings.HasPrefix(name, "PIPELINE_") && name != "PIPELINE_DEBUG" ||
			r.open.Policy != nil && slices.ContainsFunc(r.open.Policy.Bypass.Env, bypasses)
		if v == "" || !loosens || !clients.IsCallerNested() {
			return v
		}
		if !slices.Contains(r.ignored, name) {
			r.ignored = append(r.ignored, name)
		}
		return ""
	}
}

// findMissedCalls reports calls that the client never asked us about. An error here is
// logged and disturbs nothing.
func (r *hookCall) findMissedCalls(e fsm.Event) []string {
	call, ok := r.call.(interface{ Transcribed() string })
	if !ok {
		return nil
	}
	missed, err := live.Check(store(r.open, 0), e.Session, call.Transcribed())
	r.logError(err)
	for _, note := range missed.Notes {
		r.logError(errors.New(note))
	}
	if text := missed.Message(); text != "" {
		return []string{text}
	}
	return nil
}

var errForged = errors.New("a hook was called from an agent's shell: " +
	"nothing was decided, and nothing of the session was changed")

func parseHookArgs(args []string) (host, event string, err error) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--host" && i+1 < len(args):
			i++
			host = args[i]
		case strings.HasPrefix(a, "--host="):
			host = strings.TrimPrefix(a, "--host=")
		case strings.HasPrefix(a, "-") || event != "":
			return "", "", fmt.Errorf("hook: unknown argument %q", a)
		default:
			event = a
		}
	}
	return host, event, nil
}

// oneLine is a problem where there is no room for its source line.
func oneLine(p config.Problem) string { return visible.Shorten(p.String(), 300) }

// A patientReader tries once more what cannot be read: without its payload a call
// cannot be judged.
type patientReader struct {
	r      io.Reader
	failed bool
	read   int
}

// longPayload is where what a call leaves behind begins to be collected before the process ends,
// which then costs more than all else.
const longPayload = 32 << 10

func (p *patientReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if p.read += n; p.read >= longPayload && p.read-n < longPayload {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(256 << 20) // then it is collected all the same
	}
	if n == 0 && err != nil && !errors.Is(err, io.EOF) && !p.failed {
		p.failed = true
		return p.r.Read(b)
	}
	return n, err
}

// answerTime is how long a judgement may take. A client that has waited in vain (Claude Code: as
// long as the registration says) lets the call through without a word.
const answerTime = 3 * time.Second

// watchClock answers in place of a judgement that takes too long, with the strictest verdict in hand:
// the one that was found and only could not be kept yet, or else what the call's text alone says.
func (r *hookCall) watchClock(e fsm.Event) {
	if e.Kind != fsm.ToolRequest || r.out != io.Writer(os.Stdout) { // the process is this one call
		return
	}
	p := *r.program // the clock shares with the judgement only what is atomic
	p.getenv = os.Getenv
	own := &hookCall{program: &p, event: r.event, open: r.open, host: r.host, call: r.call, session: r.session}
	own.hideAgentVariables()
	time.AfterFunc(answerTime, func() {
		if r.claimed.CompareAndSwap(false, true) {
			own.answerUnjudged(e, r.inHand.Load())
			os.Exit(own.code)
		}
	})
}

// answerUnjudged answers a call whose time is up; d is what is decided of it, nil for nothing. A line that was not read
// to its end is code that cannot be known, and may leave the machine.
func (r *hookCall) answerUnjudged(e fsm.Event, d *fsm.Decision) {
	inHand := d != nil
	if policy := r.open.Policy; !inHand && policy != nil {
		d = &fsm.Decision{}
		if what := r.newGuards(r.open).FindMentioned(e.Tool, e.Dir); what != "" {
			d.Verdict, d.Rule = fsm.Deny, fsm.RulePipeline
			d.Reason = "This call could not be judged in time, and it names " + what + ", which agents leave alone."
		} else if e.Tool.Command != "" {
			e.Agent = hooks.Role(policy.Caller, r.getenv, e.Agent)
			e.Tool.Parts = []fsm.Part{fsm.CommandPart(shell.Call{Code: true, Groups: shell.Remote})}
			s, _ := store(r.open, 0).Last(r.session) // of one that cannot be read nothing is known
			_, *d = policy.Step(s, e)
		}
	}
	if inHand || d != nil && d.Verdict > fsm.Pass {
		what := "this call was answered and not recorded: that took longer than " + answerTime.String()
		answer := *d
		answer.Notices = append(answer.Notices, what)
		r.report(r.writeAnswer(answer))
		r.logError(errors.New(what))
		return
	}
	r.answerLapse(errors.New("the call could not be judged within " + answerTime.String()))
}
