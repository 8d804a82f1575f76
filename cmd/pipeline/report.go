package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/hooks/report"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func newReportCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "Summarize a session, or all of them",
		Description: "Without flags the newest session, as text. Lines of the journal that cannot be verified\n" +
			"count nowhere: the report gives their number and names them.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 no config, no session, or it could not be read or\n" +
			"written.",
		UsageText: "pipeline report\n" +
			"pipeline report --since 7d --format html --output report.html",
		Flags: append(reportFlags(),
			&cli.StringFlag{Name: "format", Value: "text",
				Usage: "as `FORMAT`: text, json or html (one page with plots)"},
			&cli.BoolFlag{Name: "json", Usage: "the same as --format json"},
			&cli.StringFlag{Name: "output", Usage: "write to this `FILE`"}),
		Action: func(c *cli.Context) error { return runReport(p, c) },
	}
}

func reportFlags() []cli.Flag {
	return []cli.Flag{sessionFlag(),
		&cli.StringFlag{Name: "since", Usage: "all sessions, from `TIME` on: an age (7d, 12h) or a day (2026-01-31)"}}
}

func runReport(p *program, c *cli.Context) error {
	var write func(report.Report, io.Writer) error
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	switch format {
	case "text":
		write = report.Report.Text
	case "json":
		write = report.Report.JSON
	case "html":
		write = report.Report.HTML
	default:
		return usageError{"unknown format " + quote(format) + ": expected text, json or html"}
	}
	r, err := buildReport(p, c)
	if err != nil {
		return err
	}
	path := c.String("output")
	if path == "" {
		return write(r, p.out)
	}
	f, err := os.Create(path)
	if err == nil {
		err = write(r, f)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// buildReport makes the report that the flags ask for, and warns of what it leaves out.
func buildReport(p *program, c *cli.Context) (report.Report, error) {
	since, err := parseAge(c.String("since"), time.Now())
	if err != nil {
		return report.Report{}, err
	}
	s, err := pickSession(p, c)
	isAll := c.String("since") != "" && c.String("session") == ""
	if gone, _ := s.store.Vanished(); err != nil && (!isAll || !errors.Is(err, errNoSession) || len(gone) == 0) {
		return report.Report{}, err
	}
	progress := p.startProgress("reading the journals")
	defer progress.stop()
	var r report.Report
	if isAll {
		items, _ := s.store.List() // the report itself reports an error
		progress = progress.setTotal(countSince(items, since))
		r, err = report.All(s.store, report.Options{Since: since, Step: progress.countStep})
	} else {
		r, err = report.Of(s.store, s.id, report.Options{Since: since})
	}
	progress.stop()
	if e := r.Evidence; err == nil && e.Unread+e.Breaks > 0 || e.Missing > 0 {
		p.sayf("not all records can be trusted: %s", e)
	}
	return r, err
}

// countSince counts the sessions that were active since a time.
func countSince(items []session.Item, since time.Time) (n int) {
	for _, i := range items {
		if !i.Last.Before(since) {
			n++
		}
	}
	return n
}
