package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// A console is what a program reads and prints, and its environment.
type console struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	lines    *bufio.Reader // of in, once a question was asked
}

// Messages to people go to stderr, in lower case and without a full stop. Only results
// go to stdout.

func (p *console) printf(format string, a ...any) { fmt.Fprintf(p.out, format, a...) }

func (p *console) sayf(format string, a ...any) {
	fmt.Fprint(p.err, visible.Text(fmt.Sprintf("pipeline: "+format+"\n", a...))) // a hook's stderr has no printer
}

// report prints an error, where there is one.
func (p *console) report(err error) {
	if err != nil {
		p.sayf("%v", err)
	}
}

func (p *console) hint(format string, a ...any) { fmt.Fprintf(p.err, "hint: "+format+"\n", a...) }

// newPrinter shows what a terminal would obey, and folds lines at a terminal's width.
func newPrinter(to io.Writer) *visible.Writer {
	w := visible.NewWriter(to)
	if f, ok := to.(*os.File); ok {
		width, _, _ := term.GetSize(int(f.Fd())) // 0 where it is no terminal
		w.Fold(width)
	}
	return w
}

// wholeOut is where lines stay as they are: of what programs read, or people copy.
func (p *console) wholeOut() io.Writer {
	if w, ok := p.out.(*visible.Writer); ok {
		w.Fold(0)
	}
	return p.out
}

func (p *console) printWhole(text string) error {
	_, err := fmt.Fprint(p.wholeOut(), text)
	return err
}

func (p *console) printJSON(v any) error {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return p.printWhole(string(body) + "\n")
}

// detail prints what belongs to the line above, where there is something.
func (p *console) detail(label, text string) {
	if text != "" {
		p.printf("%s%s\n", label, visible.Line(text))
	}
}

// printResult prints what a command has found: as JSON where that is asked for, else as text.
func (c invocation) printResult(document any, printText func()) error {
	if c.Bool("json") {
		return c.printJSON(document)
	}
	printText()
	return nil
}

// A table aligns its columns.
type table struct{ *tabwriter.Writer }

func (p *console) newTable(heads ...any) table {
	t := table{tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)}
	if len(heads) > 0 {
		t.row(heads...)
	}
	return t
}

func (t table) row(cells ...any) {
	fmt.Fprintf(t, strings.Repeat("%v\t", len(cells)-1)+"%v\n", cells...)
}

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
	text := regexp.MustCompile(`(?m)^\S.*?: `).ReplaceAllStringFunc(b.String(), func(place string) string {
		return p.bold(strings.TrimSuffix(place, ": ")) + ": "
	})
	p.printf("%s", regexp.MustCompile(`(?m)^ .*\^$`).ReplaceAllStringFunc(text, func(mark string) string {
		return strings.TrimSuffix(mark, "^") + p.style(visible.Red, "^")
	}))
}

// isAttended reports whether a person reads what is printed, and can answer.
func (p *console) isAttended() bool { return isTerminal(p.in) && isTerminal(p.out) }

// isTerminal reports whether a person is at the other end. /dev/null is a device too.
func isTerminal(stream any) bool {
	if w, ok := stream.(io.Writer); ok {
		stream = rawOut(w)
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// ask prints a question and returns the answer, "q" where the person has gone.
func (p *console) ask(question string) (string, error) {
	if p.lines == nil {
		p.lines = bufio.NewReader(p.in)
	}
	p.printf("%s ", question)
	line, err := p.lines.ReadString('\n')
	if errors.Is(err, io.EOF) && line == "" {
		p.printf("\n")
		return "q", nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// choose returns the number of one of the lines, or 0 where the person wants none. The name
// at the beginning of a line is an answer too, and Enter is the first line.
func (p *console) choose(title string, lines ...string) (int, error) {
	p.printf("%s\n", title)
	for i, line := range lines {
		p.printf("  %d  %s\n", i+1, line)
	}
	for {
		answer, err := p.ask("Which one? Enter for 1, q to stop:")
		switch {
		case err != nil || answer == "q":
			return 0, err
		case answer == "":
			return 1, nil
		}
		if n, err := strconv.Atoi(answer); err == nil && n > 0 && n <= len(lines) {
			return n, nil
		}
		for i, line := range lines {
			if strings.HasPrefix(line, answer+" ") {
				return i + 1, nil
			}
		}
		p.printf("found %q, expected a number from 1 to %d, or a name\n", answer, len(lines))
	}
}

// confirm asks a question that Enter answers with yes. Where the person has gone the
// answer is no, and errStopped.
func (p *console) confirm(question string) (bool, error) {
	for {
		answer, err := p.ask(question + " [Y/n]")
		switch strings.ToLower(answer) {
		case "", "y", "yes":
			return err == nil, err
		case "n", "no":
			return false, nil
		case "q":
			return false, errStopped
		default:
			p.printf("found %q, expected y or n\n", answer)
		}
	}
}

// errStopped ends a command that the person has stopped.
var errStopped = errors.New("stopped: nothing was written")
