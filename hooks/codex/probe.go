package codex

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Probe asks Codex itself which of our hooks it trusts: it runs no other, and says nothing.
func (h Host) Probe(dir string) []hooks.Finding {
	out := h.Adapter.Probe(dir)
	program, err := exec.LookPath("codex")
	if err != nil {
		return out
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	list, err := listHooks(ctx, program, dir)
	if err != nil {
		return append(out, hooks.Finding{Status: hooks.Warning, Remedy: "open codex and look at /hooks",
			What: "whether Codex trusts our hooks is not known: " + err.Error()})
	}
	return append(out, h.judge(list)...)
}

// A listed hook is one that Codex knows, as its app-server says.
type listed struct {
	Event   string `json:"eventName"` // preToolUse
	Command string `json:"command"`
	Source  string `json:"sourcePath"`
	Enabled bool   `json:"enabled"`
	Trust   string `json:"trustStatus"`
}

type answer struct {
	Data []struct {
		Hooks  []listed          `json:"hooks"`
		Errors []json.RawMessage `json:"errors"`
	} `json:"data"`
}

// judge says of each event whether Codex will call us, and how often.
func (h Host) judge(a answer) (out []hooks.Finding) {
	times, files := map[string]int{}, map[string]bool{}
	var untrusted, disabled []string
	for _, d := range a.Data {
		for _, e := range d.Errors {
			what := cmp.Or(gjson.GetBytes(e, "message").String(), gjson.ParseBytes(e).String())
			out = append(out, problem("fix that file, then run pipeline doctor again",
				"Codex cannot read its hooks: %s", what))
		}
		for _, l := range d.Hooks {
			switch {
			case !strings.Contains(l.Command, "hook --host codex "):
				continue
			case !l.Enabled:
				disabled = append(disabled, l.Event)
			case l.Trust != "trusted" && l.Trust != "managed":
				untrusted = append(untrusted, l.Event+" ("+l.Trust+")")
			}
			times[strings.ToLower(l.Event)]++
			files[l.Source] = true
		}
	}
	var missing, twice []string
	for _, e := range h.Dialect.Events() {
		switch n := times[strings.ToLower(e.Name)]; {
		case n == 0:
			missing = append(missing, e.Name)
		case n > 1:
			twice = append(twice, e.Name)
		}
	}
	report := func(names []string, remedy, what string) {
		if len(names) > 0 {
			out = append(out, problem(remedy, "%s%s", what, strings.Join(names, ", ")))
		}
	}
	switch {
	case len(missing) < len(h.Dialect.Events()):
	case len(out) > 0: // that says why
		return out
	default:
		return append(out, problem("pipeline install --host codex; then features.hooks in "+
			system.Join(h.Places().User, "config.toml")+" must not be false, and the folder of a project's "+
			"hooks.json must be trusted", "Codex knows no hook of ours here: it does not call pipeline"))
	}
	report(missing, "pipeline install --host codex", "Codex knows no hook of ours for ")
	report(twice, "pipeline uninstall --host codex --scope project",
		"each call is judged twice: Codex has two hooks of ours for ")
	report(disabled, "switch them on in codex: /hooks", "hooks of ours are switched off: ")
	report(untrusted, "start codex and approve them: /hooks",
		"hooks of ours are not approved, so Codex does not run them: ")
	if len(out) == 0 {
		names := strings.Join(slices.Sorted(maps.Keys(files)), ", ")
		out = append(out, hooks.Finding{Status: hooks.OK,
			What: fmt.Sprintf("%s: %d hooks, approved", names, len(h.Dialect.Events()))})
	}
	return out
}

func problem(remedy, format string, a ...any) hooks.Finding {
	return hooks.Finding{Status: hooks.Problem, Remedy: remedy, What: fmt.Sprintf(format, a...)}
}

// listHooks asks codex app-server, which speaks JSON-RPC in lines, for the hooks of a folder.
func listHooks(ctx context.Context, program, dir string) (a answer, err error) {
	cmd := exec.CommandContext(ctx, program, "app-server")
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, os.Environ(), time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return a, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return a, err
	}
	if err := cmd.Start(); err != nil {
		return a, fmt.Errorf("start codex app-server: %w", err)
	}
	defer func() { _ = cmd.Wait() }() // it ends with its input; what it answered counts
	defer in.Close()
	const hello = `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"pipeline","version":"1"}}}
{"method":"initialized"}
`
	const list = `{"id":2,"method":"hooks/list","params":{"cwds":[%s]}}` + "\n"
	if _, err := fmt.Fprintf(in, hello+list, journal.Encode(&dir)); err != nil {
		return a, fmt.Errorf("ask codex app-server: %w", err)
	}
	return readAnswer(out)
}

// readAnswer reads lines until the one that answers our second question.
func readAnswer(r io.Reader) (a answer, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var line struct {
			ID     int    `json:"id"`
			Result answer `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.ID != 2 {
			continue
		}
		if line.Error != nil {
			return a, fmt.Errorf("codex app-server: %s", line.Error.Message)
		}
		return line.Result, nil
	}
	return a, fmt.Errorf("codex app-server ended without an answer")
}
