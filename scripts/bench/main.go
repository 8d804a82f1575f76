//go:build unix

// Command bench measures what a hook call costs: whole processes, from fork to exit, as the client pays for them. Every
// answer is checked; a call that answers anything but what it should ends the benchmark.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

type options struct {
	binary string
	jq     string
	rounds int
	growth int
	json   bool
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, talk io.Writer) int {
	o, err := parse(args, talk)
	if err != nil {
		return 2
	}
	report, err := measure(o, talk)
	if err == nil {
		err = report.write(out, o.json)
	}
	if err != nil {
		fmt.Fprintln(talk, "bench:", err)
		return 1
	}
	return 0
}

func parse(args []string, talk io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(talk)
	f.StringVar(&o.binary, "binary", "bin/pipeline", "the `file` to measure")
	f.StringVar(&o.jq, "jq", "jq", "the jq that the rival uses")
	f.IntVar(&o.rounds, "runs", 200, "runs of each `number`")
	f.IntVar(&o.growth, "records", 100_000, "how many records the long journal has")
	f.BoolVar(&o.json, "json", false, "print JSON instead of tables")
	return o, f.Parse(args)
}

// measure runs all parts in a laboratory of their own.
func measure(o options, talk io.Writer) (*report, error) {
	l, err := newLab(o)
	if err != nil {
		return nil, err
	}
	defer l.close()
	r := &report{Machine: machine(), Load: []string{load()}, Binary: o.binary, Flags: l.flags}
	for _, measured := range []func(*lab) (part, error){oneCall, shellLine, eightAtOnce, sixtyFourAtOnce, growth, statusLine, rivalDesign} {
		p, err := measured(l)
		if err != nil {
			return nil, err
		}
		p.announce(talk)
		r.Parts = append(r.Parts, p)
	}
	r.Load = append(r.Load, load())
	return r, nil
}
