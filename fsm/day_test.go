package fsm_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// An ordinary day is what a person has the main agent do, turn by turn, with all advice followed.
type ordinaryDay struct {
	*play
	root                   string
	kernel                 string
	calls, refused, misled int
	asked                  []string
	log                    []string
}

// A turn is a prompt and the calls with which the main agent answers it.
type ordinaryTurn struct {
	prompt string
	calls  []fsm.Tool
}

func (d *ordinaryDay) path(name string) string { return d.root + "/" + name }

func (d *ordinaryDay) tool(name, file string) fsm.Tool {
	return fsm.Tool{Name: name, Parts: []fsm.Part{{Tool: name, Path: d.path(file)}}}
}

func (d *ordinaryDay) shell(line string) fsm.Tool {
	out := fsm.Tool{Name: "Bash", Command: line}
	for _, c := range shell.Parse(line, shell.Options{}) {
		part := fsm.CommandPart(c)
		if c.Kind != shell.Command {
			part = fsm.Part{Tool: c.Kind.Tool(), Path: c.Path, Words: c.Words, Groups: c.Groups.Names()}
			if c.Path != shell.Unknown {
				part.Path = d.path(c.Path)
			}
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

func (d *ordinaryDay) turns() []ordinaryTurn {
	plain := func(name string) fsm.Tool { return fsm.Tool{Name: name, Parts: []fsm.Part{{Tool: name}}} }
	plan := plain("ExitPlanMode")
	plan.Plan, plan.Planned = "1. change a.c and b.c", true
	start := func(agent string) fsm.Tool { return agentTool(agent, "") }
	edit := func(file string) fsm.Tool { return d.tool("Edit", file) }
	return []ordinaryTurn{
		{"what is this?", []fsm.Tool{d.tool("Read", "README.md"), d.shell("git log --oneline")}},
		{"where is it parsed?", []fsm.Tool{d.tool("Grep", "src"), d.tool("Read", "a.c")}},
		{"fix the typo in README.md", []fsm.Tool{edit("README.md")}},
		{"plan and build the feature", []fsm.Tool{plain("EnterPlanMode"), start("Explore"), plan,
			start("c-developer")}},
		{"do the tests pass?", []fsm.Tool{d.shell("make test")}},
		{"what has changed?", []fsm.Tool{d.shell("git status --short && git diff")}},
		{"commit it", []fsm.Tool{d.shell(`git add -A && git commit -m "feature"`)}},
		{"make a branch", []fsm.Tool{d.shell("git switch -c topic")}},
		{"push it", []fsm.Tool{d.shell("git push -u origin topic")}},
		{"what is the newest version?", []fsm.Tool{plain("WebSearch")}},
		{"have a team look at it", []fsm.Tool{start("Explore"), start("general-purpose"), start("Plan")}},
		{"write down what we decided", []fsm.Tool{d.tool("Write", "NOTES.md")}},
		{"thanks; where is main?", []fsm.Tool{d.tool("Read", "b.c")}},
	}
}

// request makes a call of an agent, and its result where it passes or the person agrees.
func (d *ordinaryDay) request(by fsm.Agent, tool fsm.Tool) fsm.Decision {
	d.calls++
	tool.UseID = fmt.Sprint("u", d.calls)
	e := fsm.Event{Kind: fsm.ToolRequest, Agent: by, Tool: tool,
		Facts: fsm.Facts{Agents: hostAgents(), Kernel: d.kernel}}
	answer := d.do(e).d
	if answer.Verdict == fsm.Ask {
		d.asked = append(d.asked, tool.Command+tool.Name+" by "+by.Type)
	}
	if answer.Verdict < fsm.Deny && tool.Starts == nil {
		e.Kind = fsm.ToolResult
		d.do(e)
	}
	return answer
}

var startsNext = regexp.MustCompile(`[Ss]tart(?: one of:| the) ([a-zA-Z-]+)`)

// work has the main agent make a call, and follow what it reads when that is refused.
func (d *ordinaryDay) work(turn string, tool fsm.Tool) {
	if tool.Starts != nil {
		d.start(turn, tool.Starts.Type, nil)
		return
	}
	answer := d.request(main(), tool)
	if answer.Verdict != fsm.Deny {
		return
	}
	d.refused++
	d.log = append(d.log, fmt.Sprintf("%s: %s", turn, answer.Reason))
	if agent := answer.Proposed; agent != "" {
		before := d.refused
		if d.start(turn, agent, &tool); d.refused > before {
			d.misled++
		}
	}
}

// start starts an agent, which does the work if it may in this state, and follows the machine to the next.
func (d *ordinaryDay) start(turn, agent string, wanted *fsm.Tool) {
	answer := d.request(main(), agentTool(agent, ""))
	if answer.Verdict >= fsm.Deny {
		d.refused++
		d.log = append(d.log, fmt.Sprintf("%s: %s", turn, answer.Reason))
		if next := startsNext.FindStringSubmatch(answer.Reason); next != nil && next[1] != agent {
			before := d.refused
			if d.start(turn, next[1], wanted); d.refused > before {
				d.misled++
			}
		}
		return
	}
	id, use := fmt.Sprint("a", d.calls), fmt.Sprint("u", d.calls)
	d.starts(id, agent)
	leads := strings.HasPrefix(agent, "context-") || agent == "strategic-orchestrator"
	if wanted != nil && !leads {
		if answer := d.request(sub(id, agent), *wanted); answer.Verdict == fsm.Deny {
			d.refused++
			d.misled++
			d.log = append(d.log, fmt.Sprintf("%s: %s: %s", turn, agent, answer.Reason))
		}
	}
	d.stops(id, agent, "done")
	d.result(agent, use, id)
	if next := startsNext.FindStringSubmatch(d.d.Inject); leads && next != nil {
		d.start(turn, next[1], wanted)
	} else if leads && wanted != nil && strings.Contains(d.d.Inject, "Give each part") {
		d.start(turn, "c-developer", wanted)
	}
}

// TestDay plays an ordinary day in every preset, with and without a kernel that confines. What can be undone
// is not refused in everyday; each push asks; no advice leads to a second refusal.
func TestDay(t *testing.T) {
	most := map[string]int{"presets/everyday.yaml": 2, "pipeline.yaml": 8}
	for _, preset := range shippedConfigs {
		for _, kernel := range []string{"", "landlock"} {
			p := *shipped(t, preset)
			root, err := filepath.Abs(filepath.Dir(filepath.Join("..", "configs", preset)))
			if err != nil {
				t.Fatal(err)
			}
			p.Level = fsm.Strict
			d := &ordinaryDay{play: begin(t, &p), root: root, kernel: kernel}
			for i, turn := range d.turns() {
				d.do(fsm.Event{Kind: fsm.Prompt, Origin: fsm.Person, Prompt: fmt.Sprint("p", i), Text: turn.prompt})
				for _, call := range turn.calls {
					d.work(turn.prompt, call)
				}
				d.do(fsm.Event{Kind: fsm.TurnStop})
			}
			t.Logf("%-28s kernel %-9q refused %2d, misled %d, asked %q", preset, kernel, d.refused, d.misled, d.asked)
			for _, line := range d.log {
				t.Log("    ", line)
			}
			bound, bounded := most[preset]
			if bounded && d.refused > bound {
				t.Errorf("%s refuses %d times, at most %d are expected", preset, d.refused, bound)
			}
			if d.misled > 0 {
				t.Errorf("%s: %d pieces of advice led to another refusal", preset, d.misled)
			}
			if !strings.Contains(strings.Join(d.asked, " "), "git push") {
				t.Errorf("%s: the push went out unseen, or was refused", preset)
			}
		}
	}
}
