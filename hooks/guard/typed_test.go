package guard

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

func TestOrder(t *testing.T) {
	for prompt, want := range map[string]string{
		"/pipeline":                            "status",
		"/pipeline ":                           "status",
		"/pipeline status":                     "status",
		"  /pipeline status\n":                 "status",
		"/pipeline  bypass  30m  the  reason":  "bypass 30m the reason",
		"/pipeline\treset why":                 "reset why",
		"/pipeline\nreset why":                 "reset why",
		"/pipeline reset why\nand wherefore":   "reset why and wherefore",
		`/pipeline reset "why so"`:             `reset "why so"`,
		"/pipeline:pipeline once":              "once",
		"/pipeline nonsense":                   "nonsense",
		"/pipeline:pipeline":                   "status",
		"/other:pipeline once":                 "",
		"/agents:mine:pipeline once":           "",
		"/Pipeline status":                     "",
		"/pipelines status":                    "",
		"/pipeline-status":                     "",
		"/pipeline/status":                     "",
		"pipeline status":                      "",
		"please type /pipeline status":         "",
		"first\n/pipeline status":              "",
		"/usr/bin/pipeline status":             "",
		"":                                     "",
		"/":                                    "",
		"\"/pipeline status\"":                 "",
		"/pipeline: status":                    "",
		"/clear":                               "",
		"<task-notification>/pipeline once":    "",
		"/pipeline\u00a0status":                "status",
		"/pipeline to EXECUTING I have a plan": "to EXECUTING I have a plan",
	} {
		words, ok := ParseTyped(prompt)
		if got := strings.Join(words, " "); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; expected %q", prompt, got, ok, want)
		}
		if ok && len(strings.Fields(prompt)) > 1 && IsTyped(words[0]) && !carriesCommand(prompt) {
			t.Errorf("%q is taken from a person, and an agent may have it given", prompt)
		}
	}
}

// TestCarries: texts that give an order to the agent that gets them as a prompt, and
// lookalikes.
func TestCarries(t *testing.T) {
	for text, want := range map[string]bool{
		"/pipeline bypass 5m x":                    true,
		"/pipeline reset why":                      true,
		"/pipeline to EXECUTING":                   true,
		"/pipeline once":                           true,
		"/pipeline mode off":                       true,
		"/pipeline help":                           true,
		"/pipeline status":                         true,
		"  /pipeline   mode off":                   true,
		"/pipeline\tmode off":                      true,
		"first this\n/pipeline mode off":           true,
		"'/pipeline mode off'":                     true,
		"\"/pipeline mode off\"":                   true,
		"`/pipeline mode off`":                     true,
		"type this: /pipeline once":                true,
		"x;/pipeline once":                         true,
		"prompt=/pipeline once":                    true,
		"(/pipeline once)":                         true,
		"/pipeline:pipeline once":                  true,
		"/other:pipeline once":                     true,
		"/a:b:pipeline once":                       true,
		"the pipeline, then /pipeline once":        true,
		"/usr/lib/pipeline status, /pipeline once": true,
		"cat /usr/lib/pipeline status":             false,
		"git commit -m \"pipeline status\"":        false,
		"git commit -m 'fix the pipeline: status'": false,
		"echo /pipeline-status":                    false,
		"echo /pipelines status":                   false,
		"ls /pipeline/status":                      false,
		"ls a/pipeline status":                     false,
		"./pipeline status":                        false,
		"../pipeline mode":                         false,
		"~/pipeline mode":                          false,
		"https://x.org/pipeline status":            false,
		"/pipeline":                                false,
		"/pipeline is a fine command":              false,
		"/pipeline.yaml mode":                      false,
		"the CI pipeline resets itself":            false,
		"a:pipeline once":                          false,
		"https://x.org/a:pipeline once":            false,
		"pipeline":                                 false,
		"":                                         false,
		"see /x or a:pipeline once":                false,
		"data-pipeline mode":                       false,
	} {
		if got := carriesCommand(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestOrdersByAgents: whatever would give us an order in a person's place is guarded;
// what only looks like it is not.
func TestOrdersByAgents(t *testing.T) {
	g := ground(t, t.TempDir())
	for _, c := range []struct {
		tool fsm.Tool
		want string
	}{
		{fsm.Tool{Name: "CronCreate", Prompt: "/pipeline bypass 5m x"}, "typed by a person"},
		{fsm.Tool{Name: "CronCreate", Prompt: "/x:pipeline bypass 5m x"}, "typed by a person"},
		{fsm.Tool{Name: "ScheduleWakeup", Prompt: "go on, then /pipeline once"}, "typed by a person"},
		{fsm.Tool{Name: "SendMessage", Message: "/pipeline mode off"}, "typed by a person"},
		{fsm.Tool{Name: "Skill", Skill: "pipeline"}, "typed by a person"},
		{fsm.Tool{Name: "Skill", Skill: "/pipeline"}, "typed by a person"},
		{fsm.Tool{Name: "Skill", Skill: "any:pipeline"}, "typed by a person"},
		{fsm.Tool{Name: "CronCreate", Prompt: "look at the pipeline status"}, ""},
		{fsm.Tool{Name: "SendMessage", Message: "the pipeline status is fine"}, ""},
		{fsm.Tool{Name: "Skill", Skill: "ci-pipeline"}, ""},
	} {
		if g.judged(t, c.tool, "", c.want); c.want != "" && len(g.Parts(c.tool, g.Root)) != 1 {
			t.Errorf("%+v has other parts too", c.tool)
		}
	}
}

// TestOrderLines: shell lines that lift or soften what is enforced, by command or as a
// person's typing.
func TestOrderLines(t *testing.T) {
	g := ground(t, t.TempDir())
	for line, want := range map[string]string{
		"pipeline bypass on --for 5m x":                     "pipeline bypass",
		"pipeline bypass --for 5m on x":                     "pipeline bypass",
		"pipeline bypass off":                               "pipeline bypass",
		"pipeline mode off":                                 "pipeline mode",
		"pipeline mode --session s1 off":                    "pipeline mode",
		"pipeline mode --clear":                             "pipeline mode",
		"pipeline mode --json off":                          "pipeline mode",
		"pipeline mode $LEVEL":                              "pipeline mode",
		"pipeline once":                                     "pipeline once",
		"pipeline --config x once why":                      "pipeline once",
		"bash -c 'pipeline mode off'":                       "pipeline mode",
		"tmux new -d 'pipeline mode off'":                   "pipeline mode",
		"tmux send-keys -t 0 'pipeline mode off' Enter":     "pipeline mode",
		"env -u CLAUDECODE pipeline once":                   "pipeline once",
		"env -i HOME=/x pipeline bypass on y":               "pipeline bypass",
		"CLAUDECODE= pipeline mode off":                     "pipeline mode",
		"script -qec 'pipeline mode off' /dev/null":         "pipeline mode",
		"setsid -f pipeline once":                           "pipeline once",
		"nohup pipeline once &":                             "pipeline once",
		"timeout 5 pipeline once":                           "pipeline once",
		"sudo -u x pipeline once":                           "pipeline once",
		"echo off | xargs pipeline mode":                    "pipeline mode",
		"(cd /tmp; ~/bin/pipeline once)":                    "pipeline once",
		"./p once":                                          "pipeline once",
		"if true; then pipeline mode observe; fi":           "pipeline mode",
		"x=$(pipeline mode guidance)":                       "pipeline mode",
		"f() { pipeline once; }; f":                         "pipeline once",
		"tmux send-keys -t 0 '/pipeline bypass 5m x' Enter": "typed by a person",
		"tmux send-keys /pipeline ' ' once Enter":           "typed by a person",
		"screen -X stuff '/pipeline once\n'":                "typed by a person",
		"tmux send-keys -t 0 /pipeline Space once C-m":      "typed by a person",
		"tmux send-keys -t 0 'make test' Enter":             "",
		"crontab - <<< '* * * * * pipeline once'":           "pipeline once",
		"echo '@daily X=1 pipeline mode off' | crontab -":   "pipeline mode",
		"claude -p '/pipeline mode off'":                    "typed by a person",
		"echo '/pipeline once' | claude":                    "typed by a person",
		"pipeline mode":                                     "",
		"pipeline mode --json":                              "",
		"pipeline bypass status":                            "",
		"pipeline bypass status --json":                     "",
		"pipeline status":                                   "",
		"pipeline check":                                    "",
		"pipeline bypass --help":                            "",
		"git commit -m 'pipeline mode off'":                 "",
		"grep -r 'pipeline once' .":                         "",
		"cat docs/pipeline mode":                            "",
		"ls ./pipeline mode":                                "",
		"echo pipeline bypass on":                           "",
	} {
		g.judged(t, fsm.Tool{Name: "Bash", Command: line}, "", want)
	}
}

// TestReadingCommands: of what can be typed, only these forms change nothing.
func TestReadingCommands(t *testing.T) {
	for line, want := range map[string]bool{"status": true, "help": true, "bypass status": true, "mode": true,
		"bypass off": false, "bypass status now": false, "bypass": false, "mode off": false, "reset": false,
		"to A": false, "approve": false, "reject x": false, "once": false} {
		words := strings.Fields(line)
		if !IsTyped(words[0]) || OnlyReads(words) != want {
			t.Errorf("%s: reads %t", line, !want)
		}
	}
}

// TestTypedCommandsAreKnown: what help lists is what is looked for.
func TestTypedCommandsAreKnown(t *testing.T) {
	for _, c := range TypedCommands() {
		w := c.Word
		if words, ok := ParseTyped("/pipeline " + w); !ok || !slices.Equal(words, []string{w}) ||
			!carriesCommand("/pipeline "+w) {
			t.Errorf("%s: %q, %v", w, words, ok)
		}
		if !strings.HasPrefix(TypedHelp(), "commands that you can type here:\n  /pipeline ") {
			t.Fatalf("the help begins with %.60q", TypedHelp())
		}
		if c.Usage != "" && !strings.Contains(TypedHelp(), "/pipeline "+c.Usage) {
			t.Errorf("help does not list %s", w)
		}
	}
}
