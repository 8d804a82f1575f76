package codex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/hooks"
)

// TestProbe asks a program that speaks as codex app-server does.
func TestProbe(t *testing.T) {
	dir := t.TempDir()
	for reply, want := range map[string]struct {
		status hooks.Status
		what   string
	}{
		`{"id":2,"result":{"data":[]}}`:                                      {hooks.Problem, "does not call pipeline"},
		`{"id":2,"error":{"message":"no such method"}}`:                      {hooks.Warning, "no such method"},
		`{"id":2,"result":{"data":[{"hooks":[],"errors":["not a table"]}]}}`: {hooks.Problem, "cannot read its hooks: not a table"},
		`{"id":1}`: {hooks.Warning, "ended without an answer"},
		`{"x":"` + strings.Repeat("y", 1<<17) + `"}` + "\n" + `{"id":2,"result":{}}`: {hooks.Problem, "does not call pipeline"},
	} {
		file, program := filepath.Join(dir, "reply"), filepath.Join(dir, "codex")
		script := "#!/bin/sh\ncase $1 in app-server) ;; *) echo codex-cli 0.169.0; exit;; esac\n" +
			"IFS= read -r hello; IFS= read -r ready; IFS= read -r list\n" +
			"case $list in *'\"hooks/list\"'*'[\"" + dir + "\"]'*) cat " + file + ";; esac\n"
		if err := os.WriteFile(file, []byte(reply+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+string(os.PathListSeparator)+"/usr/bin:/bin")
		found := host().Probe(dir)
		if !slices.ContainsFunc(found, func(f hooks.Finding) bool {
			return f.Status == want.status &&
				strings.Contains(f.What, want.what)
		}) {
			t.Errorf("%.60s: %+v", reply, found)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if found := host().Probe(dir); len(found) != 1 {
		t.Errorf("without the program: %+v", found)
	}
}

// TestJudgeSources: a hook that an organisation manages needs no approval, and each file is named once, in order.
func TestJudgeSources(t *testing.T) {
	var a answer
	if err := json.Unmarshal([]byte(`{"data":[{"warnings":["w"]}]}`), &a); err != nil {
		t.Fatal(err)
	}
	for i, e := range host().Dialect.Events() {
		a.Data[0].Hooks = append(a.Data[0].Hooks, listed{Event: e.Name,
			Command: "pipeline hook --host codex " + e.Called,
			Source:  []string{"/d", "/b", "/c", "/a"}[i%4], Enabled: true, Trust: "managed"})
	}
	found := host().judge(a)
	if len(found) != 1 || found[0].Status != hooks.OK || found[0].What != "/a, /b, /c, /d: 8 hooks, approved" {
		t.Errorf("%+v", found)
	}
}

// TestWords: the newer generation's tool has another name and wants one for each task.
func TestWords(t *testing.T) {
	old, now := read(t, recorded(t, "PreToolUse.spawn_agent")),
		read(t, recorded(t, "PreToolUse.collaborationspawn_agent"))
	if s := old.Starter; s.Tool != "spawn_agent" || s.Describe != "" {
		t.Errorf("%+v", s)
	}
	if s := now.Starter; s.Tool != "collaboration.spawn_agent" || s.Describe != "task_name" {
		t.Errorf("%+v", s)
	}
	if host().CheckAttended() == nil {
		t.Error("a person was reported")
	}
	if n := len(host().After("/home/user/.codex/hooks.json")); n != 1 {
		t.Errorf("of a user's file %d things are said", n)
	}
	if n := len(host().After("/home/user/project/.codex/hooks.json")); n != 2 {
		t.Errorf("of a project's file %d things are said", n)
	}
}
