package doctor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/claude/live"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// The clients that pipeline was tried with.
func oldest() clients.Version { return tested(len(clients.Tested("claude")) - 1) }
func newest() clients.Version { return tested(0) }

func tested(i int) clients.Version {
	v, _ := clients.ParseVersion(clients.Tested("claude")[i])
	return v
}

// honorsOnFailure is the oldest version of which it is known.
func honorsOnFailure() clients.Version { return clients.Version{2, 1, 329} }

// checkClient: is pipeline known to work with the client's version, and how does that
// version differ? There may be two clients: the one on PATH, and another, such as an
// editor's, of the newest session.
func (x *exam) checkClient() []Finding {
	used, file, seen := x.findLastUsed()
	found, err := x.lookPath("claude")
	switch {
	case err != nil && seen:
		return x.judgeClient("the newest session's client ("+file+")", used)
	case err != nil:
		return []Finding{warn("start a session, or put claude on PATH",
			"claude is not on PATH, and there is no session here: its version is not known")}
	}
	r := run(x.Patience, x.Dir, x.Environ, "", found[0], "--version")
	v, ok := clients.ParseVersion(string(r.out))
	if r.failed != nil || !ok {
		return []Finding{warn("run it by hand: "+found[0]+" --version", "%s does not print its version: %s", found[0],
			oneLine(string(r.out)+string(r.err)))}
	}
	out := x.judgeClient(found[0], v)
	if seen && used != v {
		out = append(out, x.judgeClient("the newest session's client ("+file+")", used)...)
	}
	return out
}

// findLastUsed is the client that wrote the newest of the project's transcripts.
func (x *exam) findLastUsed() (v clients.Version, file string, ok bool) {
	names, _ := filepath.Glob(filepath.Join(x.Transcripts, "*.jsonl"))
	var latest time.Time
	for _, n := range names {
		if info, err := os.Stat(n); err == nil && info.ModTime().After(latest) {
			latest, file = info.ModTime(), n
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return v, "", false
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 1<<20))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && !ok {
		var line struct{ Version string }
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			v, ok = clients.ParseVersion(line.Version)
		}
	}
	return v, file, ok
}

func (x *exam) judgeClient(file string, v clients.Version) []Finding {
	name := fmt.Sprintf("%s is version %s", file, v)
	switch {
	case v.Before(oldest()):
		return []Finding{problem("update the client: claude update",
			"%s: too old, pipeline was tried with %s to %s only; whether its hooks can refuse a call is not known",
			name, oldest(), newest())}
	case newest().Before(v):
		return []Finding{pass("%s, newer than any that pipeline was tried with (%s to %s): "+
			"the canary shows our side, not the client's", name, oldest(), newest())}
	}
	out := []Finding{pass("%s%s", name, describeChanges(v))}
	if p := x.Opened.Policy; p != nil && p.FailClosed && v.Before(honorsOnFailure()) {
		out = append(out, warn("update the client: claude update",
			"on_error: deny needs a client that honors onFailure: %s does not, %s does, of %s it is not known",
			oldest(), honorsOnFailure(), v))
	}
	return out
}

// describeChanges says how a version differs from the oldest that pipeline was tried with.
func describeChanges(v clients.Version) string {
	var does []string
	for _, c := range clientChanges() {
		if !v.Before(c.since) {
			does = append(does, c.what)
		}
	}
	if does == nil {
		return ", which pipeline was tried with"
	}
	return "; since " + oldest().String() + ": " + strings.Join(does, "; ")
}

// A change in the client that a user of pipeline meets.
type change struct {
	since clients.Version
	what  string
}

// clientChanges are from the client's changelog, and were seen with the newest version that
// pipeline was tried with.
func clientChanges() []change {
	return []change{
		{clients.Version{2, 1, 198}, "agents run in the background unless asked"},
		{clients.Version{2, 1, 199}, "an agent's API error counts as a failure"},
		{clients.Version{2, 1, 212}, "the mode of an Agent call is ignored"},
		{clients.Version{2, 1, 214}, "a forked session is a new one from its start"},
		{clients.Version{2, 1, 217}, "at most 20 agents at once"},
		{clients.Version{2, 1, 218}, "hooks of an agent's own definition need a trusted folder"},
		{clients.Version{2, 1, 219}, "agents nest three deep at most"},
		{clients.Version{2, 1, 232}, "forks are on in the terminal"},
	}
}

// settingsSources are the settings files of a client that is started in a folder. Of two
// that disagree the last counts.
func settingsSources(dir, client, managed string) []source {
	out := []source{
		{scope: "user", file: filepath.Join(client, "settings.json")},
		{scope: "project", file: filepath.Join(dir, ".claude", "settings.json")},
		{scope: "local", file: filepath.Join(dir, ".claude", "settings.local.json")},
	}
	if managed != "" {
		out = append(out, source{scope: settings.ScopeManaged, file: managed})
	}
	return out
}

// Environ is the environment that a client gives to its hooks when it is started in this
// one: its settings add to it.
func Environ(dir, client, managed string, environ []string) []string {
	out := append([]string{}, environ...)
	for _, s := range settingsSources(dir, client, managed) {
		body, err := os.ReadFile(s.file)
		if err != nil || settings.Ignored(body) != "" {
			continue
		}
		added, _ := settings.Environment(body) // it was parsed before
		for _, name := range sortedKeys(added) {
			out = append(out, name+"="+added[name])
		}
	}
	return out
}

// Getenv looks up a variable in an environment, in which the last of two counts.
func Getenv(environ []string) func(string) string {
	return func(name string) string {
		for i := len(environ) - 1; i >= 0; i-- {
			if key, value, _ := strings.Cut(environ[i], "="); key == name {
				return value
			}
		}
		return ""
	}
}

func (x *exam) getenv(name string) string { return Getenv(x.Environ)(name) }

// checkEnvironment: does it keep the client from running hooks, or the hooks from enforcing?
func (x *exam) checkEnvironment() []Finding {
	var found []Finding
	if Getenv(x.Shell)("CLAUDE_CODE_SIMPLE") == "1" { // in the settings' env it has no such effect (tried)
		found = append(found, problem("unset CLAUDE_CODE_SIMPLE",
			"CLAUDE_CODE_SIMPLE is set: a client that is started here runs no hooks at all"))
	}
	for _, s := range x.sources {
		if !s.isRead() || s.isPlugin() {
			continue
		}
		added, _ := settings.Environment(s.body) // it was parsed before
		for _, name := range sortedKeys(added) {
			if !strings.HasPrefix(name, "PIPELINE_") {
				continue
			}
			f := warn("remove it from env in "+s.file, "%s sets %s=%s for the hooks, which overrides the config",
				s, name, added[name])
			if name == "PIPELINE_LEVEL" && added[name] == "off" {
				f.Status = Problem
			}
			found = append(found, f)
		}
	}
	return orPass(found, "nothing in it keeps the client from running hooks, or the hooks from enforcing")
}

// recentGap is how long a gap counts as a fault of the present installation.
const recentGap = 24 * time.Hour

// checkLiveness: do the client's transcripts have calls that we were never asked about?
func (x *exam) checkLiveness() []Finding {
	sessions, err := live.CompareAll(x.Store, x.Client)
	if err != nil {
		return []Finding{warn("", "the client's transcripts cannot be compared: %v", err)}
	}
	var found []Finding
	compared := 0
	for _, s := range sessions {
		if s.Err != nil {
			found = append(found, warn("", "session %s cannot be compared: %v", s.ID, s.Err))
			continue
		}
		if s.Transcript != "" {
			compared++
		}
		for _, gap := range s.Stretches {
			found = append(found, x.describeGap(s.ID, gap))
		}
	}
	if compared == 0 {
		return orPass(found, "not known yet: of %d session(s) none could be compared with a transcript of the client",
			len(sessions))
	}
	return orPass(found, "%d of %d session(s) compared with the client's transcripts: "+
		"pipeline was asked about every call", compared, len(sessions))
}

// describeGap reports a stretch of calls that we were not asked about.
func (x *exam) describeGap(id string, s live.Stretch) Finding {
	const words = "session %s: enforcement was off from %s to %s: " +
		"%d call(s) were made that pipeline was never asked about"
	args := []any{id, s.From.Local().Format(time.DateTime), s.To.Local().Format(time.DateTime), len(s.Calls)}
	if x.Now.Sub(s.To) > recentGap {
		return warn("", words, args...)
	}
	return problem("look at the findings above: what kept the hooks from running?", words, args...)
}
