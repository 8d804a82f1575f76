package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// A dialog asks a person questions, a line each.
type dialog struct {
	p     *program
	lines *bufio.Reader
}

func newDialog(p *program) *dialog { return &dialog{p, bufio.NewReader(p.in)} }

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
func (d *dialog) ask(question string) (string, error) {
	d.p.printf("%s ", question)
	line, err := d.lines.ReadString('\n')
	if errors.Is(err, io.EOF) && line == "" {
		d.p.printf("\n")
		return "q", nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimSpace(line), nil
}

// choose returns the number of one of the lines, or 0 where the person wants none. The name
// at the beginning of a line is an answer too, and Enter is the first line.
func (d *dialog) choose(title string, lines ...string) (int, error) {
	d.p.printf("%s\n", title)
	for i, line := range lines {
		d.p.printf("  %d  %s\n", i+1, line)
	}
	for {
		answer, err := d.ask("Which one? Enter for 1, q to stop:")
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
		d.p.printf("found %s, expected a number from 1 to %d, or a name\n", quote(answer), len(lines))
	}
}

// confirm asks a question that Enter answers with yes. Where the person has gone the
// answer is no, and errStopped.
func (d *dialog) confirm(question string) (bool, error) {
	for {
		answer, err := d.ask(question + " [Y/n]")
		switch strings.ToLower(answer) {
		case "", "y", "yes":
			return err == nil, err
		case "n", "no":
			return false, nil
		case "q":
			return false, errStopped
		default:
			d.p.printf("found %s, expected y or n\n", quote(answer))
		}
	}
}

// errStopped ends a command that the person has stopped.
var errStopped = errors.New("stopped: nothing was written")
