package diagram_test

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/diagram"
	"github.com/agent-pipeline/pipeline/scripts/browsertest"
)

// state is a state of a test's policy. A trigger without a target stays in it.
func state(name, onStop string, triggers ...fsm.Trigger) fsm.State {
	for i := range triggers {
		if triggers[i].To == "" {
			triggers[i].To = name
		}
	}
	return fsm.State{Name: name, OnStop: onStop, Triggers: triggers}
}

func to(name, agent string) fsm.Trigger { return fsm.Trigger{Name: agent, To: name} }

func helper(agent string) fsm.Trigger { return fsm.Trigger{Name: agent, Helper: true} }

// policy has what can be drawn: edges to the next state, back and over a state, loops of
// each kind, gates, and names that would like to be markup.
func policy() *fsm.Policy {
	integrates := to("TEST", "integrator")
	integrates.Gate = &fsm.Gate{Run: "make build &&\n make lint-with-a-very-long-name-of-its-target"}
	return &fsm.Policy{Initial: "PLAN", States: []fsm.State{
		state("PLAN", "", to("BUILD", "planner"), to("BUILD", `<b>"x"</b> #1`), to("DONE", "quick-fixer"),
			helper("Explore")),
		state("BUILD", "", integrates, to("", "python-*"), to("", "ts-*"), helper("Explore"), to("PLAN", "planner")),
		state("TEST", "DONE", to("", "tester"), to("BUILD", `reviewer says /A|B\d/`), to("BUILD", "debugger")),
		state("DONE", "", to("PLAN", "planner")),
	}, Hold: fsm.Hold{States: []string{"TEST"}, Gate: &fsm.Gate{Run: "git diff --quiet"}}}
}

// edges is how many edges the policy has, from a state to another or to itself.
const edges = 10

func draw(t *testing.T, format string) string {
	t.Helper()
	out, err := diagram.Draw(policy(), "BUILD", format)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestText: the text has a paragraph for each state.
func TestText(t *testing.T) {
	want := `  PLAN
    planner ─▶ BUILD
    <b>"x"</b> #1 ─▶ BUILD
    quick-fixer ─▶ DONE
    Explore (helper)
▶ BUILD
    integrator ─▶ TEST  [gate: make build && make lint-with-a-very-lon…]
    python-* (stays)
    ts-* (stays)
    Explore (helper)
    planner ─▶ PLAN
  TEST
    tester (stays)
    reviewer says /A|B\d/ ─▶ BUILD
    debugger ─▶ BUILD
    turn ends ─▶ DONE  [gate: git diff --quiet]
  DONE
    planner ─▶ PLAN
`
	if got := draw(t, "text"); got != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := diagram.Draw(policy(), "BUILD", "gif"); err == nil {
		t.Error("an unknown format is drawn")
	}
}

// TestOneEdge: between two states there is one edge, and it has all labels.
func TestOneEdge(t *testing.T) {
	for format, edge := range map[string]string{
		"mermaid": `(?m)^ *(?P<from>s\d) -\.?->\|"(?P<label>.*)"\| (?P<to>s\d)$`,
		"dot":     `(?m)^ *(?P<from>s\d) -> (?P<to>s\d) \[label="(?P<label>.*)\]$`} {
		out, seen, form := draw(t, format), map[string]bool{}, regexp.MustCompile(edge)
		for _, m := range form.FindAllStringSubmatch(out, -1) {
			label := m[form.SubexpIndex("label")]
			ends := m[form.SubexpIndex("from")] + m[form.SubexpIndex("to")]
			if seen[ends] {
				t.Errorf("%s: there is more than one edge %s", format, ends)
			}
			seen[ends] = true
			isDashed := strings.Contains(m[0], "-.->") || strings.Contains(m[0], "dashed")
			if isDashed != strings.Contains(label, "(helper)") {
				t.Errorf("%s: dashed %t: %s", format, isDashed, m[0])
			}
			if ends == "s1s1" && !regexp.MustCompile(`python-\*.*ts-\*.*Explore \(helper\)`).MatchString(label) {
				t.Errorf("%s: the loop has %s", format, label)
			}
		}
		if len(seen) != edges {
			t.Errorf("%s: %d edges in\n%s", format, len(seen), out)
		}
		for _, want := range []string{"gate: make build", "gate: git diff --quiet"} {
			if !strings.Contains(html.UnescapeString(strings.ReplaceAll(out, "#", "&")), want) {
				t.Errorf("%s: no %s in\n%s", format, want, out)
			}
		}
		if order := regexp.MustCompile(`(?s)PLAN.*BUILD.*TEST.*DONE`); !order.MatchString(out) {
			t.Errorf("%s: the states are not in their order:\n%s", format, out)
		}
	}
}

// everyLabel is what each picture has to show.
func everyLabel() []string {
	return strings.Split(`PLAN,BUILD,TEST,DONE,planner,<b>"x"</b> #1,quick-fixer,Explore (helper),integrator,`+
		`gate: make build && make lint-with-a-very-lon…,python-*,ts-*,tester,reviewer says /A|B\d/,debugger,turn ends,`+
		`gate: git diff --quiet`, ",")
}

// TestMermaidRenders: Mermaid draws every edge and every label.
func TestMermaidRenders(t *testing.T) {
	browsertest.Need(t, "chromium", "chromium")
	page := `<!doctype html><meta charset="utf-8"><pre class="mermaid">` + html.EscapeString(draw(t, "mermaid")) +
		`</pre><script src="` + browsertest.Mermaid(t) + `"></script>` +
		`<script>mermaid.initialize({startOnLoad:true})</script>`
	dom := browsertest.DOM(t, page)
	keep(t, "mermaid.png", browsertest.Shot(t, page, "1400,600", false))
	_, svg, _ := strings.Cut(dom, "<svg")
	svg, _, _ = strings.Cut(svg, "</svg>")
	if n := strings.Count(svg, `class="edgeLabel"`) - strings.Count(svg, `class="edgeLabel"></span>`); n < edges {
		t.Errorf("%d labels of edges", n)
	}
	shown := visibleText(svg)
	for _, want := range everyLabel() {
		if !strings.Contains(shown, strings.ReplaceAll(want, " ", "")) {
			t.Errorf("the picture does not show %s: %s", want, shown)
		}
	}
}

// visibleText is what a document shows, without spaces: renderers break lines.
func visibleText(dom string) string {
	dom = regexp.MustCompile(`(?s)<style.*?</style>|<[^>]*>`).ReplaceAllString(dom, "")
	return strings.Join(strings.Fields(html.UnescapeString(dom)), "")
}

// TestDotRenders: Graphviz draws every edge and every label.
func TestDotRenders(t *testing.T) {
	dot := browsertest.Need(t, "dot", "graphviz")
	cmd := exec.Command(dot, "-Tsvg")
	cmd.Stdin = strings.NewReader(draw(t, "dot"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	keep(t, "dot.svg", write(t, string(out)))
	if n := strings.Count(string(out), `class="edge"`); n != edges {
		t.Errorf("%d edges", n)
	}
	shown := visibleText(string(out))
	for _, want := range everyLabel() {
		if !strings.Contains(shown, strings.ReplaceAll(want, " ", "")) {
			t.Errorf("the picture does not show %s: %s", want, shown)
		}
	}
}

func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// keep copies a picture to $PIPELINE_SHOTS, to be looked at.
func keep(t *testing.T, name, path string) {
	dir := os.Getenv("PIPELINE_SHOTS")
	if dir == "" {
		return
	}
	body, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprint("graph-", name)), body, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
