//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// measureMillion measures the commands that read many records. They are those of a session
// that was lived through the hooks, written again and again, as many sessions in a project of
// their own.
func measureMillion(l *lab) (part, error) {
	p := part{Title: fmt.Sprintf("Commands that read %d records, the median of %d runs", l.records, readerRuns)}
	if l.records == 0 {
		p.Note = "left out: -readers 0"
		return p, nil
	}
	alone, err := newLab(l.options)
	if err != nil {
		return p, err
	}
	defer alone.removeAll()
	m, err := alone.beginMonth()
	if err != nil {
		return p, err
	}
	if err := m.writeRecords(l.records / 10); err != nil {
		return p, err
	}
	report, log := []string{"report", "--since", "2000-01-01"}, []string{"log", "--all", "--limit", "100"}
	audit := []string{"audit", "verify"}
	readers := []struct {
		what   string
		atMost float64 // seconds, of a million records
		args   []string
		before func() error
	}{
		{"replay of a tenth", 3, []string{"replay"}, nil},
		{"audit verify of a tenth", 1, audit, nil},
		{"report", 5, report, func() error { return m.writeRecords(l.records) }},
		{"log, few match", 5, append(log, "--verdict", "deny"), nil},
		{"log, most match", 5, append(log, "--agent", "context-*"), nil},
		{"log, nothing matches", 5, append(log, "--rule", "none"), nil},
		{"audit verify", 10, audit, nil},
		{"report, packed", 5, report, m.pack},
		{"log, packed, few match", 5, append(log, "--verdict", "deny"), nil},
		{"log, packed, most match", 5, append(log, "--agent", "context-*"), nil},
		{"log, packed, nothing matches", 5, append(log, "--rule", "none"), nil},
		{"audit verify, packed", 10, audit, nil},
	}
	for _, r := range readers {
		if r.before != nil {
			if err := r.before(); err != nil {
				return p, err
			}
		}
		if err := alone.timeReader(&p, r.what, r.atMost*float64(l.records)/1_000_000, r.args); err != nil {
			return p, err
		}
	}
	return p, nil
}

// readerRuns is how often a command runs that reads many records.
const readerRuns = 3

func (l *lab) timeReader(p *part, what string, atMost float64, args []string) error {
	of := l.pipeline
	of.args, of.env = args, l.userEnv()
	var got []sample
	for range readerRuns {
		s, err := of.run(nil)
		if err == nil && s.code != 0 {
			err = fmt.Errorf("%s: %s", what, s)
		}
		if err != nil {
			return err
		}
		got = append(got, s)
	}
	p.addRow(what, got, 0)
	if args[0] == "audit" { // it does not get faster by waiting for nothing: what counts is what it takes from others
		p.addTarget(what+", processor time", median(cpuTimes(got))/1000, "s", atMost)
		return nil
	}
	p.addTarget(what, median(wallTimes(got))/1000, "s", atMost)
	return nil
}

// A month is a project's sessions, each of as many records as a long day has.
type month struct {
	lived   *session
	records []journal.Record
	names   []string
	at      time.Time
	written int
}

// sessionRecords is how many records a session has.
const sessionRecords = 25_000

// beginMonth lives a session.
func (l *lab) beginMonth() (*month, error) {
	s, err := l.startSession("lived")
	if err != nil {
		return nil, err
	}
	for i, agent := range []string{"context-gatherer", "context-refiner", "strategic-orchestrator", "c-developer"} {
		if err := s.liveAgent(agent, fmt.Sprintf("a%dlived", i)); err != nil {
			return nil, err
		}
	}
	m := &month{lived: s, at: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)}
	_, err = journal.Read(s.dir, func(r journal.Record) bool {
		m.records = append(m.records, r)
		return true
	})
	return m, err
}

// liveAgent has the main agent ask for what is refused, and then for an agent, which works.
func (s *session) liveAgent(agent, id string) error {
	var errs []error
	call := func(event, payload string, fields ...string) {
		fields = append(fields, "@USE", s.lab.nextUseID(), "a0bench", id)
		_, err := s.lab.hookProgram(event).run(s.fillPayload(payload, fields...))
		errs = append(errs, err)
	}
	call("pre-tool-use", "agent", "@AGENT", "Explore")
	call("pre-tool-use", "bash", "git status && ls -la", "make install")
	call("pre-tool-use", "agent", "@AGENT", agent)
	call("subagent-start", "agent-start", "@AGENT", agent)
	by := fmt.Sprintf(`"agent_id":%q,"agent_type":%q,"permission_mode"`, id, agent)
	for i := range 60 {
		line := fmt.Sprintf("grep -rn word%d src/part%d | head -%d", i, i%7, i)
		call("pre-tool-use", "bash", `"permission_mode"`, by, "git status && ls -la", line)
	}
	call("subagent-stop", "agent-stop", "@AGENT", agent)
	return errors.Join(errs...)
}

// writeRecords writes sessions until the month has so many records.
func (m *month) writeRecords(n int) error {
	for m.written < n {
		id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", len(m.names))
		m.names = append(m.names, id)
		if err := m.writeSession(id, min(sessionRecords, n-m.written)); err != nil {
			return err
		}
	}
	return nil
}

func (m *month) dir(id string) string { return filepath.Join(filepath.Dir(m.lived.dir), id) }

// writeSession writes a session, a record a second. The next begins before its last hour.
func (m *month) writeSession(id string, n int) error {
	if err := os.MkdirAll(m.dir(id), 0o700); err != nil {
		return fmt.Errorf("write session %s: %w", id, err)
	}
	j, err := journal.Open(m.dir(id))
	if err != nil {
		return err
	}
	defer j.Close()
	for i := range n {
		r := m.records[i%len(m.records)]
		r.State.ID, r.Event.Time = id, m.at.Add(time.Duration(i)*time.Second)
		if use := &r.Event.Tool.UseID; *use != "" {
			*use = fmt.Sprintf("%s_%06d", *use, i)
		}
		if err := j.Append(&r, false); err != nil {
			return err
		}
	}
	if err := m.completeSession(id, j.Last); err != nil {
		return err
	}
	end := m.at.Add(time.Duration(n) * time.Second)
	m.at = end.Add(-time.Hour)
	m.written += n
	// As old as its last record is: filters by time leave older files out.
	if err := os.Chtimes(filepath.Join(m.dir(id), journal.Name), end, end); err != nil {
		return fmt.Errorf("write session %s: %w", id, err)
	}
	return nil
}

// completeSession adds what audit verify looks for beside a journal: the captured texts, and the line of the
// project's anchors.
func (m *month) completeSession(id string, last *journal.Record) error {
	const texts = "context"
	if err := os.CopyFS(filepath.Join(m.dir(id), texts), os.DirFS(filepath.Join(m.lived.dir, texts))); err != nil {
		return fmt.Errorf("copy the texts of session %s: %w", id, err)
	}
	line := fmt.Appendf(nil, `{"session":%q,"n":%d,"hash":%q,"time":%q}`+"\n", id, last.Seq, last.Hash,
		last.Event.Time.Format(time.RFC3339))
	return system.AppendLine(filepath.Join(filepath.Dir(filepath.Dir(m.lived.dir)), "heads.jsonl"), line)
}

// pack rotates and compresses all journals, as housekeeping does with long ones.
func (m *month) pack() error {
	for _, id := range m.names {
		if _, err := journal.Rotate(m.dir(id), m.at); err != nil {
			return err
		}
		if err := journal.Compress(m.dir(id)); err != nil {
			return err
		}
	}
	return nil
}
