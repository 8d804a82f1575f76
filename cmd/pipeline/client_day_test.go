package main

import (
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
)

// A day is an ordinary one with the real client: questions, a typo, a feature, tests, commit, branch, push,
// a team of agents, notes. What a refusal advises is done to the letter, until the work is made.
type day struct {
	*hour
	isBusy   bool // a refusal's advice is being followed
	builders string
}

// advice is who is to start next: in a refusal, and in what a state says of the step to come.
var (
	refusal = regexp.MustCompile(`is not for the main agent \(rule|may not run \(it may in|is refused again|may not run`)
	advice  = regexp.MustCompile(`(?:Agent\(subagent_type="|the next step is |[Ss]tart(?: one of:| the) )([\w-]+)`)
	parts   = regexp.MustCompile(`Give each part to the agent for it \(([^)]*)\)`)
)

// next makes the turn that is due. After a refusal it starts whom that names, and then whom the states name,
// until an agent has built something.
func (d *day) next(r *e2e.Request) e2e.Turn {
	if strings.Contains(r.New, "Async agent launched") {
		return e2e.Text("I wait for it.")
	}
	if refusal.MatchString(r.New) {
		d.isBusy = true
	}
	if d.isBusy {
		if found := parts.FindStringSubmatch(r.New); found != nil {
			d.isBusy = false
			return d.start(d.builders)
		}
		if found := advice.FindStringSubmatch(r.New); found != nil {
			d.isBusy = !strings.Contains(found[0], "Agent(") // who is delegated to does the work
			return d.start(found[1])
		}
		d.isBusy = false
	}
	return d.hour.next(r)
}

// ask is one prompt. The person agrees to what the client asks.
func (d *day) ask(prompt string, turns ...e2e.Turn) {
	d.t.Helper()
	answer := "That was " + prompt + "."
	d.mu.Lock()
	d.todo = append(turns, e2e.Text(answer))
	d.mu.Unlock()
	d.window.Say(prompt)
	looked := 0
	d.window.Until("answer "+prompt, func() bool {
		screen := d.window.Screen()
		if looked++; looked%20 == 0 && strings.Contains(screen, "Do you want to proceed?") {
			d.window.Press("Enter") // yes
		}
		return strings.Contains(screen, "● "+answer)
	})
}

func (d *day) live() {
	d.ask("the question", d.read(d.source), sh("git log --oneline | head -3"))
	d.ask("the search", sh("grep -rn totl . | head"))
	d.ask("the typo", d.fix())
	d.ask("the feature", d.start("strategic-orchestrator"), d.start(d.builders))
	d.ask("the test", sh("make test"))
	d.ask("the state", sh("git status --short && git diff | head"))
	d.ask("the commit", sh("git add -A && git commit -qm feature"))
	d.ask("the branch", sh("git switch -qc topic"))
	d.ask("the push", sh("git push -q origin topic"))
	d.ask("the team", e2e.Together(d.start("Explore"), d.start("general-purpose"), d.start("Plan")))
	d.ask("the notes", d.create("NOTES.md"))
	d.ask("the end", d.read(d.source))
}

// count reads from the records what was refused and asked of the main agent, and what an advised start met.
func (d *day) count() (refused, asked []string, misled int) {
	advised := ""
	for _, r := range d.onlyRecords() {
		if r.Event.Kind != fsm.ToolRequest || r.Event.Agent.ID != "" {
			continue
		}
		what := r.Event.Tool.Name
		for _, p := range r.Event.Tool.Parts {
			what += " " + strings.Join(p.Words, " ") + p.Path
		}
		isAdvised := advised != "" && r.Event.Tool.Starts != nil && r.Event.Tool.Starts.Type == advised
		advised = ""
		switch r.Verdict {
		case fsm.Deny.String():
			refused = append(refused, fmt.Sprintf("%s by %s: %s", what, r.Rule, r.Reason))
			if isAdvised {
				misled++
			}
			if found := advice.FindStringSubmatch(r.Reason); found != nil {
				advised = found[1]
			}
		case fsm.Ask.String():
			asked = append(asked, what)
		}
	}
	return refused, asked, misled
}

// TestClientDay: in an ordinary day few calls are refused, no advice leads to a second refusal, and a push
// asks the person.
func TestClientDay(t *testing.T) {
	agent := func(name string) string {
		return "---\nname: " + name + "\ndescription: the " + name + " of the project\n---\nWork.\n"
	}
	projects := map[string]trial{
		"python with agents": {source: "shop.py",
			files: map[string]string{"shop.py": "totl = 1\n", "pyproject.toml": "[project]\n",
				".claude/agents/python-coder.md": agent("python-coder")}},
		"typescript": {source: "src/shop.ts", files: map[string]string{"package.json": "{}\n", "tsconfig.json": "{}\n",
			"src/shop.ts": "export const totl = 1\n"}},
		"notes": {source: "ideas.md", files: map[string]string{"ideas.md": "# totl\n", "README.md": "notes\n"}},
	}
	for preset, most := range map[string]int{"everyday": 2, "default": 8, "orchestrating": 8, "orchestrator": 8,
		"delegation": 10, "boundary": 4,
		"guided": 0} {
		for name, project := range projects {
			if preset != "everyday" && preset != "default" && name != "typescript" {
				continue
			}
			t.Run(preset+"/"+name, func(t *testing.T) {
				t.Parallel()
				project.init = []string{"--preset", preset}
				project.files = maps.Clone(project.files)
				project.files["Makefile"] = "test:\n\t@echo all pass\n"
				d := &day{hour: newHour(t, project), builders: "developer"}
				if name == "python with agents" {
					d.builders = "python-coder"
				}
				d.main = d.next
				d.share(t)
				d.window = d.Open(t, e2e.Latest, d.hour.Model, e2e.Allow(everything))
				d.live()
				d.window.Close()
				refused, asked, misled := d.count()
				t.Logf("%s: %d refused, %d misled, asked %q\n%s", t.Name(), len(refused), misled, asked,
					strings.Join(refused, "\n"))
				if len(refused) > most || misled > 0 {
					t.Errorf("%d refused, at most %d expected; %d of them on advice", len(refused), most, misled)
				}
				if preset == "guided" { // it is off until a skill switches it on
					asked = append(asked, "git push")
				}
				if len(asked) != 1 || !strings.Contains(asked[0], "git push") {
					t.Errorf("asked about %q, expected one push", asked)
				}
				if what := strings.Join(refused, "\n"); preset == "everyday" &&
					regexp.MustCompile(`Edit|git commit|git switch`).MatchString(what) {
					t.Errorf("a typo, a commit or a branch is refused:\n%s", what)
				}
			})
		}
	}
}

// share gives the project a first commit and a repository to push to.
func (d *day) share(t *testing.T) {
	t.Helper()
	origin := d.Home + "/origin.git"
	for _, args := range [][]string{{"init", "-q", "--bare", origin}, {"-C", d.Dir, "remote", "add", "origin", origin},
		{"-C", d.Dir, "config", "user.name", "A Person"}, {"-C", d.Dir, "config", "user.email", "a@example.org"},
		{"-C", d.Dir, "add", "-A"}, {"-C", d.Dir, "commit", "-qm", "begin"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}
