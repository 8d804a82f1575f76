package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v3"
)

// An action is what action.yml says of it.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Shell, Run       string
			WorkingDirectory string `yaml:"working-directory"`
			Env              map[string]string
		}
	}
}

// runAction plays the runner of the GitHub Action: `action INPUT=VALUE…`. The base branch is
// $GITHUB_BASE_REF, as in a pull request, and the event lies in event.json.
func runAction(ts *testscript.TestScript, neg bool, args []string) {
	root := filepath.Dir(ts.Getenv("CONFIGS"))
	body, err := os.ReadFile(filepath.Join(root, "action.yml"))
	ts.Check(err)
	var a action
	ts.Check(yaml.Unmarshal(body, &a))
	values := map[string]string{"github.token": "token-of-the-job", "github.base_ref": ts.Getenv("GITHUB_BASE_REF")}
	for name, input := range a.Inputs {
		values["inputs."+name] = input.Default
	}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		if _, ok := a.Inputs[name]; !ok {
			ts.Fatalf("the action has no input %q", name)
		}
		values["inputs."+name] = value
	}
	if event, err := os.ReadFile(ts.MkAbs("event.json")); err == nil {
		values["github.event.pull_request.number"] = gjson.GetBytes(event, "pull_request.number").String()
	}
	var fill func(string) string
	fill = func(text string) string {
		return regexp.MustCompile(`\$\{\{ *([^ }]+) *\}\}`).ReplaceAllStringFunc(text, func(e string) string {
			value, ok := values[strings.Trim(e, "${} ")]
			if !ok && !strings.Contains(e, "github.event.") {
				ts.Fatalf("the action has no value for %s", e)
			}
			return fill(value)
		})
	}
	var failed error
	for _, step := range a.Runs.Steps {
		command := []string{"-C", ts.MkAbs(fill(step.WorkingDirectory)), "GITHUB_ACTION_PATH=" + root,
			"GITHUB_WORKSPACE=" + ts.MkAbs("."), "GITHUB_PATH=" + ts.MkAbs("path"),
			"GITHUB_OUTPUT=" + ts.MkAbs("output"),
			"GITHUB_STEP_SUMMARY=" + ts.MkAbs("summary.md"), "GITHUB_EVENT_PATH=" + ts.MkAbs("event.json"),
			"RUNNER_TEMP=" + ts.MkAbs("tmp")}
		for name, value := range step.Env {
			command = append(command, name+"="+fill(value))
		}
		command = append(command, step.Shell, "--noprofile", "--norc", "-eo", "pipefail", "-c", fill(step.Run))
		if failed = ts.Exec("env", command...); failed != nil {
			break
		}
	}
	if (failed != nil) != neg {
		ts.Fatalf("the action ended with %v", failed)
	}
}
