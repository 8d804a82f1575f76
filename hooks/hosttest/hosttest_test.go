package hosttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

// toy is a host that does all that is asked, except for one flaw.
type toy struct{ flaw string }

var _ hooks.Installer = toy{}

type toyCall struct {
	hooks.NoCall
	toy
	Session, Name_, Agent, Tool, Text, Client string
}

func (toy) Name() string          { return "toy" }
func (toy) After(string) []string { return nil }

func (h toy) Can() hooks.Set {
	can := hooks.TellsCaller | hooks.TellsStart | hooks.TellsStop | hooks.InjectsRequest | hooks.Holds
	switch h.flaw {
	case "asks what it cannot ask":
		can |= hooks.Asks
	case "loses text":
		can |= hooks.InjectsStart
	case "holds no agent":
		can |= hooks.HoldsAgents
	}
	return can
}

func (toy) Entries(binary string, _ bool) []hooks.Entry {
	return []hooks.Entry{{Event: "request", Command: binary, Args: []string{"hook", "--host", "toy", "request"}}}
}

const toyLine = "toy request\n"

func (h toy) Edit(src []byte, want []hooks.Entry) ([]byte, bool, error) {
	out := bytes.ReplaceAll(src, []byte(toyLine), nil)
	if len(want) > 0 {
		out = append(out, toyLine...)
	}
	if h.flaw == "registers again and again" && len(want) > 0 {
		out = append(slices.Clone(src), toyLine...)
	}
	if h.flaw == "leaves traces" {
		out = append(out, ' ')
	}
	return out, !bytes.Equal(src, out), nil
}

func (h toy) Blocks(src []byte, _ []hooks.Entry) string {
	if bytes.Contains(src, []byte(toyLine)) || h.flaw == "misses nothing" {
		return ""
	}
	return "it is gone"
}
func (toy) DefineAgent(source []byte) []byte                  { return source }
func (toy) DefinedAgents() (defined, builtin []string)        { return nil, nil }
func (toy) DefineSkill(string, []byte, bool) (string, []byte) { return "", nil }
func (toy) CheckAttended() error                              { return nil }

func (h toy) Root(dir string) string {
	if h.flaw == "has no project" {
		return ""
	}
	return dir
}

func (h toy) IsGenuine() bool { return h.flaw != "takes its client for an agent" }

func (h toy) Places() hooks.Places {
	if h.flaw == "keeps no settings" {
		return hooks.Places{Project: "/p/.toy", User: "/u/.toy"}
	}
	return hooks.Places{Project: "/p/.toy", User: "/u/.toy", Default: "user",
		Settings: []hooks.SettingsFile{{Scope: "user",
			Path: "/u/.toy/settings"}}}
}

func (h toy) Read(r io.Reader) (hooks.Call, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		if h.flaw == "hides the reader's error" {
			return nil, errors.New("could not read")
		}
		return nil, fmt.Errorf("read payload: %w", err)
	}
	c := toyCall{toy: h}
	if err := json.Unmarshal(body, &c); err != nil && h.flaw != "takes garbage" {
		return nil, err
	}
	if c.Session == "" && h.flaw == "two lines" {
		return nil, errors.New("no\nsession")
	}
	if c.Session == "" && h.flaw != "takes garbage" {
		return nil, errors.New("no session")
	}
	return c, nil
}

func (h toy) Bare(event string) hooks.Call {
	if event == "request" && h.flaw != "forgets its event" {
		return toyCall{toy: h, Name_: "request"}
	}
	return toyCall{toy: h}
}

var toyKinds = map[string]fsm.Kind{"start": fsm.SessionStart, "prompt": fsm.Prompt, "request": fsm.ToolRequest,
	"agent-start": fsm.AgentStart, "agent-stop": fsm.AgentStop, "agent-failure": fsm.AgentFailure, "stop": fsm.TurnStop,
	"idle": fsm.Unknown}

func (c toyCall) Event(now time.Time) (fsm.Event, bool) {
	e := fsm.Event{Kind: toyKinds[c.Name_], Session: c.Session, Time: now, Text: c.Text, Tool: fsm.Tool{Name: c.Tool},
		Agent: fsm.Agent{ID: c.Agent, Type: c.Agent, Basis: "agent"}, Host: c.Can().Describe("toy")}
	switch c.flaw {
	case "all are main":
		e.Agent.ID = ""
	case "no type":
		e.Agent.Type = ""
	case "hides that it cannot ask":
		e.Host.CannotAsk = false
	case "no basis":
		e.Agent.Basis = ""
	case "another kind":
		e.Kind = fsm.ToolResult
	case "keeps failed agents":
		e.Agent.ID += string(e.Kind)
	case "no time":
		e.Time = time.Time{}
	case "minds every event":
		return e, true
	case "minds nothing":
		return e, false
	}
	return e, e.Kind != fsm.Unknown && (c.Client == "" || c.flaw == "answers others")
}

func (c toyCall) Spawn() *fsm.Spawn {
	if c.flaw == "makes facts up" {
		return &fsm.Spawn{Type: "x"}
	}
	return nil
}

func (c toyCall) Reply(w io.Writer, d fsm.Decision) error {
	verdict, text := d.Verdict.String(), d.Reason
	switch {
	case d.Verdict == fsm.Ask && c.flaw != "asks":
		verdict = "deny"
	case c.Name_ == "request" && d.Verdict == fsm.Pass && d.Inject != "":
		verdict, text = "note", d.Inject
	case c.Name_ == "stop" && d.Hold && c.flaw != "cannot be held":
		_, err := fmt.Fprintf(w, "%q\n", d.Reason)
		return err
	}
	if c.flaw == "approves" && d.Verdict == fsm.Pass {
		verdict = "Allow"
	}
	if verdict == "pass" && c.flaw != "speaks always" || c.Name_ != "request" || c.flaw == "never speaks" {
		return nil
	}
	if c.flaw == "keeps the reason" {
		text = ""
	}
	body, err := json.Marshal(map[string]any{"verdicts": []string{verdict}, "reason": text})
	if err != nil {
		return err
	}
	if c.flaw == "chats" {
		body = append([]byte("here it is: "), body...)
	}
	if _, err := w.Write(append(body, '\n')); err != nil && c.flaw != "does not look" {
		return err
	}
	return nil
}

func toyCases() Cases {
	payload := func(event, more string) string { return `{"session":"s1","name_":"` + event + `"` + more + `}` }
	return Cases{Start: payload("start", ""), Prompt: payload("prompt", `,"text":"hello"`),
		Request:    payload("request", `,"tool":"Read"`),
		SubRequest: payload("request", `,"tool":"Read","agent":"x"`), AgentStart: payload("agent-start",
			`,"agent":"x"`),
		AgentStop: payload("agent-stop", `,"agent":"x"`), TurnStop: payload("stop", ""),
		Others: []string{payload("idle", "")},
		Failed: []string{"[" + payload("agent-start", `,"agent":"x"`) + "," + payload("agent-failure",
			`,"agent":"x"`) + "]"},
		Foreign: []string{payload("request", `,"tool":"Read","client":"other"`)}, RequestEvent: "request"}
}

func TestGoodHost(t *testing.T) { Run(t, toy{}, toyCases()) }

// recorder takes what a test finds.
type recorder struct{ found []string }

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.found = append(r.found, fmt.Sprintf(format, args...))
}

// TestFlaws: each flaw is found, by the test that is there for it.
func TestFlaws(t *testing.T) {
	for flaw, by := range map[string]string{
		"hides the reader's error":      "passes a reader's error on",
		"takes garbage":                 "refuses garbage",
		"two lines":                     "refuses garbage",
		"forgets its event":             "denies without a payload",
		"all are main":                  "tells who is calling",
		"no type":                       "tells who is calling",
		"no basis":                      "tells who is calling",
		"another kind":                  "reads its payloads",
		"no time":                       "reads its payloads",
		"minds nothing":                 "reads its payloads",
		"minds every event":             "knows its business",
		"answers others":                "leaves others alone",
		"makes facts up":                "has no facts from nowhere",
		"approves":                      "never approves",
		"speaks always":                 "passes in silence",
		"never speaks":                  "denies with the reason",
		"keeps the reason":              "denies with the reason",
		"chats":                         "writes one answer",
		"does not look":                 "reports that it cannot write",
		"has no project":                "knows its surroundings",
		"keeps no settings":             "knows its surroundings",
		"takes its client for an agent": "knows its surroundings",
		"asks what it cannot ask":       "asks only where it can",
		"asks":                          "asks only where it can",
		"hides that it cannot ask":      "says what it cannot",
		"loses text":                    "takes text where it can",
		"holds no agent":                "holds where it can",
		"cannot be held":                "holds where it can",
		"registers again and again":     "registers and restores",
		"leaves traces":                 "registers and restores",
		"misses nothing":                "registers and restores",
		"keeps failed agents":           "notices that an agent failed",
		"has no agents":                 "reads its payloads",
	} {
		var found []string
		for _, test := range tests {
			var r recorder
			cases := toyCases()
			if flaw == "has no agents" {
				cases.AgentStop = ""
			}
			if test.run(&r, toy{flaw}, cases); len(r.found) > 0 {
				found = append(found, test.name)
			}
		}
		if !strings.Contains(strings.Join(found, "; "), by) {
			t.Errorf("%q was found by %q, not by %q", flaw, found, by)
		}
	}
}
