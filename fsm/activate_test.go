package fsm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

func starts(present string) fsm.Event {
	return fsm.Event{Kind: fsm.SessionStart, Source: "startup", Facts: fsm.Facts{Present: present}}
}

func skill(kind fsm.Kind, by fsm.Agent, name string) fsm.Event {
	return fsm.Event{Kind: kind, Agent: by, Tool: fsm.Tool{Name: "Skill", UseID: "k", Skill: name,
		Parts: []fsm.Part{{Tool: "Skill"}}}}
}

// TestActivation: by what, in which session, and by what not.
func TestActivation(t *testing.T) {
	for name, c := range map[string]struct {
		e    fsm.Event
		want string
	}{
		"a file":               {starts("x/feature.json"), "switched on by the file x/feature.json"},
		"no file":              {starts(""), ""},
		"a skill":              {skill(fsm.ToolRequest, main(), "orchestrator"), "switched on by the skill or command orchestrator"},
		"a plugin's skill":     {skill(fsm.ToolRequest, main(), "plug:orchestrator"), "switched on by the skill or command plug:orchestrator"},
		"a skill typed":        {skill(fsm.PromptExpansion, main(), "orchestrator"), "switched on by the skill or command orchestrator"},
		"a skill in a prompt":  {skill(fsm.Prompt, main(), "orchestrator"), "switched on by the skill or command orchestrator"},
		"an agent's prompt":    {skill(fsm.Prompt, sub("a", "x"), "orchestrator"), ""},
		"a command":            {skill(fsm.PromptExpansion, main(), "go-on"), "switched on by the skill or command go-on"},
		"another skill":        {skill(fsm.ToolRequest, main(), "orchestrators"), ""},
		"a subagent's skill":   {skill(fsm.ToolRequest, sub("a", "x"), "orchestrator"), ""},
		"what a skill came to": {skill(fsm.ToolResult, main(), "orchestrator"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			pl := begin(t, noWriting(fsm.Off)).do(c.e)
			if c.want == "" {
				pl.judgedBy(fsm.Off).uses(main(), "Write").passes()
				return
			}
			pl.noted(c.want).judgedBy(fsm.Strict).uses(main(), "Write").denied("no-writing")
		})
	}
}

// TestActivationByFilesEnds when a session starts without them; by a skill it lasts as long as the session.
func TestActivationByFilesEnds(t *testing.T) {
	pl := begin(t, noWriting(fsm.Guidance)).do(starts("x")).judgedBy(fsm.Strict).uses(main(),
		"Write").denied("no-writing")
	if pl.do(starts("x")).judgedBy(fsm.Strict); slices.ContainsFunc(pl.d.Notes,
		func(n string) bool { return strings.Contains(n, "switched") }) {
		t.Errorf("the file is still there: %q", pl.d.Notes)
	}
	pl.do(starts("")).noted("switched off again").judgedBy(fsm.Guidance).uses(main(), "Write").gets(fsm.Warn,
		"no-writing")
	pl.do(skill(fsm.ToolRequest, main(), "orchestrator")).do(skill(fsm.ToolRequest, main(), "orchestrator"))
	if len(pl.d.Notes) > 0 {
		t.Errorf("switched on already: %q", pl.d.Notes)
	}
	pl.do(starts("")).judgedBy(fsm.Strict)
	pl.do(starts("x")).do(starts("")).judgedBy(fsm.Strict).uses(main(), "Write").denied("no-writing")
}

// TestActivationYields to a person, who has switched it off or set a level.
func TestActivationYields(t *testing.T) {
	for _, e := range []fsm.Event{starts("x"), skill(fsm.ToolRequest, main(), "orchestrator"),
		skill(fsm.PromptExpansion, main(), "go-on")} {
		for mode, want := range map[string]fsm.Level{"off": fsm.Off, "observe": fsm.Observe, "guidance": fsm.Guidance} {
			pl := begin(t, noWriting(fsm.Off)).ordered(mode).do(e).judgedBy(want)
			if pl.uses(main(), "Write"); pl.d.Level != want || pl.d.Verdict > fsm.Warn {
				t.Errorf("%s by a person, then %s: %s, level %s", mode, e.Kind, pl.d.Verdict, pl.d.Level)
			}
		}
	}
}

// TestActivationIsNeverLenient: a level that is stricter than the one it switches to stays.
func TestActivationIsNeverLenient(t *testing.T) {
	p := noWriting(fsm.AskFirst)
	p.Activate.Level = fsm.Guidance
	begin(t, p).do(starts("x")).judgedBy(fsm.AskFirst).uses(main(), "Write").gets(fsm.Ask, "no-writing")
}

// TestActivates: a policy that is off has to look only where something may switch it on, and asks for files only then.
func TestActivates(t *testing.T) {
	p := noWriting(fsm.Off)
	for _, c := range []struct {
		e    fsm.Event
		want bool
	}{
		{starts(""), true}, {skill(fsm.ToolRequest, main(), "orchestrator"), true}, {skill(fsm.ToolRequest, main(), "other"), false},
		{fsm.Event{Kind: fsm.Prompt}, false}, {skill(fsm.ToolRequest, sub("a", "x"), "orchestrator"), false},
	} {
		if got := p.CanActivate(c.e); got != c.want {
			t.Errorf("%s %q: %v", c.e.Kind, c.e.Tool.Skill, got)
		}
	}
	if p.Activate.When = nil; p.CanActivate(starts("")) ||
		p.IsNeeded(fsm.NeedPresent, fsm.Session{}, starts("")) {
		t.Error("it looks for files that it does not name")
	}
}
