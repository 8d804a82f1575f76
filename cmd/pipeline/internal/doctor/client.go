package doctor

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
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
	x.findings = append(x.findings, hooks.JudgeVersion("claude", file, v))
	honors := clients.Version{2, 1, 329} // the oldest of which it is known
	if p := x.Opened.Policy; p != nil && p.FailClosed && v.Before(honors) {
		x.warn("update the client: claude update",
			"on_error: deny needs a client that honors onFailure: %s does, of %s it is not known", honors, v)
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
		x.warn("restart the client", "the client's transcripts cannot be compared: %v", err)
		return
	}
	compared := 0
	for _, s := range sessions {
		if s.Err != nil {
			x.warn("restart the client", "session %s cannot be compared: %v", s.ID, s.Err)
			continue
		}
		if s.Transcript != "" {
			compared++
		}
		for _, gap := range s.Stretches { // of calls that we were not asked about
			status, remedy := Problem, "look at the findings above: what kept the hooks from running?"
			if x.Now.Sub(gap.To) > 24*time.Hour { // then it is no fault of the present installation
				status, remedy = Warning, "restart the client"
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

// listRegistered are the settings files of a client that hold hooks of ours.
func listRegistered(h hooks.Installer) (files []hooks.SettingsFile) {
	for _, f := range h.Places().Settings {
		body, err := os.ReadFile(f.Path)
		if err == nil && strings.Contains(string(body), "hook --host "+h.Name()) {
			files = append(files, f)
		}
	}
	return files
}

// examineHosts looks at the other clients that are on this machine.
func examineHosts(x *exam) (out findings) {
	for _, o := range x.Others {
		name, files := o.Name(), listRegistered(o)
		for _, f := range o.Places().Settings { // and whatever is left of those that a person has installed hooks in
			if !slices.Contains(files, f) && len(x.Wants(f.Path)) > 0 {
				files = append(files, f)
			}
		}
		program := x.lookPath(name)
		switch {
		case len(files) > 0:
			about := examineHost(x, o, files)
			x.failing[name] = CountProblems(about) > 0
			out = append(out, about...)
		case program != nil && !x.Opened.None:
			out.warn("to have its calls judged too: pipeline install --host "+name,
				"%s (%s) does not call pipeline", name, program[0])
		}
	}
	out.orPass("no other supported client is set up here")
	return out
}

// examineHost compares what a client's files hold with what was installed, asks the client
// itself, and says what it cannot do.
func examineHost(x *exam, o hooks.Installer, files []hooks.SettingsFile) (out findings) {
	name := o.Name()
	remedy := "pipeline install --host " + name + " --scope " + files[0].Scope
	for _, f := range files {
		body, err := os.ReadFile(f.Path)
		if err != nil {
			out.problem(remedy+"; if the hooks are to stay away: pipeline uninstall --host "+name+
				" --scope "+f.Scope, "%s: %s is gone, and with it our hooks", name, f.Path)
			continue
		}
		want := x.Wants(f.Path)
		if len(want) == 0 {
			want = o.Entries(x.Self, false)
		}
		if why := o.Blocks(body, want); why != "" {
			how := remedy
			if strings.HasPrefix(why, "the client ignores the file: ") { // install could not read it either
				how = "fix " + f.Path + ", then: " + remedy
			}
			out.problem(how, "%s: %s: %s", name, f.Path, why)
		}
		program := want[0].Command
		isThere := x.lookPath(program) != nil
		if strings.ContainsAny(program, `/\`) {
			_, err = os.Stat(x.makeAbsolute(program))
			isThere = err == nil
		}
		if !isThere {
			out.problem(remedy, "%s: %s: the registered binary is missing: %s: no call is judged",
				name, f.Path, program)
		}
	}
	if p, ok := o.(hooks.Prober); ok {
		out = append(out, p.Probe(x.Dir)...)
	}
	out.orPass("%s: registered in %s", name, files[0].Path)
	places, agents := x.FindUnmet(o)
	if len(agents) > 0 {
		out.warn("pipeline init --host "+name, "%s has no agent %s, which the config names",
			name, strings.Join(agents, ", "))
	}
	if places > 0 {
		out.warn("pipeline check --host "+name,
			"%s cannot do all that the config says: %s", name, visible.Count(places, "place"))
	}
	return out
}
