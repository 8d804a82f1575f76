package doctor

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// An Other is a client beside Claude Code, as the project has it.
type Other struct {
	hooks.Installer
	// FindUnmet counts the places of the config that rely on what the client cannot do, and
	// lists the agents that the config names and the client does not have.
	FindUnmet func() (places int, agents []string)
}

// listRegistered are the settings files of a client that hold hooks of ours.
func (o Other) listRegistered() (files []hooks.SettingsFile) {
	for _, f := range o.Places().Settings {
		body, err := os.ReadFile(f.Path)
		if err == nil && strings.Contains(string(body), "hook --host "+o.Name()) {
			files = append(files, f)
		}
	}
	return files
}

// examineHosts looks at the other clients that are on this machine.
func examineHosts(x *exam) (out findings) {
	for _, o := range x.Others {
		files := o.listRegistered()
		for _, f := range o.Places().Settings { // and whatever is left of those that a person has installed hooks in
			if !slices.Contains(files, f) && len(x.Wants(f.Path)) > 0 {
				files = append(files, f)
			}
		}
		program := x.lookPath(o.Name())
		switch {
		case len(files) > 0:
			about := examineHost(x, o, files)
			x.failing[o.Name()] = CountProblems(about) > 0
			out = append(out, about...)
		case program != nil && !x.Opened.None:
			out.warn("to have its calls judged too: pipeline install --host "+o.Name(),
				"%s (%s) does not call pipeline", o.Name(), program[0])
		}
	}
	out.orPass("no other supported client is set up here")
	return out
}

// examineHost compares what a client's files hold with what was installed, asks the client
// itself, and says what it cannot do.
func examineHost(x *exam, o Other, files []hooks.SettingsFile) (out findings) {
	remedy := "pipeline install --host " + o.Name() + " --scope " + files[0].Scope
	for _, f := range files {
		body, err := os.ReadFile(f.Path)
		if err != nil {
			out.problem(remedy+"; if the hooks are to stay away: pipeline uninstall --host "+o.Name()+
				" --scope "+f.Scope, "%s: %s is gone, and with it our hooks", o.Name(), f.Path)
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
			out.problem(how, "%s: %s: %s", o.Name(), f.Path, why)
		}
		program := want[0].Command
		isThere := x.lookPath(program) != nil
		if strings.ContainsAny(program, `/\`) {
			_, err = os.Stat(x.makeAbsolute(program))
			isThere = err == nil
		}
		if !isThere {
			out.problem(remedy, "%s: %s: the registered binary is missing: %s: no call is judged",
				o.Name(), f.Path, program)
		}
	}
	if p, ok := o.Installer.(hooks.Prober); ok {
		out = append(out, p.Probe(context.Background(), x.Dir)...)
	}
	out.orPass("%s: registered in %s", o.Name(), files[0].Path)
	places, agents := o.FindUnmet()
	if len(agents) > 0 {
		out.warn("pipeline init --host "+o.Name(), "%s has no agent %s, which the config names",
			o.Name(), strings.Join(agents, ", "))
	}
	if places > 0 {
		out.warn("pipeline check --host "+o.Name(),
			"%s cannot do all that the config says: %s", o.Name(), visible.Count(places, "place"))
	}
	return out
}
