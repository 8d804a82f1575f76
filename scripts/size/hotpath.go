package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

const (
	module = "github.com/agent-pipeline/pipeline"
	tags   = "urfave_cli_no_docs,urfave_cli_no_suggest"
)

// addHotPath counts what runs at one warm hook call: functions, files and packages. How often a call changes from
// package to package is not counted: coverage does not know who calls whom.
func addHotPath(root string, t table) error {
	binary, err := filepath.Abs(filepath.Join(root, "bin", "covered", "pipeline"))
	if err != nil {
		return err
	}
	// Without the state of the checkout: the key of a kept policy is another one where it has changes.
	build := exec.Command("go", "build", "-buildvcs=false", "-cover", "-coverpkg=./...", "-tags", tags,
		"-o", binary, "./cmd/pipeline")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build with coverage: %w\n%s", err, out)
	}
	dir, err := os.MkdirTemp("", "pipeline-size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := playCall(binary, dir); err != nil {
		return err
	}
	report := exec.Command("go", "tool", "covdata", "func", "-i="+filepath.Join(dir, "covered"))
	report.Dir = root
	out, err := report.CombinedOutput()
	if err != nil {
		return fmt.Errorf("read the coverage: %w\n%s", err, out)
	}
	return t.addCovered(string(out))
}

// playCall begins a session in a project of its own, and notes what the last of its calls covers.
func playCall(binary, dir string) error {
	project, home := filepath.Join(dir, "project"), filepath.Join(dir, "home")
	var errs []error
	for _, name := range []string{project, home, filepath.Join(dir, "ignored"), filepath.Join(dir, "covered")} {
		errs = append(errs, os.Mkdir(name, 0o700))
	}
	call := func(into, input string, args ...string) {
		c := exec.Command(binary, args...)
		c.Dir = project
		c.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"size","transcript_path":%q,"cwd":%q,`+
			`"permission_mode":"default",%s}`, filepath.Join(home, "size.jsonl"), project, input))
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state"),
			"XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "LANG=C.UTF-8", "CLAUDECODE=1",
			"CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR=" + project, "GOCOVERDIR=" + filepath.Join(dir, into)}
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Run(); err != nil || args[0] == "hook" && stderr.Len() > 0 {
			errs = append(errs, fmt.Errorf("pipeline %s: %v %s", strings.Join(args, " "), err, &stderr))
		}
	}
	hook := func(into, event, name, fields string) {
		call(into, fmt.Sprintf(`"hook_event_name":%q,%s`, name, fields), "hook", "--host", "claude", event)
	}
	bash := func(into, use string) {
		hook(into, "pre-tool-use", "PreToolUse",
			`"tool_name":"Bash","tool_input":{"command":"git status"},"tool_use_id":"`+use+`"`)
	}
	call("ignored", `"a":0`, "init", "--preset", "default", "--yes")
	hook("ignored", "session-start", "SessionStart", `"source":"startup"`)
	hook("ignored", "user-prompt-submit", "UserPromptSubmit", `"prompt":"add a flag to the installer"`)
	bash("ignored", "toolu_1")
	bash("covered", "toolu_2")
	return errors.Join(errs...)
}

// addCovered adds the functions of which something has run, by what `go tool covdata func` prints: a place, a name
// and a share.
func (t table) addCovered(report string) error {
	seen := map[string]bool{}
	for line := range strings.Lines(report) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[2] == "0.0%" || !strings.HasPrefix(line, module+"/") {
			continue
		}
		file, _, _ := strings.Cut(strings.TrimPrefix(fields[0], module+"/"), ":")
		folder := path.Dir(file)
		r := t[folder]
		r[2]++
		for i, name := range []string{file, folder} {
			if !seen[name] {
				seen[name] = true
				r[3+i]++
			}
		}
		t[folder] = r
	}
	if len(seen) == 0 {
		return errors.New("the call covers nothing")
	}
	return nil
}
