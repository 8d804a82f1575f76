package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/hooks/claude/transcript"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

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
	progress := r.startProgress("replaying transcripts").setTotal(len(files))
	defer progress.stop()
	seen := map[string]bool{}
	for _, f := range files {
		progress.countStep()
		if info, err := os.Stat(f); err == nil && info.ModTime().Before(r.since) {
			continue
		}
		s, err := transcript.Read(f)
		if err != nil {
			r.sayf("%v", err)
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
	files, _ := filepath.Glob(filepath.Join(escapePattern(dir), "*.jsonl")) // the patterns are ours
	if len(files) == 0 {
		files, _ = filepath.Glob(filepath.Join(escapePattern(dir), "*", "*.jsonl"))
	}
	files = slices.DeleteFunc(files, func(f string) bool {
		return r.session != "" && !strings.HasPrefix(filepath.Base(f), r.session)
	})
	byAge(files)
	return files, nil
}

func byAge(files []string) {
	age := map[string]time.Time{}
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			age[f] = info.ModTime()
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return age[a].Compare(age[b]) })
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

// escapePattern keeps a folder's name from being taken for a pattern.
func escapePattern(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// replayTranscript puts a session's calls before the policy, in their order. What was copied
// from another conversation is played and not counted again.
func (r *replaying) replayTranscript(s *transcript.Session, seen map[string]bool) error {
	t := rehearse.NewTranscribed(r.rehearsalStage(r.o), s.ID)
	counted := false
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
			counted = true
		}
	}
	for _, c := range s.Calls {
		seen[c.ID] = true
	}
	if counted {
		r.out.Sessions++
	}
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
		text += fmt.Sprintf("; most of them by %s (%d)", nameRule(t.Rules[0].Rule), t.Rules[0].Times)
	}
	return text + ". The transcript goes on as it happened. A refused agent would have taken another way, " +
		"so only the first of many like refusals is certain." + r.describeLeftOut()
}
