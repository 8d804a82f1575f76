package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// roundTrip makes a project on drive C: with the default config, registers the hooks, and
// calls them as the client does.
func (w *wine) roundTrip() error {
	drive := filepath.Join(w.bin, "prefix/drive_c")
	project := filepath.Join(drive, "proj")
	if err := os.MkdirAll(filepath.Join(project, ".git"), 0o755); err != nil {
		return err
	}
	p := trip{w: w, dir: project}
	p.expect("a policy", "configs", "init")
	p.expect("its hooks", "settings", "install")
	settings, err := os.ReadFile(filepath.Join(project, ".claude/settings.local.json"))
	if err != nil {
		settings, err = os.ReadFile(filepath.Join(project, ".claude/settings.json"))
	}
	args := regexp.MustCompile(`"args": \[[^]]*\\[^]]*\]`)
	if err != nil || !strings.Contains(string(settings), `\\pipeline.exe",`) || args.Match(settings) {
		p.errs = append(p.errs, fmt.Errorf("the binary's path is not in `command` alone: %w\n%s", err, settings))
	}
	p.hook("a session", "", "session-start", `{"hook_event_name":"SessionStart","source":"startup"}`)
	for tool, input := range map[string]string{
		"Write": `{"file_path":"C:\\PROJ\\Configs\\PIPELINE.yaml","content":"x"}`,
		"Edit":  `{"file_path":"/c/proj/configs/pipeline.yaml","old_string":"a","new_string":"b"}`,
	} {
		p.hook("the config", `"deny"`, "pre-tool-use", call(tool, input))
	}
	for _, line := range []string{"echo x > /c/proj/configs/pipeline.yaml", "rm CONFIGS/pipeline.yaml",
		"pipeline.exe reset because", "PIPELINE mode off", "/c/windows/../proj/../proj/pipeline.exe bypass on 1h x",
		`powershell -c \"Set-Content configs\\\\pipeline.yaml x\"`, `cmd //c \"echo x > configs\\\\pipeline.yaml\"`} {
		p.hook(line, `"deny"`, "pre-tool-use", call("Bash", `{"command":"`+line+`"}`))
	}
	p.hook("PowerShell", `"deny"`, "pre-tool-use", call("PowerShell",
		`{"command":"Set-Content configs\\pipeline.yaml 'level: off'"}`))
	p.hook("a file to read", "", "pre-tool-use", call("Read", `{"file_path":"C:\\proj\\README.md"}`))
	p.writeTogether()
	p.expect("the journal", "", "audit", "verify")
	p.expect("the doctor", "no problems", "doctor")
	for _, name := range []string{".local", "pipeline", "AppData", ".pipeline"} {
		if _, err := os.Lstat(filepath.Join(p.dir, name)); err == nil {
			p.errs = append(p.errs, fmt.Errorf("%s was made in the project", name))
		}
	}
	return errors.Join(p.errs...)
}

func call(tool, input string) string {
	return fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":%q,"tool_use_id":"u","tool_input":%s}`, tool, input)
}

// A trip is a series of calls; what goes wrong is collected.
type trip struct {
	w    *wine
	dir  string
	errs []error
	mu   sync.Mutex
}

func (p *trip) run(stdin string, args ...string) (string, error) {
	return p.w.runProgram(time.Minute, p.dir, stdin, filepath.Join(p.w.bin, "pipeline.exe"), args...)
}

// expect runs a command that must succeed and print a text.
func (p *trip) expect(what, text string, args ...string) {
	out, err := p.run("", args...)
	if err != nil || !strings.Contains(out, text) {
		p.errs = append(p.errs, fmt.Errorf("%s: %v, expected %q in %s", what, err, text, out))
	}
}

// hook makes a hook call whose answer must have a text; without one it must be silent.
func (p *trip) hook(what, text, event, payload string) {
	body := strings.Replace(payload, "{", `{"session_id":"s1","cwd":"C:\\proj","transcript_path":"C:\\t.jsonl",`, 1)
	out, err := p.run(body, "hook", "--host", "claude", event)
	silent := text == "" && (event == "session-start" || strings.TrimSpace(out) == "")
	if err != nil || !silent && (text == "" || !strings.Contains(out, text)) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.errs = append(p.errs, fmt.Errorf("%s: %v, expected %q in %s", what, err, text, out))
	}
}

// writeTogether has three clients call at the same time: no call is lost.
func (p *trip) writeTogether() {
	const writers, calls = 3, 10
	count := func() int {
		found, _ := filepath.Glob(filepath.Join(p.w.bin,
			"prefix/drive_c/users/*/AppData/Local/pipeline/*/sessions/s1/journal.jsonl"))
		if len(found) == 0 {
			return 0
		}
		text, _ := os.ReadFile(found[0])
		return strings.Count(string(text), "\n")
	}
	before := count()
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range calls {
				read := call("Read", `{"file_path":"C:\\proj\\README.md"}`)
				p.hook("calls at the same time", "", "pre-tool-use", read)
			}
		})
	}
	wg.Wait()
	if n := count() - before; n != writers*calls {
		p.errs = append(p.errs, fmt.Errorf("of %d calls at the same time %d are in the journal", writers*calls, n))
	}
}
