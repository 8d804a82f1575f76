package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newReplayCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "Re-evaluate recorded sessions against another policy",
		ArgsUsage: "[DIR]",
		Description: `Each recorded event is put before the policy again, in memory: nothing is changed. Each is
judged from the session as it was recorded before it, because what really happened does
not follow another policy; with --sequential the session follows the policy from its
beginning. What was not recorded in full is counted, never guessed.
With --transcripts the client's own transcripts take the place of the journals: DIR is a
folder of its projects, a project's folder or one transcript; without it the working
directory's. Nothing has to be installed for that. Where no pipeline is configured, the
default one is used.
` +
			"Exit codes: 0 fine, whatever would differ, 1 the config has problems, 2 wrong usage,\n" +
			"3 nothing recorded, or it could not be read.",
		UsageText: "pipeline replay --config new.yaml --since 7d\n" +
			"pipeline replay --transcripts",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "config", Usage: "the policy of this `FILE`; without it the one in force"},
			&cli.StringFlag{Name: "level", Usage: "with this `LEVEL`: strict, ask, guidance, observe"},
			&cli.StringFlag{Name: "session", Usage: "only the session with this `ID`, or those that begin so"},
			&cli.StringFlag{Name: "since", Usage: "only what is younger than `AGE`: 7d, 12h, or a date"},
			&cli.BoolFlag{Name: "pinned", Usage: "judge each event from the recorded session before it (the default)"},
			&cli.BoolFlag{Name: "sequential", Usage: "let the session follow the policy from its beginning"},
			&cli.BoolFlag{Name: "transcripts", Usage: "from the client's transcripts"},
			&cli.BoolFlag{Name: "json", Usage: "print it as JSON"}},
		Action: func(c *cli.Context) error { return runReplay(p, c) },
	}
}

// A replaying is a replay under way: the policy, and what is to be put before it.
type replaying struct {
	*program
	o          config.Opened
	since      time.Time
	session    string
	sequential bool
	out        replayed
	alone      bool // the policy decides without what persons had ordered about the level
}

// replayed is what is said at the end.
type replayed struct {
	Mode    string `json:"mode"` // pinned, sequential, transcripts
	Policy  string `json:"policy"`
	Level   string `json:"level"`
	Damaged int    `json:"damaged_lines"`
	*rehearse.Tally
	Summary string `json:"summary"`
}

func runReplay(p *program, c *cli.Context) error {
	r, err := newReplaying(p, c)
	if err != nil {
		return err
	}
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

func newReplaying(p *program, c *cli.Context) (*replaying, error) {
	fromTranscripts := c.Bool("transcripts")
	switch {
	case c.NArg() > 1 || c.NArg() == 1 && !fromTranscripts:
		return nil, usageError{"replay wants a folder only with --transcripts: pipeline replay --transcripts DIR"}
	case c.Bool("pinned") && (c.Bool("sequential") || fromTranscripts):
		return nil, usageError{"--pinned judges from recorded sessions: leave out --sequential and --transcripts"}
	}
	since, err := parseAge(c.String("since"), time.Now())
	if err != nil {
		return nil, err
	}
	r := &replaying{program: p, since: since, session: c.String("session"), sequential: c.Bool("sequential"),
		out: replayed{Mode: "pinned", Tally: rehearse.NewTally()}}
	if r.o, err = openCandidate(p, c); err != nil {
		return nil, err
	}
	if r.sequential {
		r.out.Mode = "sequential"
	}
	if fromTranscripts {
		r.out.Mode = "transcripts"
	}
	r.alone = c.String("level") != "" || fileOf(c) != ""
	return r, r.setLevel(c.String("level"))
}

// setLevel sets the policy's level, on a copy. What is off would decide nothing.
func (r *replaying) setLevel(name string) error {
	policy := *r.o.Policy
	if name != "" {
		level, ok := fsm.ParseLevel(name)
		if !ok || level == fsm.Off {
			return usageError{fmt.Sprintf("unknown level %s: expected one of %q", quote(name), fsm.LevelNames()[1:])}
		}
		policy.Level = level
	}
	r.o.Policy = &policy
	r.out.Policy, r.out.Level = policy.Fingerprint, policy.Level.String()
	return nil
}

// openCandidate opens the policy to try: a named file's, which is put in force nowhere, or
// the one in force. Where there is none, transcripts are put before the one that
// `pipeline init` would write.
func openCandidate(p *program, c *cli.Context) (config.Opened, error) {
	file := fileOf(c)
	if file == "" && !c.Bool("transcripts") {
		return p.openProject(c)
	}
	w, err := p.here(c)
	if err != nil {
		return config.Opened{}, err
	}
	w.Config = file
	if o, err := config.Open(w); file == "" && (err != nil || !o.None) {
		return p.openProject(c)
	}
	if file == "" {
		return openPreset(p, w)
	}
	if file[0] != '~' && !filepath.IsAbs(file) {
		w.Config = filepath.Join(w.Dir, file)
	}
	return openCompiled(p, w)
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
		if r.session, err = resolveSession(items, r.session); err != nil {
			return err
		}
	}
	progress := r.startProgress("replaying sessions").of(countSince(items, r.since))
	defer progress.stop()
	for _, i := range items {
		if r.session != "" && i.ID != r.session || i.Last.Before(r.since) {
			continue
		}
		if err := r.replayJournal(st, i.ID); err != nil {
			r.sayf("session %s: %v", i.ID, err)
		}
		progress.step()
	}
	switch {
	case len(items) == 0:
		return errNoSession
	case r.out.Events == 0:
		return errors.New("nothing was recorded in that time")
	}
	return nil
}

func (r *replaying) replayJournal(st session.Store, id string) error {
	again := &rehearse.Replay{Policy: r.o.Policy, NoOverrides: r.alone, Sequential: r.sequential, Base: &st,
		Older: func(fp string) (*fsm.Policy, error) { return config.Good(r.o.Project.Home, fp) }}
	counted := false
	damaged, err := journal.ReadAll(st.Path(id), func(rec journal.Record) bool {
		out, ok := again.Next(rec)
		if ok && rec.Event.Time.After(r.since) {
			r.out.Add(out)
			counted = true
		}
		return true
	})
	if counted {
		r.out.Sessions++
	}
	r.out.Damaged += damaged
	return err
}

var errNoTranscript = errors.New("no transcript was found")
