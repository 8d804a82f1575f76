package main

import (
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/doctor"
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newDoctorCommand(p *program) command {
	return command{
		Usage: "Check whether the policy is really enforced, and how to fix it where it is not",
		Description: `It examines everything between the client and the policy, and runs the
registered commands as the client does, with a call that must be refused.
Exit codes: 0 fine, 1 problems found, 2 wrong usage, 3 could not work.`,
		UsageText: "pipeline doctor",
		Flags:     flags{boolFlag("verbose", "also list what is fine"), jsonFlag()},
		Action:    p.action(runDoctor),
	}
}

func runDoctor(c invocation) error {
	if c.String("config") != "" {
		return usagef("doctor takes no --config: it checks what the hooks will find")
	}
	site := describeSite(c)
	found := doctor.Examine(site)
	return failIf(doctor.CountProblems(found) > 0, c.printResult(map[string]any{"findings": found},
		func() { printDiagnosis(c, found, site.Dir) }))
}

// printDiagnosis prints what is not fine, and last the verdict and the first thing to do. What is
// fine is one line, or all of it if that is asked for. Paths below the working folder are relative.
func printDiagnosis(c invocation, found []doctor.Finding, dir string) {
	shorten := strings.NewReplacer(" "+dir+"/", " ", "'"+dir+"/", "'")
	fine, first := 0, ""
	for _, f := range found {
		if f.Status == doctor.OK && f.Remedy == "" && f.Check != "in force" && !c.Bool("verbose") {
			fine++
			continue
		}
		if first == "" && f.Status == doctor.Problem {
			first = f.Remedy
		}
		word := map[doctor.Status]string{doctor.OK: "ok", doctor.Warning: "warn", doctor.Problem: "FAIL"}[f.Status]
		what := shorten.Replace(visible.Line(" " + f.What))[1:]
		c.printf("%s  %-12s  %s\n", c.paint(padRight(word, 4)), f.Check, what)
		c.detail(strings.Repeat(" ", 20)+"hint: ", f.Remedy)
	}
	if fine > 0 {
		c.printf("%s  %s\n", c.paint(padRight("ok", 4)), visible.Count(fine, "other check")+" (--verbose lists them)")
	}
	if n := doctor.CountProblems(found); n > 0 {
		c.printf("%s\n", c.style(visible.Red, visible.Count(n, "problem")))
	} else {
		c.printf("%s\n", c.style(visible.Green, "no problems"))
	}
	c.detail("first: ", first)
}

// describeSite is the installation as this project's hooks will find it: in the
// environment that the client gives them.
func describeSite(c invocation) doctor.Site {
	w := c.here()
	// Where a client would be started; run has tried it.
	dir, _ := system.EvalSymlinks(w.Dir)
	folder := regexp.MustCompile(`[^a-zA-Z0-9]`).ReplaceAllString(dir, "-") // as the client names it
	managed := claude.ManagedFile(runtime.GOOS)
	client := claude.New(c.surroundings(config.Opened{})).Places().User
	environ := doctor.Environ(dir, client, managed, os.Environ())
	hook := *c.program
	hook.getenv = doctor.Getenv(environ)
	o, openErr := openOrVanished(hook.world(w.Dir, ""))
	root := o.Project.Root
	if o.None || root == "" {
		root = dir
	}
	_, basis := clients.IsNested(os.Getppid()) // what a person's word would rest on in a client that is started here
	in := opened{&hook, o, store(o, 0)}
	site := doctor.Site{
		Root: root, Dir: dir, Client: client, Managed: managed, Standing: listStandings(in),
		Transcripts: system.Join(client, "projects", folder),
		State:       hook.stateFolder(), Self: findProgram(), Version: findVersion(),
		Opened: o, OpenErr: openErr, Store: in.store, Basis: basis, Wants: c.readInstalled,
		Shell: os.Environ(), Environ: environ, Now: time.Now(), Patience: 4 * time.Second,
		Others: listHosts(hook.surroundings(o))[1:]}
	site.FindUnmet = func(h hooks.Installer) (places int, agents []string) {
		draft, _ := config.Read(o.Project, w) // a config that cannot be read is another check's
		if o.Policy != nil {
			for _, f := range findUndefined(o.Policy, h) {
				agents = append(agents, f.Names...)
			}
		}
		return len(listUnmet(draft, h)), agents
	}
	if o.Policy != nil {
		site.Rehearse = func(event string, with map[string]any) (fsm.Decision, error) {
			a, err := rehearse.New(in.rehearsalStage()).Send(event, with)
			return a.Decision, err
		}
	}
	return site
}

// listStandings is what holds for a session that begins now, and for those that run and
// have a lower level or a bypass of their own.
func listStandings(o opened) (all []doctor.Standing) {
	if o.Policy == nil {
		return nil
	}
	quiet := *o.program
	quiet.err = io.Discard // other checks report what cannot be read
	now, err := o.levelInForce(fsm.Session{})
	o.program = &quiet
	for i, l := range append([]standingLevel{now}, o.listOtherLevels(now)...) {
		level, _ := fsm.ParseLevel(l.Level)
		st := doctor.Standing{Session: l.Session, Level: level, Why: describeLevelOrigin(l),
			Remedy: "set level: strict in " + l.Where}
		switch {
		case strings.HasPrefix(l.From, "environment"):
			st.Remedy = "unset " + hooks.EnvLevel + ", also in env of the settings"
		case l.By != "" && l.Session != "":
			st.Remedy = "pipeline mode --clear --session " + l.Session
		case l.By != "":
			st.Remedy = "pipeline mode --clear"
		}
		if i == 0 && err != nil {
			st.Why += "; " + err.Error()
		}
		for _, b := range l.Bypass {
			st.Bypasses = append(st.Bypasses, b.Bypass)
		}
		if i == 0 || st.Level < all[0].Level || len(st.Bypasses) > len(all[0].Bypasses) {
			all = append(all, st)
		}
	}
	return all
}
