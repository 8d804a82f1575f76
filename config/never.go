package config

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// An Intention is what may never happen: `verify` proves that it does not. It is no part of the
// policy: no call pays for it.
type Intention struct {
	Agents     []string `koanf:"agents" as:"pattern"`
	AdmittedIn []string `koanf:"admitted_in" as:"state"`
	Tools      []string `koanf:"tools" as:"tool"`
	Commands   []string `koanf:"commands" as:"command"`
	Changes    *bool    `koanf:"changes"`
	Verdict    string   `koanf:"verdict" is:"pass ask"`
	State      string   `koanf:"state" as:"state"`
	Without    string   `koanf:"without" as:"pattern"`
	Or         string   `koanf:"or" is:"plan"`
}

// checkNever reports intentions that are neither about a call nor about a state.
func (k *checker) checkNever() {
	for i, it := range k.Never {
		at := to("never").item(i)
		calls := it.Tools != nil || it.Commands != nil || it.Changes != nil
		others := calls || it.Agents != nil || it.AdmittedIn != nil || it.Verdict != ""
		switch {
		case it.State == "" && (it.Without != "" || it.Or != ""):
			k.report(at, "found `without` or `or` and no `state`, expected the state that needs them", "")
		case it.State != "" && others:
			k.report(at, "found `state` beside what is about calls, expected two intentions", "")
		case it.State != "" && it.Without == "":
			k.report(at, "found `state` alone, expected `without`: the agent that must complete before", "")
		case it.State == "" && !calls:
			k.report(at, "found no call, expected `changes: true`, `tools` or `commands`", "")
		case it.Changes != nil && (!*it.Changes || it.Commands != nil):
			k.reportKey(at.key("changes"), "found `changes`, expected true, and no `commands` beside it",
				"changes: true means each call that changes a file of the project")
		}
	}
}

// Intentions lists what a project's config says may never happen.
func (d Draft) Intentions() (out []verify.Intention) {
	for i, it := range d.Never {
		out = append(out, d.compileIntention(it, to("never").item(i)))
	}
	return out
}

func (c reading) compileIntention(it Intention, at trail) verify.Intention {
	out := verify.Intention{Place: c.placeOf(at), Agents: c.expandAgents(it.Agents), AdmittedIn: it.AdmittedIn,
		Most: fsm.Warn, State: it.State, What: "never"}
	if it.Verdict == "ask" {
		out.Most = fsm.Ask
	}
	switch {
	case it.State != "":
		out.Without, out.What = c.expandAgents([]string{it.Without}), it.Without
		if it.Or != "" {
			out.Without, out.What = append(out.Without, fsm.PlanApproved), it.Without+" or an approved plan"
		}
	case it.Changes != nil:
		out.What += " changes: true"
		out.Calls = slices.DeleteFunc(verify.ChangingParts(resolveLinks(c.project.Root)), func(p fsm.Part) bool {
			r := fsm.Rule{Tools: it.Tools}
			return it.Tools != nil && !r.CoversTool(p.Tool)
		})
	case it.Commands != nil:
		out.What += " commands: [" + strings.Join(it.Commands, ", ") + "]"
		for _, command := range it.Commands {
			out.Calls = append(out.Calls, verify.CommandParts(command)...)
		}
	default:
		out.What += " tools: [" + strings.Join(it.Tools, ", ") + "]"
		for _, tool := range it.Tools {
			out.Calls = append(out.Calls, verify.ToolParts(tool)...)
		}
	}
	return out
}
