package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
)

// People are talked to on stderr, in lower case and without a full stop; stdout carries only what was asked for.

func (p *program) printf(format string, a ...any) { fmt.Fprintf(p.out, format, a...) }

func (p *program) sayf(format string, a ...any) { fmt.Fprintf(p.err, "pipeline: "+format+"\n", a...) }

func (p *program) fail(what string) { p.sayf("%s", what) }

func (p *program) hint(format string, a ...any) { fmt.Fprintf(p.err, "hint: "+format+"\n", a...) }

func quote(s string) string { return strconv.Quote(s) }

func (p *program) json(v any) error {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	_, err = fmt.Fprintf(p.out, "%s\n", body)
	return err
}

func (p *program) table() *tabwriter.Writer { return tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0) }

// bold is for terminals; elsewhere, and with NO_COLOR, it changes nothing. (A colour library costs every hook call
// 0.13 ms of start-up, which is more than reading the policy.)
func (p *program) bold(s string) string {
	if !p.colours(p.out) {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

func (p *program) colours(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || p.getenv("NO_COLOR") != "" || p.getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
