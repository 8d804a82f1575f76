package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newStatuslineCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "statusline",
		Usage: "print the client's status line (this is what `install --statusline` registers)",
		Description: "Reads the client's payload from standard input and prints one line: state, running agents, level, denials, context\n" +
			"used, cost, branch, the last turn's duration and those of ten, the client's version. What does not fit into COLUMNS is left\n" +
			"out from the right; NO_COLOR takes the colours out. Exit code: 0; what goes wrong is what the line says.",
		Action: func(c *cli.Context) error {
			runStatusline(p, c.Args().Slice(), c.String("config"))
			return nil
		},
	}
}

// A statusLine is one drawing of the status line: what the client tells, and what is known of its session.
type statusLine struct {
	*program
	claude.Status
	open    config.Opened
	session fsm.Session
	tally   session.Tally
	trouble string // why nothing is known of the session, or not all
}

// runStatusline is run after each message: like the hook it is on its way before the command line's parser is built. It
// never fails the client, so it says what is wrong in the line itself.
func runStatusline(p *program, args []string, file string) int {
	r := &statusLine{program: p}
	defer func() {
		if v := recover(); v != nil {
			r.printf("pipeline: the status line crashed: %s\n", sanitize(fmt.Sprint(v)))
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

// readPayload takes the payload. A person who tries the command in a terminal is told, rather than waited for.
func (r *statusLine) readPayload() (err error) {
	if f, ok := r.in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			return errors.New("the status line is for the client, which gives it a payload: pipeline install --statusline")
		}
	}
	r.Status, err = claude.ReadStatus(r.in)
	return err
}

// openProject finds the project that the client was started in, as its hooks do, and what was recorded of the session.
func (r *statusLine) openProject(file string) (err error) {
	dir := r.getenv("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir = r.Project
	}
	if dir == "" {
		dir, _ = os.Getwd() // unknown: then no config is found, and that is said
	}
	w, there := r.world(dir, file), true
	r.open, err = config.Open(w)
	if err == nil && r.open.None {
		r.open, there = openVanished(w)
	}
	switch {
	case !there:
		return errors.New("no config")
	case r.open.Policy == nil && err == nil:
		return errors.New("the config has problems: pipeline check")
	case r.open.Policy == nil:
		return err
	}
	missing := r.readSession(store(r.open, 0))
	if missing == nil && (err != nil || r.open.Stale) {
		return errors.New("the last good config is in force: pipeline check")
	}
	return missing
}

func (r *statusLine) readSession(st session.Store) (err error) {
	r.session, err = st.Last(r.Session)
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

// A segment is one thing that the line tells: its text, empty for nothing to tell, and its colour.
type segment struct {
	name string
	tell func(*statusLine) (string, colour)
}

// statusSegments are in the order in which they stand; the last is the first to go where there is no room.
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

func (r *statusLine) showState() (string, colour) {
	trouble := cut(r.trouble, 120)
	if trouble != "" && r.session.ID == "" {
		return "pipeline: " + trouble, yellow
	}
	state := r.session.Machine.State
	if state == "" {
		state = "no states"
	}
	if trouble != "" {
		return state + " (" + trouble + ")", yellow
	}
	return state, bold
}

// showAgents counts those that run and names their types, the first three.
func (r *statusLine) showAgents() (string, colour) {
	running := r.session.RunningAgents()
	if len(running) == 0 {
		return "", none
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
	return fmt.Sprintf("⚙ %d (%s)", len(running), strings.Join(names, ", ")), cyan
}

func (r *statusLine) showLevel() (string, colour) {
	if r.open.Policy == nil {
		return "", none
	}
	now := r.describeLevel()
	if now == fsm.Strict.String() {
		return now, green
	}
	return now, yellow
}

// describeLevel is the level in force for the session, and what a person has lifted in it.
func (r *statusLine) describeLevel() string {
	orders := r.handler(r.open, 0).Orders(r.Session, time.Now())
	text := r.open.Policy.EffectiveLevel(r.session, fsm.Event{Facts: fsm.Facts{Overrides: orders}}).String()
	for _, l := range orders.Bypasses {
		switch {
		case l.Once:
			text += ", once"
		case l.Until.IsZero():
			text += ", bypass"
		default:
			text += ", bypass until " + l.Until.Local().Format("15:04")
		}
	}
	return text
}

func (r *statusLine) showDenials() (string, colour) {
	if r.tally.Denied == 0 {
		return "", none
	}
	n := "✗" + strconv.Itoa(r.tally.Denied)
	if r.tally.Partial {
		n += "+" // at least so many
	}
	return n, red
}

// showContext is how much of the context window is used: near its end the client compacts what was said.
func (r *statusLine) showContext() (string, colour) {
	if r.Used == nil {
		return "", none
	}
	used := min(max(*r.Used, 0), 100)
	how := green
	switch {
	case used >= 80:
		how = red
	case used >= 60:
		how = yellow
	}
	return fmt.Sprintf("ctx %s %.0f%%", drawBar(used), used), how
}

func (r *statusLine) showCost() (string, colour) {
	if r.Cost == nil {
		return "", none
	}
	return fmt.Sprintf("$%.2f", *r.Cost), none
}

func (r *statusLine) showBranch() (string, colour) { return cut(readBranch(r.Dir), 40), none }

// showTurns is how long the last one took, and how long the last ten did against each other.
func (r *statusLine) showTurns() (string, colour) {
	t := r.tally.Turns
	if len(t) == 0 {
		return "", none
	}
	last := formatDuration(t[len(t)-1])
	if len(t) == 1 {
		return last, none
	}
	return last + " " + drawSparkline(t), none
}

func (r *statusLine) showVersion() (string, colour) { return r.Version, dim }

// A colour is a parameter of the terminal's SGR sequence (ECMA-48), which the client renders.
type colour string

const (
	none   colour = ""
	bold   colour = "1"
	dim    colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
)

// A drawn segment is its text with what separates it from the one before.
type drawn struct {
	lead, text string
	colour     colour
}

// drawLine puts the segments together, as many as there is room for.
func (r *statusLine) drawLine() string {
	var parts []drawn
	for _, s := range statusSegments() {
		text, how := s.tell(r)
		if text = sanitize(text); text == "" {
			continue
		}
		lead := " · "
		switch {
		case len(parts) == 0:
			lead = ""
		case s.name == "agents":
			lead = " "
		}
		parts = append(parts, drawn{lead, text, how})
	}
	return r.paintSegments(fitSegments(parts, r.columnsFree()))
}

// margin is what the client takes of the terminal's width: it sets two columns before the line (2.1.197 and 2.1.329, by
// experiment), and as many are left free behind it.
const margin = 4

// columnsFree is the room there is; 0 when it is not known. (Both clients set COLUMNS to the terminal's width.)
func (r *statusLine) columnsFree() int {
	n, err := strconv.Atoi(r.getenv("COLUMNS"))
	if err != nil || n <= 0 {
		return 0
	}
	return max(n-margin, 1)
}

// fitSegments drops segments from the right until the line is narrow enough, and cuts the last that is left.
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
		parts[0].text, n = cut(parts[0].text, columns), 1
	}
	return parts[:n]
}

func (r *statusLine) paintSegments(parts []drawn) string {
	colours := r.getenv("NO_COLOR") == "" && r.getenv("TERM") != "dumb"
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.lead)
		if colours && p.colour != none {
			fmt.Fprintf(&b, "\x1b[%sm%s\x1b[0m", p.colour, p.text)
			continue
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// sanitize keeps what comes from elsewhere, names and errors, from steering the terminal or making a second line.
func sanitize(s string) string {
	return strings.Map(func(c rune) rune {
		if c == ' ' || unicode.IsGraphic(c) && !unicode.IsSpace(c) {
			return c
		}
		return '?'
	}, s)
}

// cells is how wide a bar is.
const cells = 10

// drawBar draws a share of a hundred.
func drawBar(percent float64) string {
	full := int(percent*cells/100 + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// drawSparkline draws durations against the longest of them.
func drawSparkline(all []time.Duration) string {
	steps := []rune("▁▂▃▄▅▆▇█")
	longest := time.Millisecond // of none at all
	for _, d := range all {
		longest = max(longest, d)
	}
	var b strings.Builder
	for _, d := range all {
		b.WriteRune(steps[int64(d)*int64(len(steps)-1)/int64(longest)])
	}
	return b.String()
}

// formatDuration is a duration as it is said: 12s, 3m05s, 1h02m.
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

// readBranch is the git branch that a folder is on, read from git's own files: starting git would take as long as all the
// rest. Of a detached head it is the commit, shortened; empty outside a repository. (Form of the files:
// gitrepository-layout(5).)
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

// findGitDir is where a repository's files are: below .git, or where .git says, which is a file in a worktree or a submodule.
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

// readHead reads what is checked out. Where references are kept in another form (reftable) the file names no real branch.
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

// readBeginning is the beginning of a file that is expected to be one line; empty where it cannot be read.
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
