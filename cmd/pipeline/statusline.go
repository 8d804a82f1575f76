package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newStatuslineCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "statusline",
		Usage: "Print the client's status line (this is what `install --statusline` registers)",
		Description: "It reads the client's payload from standard input and prints one line: state, running\n" +
			"agents, level, denials, context used, cost, branch, the duration of the last turn and of\n" +
			"ten, the client's version. What does not fit into COLUMNS is dropped from the right;\n" +
			"NO_COLOR disables colours.\n" +
			"Exit codes: 0; the line itself reports errors.",
		UsageText: "pipeline statusline < payload.json",
		Action: func(c *cli.Context) error {
			if w, ok := p.out.(*visible.Writer); ok {
				p.out = w.Underlying() // the line has colours of its own
			}
			runStatusline(p, c.Args().Slice(), c.String("config"))
			return nil
		},
	}
}

// A statusLine is one drawing of the line: the client's payload, and what is known of
// its session.
type statusLine struct {
	*program
	claude.Status
	open    config.Opened
	session fsm.Session
	tally   session.Tally
	heard   time.Time // when a call of the session was last judged
	trouble string    // why nothing is known of the session, or not all
}

// runStatusline runs after each message: like the hook, before the command line's
// parser is built. It never fails the client, so the line itself reports what is wrong.
func runStatusline(p *program, args []string, file string) int {
	r := &statusLine{program: p}
	defer func() {
		if v := recover(); v != nil {
			r.printf("pipeline: the status line crashed: %s\n", visible.Line(fmt.Sprint(v)))
		}
	}()
	if len(args) > 0 {
		r.trouble = "statusline takes no arguments"
	} else if err := r.readPayload(); err != nil {
		r.trouble = err.Error()
	} else if err := r.openProject(file); err != nil {
		r.trouble = err.Error()
	}
	r.printf("%s\n", r.drawLine())
	return 0
}

// readPayload does not wait for a person who tries the command in a terminal.
func (r *statusLine) readPayload() (err error) {
	if f, ok := r.in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return errors.New("the status line is for the client, which sends a payload: pipeline install --statusline")
		}
	}
	r.Status, err = claude.ReadStatus(r.in)
	return err
}

// openProject finds the project that the client was started in, as its hooks do, and
// the session.
func (r *statusLine) openProject(file string) (err error) {
	dir := r.getenv("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir = r.Project
	}
	if dir == "" {
		dir, _ = os.Getwd() // unknown: then no config is found
	}
	w, exists := r.world(dir, file), true
	r.open, err = config.Open(w)
	if err == nil && r.open.None {
		r.open, exists = config.OpenVanished(w)
	}
	switch {
	case !exists:
		return errors.New("no config")
	case r.open.Policy == nil && err == nil:
		return cmp.Or(r.findLapse(), errors.New("NOT ENFORCING: the config has problems: pipeline check"))
	case r.open.Policy == nil:
		return cmp.Or(r.findLapse(), err)
	}
	missing := r.readSession(store(r.open, 0))
	if lapse := r.findLapse(); lapse != nil {
		return lapse
	}
	switch {
	case (err != nil || r.open.Stale) && r.open.Policy.Level == fsm.Off:
		return errors.New("NOT ENFORCING: the last good config is in force, and its level is off: pipeline check")
	case missing == nil && (err != nil || r.open.Stale):
		return errors.New("the last good config is in force: pipeline check")
	}
	return missing
}

func (r *statusLine) readSession(st session.Store) (err error) {
	r.session, err = st.Last(r.Session)
	r.heard = st.Heard(r.Session)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no session yet")
	case err != nil:
		return err
	case r.session.ID == "":
		return errors.New("the session's journal has no good record")
	}
	r.tally, err = st.Tally(r.Session)
	return err
}

// A segment is one part of the line: its text, empty for nothing to show, and its style.
type segment struct {
	name string
	show func(*statusLine) (text, style string)
}

// statusSegments are in the order of the line. Where there is no room, the last goes
// first.
func statusSegments() []segment {
	return []segment{
		{"state", (*statusLine).showState},
		{"agents", (*statusLine).showAgents},
		{"level", (*statusLine).showLevel},
		{"denials", (*statusLine).showDenials},
		{"context", (*statusLine).showContext},
		{"cost", (*statusLine).showCost},
		{"branch", (*statusLine).showBranch},
		{"turns", (*statusLine).showTurns},
		{"client", (*statusLine).showVersion},
	}
}

func (r *statusLine) showState() (string, string) {
	trouble := visible.Shorten(r.trouble, 120)
	if trouble != "" && r.session.ID == "" {
		return "pipeline: " + trouble, styleYellow
	}
	state := r.session.Machine.State
	if state == "" {
		state = "no states"
	}
	if trouble != "" {
		return state + " (" + trouble + ")", styleYellow
	}
	if a := r.session.Machine.Approval; a != nil {
		return fmt.Sprintf("%s waits for you: %s (%s)", state, visible.Shorten(a.Ask, 60), a.Hash()), styleYellow
	}
	return state, styleBold
}

// showAgents counts those that run and names the first three types.
func (r *statusLine) showAgents() (string, string) {
	running := r.session.RunningAgents()
	if len(running) == 0 {
		return "", ""
	}
	var names []string
	for _, a := range running {
		if !slices.Contains(names, a.Type) {
			names = append(names, a.Type)
		}
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return fmt.Sprintf("⚙ %d (%s)", len(running), strings.Join(names, ", ")), styleCyan
}

// showLevel shows the level in force for the session, and what a person has bypassed in
// it.
func (r *statusLine) showLevel() (string, string) {
	if r.open.Policy == nil {
		return "", ""
	}
	overrides := r.newHandler(r.open, 0).FindOverrides(r.Session, time.Now())
	text := r.open.Policy.EffectiveLevel(r.session, fsm.Event{Facts: fsm.Facts{Overrides: overrides}}).String()
	for _, b := range overrides.Bypasses {
		switch {
		case b.Once:
			text += ", once"
		case b.Until.IsZero():
			text += ", bypass"
		default:
			text += ", bypass until " + b.Until.Local().Format("15:04")
		}
	}
	if text == fsm.Strict.String() {
		return text, styleGreen
	}
	return text, styleYellow
}

func (r *statusLine) showDenials() (string, string) {
	if r.tally.Denied == 0 {
		return "", ""
	}
	n := "✗" + strconv.Itoa(r.tally.Denied)
	if r.tally.Partial {
		n += "+" // at least so many
	}
	return n, styleRed
}

// showContext shows how much of the context window is used. Near its end the client
// compacts.
func (r *statusLine) showContext() (string, string) {
	if r.Used == nil {
		return "", ""
	}
	used := min(max(*r.Used, 0), 100)
	style := styleGreen
	switch {
	case used >= 80:
		style = styleRed
	case used >= 60:
		style = styleYellow
	}
	return fmt.Sprintf("ctx %s %.0f%%", drawBar(used), used), style
}

func (r *statusLine) showCost() (string, string) {
	if r.Cost == nil {
		return "", ""
	}
	return fmt.Sprintf("$%.2f", *r.Cost), ""
}

func (r *statusLine) showBranch() (string, string) {
	return visible.Shorten(readBranch(r.Dir), 40), ""
}

// showTurns shows the duration of the last turn, and a sparkline of the last ten.
func (r *statusLine) showTurns() (string, string) {
	t := r.tally.Turns
	if len(t) == 0 {
		return "", ""
	}
	last := formatDuration(t[len(t)-1])
	if len(t) == 1 {
		return last, ""
	}
	return last + " " + drawSparkline(t), ""
}

func (r *statusLine) showVersion() (string, string) { return r.Version, styleDim }

// A drawn segment is its text, and what separates it from the one before.
type drawn struct {
	lead, text, style string
}

// drawLine joins the segments, as many as there is room for.
func (r *statusLine) drawLine() string {
	var parts []drawn
	for _, s := range statusSegments() {
		text, style := s.show(r)
		if text = visible.Line(text); text == "" {
			continue
		}
		lead := " · "
		switch {
		case len(parts) == 0:
			lead = ""
		case s.name == "agents":
			lead = " "
		}
		parts = append(parts, drawn{lead, text, style})
	}
	colours := r.wantsColours()
	var b strings.Builder
	for _, d := range fitSegments(parts, r.columnsFree()) {
		b.WriteString(d.lead)
		if colours && d.style != "" {
			fmt.Fprintf(&b, "\x1b[%sm%s\x1b[0m", d.style, d.text)
			continue
		}
		b.WriteString(d.text)
	}
	return b.String()
}

// margin is what the client takes of the terminal's width: two columns before the line
// (2.1.197 and 2.1.329, by experiment), and as many stay free behind it.
const margin = 4

// columnsFree is the room there is; 0 when it is not known. Both clients set COLUMNS to
// the width.
func (r *statusLine) columnsFree() int {
	n, err := strconv.Atoi(r.getenv("COLUMNS"))
	if err != nil || n <= 0 {
		return 0
	}
	return max(n-margin, 1)
}

// fitSegments drops segments from the right until the line fits, and shortens the last
// one left.
func fitSegments(parts []drawn, columns int) []drawn {
	if columns == 0 {
		return parts
	}
	width, n := 0, 0
	for ; n < len(parts); n++ {
		width += utf8.RuneCountInString(parts[n].lead + parts[n].text)
		if width > columns {
			break
		}
	}
	if n == 0 && len(parts) > 0 {
		parts[0].text, n = visible.Shorten(parts[0].text, columns), 1
	}
	return parts[:n]
}

// cells is how wide a bar is.
const cells = 10

func drawBar(percent float64) string {
	full := int(percent*cells/100 + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// drawSparkline draws durations against the longest of them.
func drawSparkline(all []time.Duration) string {
	steps := []rune("▁▂▃▄▅▆▇█")
	longest := slices.Max(append([]time.Duration{time.Millisecond}, all...))
	var b strings.Builder
	for _, d := range all {
		b.WriteRune(steps[int64(d)*int64(len(steps)-1)/int64(longest)])
	}
	return b.String()
}

// formatDuration writes 12s, 3m05s, 1h02m.
func formatDuration(d time.Duration) string {
	s := int(d.Seconds() + 0.5)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
}

// readBranch returns the git branch that a folder is on, from git's own files: starting
// git would take as long as the rest. Of a detached head it is the commit, shortened;
// empty outside a repository. gitrepository-layout(5) has the files' format.
func readBranch(dir string) string {
	for filepath.IsAbs(dir) {
		if git := findGitDir(filepath.Join(dir, ".git")); git != "" {
			return readHead(filepath.Join(git, "HEAD"))
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// findGitDir returns where a repository's files are. In a worktree or a submodule .git
// is a file that names the place.
func findGitDir(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if info.IsDir() {
		return path
	}
	to, ok := strings.CutPrefix(readBeginning(path), "gitdir:")
	if !ok {
		return ""
	}
	to = strings.TrimSpace(to)
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	return to
}

// readHead reads what is checked out. With another reference format (reftable) it names
// no branch.
func readHead(path string) string {
	text := strings.TrimSpace(readBeginning(path))
	if ref, ok := strings.CutPrefix(text, "ref:"); ok {
		name := strings.TrimPrefix(strings.TrimSpace(ref), "refs/heads/")
		if name == ".invalid" {
			return ""
		}
		return name
	}
	if len(text) < 40 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text[:7]
}

// readBeginning reads a file of one line; empty where it cannot be read.
func readBeginning(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return ""
	}
	return string(body)
}

// findLapse says how many calls of the session were not judged, since the last that was.
func (r *statusLine) findLapse() error {
	lapse := hooks.ErrorLog{Home: r.open.Project.Home}.Lapse(r.Session)
	if !lapse.Last.After(r.heard) {
		return nil
	}
	return fmt.Errorf("NOT ENFORCING: %s not judged: %s", visible.Count(lapse.Calls, "call"), lapse.Cause)
}
