package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func (p *console) bold(s string) string { return p.style(visible.Bold, s) }

// style changes nothing with NO_COLOR, or where the output is no terminal.
func (p *console) style(style, s string) string {
	if w, ok := p.out.(*visible.Writer); ok && style != "" && p.hasColours() {
		return w.Style(style, s)
	}
	return s
}

func (p *console) hasColours() bool {
	return p.wantsColours() && isTerminalWriter(p.out)
}

func (p *console) wantsColours() bool {
	return p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb"
}

// outputFile is the file that the program prints to, if it is one.
func (p *console) outputFile() *os.File {
	out := p.out
	if w, ok := out.(*visible.Writer); ok {
		out = w.Underlying()
	}
	f, _ := out.(*os.File)
	return f
}

// isTerminalWriter reports whether a person sees what is printed.
func isTerminalWriter(out io.Writer) bool {
	w, ok := out.(*visible.Writer)
	return ok && isTerminal(w.Underlying())
}

// paint colours a text by the word that it begins with: a verdict, a level, a result.
func (p *console) paint(text string) string {
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
func (p *console) printProblemList(problems []config.Problem, dir string) error {
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

func (p *console) markProblems(text string) string {
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
func (p *console) announce(what string) (stop func()) {
	if !isTerminalWriter(p.err) {
		return func() {}
	}
	return announceTo(p.err.(*visible.Writer).Underlying(), what, quiet)
}

func announceTo(w io.Writer, what string, wait time.Duration) (stop func()) {
	t := time.AfterFunc(wait, func() { fmt.Fprintf(w, "%s …", what) })
	return sync.OnceFunc(func() {
		if !t.Stop() {
			fmt.Fprint(w, "\r\x1b[K")
		}
	})
}
