package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func (p *program) bold(s string) string { return p.style(visible.Bold, s) }

// style changes nothing with NO_COLOR, or where the output is no terminal.
func (p *program) style(style, s string) string {
	if w, ok := p.out.(*visible.Writer); ok && style != "" && p.hasColours() {
		return w.Style(style, s)
	}
	return s
}

func (p *program) hasColours() bool { return p.wantsColours() && isTerminal(p.out) }

func (p *program) wantsColours() bool {
	return p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb"
}

// rawOut is a stream without the printer that makes what others write visible.
func rawOut(out io.Writer) io.Writer {
	if w, ok := out.(*visible.Writer); ok {
		return w.Underlying()
	}
	return out
}

// paint colours a text by the word that it begins with: a verdict, a level, a result.
func (p *program) paint(text string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(text, " "), " ")
	style := ""
	switch word {
	case "deny", "DENY:", "FAIL", "problem", "no-go", "off":
		style = visible.Red
	case "ask", "warn", "note", "guidance", "observe":
		style = visible.Yellow
	case "pass", "ok", "strict", "go":
		style = visible.Green
	}
	return p.style(style, text)
}

// printProblemList prints what is wrong with a config, with the places and the marks
// below them set off.
func (p *program) printProblemList(problems []config.Problem, dir string) error {
	var b bytes.Buffer
	if err := config.PrintProblems(&b, problems, dir); err != nil {
		return fmt.Errorf("print problems: %w", err)
	}
	text := b.String()
	if p.hasColours() {
		text = p.markProblems(text)
	}
	if _, err := io.WriteString(p.out, text); err != nil {
		return fmt.Errorf("print problems: %w", err)
	}
	return nil
}

func (p *program) markProblems(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		place, message, found := strings.Cut(l, ": ")
		switch {
		case strings.HasPrefix(l, " ") && strings.HasSuffix(l, "^"):
			lines[i] = strings.TrimSuffix(l, "^") + p.style(visible.Red, "^")
		case found && !strings.HasPrefix(l, " "):
			lines[i] = p.bold(place) + ": " + message
		}
	}
	return strings.Join(lines, "\n")
}

// quiet is how long work may take before it is announced.
const quiet = 700 * time.Millisecond

// announce says on a terminal what takes long, until there is a result: stop takes it off the screen.
func (p *program) announce(what string) (stop func()) {
	if !isTerminal(p.err) {
		return func() {}
	}
	return announceTo(rawOut(p.err), what, quiet)
}

func announceTo(w io.Writer, what string, wait time.Duration) (stop func()) {
	t := time.AfterFunc(wait, func() { fmt.Fprintf(w, "%s …", what) })
	return sync.OnceFunc(func() {
		if !t.Stop() {
			fmt.Fprint(w, "\r\x1b[K")
		}
	})
}
