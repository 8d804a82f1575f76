package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/hooks/report"
)

func newReportCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "tell what happened in a session, or in all of them",
		Description: "Without flags the newest session's report, as text. Lines of the journal that cannot be verified are in no figure: they are counted\n" +
			"and named. Exit codes: 0 fine, 2 wrong usage, 3 no config, no session, or it could not be read or written.",
		Flags: append(reportFlags(),
			&cli.StringFlag{Name: "format", Value: "text", Usage: "text, json, or html: one page with plots"},
			&cli.StringFlag{Name: "output", Usage: "write to this `FILE`"}),
		Action: func(c *cli.Context) error { return runReport(p, c) },
	}
}

func reportFlags() []cli.Flag {
	return []cli.Flag{sessionFlag(),
		&cli.StringFlag{Name: "since", Usage: "all sessions, from `TIME` on: an age (7d, 12h) or a day (2026-01-31)"}}
}

// reportFormats are the ways of writing a report.
func reportFormats() map[string]func(report.Report, io.Writer) error {
	return map[string]func(report.Report, io.Writer) error{"text": report.Report.Text, "json": report.Report.JSON, "html": report.Report.HTML}
}

func runReport(p *program, c *cli.Context) error {
	write, ok := reportFormats()[c.String("format")]
	if !ok {
		return usageError{"unknown format " + quote(c.String("format")) + ": expected text, json or html"}
	}
	r, err := buildReport(p, c)
	if err != nil {
		return err
	}
	if path := c.String("output"); path != "" {
		return writeFile(path, func(w io.Writer) error { return write(r, w) })
	}
	return write(r, p.out)
}

// buildReport makes the report that the flags ask for, and says aloud what it had to leave out.
func buildReport(p *program, c *cli.Context) (report.Report, error) {
	since, err := parseAge(c.String("since"), time.Now())
	if err != nil {
		return report.Report{}, err
	}
	s, err := pickSession(p, c)
	if err != nil {
		return report.Report{}, err
	}
	var r report.Report
	if c.String("since") != "" && c.String("session") == "" {
		r, err = report.All(s.store, report.Options{Since: since})
	} else {
		r, err = report.Of(s.store, s.id, report.Options{Since: since})
	}
	if e := r.Evidence; err == nil && e.Unread+e.Breaks > 0 || e.Missing > 0 {
		p.sayf("not all records can be trusted: %s", e)
	}
	return r, err
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	err = write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// worstRules are the rules that objected most to the orchestrator.
func worstRules(r report.Report, n int) []report.Violation {
	list := slices.Clone(r.Breakdown)
	return list[:min(n, len(list))]
}
