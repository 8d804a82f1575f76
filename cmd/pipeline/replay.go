package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude/transcript"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newReplayCommand(p *program) *cli.Command {
	return &cli.Command{
		Usage:     "Re-evaluate recorded sessions against another policy",
		ArgsUsage: "[DIR]",
		Description: `Each recorded event is put before the policy again, in memory: nothing is changed. Each is
judged from the session as it was recorded before it, because what really happened does
not follow another policy. What was not recorded in full is counted, never guessed.
With --transcripts the client's own transcripts take the place of the journals: DIR is a
folder of its projects, a project's folder or one transcript; without it the working
directory's. Nothing has to be installed for that. Where no pipeline is configured, the
default one is used.
` +
			"Exit codes: 0 fine, whatever would differ, 1 the config has problems, 2 wrong usage,\n" +
			"3 nothing recorded, or it could not be read.",
		UsageText: `pipeline replay --config new.yaml --since 7d
pipeline replay --transcripts`,
		Flags: []cli.Flag{
			textFlag("config", "the policy of this `FILE`; without it the one in force"),
			textFlag("level", "with this `LEVEL`: strict, ask, guidance, observe"),
			textFlag("session", "only the session with this `ID`, or those that begin so"),
			textFlag("since", "only what is younger than `AGE`: 7d, 12h, or a date"),
			boolFlag("transcripts", "from the client's transcripts"),
			jsonFlag()},
		Action: p.action(runReplay),
	}
}

// A replaying is a replay under way: the policy, and what is to be put before it.
type replaying struct {
	*program
	o       config.Opened
	since   time.Time
	session string
	out     replayed
	alone   bool // the policy decides without what persons had ordered about the level
}

// replayed is the document of `replay --json`.
type replayed struct {
	Mode    string `json:"mode"` // sessions, transcripts
	Policy  string `json:"policy"`
	Level   string `json:"level"`
	Damaged int    `json:"damaged_lines"`
	*rehearse.Tally
	Summary string `json:"summary"`
}

func runReplay(p *program, c *cli.Context) error {
	r := &replaying{program: p, session: c.String("session"),
		out: replayed{Mode: "sessions", Tally: rehearse.NewTally()}}
	if c.Bool("transcripts") {
		r.out.Mode = "transcripts"
	}
	if c.NArg() > 1 || c.NArg() == 1 && r.out.Mode != "transcripts" {
		return usageError{"replay takes a folder only with --transcripts: pipeline replay --transcripts DIR"}
	}
	var err error
	if r.since, err = parseAge(c.String("since"), time.Now()); err != nil {
		return err
	}
	if r.o, err = openCandidate(p, c); err != nil {
		return err
	}
	policy, level := *r.o.Policy, c.String("level") // a copy
	if level != "" {
		var ok bool
		if policy.Level, ok = fsm.ParseLevel(level); !ok || policy.Level == fsm.Off { // off would decide nothing
			return expectOneOf("unknown level", level, fsm.LevelNames()[1:])
		}
	}
	r.alone = level != "" || fileOf(c) != ""
	r.o.Policy, r.out.Policy, r.out.Level = &policy, policy.Fingerprint, policy.Level.String()
	if c.Bool("transcripts") {
		err = r.replayTranscripts(c.Args().First())
	} else {
		err = r.replayJournals()
	}
	if err != nil {
		return err
	}
	r.out.Sort()
	r.out.Summary = r.summarize()
	return p.printResult(c, r.out, func() { r.printTally() })
}

// openCandidate opens the policy to try: a named file's, which is put in force nowhere, or
// the one in force. Where there is none, transcripts are put before the one that
// `pipeline init` would write.
func openCandidate(p *program, c *cli.Context) (config.Opened, error) {
	w := p.here(c)
	if w.Config = fileOf(c); w.Config != "" {
		return openCompiled(p, w)
	}
	if o, err := config.Open(w); c.Bool("transcripts") && err == nil && o.None {
		return openPreset(p, w)
	}
	return p.openProject(c)
}

// fileOf is the file that --config names, before the command or after it.
func fileOf(c *cli.Context) string {
	for _, ctx := range c.Lineage() {
		if ctx.Command != nil && ctx.IsSet("config") {
			return ctx.String("config")
		}
	}
	return ""
}

// openCompiled opens a config that is put in force nowhere.
func openCompiled(p *program, w config.World) (config.Opened, error) {
	o, _, err := compileConfig(w)
	if err == nil && len(o.Problems) > 0 {
		printProblems(p, o.Problems)
		err = errProblems
	}
	return o, err
}

// replayJournals goes through the project's sessions.
func (r *replaying) replayJournals() error {
	st := store(r.o, 0)
	items, err := st.List()
	if err != nil {
		return err
	}
	if r.session != "" {
		i, err := resolveSession(items, r.session)
		if err != nil {
			return err
		}
		items = []session.Item{i}
	}
	defer r.announce("replaying " + visible.Count(len(items), "session"))()
	for _, i := range items {
		if i.Last.Before(r.since) {
			continue
		}
		again := &rehearse.Replay{Policy: r.o.Policy, NoOverrides: r.alone, Base: &st, Older: findKeptPolicy(r.o)}
		counted := 0
		damaged, err := journal.Read(st.Path(i.ID), func(rec journal.Record) bool {
			out, ok := again.Next(rec)
			if ok && rec.Event.Time.After(r.since) {
				r.out.Add(out)
				counted = 1
			}
			return true
		})
		if err != nil {
			r.sayf("session %s: %v", i.ID, err)
		}
		r.out.Sessions, r.out.Damaged = r.out.Sessions+counted, r.out.Damaged+damaged
	}
	switch {
	case len(items) == 0:
		return errNoSession
	case r.out.Events == 0:
		return errors.New("nothing was recorded in that time")
	}
	return nil
}

var errNoTranscript = errors.New("no transcript was found")

// summarize says in a paragraph what the replay has shown.
func (r *replaying) summarize() string {
	t := r.out.Tally
	if r.out.Mode == "transcripts" {
		return r.wouldHave()
	}
	text := fmt.Sprintf("%s, %s: each call was judged from the recorded session before it.",
		visible.Count(t.Sessions, "session"), visible.Count(t.Calls, "tool call"))
	if t.Differ == 0 {
		text += fmt.Sprintf(" All %d that were judged again are decided as they were.", t.Judged)
	} else {
		var turns []string // "pass to deny 3", as they come first
		times := map[string]int{}
		for _, c := range t.Rules {
			turn := c.Was + " to " + c.Would
			if c.Was == c.Would {
				turn = c.Was + " for another reason"
			}
			if times[turn] += c.Times; !slices.Contains(turns, turn) {
				turns = append(turns, turn)
			}
		}
		for i, turn := range turns {
			turns[i] = fmt.Sprintf("%s %d", turn, times[turn])
		}
		text += fmt.Sprintf(" %d of %d would be decided otherwise: %s.", t.Differ, t.Judged, strings.Join(turns, ", "))
	}
	if t.Moves > 0 {
		text += fmt.Sprintf(" %s would move the pipeline otherwise.", visible.Count(t.Moves, "other event"))
	}
	return text + r.describeLeftOut()
}

// describeLeftOut says what was not decided again.
func (r *replaying) describeLeftOut() (text string) {
	t := r.out.Tally
	for _, left := range []struct {
		count       int
		thing, what string
	}{
		{t.Calls - t.Judged - t.Quarantined, "call", "could not be replayed."},
		{t.Quarantined, "call", "more were made by agents that would not have been started."},
		{t.Doubled, "call", "had been reported twice, by two registrations, and counted once."},
		{r.out.Damaged, "line", "could not be read."},
	} {
		if left.count > 0 {
			text += " " + visible.Count(left.count, left.thing) + " " + left.what
		}
	}
	return text
}

func (r *replaying) printTally() {
	r.printf("%s\n", r.out.Summary)
	for _, why := range slices.Sorted(maps.Keys(r.out.Skipped)) {
		r.printf("  not replayable: %d, %s\n", r.out.Skipped[why], why)
	}
	if len(r.out.Rules) == 0 {
		return
	}
	r.printf("\n")
	var examples strings.Builder
	t := r.newTable("RULE", "WHERE", "TIMES", "WAS", "WOULD BE")
	for _, c := range r.out.Rules {
		was := cmp.Or(c.Was, "-")
		if c.Was != "" && c.WasRule != "" {
			was += " by " + c.WasRule
		}
		t.row(cmp.Or(c.Rule, rehearse.NoRule), c.Where, c.Times, was, c.Would)
		title := cmp.Or(c.Rule, rehearse.NoRule) + ": "
		if c.Was != "" {
			title += was + " → "
		}
		fmt.Fprintf(&examples, "\n%s\n", r.bold(title+c.Would))
		for _, e := range c.Examples {
			in := ""
			if e.State != "" {
				in = " in " + e.State
			}
			fmt.Fprintf(&examples, "  %s  %s%s: %s\n", e.Time.Local().Format(time.DateTime), e.Agent, in, e.Call)
			if e.Reason != "" {
				fmt.Fprintf(&examples, "    %s\n", visible.Shorten(e.Reason, 200))
			}
		}
	}
	t.Flush()
	r.printf("%s", &examples)
}

// openPreset opens the policy that `pipeline init` would write, for a project that has none.
func openPreset(p *program, w config.World) (config.Opened, error) {
	dir, err := os.MkdirTemp("", "pipeline-preset-")
	if err != nil {
		return config.Opened{}, fmt.Errorf("create a folder for the default config: %w", err)
	}
	defer os.RemoveAll(dir)
	text, _ := configs.Preset("default")
	w.Config = filepath.Join(dir, "pipeline.yaml")
	if err := os.WriteFile(w.Config, text, 0o600); err != nil {
		return config.Opened{}, fmt.Errorf("write the default config: %w", err)
	}
	o, err := openCompiled(p, w)
	o.Project.Files = nil
	return o, err
}

// replayTranscripts goes through the client's own files.
func (r *replaying) replayTranscripts(dir string) error {
	files, err := r.transcriptFiles(dir)
	if err != nil {
		return err
	}
	defer r.announce("replaying " + visible.Count(len(files), "transcript"))()
	seen := map[string]bool{}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.ModTime().Before(r.since) {
			continue
		}
		s, err := transcript.Read(f)
		if err != nil {
			r.report(err)
			continue
		}
		if err := r.replayTranscript(s, seen); err != nil {
			return err
		}
	}
	if r.out.Events == 0 {
		return errNoTranscript
	}
	return nil
}

// transcriptFiles are the sessions to read, the oldest first: a conversation that was
// copied comes after its source.
func (r *replaying) transcriptFiles(dir string) ([]string, error) {
	if dir == "" {
		all := filepath.Join(r.clientConfig(), "projects")
		dir = filepath.Join(all, projectSlug(r.o.Project.Root))
		hint := "run it in a folder in which you have used the client, or see what a session is like: pipeline demo"
		if info, err := os.Stat(all); err == nil && info.IsDir() {
			hint = "those of all projects: pipeline replay --transcripts " + all
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, hinted{fmt.Errorf("%w: the client keeps none in %s", errNoTranscript, dir), hint}
		}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("look for transcripts: %w", err)
	}
	if !info.IsDir() {
		return []string{dir}, nil
	}
	found, _ := fs.Glob(os.DirFS(dir), "*.jsonl") // the patterns are ours
	if len(found) == 0 {
		found, _ = fs.Glob(os.DirFS(dir), "*/*.jsonl")
	}
	var files []string
	age := map[string]time.Time{}
	for _, f := range found {
		f = filepath.Join(dir, f)
		if strings.HasPrefix(filepath.Base(f), r.session) {
			files = append(files, f)
		}
		if info, err := os.Stat(f); err == nil {
			age[f] = info.ModTime()
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return age[a].Compare(age[b]) })
	return files, nil
}

// projectSlug is how the client names the folder of a project's transcripts.
func projectSlug(dir string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, dir)
}

// replayTranscript puts a session's calls before the policy, in their order. What was copied
// from another conversation is played and not counted again.
func (r *replaying) replayTranscript(s *transcript.Session, seen map[string]bool) error {
	t := rehearse.NewTranscribed(r.rehearsalStage(r.o), s.ID)
	counted := 0
	r.out.Damaged += s.Damaged
	if s.Unattributed > 0 {
		r.out.Skipped["made by agents of an older client, which did not write down whose they are"] += s.Unattributed
		r.out.Calls += s.Unattributed
	}
	for _, c := range s.Calls {
		c.Payload["cwd"] = c.Dir
		o, ok, err := t.Transcribed(c.Time, c.Payload)
		if err != nil {
			return err
		}
		copied := c.ID != "" && seen[c.ID]
		if ok && !copied && c.Time.After(r.since) {
			r.out.AddNew(o)
			counted = 1
		}
	}
	for _, c := range s.Calls {
		seen[c.ID] = true
	}
	r.out.Sessions += counted
	return nil
}

// wouldHave is what the policy would have done, in a paragraph.
func (r *replaying) wouldHave() string {
	t := r.out.Tally
	text := fmt.Sprintf("In %s with %s this policy (level %s) would have denied %d",
		visible.Count(t.Sessions, "session"), visible.Count(t.Judged, "tool call"),
		r.out.Level, t.Would["deny"])
	if n := t.Would["ask"]; n > 0 {
		text += fmt.Sprintf(", asked about %d", n)
	}
	if n := t.Would["warn"]; n > 0 {
		text += fmt.Sprintf(", warned of %d", n)
	}
	if t.Judged > 0 {
		text += fmt.Sprintf(" (%.1f %% of the calls)", 100*float64(t.Judged-t.Would["pass"])/float64(t.Judged))
	}
	if len(t.Rules) > 0 {
		text += fmt.Sprintf("; most of them by %s (%d)", cmp.Or(t.Rules[0].Rule, rehearse.NoRule), t.Rules[0].Times)
	}
	return text + ". The transcript goes on as it happened. A refused agent would have taken another way, " +
		"so only the first of many like refusals is certain." + r.describeLeftOut()
}
