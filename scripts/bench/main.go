//go:build unix

// Command bench measures what a hook call costs: whole processes, from fork to exit, as the
// client pays for them. It checks every answer, and stops at the first wrong one.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

type options struct {
	binary           string
	jq, node, python string // of the older designs
	against          string // another binary, or a commit
	name             string // what the sessions' names begin with
	rounds           int
	growth           int
	records          int
	quick            bool
	json             bool
}

func main() { os.Exit(runBench(os.Args[1:], os.Stdout, os.Stderr)) }

func runBench(args []string, out, talk io.Writer) int {
	o, err := parseOptions(args, talk)
	if err != nil {
		return 2
	}
	report, err := measureAll(o, talk)
	if err == nil {
		err = report.write(out, o.json)
	}
	if err != nil {
		fmt.Fprintln(talk, "bench:", err)
		return 1
	}
	return 0
}

func parseOptions(args []string, talk io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(talk)
	f.StringVar(&o.binary, "binary", "bin/pipeline", "the `file` to measure")
	f.StringVar(&o.against, "against", "", "another `file` to compare with, or a commit, which is built")
	f.StringVar(&o.jq, "jq", "jq", "the jq of the older designs")
	f.StringVar(&o.node, "node", "node", "the Node of the older designs")
	f.StringVar(&o.python, "python", "/usr/bin/python3", "the Python of the older designs")
	f.IntVar(&o.rounds, "runs", 200, "runs of each `number`")
	f.IntVar(&o.growth, "records", 100_000, "`number` of records in the long journal")
	f.IntVar(&o.records, "readers", 1_000_000, "`number` of records that reports and logs read; 0 leaves them out")
	f.BoolVar(&o.quick, "quick", false, "a tenth of the records, and a quarter of the runs")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	err := f.Parse(args)
	if o.quick {
		o.rounds, o.growth, o.records = max(o.rounds/4, 1), o.growth/10, o.records/10
	}
	return o, err
}

// measureAll runs all measurements in a lab of their own.
func measureAll(o options, talk io.Writer) (*report, error) {
	l, err := newLab(o)
	if err != nil {
		return nil, err
	}
	defer l.removeAll()
	r := &report{Machine: nameMachine(), Load: []string{readLoad()}, Binary: o.binary, Flags: l.flags}
	for _, measure := range []func(*lab) (part, error){
		measureTable, measureCostly, measureCold, measureConfined, measureGrowth, measureStatusLine, measureMillion,
		measureAgainst,
	} {
		p, err := measure(l)
		if err != nil {
			return nil, err
		}
		p.announce(talk)
		r.Parts = append(r.Parts, p)
	}
	r.Load = append(r.Load, readLoad())
	return r, nil
}
