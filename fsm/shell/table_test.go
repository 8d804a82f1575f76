package shell

import (
	"slices"
	"strings"
	"testing"
)

// walkTable calls f for every row, with its command and the words of its
// subcommand, once for each of its names.
func walkTable(f func(row *form, words string)) {
	for _, rows := range table {
		for i := range rows {
			walkRow(&rows[i], f)
		}
	}
}

func walkRow(top *form, f func(row *form, words string)) {
	for name := range strings.SplitSeq(top.words, "|") {
		f(top, name)
		for j := range top.forms {
			for sub := range strings.SplitSeq(top.forms[j].words, "|") {
				f(&top.forms[j], name+" "+sub)
			}
		}
	}
}

// A command has one row, and a subcommand is not hidden by a shorter one above it.
func TestTableNames(t *testing.T) {
	seen := map[string]bool{}
	walkTable(func(row *form, words string) {
		if seen[words] {
			t.Errorf("%s has two rows", words)
		}
		seen[words] = true
		if findRow(strings.Fields(words)[0]) == nil {
			t.Errorf("%s is not found", words)
		}
	})
	for _, name := range []string{"", "m", "m|g", "rm|grm", "frobnicate", "cat|"} {
		if row := findRow(name); row != nil {
			t.Errorf("findRow(%q) = %q", name, row.words)
		}
	}
}

// What a row says of its options and operands is well formed.
func TestTableColumns(t *testing.T) {
	walkTable(func(row *form, words string) {
		for _, roles := range []string{row.operands, row.then} {
			if strings.Trim(roles, "-rswoduz*") != "" || strings.Count(roles, "*") > 1 ||
				strings.HasPrefix(roles, "*") {
				t.Errorf("%s: roles %q", words, roles)
			}
		}
		for _, names := range []string{row.reads} {
			for _, name := range strings.Fields(names) {
				takes := hasWord(row.takes, name)
				attached := len(name) > 1 // as --name=VALUE only
				if !takes && !attached {
					t.Errorf("%s: option %q takes no value", words, name)
				}
			}
		}
		if (row.then != "" || row.when != "") && row.when == "" {
			t.Errorf("%s: then without when", words)
		}
		if row.before > 0 && row.wraps == noWrapper {
			t.Errorf("%s: operands before no command", words)
		}
	})
}

// Every wrapper runs the command that it is given.
func TestTableWrappers(t *testing.T) {
	walkTable(func(row *form, words string) {
		operands := strings.Repeat("x ", row.before)
		if words == "time" {
			return // a keyword of the shell
		}
		var line string
		switch row.wraps {
		case noWrapper:
			return
		case byOption, eitherWay:
			line = words + " " + operands + "-c 'rm y'"
			if strings.HasPrefix(words, "nix-shell") {
				line = words + " --run 'rm y'"
			}
		case afterC:
			line = words + " -c rm y"
		case dashed:
			line = words + " " + operands + "-- rm y"
		case joined:
			line = words + " " + operands + "'rm y'"
		default:
			line = words + " " + operands + "rm y"
		}
		calls := Parse(line, Options{})
		at := slices.IndexFunc(calls, func(c Call) bool { return len(c.Words) > 0 && c.Words[0] == "rm" })
		if at < 0 {
			t.Errorf("%s runs no rm: %v", line, calls)
			return
		}
		if via := calls[at].Via; len(via) != 1 || via[0] != words {
			t.Errorf("%s: via %q", line, via)
		}
		deletes := slices.IndexFunc(calls, func(c Call) bool { return c.Kind == Delete })
		switch row.where {
		case here:
			if deletes < 0 || calls[deletes].Path != "y" {
				t.Errorf("%s: %v, want Delete(y)", line, calls)
			}
		case container:
			if deletes < 0 || calls[deletes].Path != Unknown {
				t.Errorf("%s: %v, want Delete(?)", line, calls)
			}
		case elsewhere:
			if deletes >= 0 {
				t.Errorf("%s: %v, want no file of ours", line, calls)
			}
		}
	})
}

// Operands have the role that the row gives to all of them.
func TestTableOperands(t *testing.T) {
	kinds := map[string]Kind{"r*": Read, "w*": Write, "d*": Delete, "s*": Search}
	walkTable(func(row *form, words string) {
		kind, plain := kinds[row.operands]
		if !plain || row.wraps != noWrapper {
			return
		}
		calls := Parse(words+" one two", Options{})
		for _, path := range []string{"one", "two"} {
			if !slices.ContainsFunc(calls, func(c Call) bool { return c.Kind == kind && c.Path == path }) {
				t.Errorf("%s one two: %v, want %v(%s)", words, calls, kind.Tool(), path)
			}
		}
	})
}

// An option with a value takes the next word, so that this is no operand.
func TestTableValueOptions(t *testing.T) {
	walkTable(func(row *form, words string) {
		if row.operands != "r*" && row.operands != "w*" && row.operands != "d*" {
			return
		}
		for _, name := range strings.Fields(row.takes) {
			if hasWord(row.writes+" "+row.reads, name) || len(name) == 1 && hasWord(row.when, name) {
				continue
			}
			option := "--" + name
			if len(name) == 1 {
				option = "-" + name
			}
			for _, c := range Parse(words+" "+option+" value file", Options{}) {
				if c.Path == "value" {
					t.Errorf("%s %s value: %v", words, option, c)
				}
			}
		}
	})
}

// Options that name a file or code have their effect, those that only show take
// every effect away.
func TestTableOptions(t *testing.T) {
	walkTable(func(row *form, words string) {
		if row.wraps != noWrapper || row.effect != nil || words == "git" || row.writes == noOutputs {
			return
		}
		when := ""
		if row.when != "" {
			when = " " + dash(strings.Fields(row.when)[0])
		}
		if words == "ssh-keygen" {
			when += " rsa"
		}
		for _, name := range strings.Fields(row.writes) {
			if line := words + when + " " + dash(name) + "=out"; len(name) > 1 && !yields(line, Write, "out") {
				t.Errorf("%s: %v, want Write(out)", line, Parse(line, Options{}))
			}
			if line := words + when + " " + dash(name) + " out x"; len(name) == 1 && !yields(line, Write, "out") {
				t.Errorf("%s: %v, want Write(out)", line, Parse(line, Options{}))
			}
		}
		for _, name := range strings.Fields(strings.TrimPrefix(row.unless, "-- ")) {
			line := words + when + " " + dash(name) + " one two"
			for _, c := range Parse(line, Options{}) {
				if c.Kind == Write || c.Kind == Delete {
					t.Errorf("%s: %v", line, c)
				}
			}
		}
	})
}

func dash(name string) string {
	switch {
	case name[0] == '-':
		return name
	case len(name) == 1:
		return "-" + name
	}
	return "--" + name
}

func yields(line string, k Kind, path string) bool {
	return slices.ContainsFunc(Parse(line, Options{}), func(c Call) bool { return c.Kind == k && c.Path == path })
}

// An option that is not certain, or that is switched off, takes no effect away.
func TestUncertainOptions(t *testing.T) {
	for _, line := range []string{
		"black $X--check f", "black --check=false f", "black --check=$X f", "black --che f", "black -- --check f",
		"black -- -check f",
		"git clean $X-n f", "git rm --cach f", "rsync --dry-run=0 a f",
		"terraform fmt -check=false", "git rm -cached f", "unzip --l a.zip",
	} {
		if !slices.ContainsFunc(Parse(line, Options{}), func(c Call) bool {
			return c.Kind == Write ||
				c.Kind == Delete
		}) {
			t.Errorf("%s changes nothing: %v", line, Parse(line, Options{}))
		}
	}
}

// A tool runs unknown code if its subcommand is not known, unless the row holds for all, or it
// builds whatever it is told.
func TestTableSubcommands(t *testing.T) {
	walkTable(func(row *form, words string) {
		if row.takes == "" || len(row.forms) == 0 || row.wraps != noWrapper || row.interpret != nil {
			return
		}
		for _, tt := range []struct {
			line string
			want bool
		}{
			{words + ` "$X" y`, true},
			{words + ` --frobnicate "$X"`, true},
			{words + " --version", false},
			{words + " frobnicate", row.in&(Builds|Tests) == 0},
			{words + " help", false},
		} {
			if calls := Parse(tt.line, Options{}); len(calls) != 1 || calls[0].Code != tt.want {
				t.Errorf("%s: %v, want unknown code: %v", tt.line, calls, tt.want)
			}
		}
	})
}

// An interpreter runs unknown code, unless it is only asked for its version.
func TestTableInterpreters(t *testing.T) {
	walkTable(func(row *form, words string) {
		if row.interpret == nil || row.wraps != noWrapper || words == "crontab" || words == "at" || words == "batch" {
			return
		}
		if calls := Parse(words+" script", Options{}); len(calls) == 0 || !calls[0].Code {
			t.Errorf("%s script: %v", words, calls)
		}
		if calls := Parse("cat x | "+words, Options{}); !slices.ContainsFunc(calls,
			func(c Call) bool { return c.Code }) && words != "deno run" {
			t.Errorf("cat x | %s: %v", words, calls)
		}
		if calls := Parse(words+" --version", Options{}); len(calls) != 1 || calls[0].Code &&
			!strings.HasPrefix(words, "deno") {
			t.Errorf("%s --version: %v", words, calls)
		}
	})
}
