package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// What doctor calls broken, the client must run unasked, and what doctor calls fine, it must not: the client is the
// judge of the judge.

// A breakage is one way in which an installation ends up enforcing nothing, and what doctor is to say of it.
type breakage struct {
	name string
	do   func(s *enforced)
	want string
}

func breakages() []breakage {
	edit := func(old, new string) func(*enforced) {
		return func(s *enforced) {
			s.Write(".claude/settings.local.json", strings.ReplaceAll(s.Read(".claude/settings.local.json"), old, new))
		}
	}
	preTool := "\"PreToolUse\": [\n      {"
	return []breakage{
		{"exit 127", func(s *enforced) { s.program("wrap", "exec /gone/pipeline-1.2 \"$@\"\n") }, "exit 127"},
		{"wrong JSON", func(s *enforced) { s.program("wrap", "echo welcome\nexec "+binary()+" \"$@\"\n") },
			"the client ignores its answer"},
		{"missing binary", edit(filepath.Dir(binary()), "/gone"), "the registered binary is missing"},
		{"matcher in the wrong case", edit(preTool, preTool+` "matcher": "write",`), "never matches"},
		{"matcher for others", edit(preTool, preTool+` "matcher": "Bash|^Re.d$",`), "misses Agent, Write"},
		{"asynchronous", edit(`"type": "command",`, `"type": "command", "async": true,`), `has "async" set`},
		{"disableAllHooks", func(s *enforced) { s.Write(".claude/settings.json", `{"disableAllHooks": true}`) }, "disableAllHooks is true"},
		{"trailing comma", func(s *enforced) {
			text := strings.TrimRight(s.Read(".claude/settings.local.json"), "\n")
			s.Write(".claude/settings.local.json", strings.TrimSuffix(text, "}")+",}\n")
		}, "the client ignores the whole file"},
		{"level in the settings' env", func(s *enforced) { s.Write(".claude/settings.json", `{"env": {"PIPELINE_LEVEL": "off"}}`) }, "sets PIPELINE_LEVEL=off for the hooks"},
	}
}

func TestClientDoctor(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		good := s.Read(".claude/settings.local.json")
		out, code := s.doctor(v)
		if code != 0 || s.written(t, v) {
			t.Fatalf("the fine installation: doctor %d, written %v\n%s", code, s.written(t, v), out)
		}
		if out, _ := s.doctorWith("/usr/bin:/bin"); !strings.Contains(out, ".jsonl) is version "+string(v)) {
			t.Errorf("the version was not read from the transcript:\n%s", out)
		}
		for _, b := range breakages() {
			b.do(s)
			if out, code := s.doctor(v); code != 1 || !strings.Contains(out, b.want) {
				t.Errorf("%s: doctor says %d, expected %q in\n%s", b.name, code, b.want, out)
			}
			if !s.written(t, v) {
				t.Errorf("%s: doctor calls it broken, but client %s did not run the tool", b.name, v)
			}
			s.Write(".claude/settings.local.json", good)
			os.Remove(s.Path(".claude/settings.json"))
		}
	})
}

// program registers a program of that folder instead of ours.
func (s *enforced) program(dir, script string) {
	s.Write(dir+"/pipeline", "#!/bin/sh\n"+script)
	if err := os.Chmod(s.Path(dir+"/pipeline"), 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.Write(".claude/settings.local.json", strings.ReplaceAll(s.Read(".claude/settings.local.json"), binary(),
		s.Path(dir+"/pipeline")))
}

// doctor runs it with this client on PATH.
func (s *enforced) doctor(v e2e.Version) (string, int) {
	s.t.Helper()
	return s.doctorWith(filepath.Dir(e2e.Install(s.t, v)) + ":/usr/bin:/bin")
}

func (s *enforced) doctorWith(path string) (string, int) {
	s.t.Helper()
	cmd := exec.Command(binary(), "doctor", "--verbose")
	cmd.Dir, cmd.Env = s.Dir, append(s.env(), "PATH="+path)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// written lets the agent try what no policy allows, and reports whether the client did it.
func (s *enforced) written(t *testing.T, v e2e.Version) bool {
	t.Helper()
	file := s.Path("pipeline.toml")
	s.Say("main", e2e.Call("Write", e2e.Input{"file_path": file, "content": "version = 1\n"}), e2e.Text("done"))
	s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
	return os.Remove(file) == nil
}
