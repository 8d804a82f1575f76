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

// A report holds the measurements, and the machine.
type report struct {
	Machine string   `json:"machine"`
	Load    []string `json:"load"` // before and after
	Binary  string   `json:"binary"`
	Flags   []string `json:"built_with"` // the empty program too
	Parts   []part   `json:"parts"`
}

// A part answers one question.
type part struct {
	Title   string   `json:"title"`
	Note    string   `json:"note,omitempty"`
	Base    string   `json:"ratios_to,omitempty"`
	Rows    []row    `json:"rows,omitempty"`
	Results []result `json:"results,omitempty"`
}

// A row is one program; times are in milliseconds.
type row struct {
	Name   string   `json:"name"`
	Runs   int      `json:"runs"`
	P50    float64  `json:"p50_ms"`
	P99    float64  `json:"p99_ms"`
	CPU    float64  `json:"cpu_p50_ms"`
	Ratio  float64  `json:"ratio,omitempty"` // median of the quotients round by round
	Faults float64  `json:"page_faults_p50"`
	Other  float64  `json:"other_p50_ms,omitempty"` // of the binary that this one is compared with
	AtOnce []atOnce `json:"at_once,omitempty"`
}

// atOnce is one of N processes at once.
type atOnce struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
}

// A result is one figure, with its upper limit if it has one.
type result struct {
	What   string   `json:"what"`
	Value  float64  `json:"value"`
	Unit   string   `json:"unit,omitempty"`
	Target *float64 `json:"at_most,omitempty"`
	Met    *bool    `json:"met,omitempty"`
}

func newRow(name string, of []sample) row {
	wall := wallTimes(of)
	faults := make([]float64, len(of))
	for i, s := range of {
		faults[i] = float64(s.faults)
	}
	return row{Name: name, Runs: len(of), P50: median(wall), P99: percentile(wall, 0.99), CPU: median(cpuTimes(of)),
		Faults: median(faults)}
}

func (p *part) addRow(name string, of []sample, ratio float64) {
	r := newRow(name, of)
	r.Ratio = ratio
	p.Rows = append(p.Rows, r)
}

func (p *part) addTarget(what string, value float64, unit string, atMost float64) {
	met := value <= atMost
	p.Results = append(p.Results, result{what, value, unit, &atMost, &met})
}

// announce reports that a part is done, or why it was not measured.
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
	fmt.Fprintf(w, "%s, load %s\n%s, and the empty program, built with %s\n",
		r.Machine, strings.Join(r.Load, " to "), r.Binary, strings.Join(r.Flags, " "))
	fmt.Fprintln(w, "Whole processes, fork to exit, in milliseconds; every answer checked.")
	fmt.Fprintln(w, "Medians and ratios repeat; read p99 as an upper bound.")
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
		fmt.Fprint(t, "  \truns\tp50\tratio\tp99\tcpu\tfaults\t")
		if p.Rows[0].Other > 0 {
			fmt.Fprint(t, "p50 of the other\t")
		}
		for _, a := range p.Rows[0].AtOnce {
			fmt.Fprintf(t, "p50 of %d\tp99 of %d\t", a.N, a.N)
		}
		fmt.Fprintln(t)
		for _, r := range p.Rows {
			fmt.Fprintf(t, "  %s\t%d\t%.2f\t%s\t%.2f\t%.2f\t%.0f\t",
				r.Name, r.Runs, r.P50, r.formatRatio(), r.P99, r.CPU, r.Faults)
			if r.Other > 0 {
				fmt.Fprintf(t, "%.2f\t", r.Other)
			}
			for _, a := range r.AtOnce {
				fmt.Fprintf(t, "%.1f\t%.1f\t", a.P50, a.P99)
			}
			fmt.Fprintln(t)
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

func (r row) formatRatio() string {
	if r.Ratio == 0 {
		return ""
	}
	return strconv.FormatFloat(r.Ratio, 'f', 2, 64)
}

func (r result) String() string {
	text := fmt.Sprintf("%s: %s %s", r.What, strconv.FormatFloat(r.Value, 'f', r.countDigits(), 64), r.Unit)
	if r.Target == nil {
		return strings.TrimSpace(text)
	}
	verdict := "met"
	if !*r.Met {
		verdict = "NOT MET"
	}
	return fmt.Sprintf("%s (at most %g: %s)", strings.TrimSpace(text), *r.Target, verdict)
}

// countDigits returns the decimals to print: none for a count.
func (r result) countDigits() int {
	if r.Value == float64(int64(r.Value)) {
		return 0
	}
	return 2
}

// nameMachine describes the machine.
func nameMachine() string {
	return fmt.Sprintf("%s %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
}

// readLoad returns the machine's load, this benchmark included. Above the number of CPUs the
// 99th percentiles mean nothing.
func readLoad() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(text))[0]
}
