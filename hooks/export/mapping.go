// Package export hands the records of journals to an OpenTelemetry collector: each record
// as a log, each turn and each agent's run as a span. It knows no network; who sends is
// given to it.
//
// This file is the whole mapping.
package export

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/report"
)

// A source is a record, and where it comes from.
type source struct {
	*journal.Line
	session, project string
	person
}

// An attribute is what a log or a span carries of a record, if it is not empty. A string is redacted
// again; an identifier is sent as it is.
type attribute struct {
	key   string
	value any
}

// An identifier names something and holds no text of a person, an agent or a file.
type identifier string

// attributes is the mapping of records to the attributes of logs. The names are those of
// OpenTelemetry's conventions, where these have one; docs/fleet.md says what each means.
func (s source) attributes() []attribute {
	return []attribute{
		// the session and the record's number and hash; the same if a record is sent again
		{"log.record.uid", identifier(fmt.Sprintf("%s:%d:%s", s.session, s.Seq, s.Hash()))},
		{"session.id", identifier(s.session)}, // the client's session
		// the same; the client's own spans name an agent's conversation by the agent
		{"gen_ai.conversation.id", identifier(s.session)},
		{"user.name", identifier(s.name)},                     // the account of the machine whose session it is
		{"user.hash", identifier(s.hash)},                     // in its place, where a key for names is set
		{"gen_ai.operation.name", s.operation()},              // execute_tool or invoke_agent
		{"gen_ai.workflow.name", s.project},                   // the project
		{"gen_ai.agent.id", identifier(s.AgentID)},            // the agent; missing for the main agent
		{"gen_ai.agent.name", s.agentName()},                  // its type, or main
		{"gen_ai.tool.name", s.Tool},                          // the tool
		{"gen_ai.tool.call.id", identifier(s.UseID)},          // the call, as in the client's span claude_code.tool
		{"pipeline.kind", identifier(s.Kind.String())},        // the kind of the record: tool-request, agent-start, …
		{"pipeline.state", s.State()},                         // the state after the record
		{"pipeline.moves", strings.Join(s.ListMoves(), ", ")}, // from where to where the record moved the machine
		{"pipeline.verdict", s.verdict()},                     // pass, warn, ask or deny
		// the verdict of level strict, where that differs
		{"pipeline.verdict.strict", identifier(s.StrictVerdict)},
		// the rule that decided; the state where its list of agents did
		{"pipeline.rule", s.Decider()},
		{"pipeline.rule.type", identifier(s.RuleType)},                  // what reports call the rule
		{"pipeline.rule.where", s.Where},                                // the file and line of the rule
		{"pipeline.reason", s.Reason},                                   // what the agent was told
		{"pipeline.level", identifier(s.Level)},                         // the level in force
		{"pipeline.bypassed", s.IsBypassed},                             // true where a bypass let an objection pass
		{"pipeline.error", s.Failed},                                    // true where pipeline itself had an error
		{"pipeline.policy.id", identifier(s.Session.Get("policy").Str)}, // the fingerprint of the policy
		{"pipeline.record.seq", s.Seq},                                  // the record's number in its session
		{"pipeline.record.hash", identifier(s.Hash())},                  // its hash, which the next record repeats
	}
}

func (s source) operation() identifier {
	switch s.Kind {
	case fsm.ToolRequest, fsm.ToolResult, fsm.ToolFailure:
		return "execute_tool"
	case fsm.AgentStart, fsm.AgentStop, fsm.AgentFailure:
		return "invoke_agent"
	}
	return ""
}

func (s source) agentName() any {
	if s.AgentID == "" {
		return identifier("main")
	}
	return s.Agent
}

func (s source) verdict() identifier {
	if s.Verdict == "" && s.Kind == fsm.ToolRequest {
		return identifier(fsm.Pass.String())
	}
	return identifier(s.Verdict)
}

// nanoseconds is a time as the protocol has it. One that it cannot have, of a clock that is
// not set, is unknown: a collector would refuse the whole batch.
func nanoseconds(t time.Time) int64 {
	if y := t.Year(); y < 1970 || y > 2261 {
		return 0
	}
	return max(0, t.UnixNano())
}

// newLog is a record as a log. It belongs to the span of the agent or turn at work.
func newLog(s source, at span) object {
	severity, text := 9, "INFO" // the numbers are the protocol's
	switch {
	case s.Failed:
		severity, text = 17, "ERROR"
	case s.Verdict == fsm.Deny.String(), s.Verdict == fsm.Ask.String():
		severity, text = 13, "WARN"
	}
	when := fmt.Sprint(nanoseconds(s.Time))
	return object{"timeUnixNano": when, "observedTimeUnixNano": when, "severityNumber": severity, "severityText": text,
		"eventName": "pipeline." + s.Kind.String(), "body": newValue(describe(s)), "traceId": at.Trace, "spanId": at.ID,
		"attributes": keyValues(s.attributes())}
}

// describe is a record in one line: "deny Bash: git push (rule no-push)".
func describe(s source) string {
	out := s.Kind.String()
	if s.Kind == fsm.ToolRequest {
		if out = report.DescribeCall(s.Line); !strings.HasPrefix(out, s.Tool) {
			out = s.Tool + ": " + out
		}
	}
	if v := s.verdict(); v != "" {
		out = string(v) + " " + out
	}
	if s.Rule != "" {
		out += " (" + journal.DescribeDecider(s.Decider()) + ")"
	}
	return out
}

// newSpan is a turn, or a run of an agent, that has ended.
func newSpan(s source, at span) object {
	start := nanoseconds(at.Start)
	end := max(nanoseconds(s.Time), start) // the clock may have been set back
	r := object{"traceId": at.Trace, "spanId": at.ID, "parentSpanId": at.Parent, "name": "invoke_agent " + at.Name,
		"kind": 1, "startTimeUnixNano": fmt.Sprint(start), "endTimeUnixNano": fmt.Sprint(end),
		"attributes": keyValues([]attribute{
			{"gen_ai.operation.name", identifier("invoke_agent")},
			{"gen_ai.workflow.name", s.project},
			{"gen_ai.agent.id", identifier(at.Agent)},
			{"gen_ai.agent.name", at.Name},
			{"gen_ai.conversation.id", identifier(s.session)},
			{"session.id", identifier(s.session)},
			{"user.name", identifier(s.name)},
			{"user.hash", identifier(s.hash)},
			{"pipeline.state", s.State()},
			{"pipeline.calls", at.Calls},
			{"pipeline.refused", at.Refused},
		})}
	if s.Kind == fsm.AgentFailure || s.Kind == fsm.TurnFailure {
		r["status"] = object{"code": 2}
	}
	return r
}

// A Resource is where logs and spans come from.
type Resource struct{ Version, Host string }

func (r Resource) attributes() []object {
	return keyValues([]attribute{{"service.name", identifier("pipeline")},
		{"service.version", identifier(r.Version)}, {"host.name", identifier(r.Host)}})
}

// longest is how many bytes of a text are sent.
const longest = 4 << 10

// newValue is a value in the protocol's form. Strings are cloned: a batch does not keep the
// lines that they are part of.
func newValue(v any) object {
	switch v := v.(type) {
	case identifier:
		return object{"stringValue": strings.Clone(string(v))}
	case string:
		text := redact.Text(v)
		return object{"stringValue": strings.Clone(strings.ToValidUTF8(text[:min(len(text), longest)], ""))}
	case int64:
		return object{"intValue": fmt.Sprint(v)}
	}
	return object{"boolValue": v}
}

// keyValues are the attributes that are not empty.
func keyValues(all []attribute) (out []object) {
	for _, a := range all {
		switch a.value {
		case "", identifier(""), false, nil:
		default:
			out = append(out, object{"key": a.key, "value": newValue(a.value)})
		}
	}
	return out
}

// An object is one of OTLP's JSON form: 64 bit numbers are strings, ids are hexadecimal.
type object map[string]any

// encode is the body of a request with records of a kind: for "Logs" they are called logRecords, for "Spans" spans.
func encode(r Resource, kind, name string, records []object) []byte {
	for _, r := range records { // what is empty is left out
		maps.DeleteFunc(r, func(_ string, v any) bool { return v == "" })
	}
	// It is made of strings and numbers, which can be encoded.
	body, _ := json.Marshal(object{"resource" + kind: []any{object{
		"resource": object{"attributes": r.attributes()},
		"scope" + kind: []any{object{
			"scope": object{"name": "github.com/agent-pipeline/pipeline", "version": r.Version}, name: records}}}}})
	return body
}
