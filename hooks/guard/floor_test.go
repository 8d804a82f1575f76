package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

func (g Guards) guarded(line string) string {
	for _, p := range g.Parts(fsm.Tool{Name: "Bash", Command: line}, g.Root) {
		if p.Guards != "" {
			return p.Guards
		}
	}
	return ""
}

// TestFloor: a line that is too much for the reader is refused where its text names what is guarded,
// and what was read of it counts.
func TestFloor(t *testing.T) {
	g := ground(t, t.TempDir())
	doubled := "a=x; "
	for range 30 {
		doubled += "a=$a$a; "
	}
	nested := ""
	for i := range 14 {
		nested += fmt.Sprintf("f%d() { ", i)
		for range 20 {
			nested += fmt.Sprintf("f%d; ", i+1)
		}
		nested += "}; "
	}
	paddings := map[string]string{
		"wrappers": strings.Repeat("env ", 60), "variables": doubled + "echo $a; ",
		"statements": strings.Repeat(":;", 9000),
		"functions":  nested + "f0; ", "text": "cat > notes.txt <<'EOF'\n" + strings.Repeat("a line of notes\n", 5000) +
			"EOF\n",
		"brackets": strings.Repeat("(", 600) + ":" + strings.Repeat(")", 600) + "; ",
	}
	for name, padding := range paddings {
		for line, want := range map[string]string{
			"cp x configs/pipeline.yaml": ourConfig, "cd configs; cp x pipeline.yaml": ourConfig,
			"rm -rf ~/.local/state/pipeline": ourState, "echo {} > .claude/settings.json": hostConfig,
			"pipeline reset \"again\"": "what the pipeline enforces (pipeline reset)",
			"echo done":                "",
		} {
			if got := g.guarded(padding + line); got != want {
				t.Errorf("%s before %s: %q, expected %q", name, line, got, want)
			}
		}
	}
	parts := g.Parts(fsm.Tool{Name: "Bash", Command: "git push --force; " + paddings["statements"]}, g.Root)
	if !slices.ContainsFunc(parts, func(p fsm.Part) bool { return slices.Contains(p.Groups, "@remote") }) {
		t.Errorf("what was read is lost: %+v", parts)
	}
}

// TestManyMatches: a pattern that may mean very many files is not looked up to its end.
func TestManyMatches(t *testing.T) {
	g := ground(t, t.TempDir())
	for i := range 10 {
		link(t, ".", system.Join(g.Root, fmt.Sprintf("self%d", i)))
	}
	for _, line := range []string{"rm -f */*/*/*/*/*/*/*/*/*/*.nope", "rm -f /*/*/*/*/*/*/*/*.nope",
		"cp */*/*/*/*/*/*/*/*/*/* ."} {
		parts := g.Parts(fsm.Tool{Name: "Bash", Command: "git push --force; " + line}, g.Root)
		if !slices.ContainsFunc(parts, func(p fsm.Part) bool { return slices.Contains(p.Groups, "@remote") }) {
			t.Errorf("%s: %+v", line, parts)
		}
	}
}

// TestInlineCode: code that no reader understands is refused where it names what is guarded, unless the
// kernel keeps that from being changed.
// TestPrivateWords: no word of a command leads into our state, also behind the = of an option.
func TestPrivateWords(t *testing.T) {
	g := ground(t, t.TempDir())
	for line, want := range map[string]string{
		"git diff --no-index --output-indicator-new=~/.local/state/pipeline/orders a b": ourState,
		"wc ~/.local/state/pipeline/orders":                                             ourState,
		"wc ./.local/state/pipeline/orders":                                             "",
		"wc --x=.local/state/pipeline/orders":                                           "",
	} {
		if got := g.guarded(line); got != want {
			t.Errorf("%s: %q, expected %q", line, got, want)
		}
	}
}

func TestInlineCode(t *testing.T) {
	g := ground(t, t.TempDir())
	for line, want := range map[string]string{
		`python3 -c "open('configs/pipeline.yaml','w').write('')"`:                       ourConfig,
		`perl -e 'unlink "configs/pipeline.yaml"'`:                                       ourConfig,
		`node -e "require('fs').rmSync('.claude/settings.json')"`:                        hostConfig,
		"python3 - <<'EOF'\nimport os\nos.remove('configs/pipeline.yaml')\nEOF":          ourConfig,
		"python3 <<< \"open('.claude/settings.local.json','w')\"":                        hostConfig,
		`echo "open('configs/pipeline.yaml','w')" | python3`:                             ourConfig,
		`ruby -e 'File.write(File.join(Dir.home, ".local/state/pipeline/orders"), "")'`:  ourState,
		`python3 -c "import subprocess; subprocess.run(['pipeline', 'reset', 'again'])"`: "what the pipeline enforces (pipeline reset)",
		`python3 -c "open('src/main.py','w').write('')"`:                                 "",
		`python3 -c "import shutil; shutil.rmtree('configs')"`:                           "",
		`git commit -m "mention configs/pipeline.yaml in 'docs'"`:                        "",
		`frobnicate "see configs/pipeline.yaml (there)"`:                                 "",
		"find . -type d -empty -delete":                                                  "",
		"find . -type d -o -name '*.yaml' -delete":                                       ourConfig,
		"find -L . -type d -name configs -delete":                                        ourConfig,
		"find . ! -type d -delete":                                                       ourConfig,
	} {
		if got := g.guarded(line); got != want {
			t.Errorf("%s: %q, expected %q", line, got, want)
		}
	}
	code := `python3 -c "open('configs/pipeline.yaml','w').write('')"`
	g.IsKept, g.Exempt = true, []string{"sudo"}
	if got := g.guarded(code); got != "" {
		t.Errorf("the kernel keeps it, and yet: %q", got)
	}
	for _, line := range []string{`find . -regex '.*\.yaml' -exec sed -i s/a/b/ {} +`,
		`find . -name '*.yaml' -exec touch {} ';'`} {
		if got := g.guarded(line); got != "" {
			t.Errorf("%s: the kernel keeps it, and yet: %q", line, got)
		}
	}
	for line, want := range map[string]string{ // what another process runs
		`osascript -e 'tell app "Terminal" to do script "pipeline mode off"'`: "what the pipeline enforces (pipeline mode)",
		`tmux set-hook -g x "run 'pipeline once'"`:                            "what the pipeline enforces (pipeline once)",
		`xdotool type 'pipeline once'`:                                        "what the pipeline enforces (pipeline once)",
		`xdotool type 'rm configs/pipeline.yaml'`:                             ourConfig,
		`docker run -v .:/x alpine rm /x/configs/pipeline.yaml`:               ourConfig,
		`docker run -v ./configs:/x alpine sh -c "cd /x && rm -rf ../x"`:      ourConfig,
		`docker run -v ./src:/x alpine rm /x/configs/pipeline.yaml`:           "",
		`xdg-open configs/pipeline.yaml`:                                      "",
		`claude -p "read configs/pipeline.yaml, and say what it means"`:       "",
	} {
		if got := g.guarded(line); got != want {
			t.Errorf("%s: %q, expected %q", line, got, want)
		}
	}
	if got := g.guarded("find . -delete"); got == "" {
		t.Error("find . -delete: it takes with it what the kernel does not keep")
	}
	if got := g.guarded("sudo true; " + code); got != ourConfig {
		t.Errorf("the kernel does not keep it: %q", got)
	}
}
