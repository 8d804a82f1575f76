package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// checkSettings: does the client read the files, and does one of them switch hooks off?
func checkSettings(x *exam) {
	enforced := slices.ContainsFunc(x.registered, source.isManaged)
	var there []string
	for _, s := range x.sources {
		if s.body != nil {
			there = append(there, s.file)
		}
		why, text := s.ignore, string(s.body)
		if s.err != nil {
			why = s.err.Error()
		}
		switch { // an ignored file is a problem where it should hold hooks of ours, readable or not
		case why == "":
		case s.isManaged():
			x.problem("ask who manages this machine: "+s.file, "%s: %s: the client may refuse to start", s, why)
		case len(x.Wants(s.file)) > 0 || len(s.ours) > 0 || callsUs(text) || strings.Contains(text, `"--host"`):
			x.problem("fix "+s.file, "%s: the client ignores the whole file, our hooks in it do not run: %s", s, why)
		default:
			x.warn("fix "+s.file, "%s: the client ignores the whole file: %s", s, why)
		}
		off, remedy := settings.Blocks(s.body, nil), "remove it from "+s.file
		switch {
		case s.err != nil || s.isPlugin():
		case s.isManaged() && x.managed.DisableAll:
			x.problem(remedy, "%s: disableAllHooks is true: the client runs no hook at all", s)
		case enforced: // managed hooks run all the same (2.1.330, tried)
		case s.isManaged() && x.managed.HooksOnly:
			x.problem(remedy, "%s: allowManagedHooksOnly is true: the client runs no hook of any other file", s)
		case off != "":
			x.problem(remedy, "%s: %s: the client runs no hook of any file", s, off)
		}
	}
	if there == nil {
		x.orPass("there are none")
	}
	x.orPass("%s: read by the client, hooks not disabled", strings.Join(there, ", "))
}

// checkOthers names hooks of others that may change a call after it was judged.
func checkOthers(x *exam) {
	const remedy = "remove it, or make sure that it answers without updatedInput"
	for _, s := range x.sources {
		all, err := settings.AllHooks(s.body)
		if err != nil || !s.isRead() {
			continue
		}
		for _, h := range all {
			ours := slices.ContainsFunc(s.ours, func(o settings.Hook) bool { return o.Command == h.Text })
			if ours || h.Event != "PreToolUse" && h.Event != "PermissionRequest" {
				continue
			}
			what := "may rewrite what tools are given"
			if rewritesInput(h.Text, x.Dir) {
				what = "rewrites what tools are given (updatedInput)"
			}
			x.warn(remedy, "%s: another hook for %s %s, which pipeline has judged as it was: %s", s, h.Event, what,
				oneLine(h.Text))
		}
	}
	x.orPass("no hook of another program can rewrite what tools are given")
}

// rewritesInput reports whether a hook's text, or a script that it names, has the word for it.
func rewritesInput(text, dir string) bool {
	const word = "updatedInput"
	if strings.Contains(text, word) {
		return true
	}
	for w := range strings.FieldsSeq(strings.NewReplacer("${CLAUDE_PROJECT_DIR}", dir, "$CLAUDE_PROJECT_DIR", dir,
		`"`, "", "'", "").Replace(text)) {
		if !filepath.IsAbs(w) {
			w = filepath.Join(dir, w)
		}
		info, err := os.Stat(w)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			continue
		}
		if body, err := os.ReadFile(w); err == nil && strings.Contains(string(body), word) {
			return true
		}
	}
	return false
}
