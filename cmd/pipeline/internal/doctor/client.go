package doctor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A version of the client: 2.1.329.
type version [3]int

// The clients that pipeline was tried with.
func oldest() version { return version{2, 1, 197} }
func newest() version { return version{2, 1, 329} }

// client: is its version one that pipeline is known to work with, and what does that version do otherwise than others?
// There may be two: the one on PATH, and another, such as an editor's, that the newest session was held with.
func (x *exam) client() []Finding {
	used, file, seen := x.lastUsed()
	found, err := x.lookPath("claude")
	switch {
	case err != nil && seen:
		return x.judgeClient("the newest session's client ("+file+")", used)
	case err != nil:
		return []Finding{warn("start a session, or put claude on PATH", "claude is not on PATH, and no session was held here: its version is not known")}
	}
	r := run(x.Patience, x.Root, x.Environ, "", found[0], "--version")
	v, ok := parseVersion(string(r.out))
	if r.failed != nil || !ok {
		return []Finding{warn("run it by hand: "+found[0]+" --version", "%s does not tell its version: %s", found[0], oneLine(string(r.out)+string(r.err)))}
	}
	out := x.judgeClient(found[0], v)
	if seen && used != v {
		out = append(out, x.judgeClient("the newest session's client ("+file+")", used)...)
	}
	return out
}

// lastUsed is the client that wrote the newest of the project's transcripts.
func (x *exam) lastUsed() (v version, file string, ok bool) {
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
			v, ok = parseVersion(line.Version)
		}
	}
	return v, file, ok
}

func (x *exam) judgeClient(file string, v version) []Finding {
	name := fmt.Sprintf("%s is version %s", file, v)
	switch {
	case v.before(oldest()):
		return []Finding{problem("update the client: claude update", "%s: too old, pipeline was tried with %s to %s only; whether its hooks can refuse a call is not known", name, oldest(), newest())}
	case newest().before(v):
		return []Finding{fine("%s, newer than any that pipeline was tried with (%s to %s): the canary shows our side, not the client's", name, oldest(), newest())}
	}
	out := []Finding{fine("%s%s", name, known(v))}
	if p := x.Opened.Policy; p != nil && p.FailClosed && v.before(newest()) {
		out = append(out, warn("update the client: claude update", "on_error: deny needs a client that heeds onFailure: %s does not, %s does, of %s it is not known", oldest(), newest(), v))
	}
	return out
}

// known is what a version does otherwise than the oldest that pipeline was tried with.
func known(v version) string {
	var does []string
	for _, c := range changes() {
		if !v.before(c.since) {
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
	since version
	what  string
}

// changes are from the client's changelog, and seen with the newest that pipeline was tried with.
func changes() []change {
	return []change{
		{version{2, 1, 198}, "agents run in the background unless asked"},
		{version{2, 1, 199}, "an agent's API error counts as a failure"},
		{version{2, 1, 212}, "the mode of an Agent call is ignored"},
		{version{2, 1, 214}, "a forked session is a new one from its start"},
		{version{2, 1, 217}, "at most 20 agents at once"},
		{version{2, 1, 218}, "hooks of an agent's own definition need a trusted folder"},
		{version{2, 1, 219}, "agents nest three deep at most"},
		{version{2, 1, 232}, "forks are on in the terminal"},
	}
}

// parseVersion reads "2.1.329 (Claude Code)".
func parseVersion(said string) (v version, ok bool) {
	first, _, _ := strings.Cut(strings.TrimSpace(said), " ")
	parts := strings.Split(first, ".")
	if len(parts) != 3 {
		return v, false
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil {
			return v, false
		}
		v[i] = n
	}
	return v, true
}

func (v version) before(w version) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }
