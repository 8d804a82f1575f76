package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
)

// readScript reads a file of scenarios, and everything that is wrong with it.
func readScript(file string) (*script, []config.Problem, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read scenarios: %w", err)
	}
	s := &script{file: file, lines: strings.Split(strings.ReplaceAll(string(body), "\r\n", "\n"), "\n")}
	var problems []config.Problem
	for i, text := range s.lines {
		r := &lineReader{text: text}
		if bad := s.read(r, i+1); bad != nil {
			problems = append(problems, s.problem(i+1, r.col(bad.at), bad.message, bad.hint))
		}
	}
	return s, problems, nil
}

// read takes one line.
func (s *script) read(r *lineReader, line int) *misread {
	if r.over() {
		return nil
	}
	from := r.at
	switch first := r.word(); first {
	case "==":
		s.scenarios = append(s.scenarios, scenario{title: r.column()})
		return nil
	case "config":
		return s.readConfig(r, from)
	default:
		if len(s.scenarios) == 0 {
			return &misread{from, "found a step, expected a scenario to begin before it", `begin one with a line "== what it shows"`}
		}
		step := scriptStep{line: line, actor: first}
		bad := step.read(r, first, from)
		last := &s.scenarios[len(s.scenarios)-1]
		last.steps = append(last.steps, step)
		return bad
	}
}

func (s *script) readConfig(r *lineReader, from int) *misread {
	path := r.column()
	switch {
	case path == "":
		return &misread{r.at, "found nothing, expected the path of a config", ""}
	case s.config != "" || len(s.scenarios) > 0:
		return &misread{from, "found config here, expected it once and before the first scenario", ""}
	}
	s.config = path
	if !filepath.IsAbs(path) {
		s.config = filepath.Join(filepath.Dir(s.file), path)
	}
	return nil
}

// read takes a step of which the first word is read.
func (st *scriptStep) read(r *lineReader, first string, from int) *misread {
	var bad *misread
	switch verb(first) {
	case actReset, actLevel, actEnv:
		st.verb = verb(first)
		bad = st.readOrder(r)
	default:
		bad = st.readAct(r)
	}
	if st.text = strings.TrimSpace(r.text[from:r.at]); bad != nil {
		return bad
	}
	if st.verb == actCall {
		st.text = st.actor + "  " + st.call.String()
		return nil
	}
	st.wants, bad = r.wants()
	return bad
}

// readOrder takes what a person or the world does.
func (st *scriptStep) readOrder(r *lineReader) *misread {
	if r.apart() && st.verb == actReset {
		return nil
	}
	r.blanks()
	at := r.at
	st.arg = r.word()
	switch st.verb {
	case actReset:
		if st.arg != "--to" {
			return &misread{at, fmt.Sprintf("found %s, expected --to STATE or two blanks", quote(st.arg)), ""}
		}
		r.blanks()
		st.argCol = r.col(r.at)
		if st.arg = r.word(); st.arg == "" {
			return &misread{r.at, "found nothing, expected the state to go to", ""}
		}
	case actLevel:
		if _, ok := fsm.ParseLevel(st.arg); !ok {
			return &misread{at, fmt.Sprintf("found %s, expected one of %s", quote(st.arg), strings.Join(fsm.LevelNames(), ", ")), ""}
		}
	case actEnv:
		if name, _, ok := strings.Cut(st.arg, "="); !ok || name == "" {
			return &misread{at, fmt.Sprintf("found %s, expected NAME=VALUE", quote(st.arg)), ""}
		}
	}
	return nil
}

// readAct takes what an agent does.
func (st *scriptStep) readAct(r *lineReader) *misread {
	r.blanks()
	at := r.at
	name := toolName().FindString(r.rest())
	mains := []verb{actSays, actEnds}
	agents := []verb{actStarts, actDone, actFails}
	switch v := verb(name); {
	case name == "":
		return &misread{at, fmt.Sprintf("found %s, expected a call, starts, done, fails, says or ends", r.found()), ""}
	case strings.HasPrefix(r.rest()[len(name):], "(") || !slices.Contains(append(mains, agents...), v):
		var bad *misread
		st.verb = actCall
		st.call, st.wants, bad = r.call()
		return bad
	case slices.Contains(mains, v) != (st.actor == "main"):
		return &misread{at, fmt.Sprintf("found %s of %s: only the main agent is spoken to and ends its turn, only others start and are done", name, quote(st.actor)), ""}
	default:
		st.verb = v
	}
	r.at += len(name)
	var bad *misread
	if st.verb == actDone || st.verb == actSays {
		st.arg, bad = r.quoted(name)
	}
	return bad
}
