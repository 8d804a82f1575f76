//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/kernel"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// usualName is the call beside which others are measured.
const usualName = "git status && ls -la"

// measureCostly measures calls that cost more than most, and the usual one as `pipeline install` registers it.
func measureCostly(l *lab) (part, error) {
	p := part{Title: "Calls that cost more, and how the hook is registered", Base: emptyName}
	many, err := newLab(l.options)
	if err != nil {
		return p, err
	}
	defer many.removeAll()
	if err := many.addRules(500); err != nil {
		return p, err
	}
	line := strings.Repeat(usualName+" && ", 60<<10/len(usualName+" && ")) + "ls"
	content := strings.Repeat("sixteen letters ", 1<<16)
	var all []contender
	for _, c := range []struct {
		lab            *lab
		id, name, what string
		fields         []string
		answer         func(sample) error
	}{
		{l, "usual", usualName, "bash", nil, wantSilence},
		{many, "rules", "the same, with 500 rules more", "bash", nil, wantSilence},
		{l, "line", "a shell line of 60 KB", "bash", []string{usualName, line}, wantAny},
		{l, "write", "a file of 1 MB is written", "write", []string{"CONTENT", content}, wantDenial},
	} {
		s, err := c.lab.startSession("costly-" + c.id)
		if err != nil {
			return p, err
		}
		if all == nil {
			all = append(all, s.emptyCall())
		}
		all = append(all, s.hookCall(c.name, "pre-tool-use", c.what, c.answer, c.fields...))
	}
	installed, err := newLab(l.options)
	if err != nil {
		return p, err
	}
	defer installed.removeAll()
	for _, scope := range []string{"local", "project", "user"} {
		c, err := installed.installedCall(scope)
		if err != nil {
			return p, err
		}
		all = append(all, c)
	}
	return p, p.compare(l.rounds, all)
}

// compare adds a row for each contender. The first is the base.
func (p *part) compare(rounds int, all []contender) error {
	got, err := runRounds(rounds, 1, all...)
	if err != nil {
		return err
	}
	p.addRow(all[0].name, got[0], 0)
	for i, c := range all[1:] {
		p.addRow(c.name, got[i+1], ratio(got[i+1], got[0]))
	}
	return nil
}

// addRules puts rules before those of the main agent: half are about other tools, and half about other commands and
// files.
func (l *lab) addRules(n int) error {
	var b strings.Builder
	b.WriteString("orchestrator:\n  rules:\n")
	for i := range n {
		fits := []string{"deny: [mcp__server%d__*]", "deny: [mcp__other%d__write]",
			"deny: [Bash], commands: [program%d sub]", "deny: [Write, Edit], paths: [src/part%d/**]"}[i%4]
		fmt.Fprintf(&b, "    - {name: more-%d, "+fits+", reason: Not here.}\n", i, i)
	}
	return l.editConfig("orchestrator:\n  rules:\n", b.String())
}

// installedCall is the usual call, started as the client starts what `pipeline install` has registered.
func (l *lab) installedCall(scope string) (contender, error) {
	s, err := l.startSession("installed-" + scope)
	if err != nil {
		return contender{}, err
	}
	path := "PATH=" + filepath.Join(l.dir, "bin") + ":" + os.Getenv("PATH")
	install := l.pipeline
	install.args = []string{"install", "--scope", scope, "--no-confine"}
	install.env = append(l.userEnv()[1:], path)
	if got, err := install.run(nil); err != nil || got.code != 0 {
		return contender{}, errors.Join(err, fmt.Errorf("pipeline install --scope %s: %s", scope, got))
	}
	file := map[string]string{"local": filepath.Join(l.project, ".claude", "settings.local.json"),
		"project": filepath.Join(l.project, ".claude", "settings.json"),
		"user":    filepath.Join(l.dir, "home", ".claude", "settings.json")}[scope]
	body, err := os.ReadFile(file)
	if err != nil {
		return contender{}, fmt.Errorf("read what was installed: %w", err)
	}
	registered, err := settings.Hooks(body)
	at := slices.IndexFunc(registered, func(h settings.Hook) bool { return h.Ours && h.Event == "PreToolUse" })
	if err != nil || at < 0 {
		return contender{}, errors.Join(err, fmt.Errorf("%s has no hook of ours", file))
	}
	h, how := registered[at], "by its path"
	argv := append([]string{h.Command}, h.Args...)
	if !h.Exec {
		argv, how = []string{"/bin/sh", "-c", h.Command}, "by its name, through sh"
	}
	c := s.hookCall("the same, install --scope "+scope+": "+how, "pre-tool-use", "bash", wantSilence)
	c.of.path, c.of.args, c.of.env = argv[0], argv[1:], append(l.hookEnv()[1:], path)
	return c, os.Remove(file) // it is not measured beside another
}

// measureCold measures the first call after the binary has left the page cache: it is read from the disk.
func measureCold(l *lab) (part, error) {
	p := part{Title: "The binary is read from the disk", Base: "the empty program, not read from the disk"}
	s, err := l.startSession("cold")
	if err != nil {
		return p, err
	}
	warmEmpty := s.emptyCall()
	warmEmpty.name = p.Base
	warmCall := s.hookCall("a call, not read from the disk", "pre-tool-use", "bash", wantSilence)
	coldEmpty, coldCall := warmEmpty, warmCall
	coldEmpty.name, coldCall.name = "the empty program, read from the disk", "a call, read from the disk"
	for c, from := range map[*contender]string{&coldEmpty: l.empty.path, &coldCall: l.pipeline.path} {
		copied, err := l.placeBinary("cold-"+filepath.Base(from), from)
		if err != nil {
			return p, err
		}
		c.of.path, c.before = copied.path, func() error { return dropCache(copied.path) }
	}
	all := []contender{warmEmpty, warmCall, coldEmpty, coldCall}
	got, err := runRounds(min(l.rounds, slowRuns), 1, all...)
	if err != nil {
		return p, err
	}
	for i, c := range all {
		p.addRow(c.name, got[i], ratio(got[i], got[0]))
	}
	p.Rows[0].Ratio = 0
	if slices.ContainsFunc(slices.Concat(got[2], got[3]), func(s sample) bool { return s.reads == 0 }) {
		return part{Title: p.Title, Note: "not measured: this system kept the binary in its page cache"}, nil
	}
	p.Results = append(p.Results, result{What: "a call, of one that is not read from the disk",
		Value: ratio(got[3], got[1]), Unit: "x"})
	return p, nil
}

// slowRuns bounds the rounds of what is slow and needs no third digit.
const slowRuns = 50

// dropCache has the system forget what it has read of a file that is on the disk. Only GNU's dd asks for it.
func dropCache(file string) error {
	const line = `sync "$0" && dd if="$0" iflag=nocache count=0 status=none`
	out, err := exec.Command("/bin/sh", "-c", line, file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("drop %s from the page cache: %w: %s", file, err, out)
	}
	return nil
}

// measureConfined measures what it costs to confine a shell, by each engine that works here.
func measureConfined(l *lab) (part, error) {
	p := part{Title: "A confined command", Base: "sh -c :, started by an empty program"}
	linked, _, err := buildProgram(l.dir, "starting", startingProgram, l.binary)
	if err != nil {
		return p, err
	}
	start, err := l.placeBinary("starting", linked)
	if err != nil {
		return p, err
	}
	crowd := filepath.Join(l.dir, "crowd")
	for i := range 500 {
		if err := os.MkdirAll(filepath.Join(crowd, fmt.Sprintf("part%d", i)), 0o700); err != nil {
			return p, fmt.Errorf("make a folder with many entries: %w", err)
		}
	}
	run := func(name string, of program, args ...string) contender {
		of.args = args
		return contender{name: name, of: of, stdin: func() []byte { return nil }, check: each(wantSilence)}
	}
	all := []contender{run(p.Base, start, "/bin/sh", "-c", ":")}
	atMost := map[string]float64{}
	for _, engine := range []string{"bubblewrap", "landlock"} {
		most := map[string]float64{"bubblewrap": 2, "landlock": 1.2}[engine]
		for _, c := range []struct {
			name   string
			limits kernel.Limits
		}{
			{"%s: the project is writable", kernel.Limits{Writable: []string{l.project}}},
			{"%s: of a folder with 500 entries one is read-only",
				kernel.Limits{Writable: []string{crowd}, ReadOnly: []string{filepath.Join(crowd, "part7")}}},
		} {
			limits, err := json.Marshal(c.limits)
			if err != nil {
				return p, err
			}
			one := run(fmt.Sprintf(c.name, engine), l.pipeline, "confine", "--try", engine, string(limits), ":")
			if _, err := one.runAtOnce(1); err != nil {
				p.Note = strings.TrimSpace(p.Note + " " + engine + " does not work here.")
				break
			}
			all, atMost[one.name] = append(all, one), most
		}
	}
	if bwrap, err := exec.LookPath("bwrap"); err == nil {
		alone := run("bubblewrap without pipeline, the project is writable", start, bwrap, "--ro-bind", "/", "/",
			"--dev-bind", "/dev", "/dev", "--bind", l.project, l.project, "--unshare-user", "--", "/bin/sh", "-c", ":")
		if _, err := alone.runAtOnce(1); err == nil {
			all = append(all, alone)
		}
	}
	if err := p.compare(min(l.rounds, slowRuns), all); err != nil {
		return p, err
	}
	for _, r := range p.Rows[1:] {
		if most := atMost[r.Name]; most > 0 {
			p.addTarget(r.Name, r.Ratio, "x", most)
		}
	}
	return p, nil
}
