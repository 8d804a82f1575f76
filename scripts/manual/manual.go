// Package manual reads what a built pipeline says of itself: the help of each command.
package manual

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// A Page is the help of one command, or of the program itself.
type Page struct {
	Path     string // pipeline session clear
	Group    string // the heading of the program's help under which its command stands
	Sections []Section
}

// A Section is a heading of the help, such as OPTIONS, and its text without the indentation.
type Section struct{ Name, Text string }

// Text is the text of a section, "" without one.
func (p Page) Text(section string) string {
	i := slices.IndexFunc(p.Sections, func(s Section) bool { return s.Name == section })
	if i < 0 {
		return ""
	}
	return p.Sections[i].Text
}

// Usage says in one line what the command does.
func (p Page) Usage() string {
	_, usage, _ := strings.Cut(strings.Join(strings.Fields(p.Text("NAME")), " "), " - ")
	return usage
}

// Read returns the pages of a binary's commands and subcommands, in the order of its help. Those that the help leaves
// out, which clients and shells call, come last. The page of the program is the first.
func Read(binary string) ([]Page, error) {
	first, err := readPage(binary)
	if err != nil {
		return nil, err
	}
	pages, known := []Page{first}, map[string]bool{}
	group := ""
	add := func(name string) error {
		if known[name] {
			return nil
		}
		known[name] = true
		more, err := readCommand(binary, group, name)
		pages = append(pages, more...)
		return err
	}
	for line := range strings.Lines(first.Text("COMMANDS")) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch indent := len(line) - len(strings.TrimLeft(line, " ")); indent {
		case 0: // the name of a group stands one column to the left
			group = strings.TrimSpace(line)
		case 1:
			if err := add(name); err != nil {
				return nil, err
			}
		}
	}
	out, err := exec.Command(binary, "--generate-bash-completion").Output()
	if err != nil {
		return nil, fmt.Errorf("list the commands: %w", err)
	}
	group = ""
	for line := range strings.Lines(string(out)) {
		if err := add(strings.TrimSpace(line)); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// readCommand reads the pages of a command and of its subcommands.
func readCommand(binary, group, name string) ([]Page, error) {
	page, err := readPage(binary, name)
	if err != nil {
		return nil, err
	}
	page.Group = group
	pages := []Page{page}
	for line := range strings.Lines(page.Text("COMMANDS")) {
		sub, _, _ := strings.Cut(line, " ")
		if sub == "" {
			continue
		}
		page, err := readPage(binary, name, strings.TrimSpace(sub))
		if err != nil {
			return nil, err
		}
		page.Group = group
		pages = append(pages, page)
	}
	return pages, nil
}

// readPage reads the help of one command.
func readPage(binary string, path ...string) (Page, error) {
	out, err := exec.Command(binary, append([]string{"help"}, path...)...).Output()
	if err != nil {
		return Page{}, fmt.Errorf("read the help of %q: %w", path, err)
	}
	return parsePage(strings.Join(append([]string{"pipeline"}, path...), " "), string(out)), nil
}

func parsePage(path, help string) Page {
	p := Page{Path: path}
	for line := range strings.Lines(help) {
		name, isName := strings.CutSuffix(strings.TrimRight(line, "\n"), ":")
		switch last := len(p.Sections) - 1; {
		case isName && name == strings.ToUpper(name) && name == strings.TrimSpace(name):
			p.Sections = append(p.Sections, Section{Name: name})
		case last >= 0:
			indent := "   "
			if p.Sections[last].Name == "COMMANDS" && len(path) == len("pipeline") {
				indent = "  "
			}
			p.Sections[last].Text += strings.TrimPrefix(line, indent)
		}
	}
	for i := range p.Sections {
		p.Sections[i].Text = strings.TrimRight(p.Sections[i].Text, "\n")
	}
	return p
}
