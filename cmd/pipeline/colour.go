package main

import (
	"io"
	"strings"

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

func (p *console) hasColours() bool { return p.wantsColours() && isTerminal(p.out) }

func (p *console) wantsColours() bool {
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
func (p *console) printProblemList(problems []config.Problem, dir string) {
	var b strings.Builder
	_ = config.PrintProblems(&b, problems, dir) // a builder takes all
	for line := range strings.Lines(b.String()) {
		place, message, found := strings.Cut(line, ": ")
		switch before, isMark := strings.CutSuffix(line, "^\n"); {
		case isMark && strings.HasPrefix(line, " "):
			line = before + p.style(visible.Red, "^") + "\n"
		case found && !strings.HasPrefix(line, " "):
			line = p.bold(place) + ": " + message
		}
		p.printf("%s", line)
	}
}
