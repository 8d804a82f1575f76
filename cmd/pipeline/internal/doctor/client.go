package doctor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/claude/live"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/settings"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// checkClient: is pipeline known to work with the client's version, and how does that
// version differ? There may be two clients: the one on PATH, and another, such as an
// editor's, of the newest session.
func checkClient(x *exam) {
	used, file, seen := findLastUsed(x.Transcripts)
	file = "the newest session's client (" + file + ")"
	found := x.lookPath("claude")
	switch {
	case found == nil && seen:
		judgeClient(x, file, used)
		return
	case found == nil:
		x.warn("start a session, or put claude on PATH",
			"claude is not on PATH, and there is no session here: its version is not known")
		return
	}
	r := x.runProgram(found[0], "--version")
	v, ok := clients.ParseVersion(r.out)
	if r.failed != nil || !ok {
		x.warn("run it by hand: "+found[0]+" --version", "%s does not print its version: %s", found[0],
			oneLine(r.out+r.err))
		return
	}
	judgeClient(x, found[0], v)
	if seen && used != v {
		judgeClient(x, file, used)
	}
}

// findLastUsed is the client that wrote the newest of the project's transcripts.
func findLastUsed(transcripts string) (v clients.Version, file string, ok bool) {
	var latest time.Time
	for _, n := range system.Glob(transcripts, "*.jsonl") {
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

func judgeClient(x *exam, file string, v clients.Version) {
	name := fmt.Sprintf("%s is version %s", file, v)
	oldest, newest := clients.TestedRange("claude")
	switch {
	case v.Before(oldest):
		x.problem("update the client: claude update",
			"%s: too old, pipeline was tested with %s to %s only; whether its hooks can refuse a call is not known",
			name, oldest, newest)
		return
	case newest.Before(v):
		x.pass("%s, newer than any that pipeline was tested with (%s to %s): "+
			"the canary shows our side, not the client's", name, oldest, newest)
		return
	}
	x.pass("%s, within %s to %s, which pipeline was tested with", name, oldest, newest)
	honors := clients.Version{2, 1, 329} // the oldest of which it is known
	if p := x.Opened.Policy; p != nil && p.FailClosed && v.Before(honors) {
		x.warn("update the client: claude update",
			"on_error: deny needs a client that honors onFailure: %s does not, %s does, of %s it is not known",
			oldest, honors, v)
	}
}

// checkEnvironment: does it keep the client from running hooks, or the hooks from enforcing?
func checkEnvironment(x *exam) {
	if Getenv(x.Shell)("CLAUDE_CODE_SIMPLE") == "1" { // in the settings' env it has no such effect (tried)
		x.problem("unset CLAUDE_CODE_SIMPLE",
			"CLAUDE_CODE_SIMPLE is set: a client that is started here runs no hooks at all")
	}
	for _, s := range x.sources {
		if !s.isRead() || s.isPlugin() {
			continue
		}
		added, _ := settings.Environment(s.body) // it was parsed before
		for _, name := range slices.Sorted(maps.Keys(added)) {
			if !strings.HasPrefix(name, "PIPELINE_") {
				continue
			}
			f := x.warn("remove it from env in "+s.file, "%s sets %s=%s for the hooks, which overrides the config",
				s, name, added[name])
			if name == "PIPELINE_LEVEL" && added[name] == "off" {
				f.Status = Problem
			}
		}
	}
	x.orPass("no variable keeps the hooks from running or enforcing")
}

// checkLiveness: do the client's transcripts have calls that we were never asked about?
func checkLiveness(x *exam) {
	sessions, err := live.CompareAll(x.Store, x.Client)
	if err != nil {
		x.warn("", "the client's transcripts cannot be compared: %v", err)
		return
	}
	compared := 0
	for _, s := range sessions {
		if s.Err != nil {
			x.warn("", "session %s cannot be compared: %v", s.ID, s.Err)
			continue
		}
		if s.Transcript != "" {
			compared++
		}
		for _, gap := range s.Stretches { // of calls that we were not asked about
			status, remedy := Problem, "look at the findings above: what kept the hooks from running?"
			if x.Now.Sub(gap.To) > 24*time.Hour { // then it is no fault of the present installation
				status, remedy = Warning, ""
			}
			x.add(status, remedy, "session %s: enforcement was off from %s to %s for %s that pipeline %s", s.ID,
				gap.From.Local().Format(time.DateTime), gap.To.Local().Format(time.DateTime),
				visible.Count(len(gap.Calls), "call"), live.HowMade(gap))
		}
	}
	if compared == 0 {
		x.orPass("not known yet: %s, none with a transcript of the client to compare",
			visible.Count(len(sessions), "session"))
	}
	x.orPass("%d of %s compared with the client's transcripts: pipeline was asked about every call",
		compared, visible.Count(len(sessions), "session"))
}

// checkTyped: on what does it rest that a person typed a command into the client?
func checkTyped(x *exam) {
	switch x.Basis {
	case clients.NoBasis:
		x.warn("give commands in a terminal of your own: pipeline mode, pipeline bypass, …",
			"commands that are typed into a client started here are refused: neither the environment of a process "+
				"nor its terminal can be seen")
	case clients.ByEnvironment:
		x.pass("/pipeline commands are accepted; a person is recognized by %s", x.Basis)
	default:
		x.pass("/pipeline commands are accepted on less evidence than on Linux: %s", x.Basis)
	}
}
