//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A report is what was measured, and on what.
type report struct {
	Machine string   `json:"machine"`
	Load    []string `json:"load"` // before and after
	Binary  string   `json:"binary"`
	Flags   []string `json:"built_with"` // the empty program too
	Parts   []part   `json:"parts"`
}

// A part is one question.
type part struct {
	Title   string   `json:"title"`
	Note    string   `json:"note,omitempty"`
	Base    string   `json:"ratios_to,omitempty"`
	Rows    []row    `json:"rows,omitempty"`
	Results []result `json:"results,omitempty"`
}

// A row is one program; times are in milliseconds.
type row struct {
	Name  string  `json:"name"`
	Runs  int     `json:"runs"`
	P50   float64 `json:"p50_ms"`
	P99   float64 `json:"p99_ms"`
	CPU   float64 `json:"cpu_p50_ms"`
	Ratio float64 `json:"ratio,omitempty"` // median of the quotients round by round
}

// A result is one figure, with what it must not exceed if there is such a thing.
type result struct {
	What   string   `json:"what"`
	Value  float64  `json:"value"`
	Unit   string   `json:"unit,omitempty"`
	Target *float64 `json:"at_most,omitempty"`
	Met    *bool    `json:"met,omitempty"`
}

func (p *part) row(name string, of []sample, ratio float64) {
	wall := walls(of)
	p.Rows = append(p.Rows, row{name, len(of), median(wall), percentile(wall, 0.99), median(cpus(of)), ratio})
}

func (p *part) result(what string, value float64, unit string) {
	p.Results = append(p.Results, result{What: what, Value: value, Unit: unit})
}

func (p *part) target(what string, value float64, unit string, atMost float64) {
	met := value <= atMost
	p.Results = append(p.Results, result{what, value, unit, &atMost, &met})
}

// announce says aloud that a part is done, or that it could not be measured.
func (p part) announce(w io.Writer) {
	if len(p.Rows) == 0 {
		fmt.Fprintf(w, "bench: %s: %s\n", p.Title, p.Note)
		return
	}
	fmt.Fprintln(w, "bench: measured:", p.Title)
}

func (r *report) write(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	fmt.Fprintf(w, "%s, load %s\n%s, and the empty program, built with %s\n", r.Machine, strings.Join(r.Load, " to "), r.Binary, strings.Join(r.Flags, " "))
	fmt.Fprintln(w, "Whole processes, fork to exit, in milliseconds; every answer checked. Medians and ratios repeat; read p99 as an upper bound.")
	for _, p := range r.Parts {
		if err := p.write(w); err != nil {
			return err
		}
	}
	return nil
}

func (p part) write(w io.Writer) error {
	fmt.Fprintf(w, "\n%s\n", p.Title)
	if p.Note != "" {
		fmt.Fprintf(w, "  %s\n", p.Note)
	}
	if len(p.Rows) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  \truns\tp50\tp99\tcpu\tratio\t")
		for _, r := range p.Rows {
			fmt.Fprintf(t, "  %s\t%d\t%.2f\t%.2f\t%.2f\t%s\t\n", r.Name, r.Runs, r.P50, r.P99, r.CPU, r.ratio())
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, r := range p.Results {
		fmt.Fprintln(w, " ", r)
	}
	return nil
}

func (r row) ratio() string {
	if r.Ratio == 0 {
		return ""
	}
	return strconv.FormatFloat(r.Ratio, 'f', 2, 64)
}

func (r result) String() string {
	text := fmt.Sprintf("%s: %s %s", r.What, strconv.FormatFloat(r.Value, 'f', r.digits(), 64), r.Unit)
	if r.Target == nil {
		return strings.TrimSpace(text)
	}
	verdict := "met"
	if !*r.Met {
		verdict = "NOT MET"
	}
	return fmt.Sprintf("%s (at most %g: %s)", strings.TrimSpace(text), *r.Target, verdict)
}

// digits: what is counted has none.
func (r result) digits() int {
	if r.Value == float64(int64(r.Value)) {
		return 0
	}
	return 2
}

// machine names what was measured on.
func machine() string {
	return fmt.Sprintf("%s %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}

// load is how busy the machine is, this benchmark included: above its number of CPUs the 99th percentiles say nothing.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(text))[0]
}
