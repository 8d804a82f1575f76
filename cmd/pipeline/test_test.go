package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
)

// played runs `pipeline test` in a folder.
func played(t *testing.T, dir string, args ...string) (code int, out string) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "PIPELINE_CONFIG",
		"PIPELINE_LEVEL"} {
		t.Setenv(name, "")
	}
	t.Chdir(dir)
	var both bytes.Buffer
	code = run(append([]string{"pipeline", "test"}, args...), strings.NewReader(""), &both, &both)
	return code, both.String()
}

// project is a folder with the default config and one file of scenarios.
func project(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "configs", "scenarios"), 0o755); err != nil {
		t.Fatal(err)
	}
	config, _ := configs.Preset("default")
	for name, body := range map[string][]byte{"pipeline.yaml": config, "scenarios/x.txt": []byte(text)} {
		if err := os.WriteFile(filepath.Join(dir, "configs", name), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestShippedScenarios plays what is shipped with the presets.
func TestShippedScenarios(t *testing.T) {
	if code, out := played(t, repo(t)); code != 0 || !strings.Contains(out, " 0 failed") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestOlderRules holds us to what a rule system before this one was tested with.
func TestOlderRules(t *testing.T) {
	code, out := played(t, filepath.Join(repo(t), "cmd/pipeline/testdata/rules"), "cases.txt")
	if code != 0 || !strings.HasPrefix(out, "14 scenarios") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestFormat plays the example in the help.
func TestFormat(t *testing.T) {
	_, example, _ := strings.Cut(rehearse.ScenarioFormat, "\n\n")
	example, _, _ = strings.Cut(example, "\n\n")
	if code, out := played(t, project(t, example)); code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestFailures: a step that comes out otherwise is told with all that one needs to find
// out why.
func TestFailures(t *testing.T) {
	for _, c := range []struct{ step, expected, got, by, reason string }{
		{`main  Read(a)                    deny`, "deny", "pass", "read-budget (pipeline.yaml:", ""},
		{`main  Read(plan.json)            pass read-budget`, "pass read-budget", "pass coordination-files",
			"coordination-files (pipeline.yaml:", ""},
		{`main  WebFetch(x)                deny`, "deny", "pass", "default", ""},
		{`main  Write(a)                   pass`, "pass", "deny no-editing", "no-editing (pipeline.yaml:",
			"Write of a is not for"},
		{`main  Write(a)                   deny no-building`, "deny no-building", "deny no-editing", "no-editing",
			"Write of a is not for"},
		{`main  Write(a)                   deny, says "please"`, `says "please"`, `says "Write of a`, "no-editing", ""},
		{`main  Agent(x)                   pass, GATHERING`, "pass, GATHERING", "deny pipeline, IDLE",
			"pipeline (pipeline.yaml:", "may not run"},
		{`x  done "y"                      IDLE -> GATHERING`, "IDLE -> GATHERING", "IDLE -> IDLE", "pipeline",
			"may not run"},
		{`context-gatherer  done ""        GATHERING`, "GATHERING", "IDLE", "", ""},
		{`main  says "hello"               told "nonsense"`, `told "nonsense"`, `told "Context comes`, "", ""},
		{`main  says "hello"               told ""`, `told ""`, `told "Context comes`, "", ""},
		{`main  Write(a)                   says ""`, `says ""`, `says "Write of a`, "no-editing", ""},
		{`reset --to EXECUTING             COMPLETE`, "COMPLETE", "EXECUTING", "", ""},
		{`main  Write(configs/pipeline.yaml)  pass`, "pass", "deny protect", "protect", "Agents may not touch"},
	} {
		code, out := played(t, project(t, "== it\n\n"+c.step))
		want := []string{"x.txt:3: ", "expected  " + c.expected + "\n", "got       " + c.got,
			"1 scenarios, 1 steps, 1 failed"}
		if c.by != "" {
			want = append(want, "by        "+c.by)
		}
		for _, w := range append(want, c.reason) {
			if code != 1 || !strings.Contains(out, w) {
				t.Errorf("%s: exit code %d, expected %q in\n%s", c.step, code, w, out)
			}
		}
	}
}

// TestAllFailuresAreShown: what fails does not end a scenario.
func TestAllFailuresAreShown(t *testing.T) {
	code, out := played(t, project(t, "== a\nmain  Read(x)  deny\nmain  Write(x)  pass\n== b\nmain  Grep(x)  pass\n"))
	if code != 1 || strings.Count(out, "expected") != 3 || !strings.Contains(out, "2 scenarios, 3 steps, 3 failed") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestMisreadings: each has its place and says what was expected.
func TestMisreadings(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`main  Read(a  pass`, `11: found no end of this, expected ) before two blanks`},
		{`main  Read(a) pass`, `11: found no end of this, expected ) before two blanks`},
		{`main  Read(a)  deny no-editing because`, `32: found "because", expected a comma`},
		{`main  Read(a)  deny,`, `21: found the end of the line, expected pass`},
		{`main  Read(a)  "deny"`, `16: found "\"deny\"", expected pass`},
		{`main  Read(a)  told`, `20: found the end of the line, expected a text in double quotes after told`},
		{`main  Read(a)  told 'x'`, `21: found "'x'", expected a text in double quotes after told`},
		{`main  Read(a)  denied`,
			`16: found "denied", expected pass, warn, ask, deny or one of the states IDLE, GATHERING`},
		{`main  Read(a)  IDLE -> GATHERED`, `16: found "GATHERED", expected one of the states IDLE`},
		{`main  Read(a)  IDLE ->`, `23: found "", expected the state it leads to`},
		{`main`, `5: found the end of the line, expected a call`},
		{`main  starts`, `7: found starts of "main"`},
		{`Explore  says "x"`, `10: found says of "Explore"`},
		{`Explore  done`, `14: found the end of the line, expected a text in double quotes after done`},
		{`Explore  done "x" IDLE`, `18: found "IDLE", expected two blanks before what is expected`},
		{`level high`, `7: found "high", expected one of off, observe`},
		{`reset FOO`, `7: found "FOO", expected --to STATE`},
		{`reset --to`, `11: found nothing, expected the state to go to`},
		{`reset --to FOO`, `12: found "FOO", expected one of the states IDLE`},
		{`env FOO`, `5: found "FOO", expected NAME=VALUE`},
		{`mian  Read(a)  pass`, `1: found "mian", expected main`},
		{`levle guidance`, `7: found "guidance", expected a tool, starts`},
		{`context-gatherr  starts`, `1: found "context-gatherr", expected context-gatherer`},
		{`main  Agent(context-gatherr)`, `13: found "context-gatherr", expected context-gatherer`},
		{`main  Raed(a)  pass`, `7: found "Raed", expected Read`},
		{`main  ensd`, `7: found "ensd", expected a tool, starts`},
		{`config x.yaml`, `1: found config here, expected it once and before`},
	} {
		code, out := played(t, project(t, "== ünd so\n"+c.line+"\n"))
		if want := "x.txt:2:" + c.want; code != 1 || !strings.Contains(out, want) ||
			!strings.Contains(out, " 2 | "+c.line) {
			t.Errorf("%s: exit code %d, expected %q in\n%s", c.line, code, want, out)
		}
	}
}

// TestStepOutsideScenario: a step outside a scenario is an error.
func TestStepOutsideScenario(t *testing.T) {
	code, out := played(t, project(t, "main  Read(x)  pass\n"))
	if code != 1 || !strings.Contains(out, "x.txt:1:1: found a step, expected a scenario to begin before it") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestNothingToPlay: a file that plays nothing proves nothing.
func TestNothingToPlay(t *testing.T) {
	for text, want := range map[string]string{
		"":            "x.txt:1:1: found no scenario, expected a line",
		"# nothing\n": "x.txt:1:1: found no scenario",
	} {
		if code, out := played(t, project(t, text)); code != 1 || !strings.Contains(out, want) {
			t.Errorf("%q: exit code %d, expected %q in\n%s", text, code, want, out)
		}
	}
}

// TestRehearsedAgents: an agent of a scenario is the same one from its request to its
// result.
func TestRehearsedAgents(t *testing.T) {
	code, out := played(t, project(t, `
== two of a kind
reset --to EXECUTING
main  Agent(bash-developer)      pass
main  Agent(bash-developer)      pass
bash-developer  starts
bash-developer  starts
bash-developer  done "one"       EXECUTING
main  ends                       EXECUTING
bash-developer  done "two"       EXECUTING
main  ends                       EXECUTING -> COMPLETE

== one in another
reset --to EXECUTING
main  Agent(bash-developer)      pass
bash-developer  starts
bash-developer  Agent(Explore)   pass
Explore  starts
bash-developer  done "early"     EXECUTING
main  ends                       EXECUTING      # its own agent runs still

== woken by a message
context-gatherer  done "found"   GATHERING
main  SendMessage(context-gatherer)  pass
context-gatherer  starts
context-gatherer  done "more"    GATHERING

== taken for one that was started
reset --to EXECUTING
bash-developer  Write(x)         pass
main  ends                       EXECUTING      # it runs still
bash-developer  done "written"   EXECUTING
main  ends                       EXECUTING -> COMPLETE

== from an environment of its own
main  Bash(git push)             ask
env HOME=/nowhere
`))
	if code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
