// Pipeline-export sends journals to an OpenTelemetry collector. `pipeline export` starts
// it: it is a program of its own because the network's packages would cost each hook call.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/export"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// version is set when the program is built.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], visible.NewWriter(os.Stderr), os.Getenv)
	stop()
	os.Exit(code)
}

// options are what the command line asks for.
type options struct {
	url, project                    string
	all, follow, insecure, logsOnly bool
	dirs                            []string
}

func parseOptions(args []string, errs io.Writer) (o options, err error) {
	f := flag.NewFlagSet("pipeline-export", flag.ContinueOnError)
	f.SetOutput(errs)
	f.Usage = func() {
		fmt.Fprintln(errs, "pipeline-export sends the journals in state folders: see pipeline export --help")
		f.PrintDefaults()
	}
	f.StringVar(&o.url, "otlp", "", "the collector's `URL`, to which /v1/logs is added")
	f.StringVar(&o.project, "project", "", "the project's `NAME`")
	f.BoolVar(&o.all, "all", false, "each folder has the state folders of projects in it")
	f.BoolVar(&o.follow, "follow", false, "continue with new records")
	f.BoolVar(&o.insecure, "insecure", false, "without TLS, on this machine only")
	f.BoolVar(&o.logsOnly, "logs-only", false, "send no spans")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.dirs = f.Args(); len(o.dirs) == 0 {
		return o, errors.New("missing state folder: see pipeline export --help")
	}
	return o, nil
}

// run returns the exit code: 0 fine, 2 wrong usage, 3 not everything was sent.
func run(ctx context.Context, args []string, errs io.Writer, getenv func(string) string) int {
	sayf := func(format string, a ...any) { fmt.Fprintf(errs, "pipeline: export: "+format+"\n", a...) }
	o, err := parseOptions(args, errs)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var c *collector
	if err == nil {
		c, err = newCollector(o.url, o.insecure, getenv("OTEL_EXPORTER_OTLP_HEADERS"))
	}
	if err != nil {
		sayf("%v", err)
		return 2
	}
	c.sayf = sayf
	host, _ := os.Hostname() // unknown: it is left out
	r := &runner{options: o, sayf: sayf, locked: map[string]func(){}}
	r.Exporter = export.Exporter{Resource: export.Resource{Version: version, Host: host}, Name: cursorName(o.url),
		UserKey: getenv("PIPELINE_EXPORT_USER_KEY"), NoSpans: o.logsOnly, Post: c.post, Report: sayf}
	defer r.unlockAll()
	switch sent, err := r.run(ctx, pauses{poll: time.Second, first: 500 * time.Millisecond, most: 30 * time.Second,
		giveUp: 30 * time.Second}); {
	case err != nil:
		sayf("%d records sent, then: %v", sent, err)
		sayf("nothing is lost: the next export continues there")
		return 3
	case !o.follow:
		sayf("%d records sent", sent)
	}
	return 0
}

// cursorName names the folder of a collector's cursors.
func cursorName(url string) string {
	sum := sha256.Sum256([]byte(url))
	return hex.EncodeToString(sum[:6])
}

// A runner sends all projects, once or again and again.
type runner struct {
	options
	export.Exporter
	sayf   func(string, ...any)
	locked map[string]func()
}

// pauses are how long is waited: for new records; after a failure, twice as long after each
// further one; until an export that does not follow gives up.
type pauses struct{ poll, first, most, giveUp time.Duration }

func (r *runner) run(ctx context.Context, p pauses) (sent int, err error) {
	var failing time.Time // since when nothing could be sent
	pause := p.first
	for {
		n, err := r.sendAll(ctx)
		var wait temporary
		switch sent += n; {
		case ctx.Err() != nil:
			return sent, nil
		case err == nil && !r.follow:
			return sent, nil
		case err != nil && !errors.As(err, &wait):
			return sent, err
		case n > 0 || err == nil:
			pause, failing = p.first, time.Now()
		case failing.IsZero():
			failing = time.Now()
		case !r.follow && time.Since(failing) > p.giveUp:
			return sent, err
		}
		next := p.poll
		if err != nil {
			if pause == p.first {
				r.sayf("%v; it is tried again", err)
			}
			if next = max(min(pause, p.most), wait.after); !r.follow && wait.after > p.giveUp {
				return sent, err // without --follow there is no time to try again
			}
			pause = min(2*pause, p.most)
		}
		select {
		case <-ctx.Done():
			return sent, nil
		case <-time.After(next):
		}
	}
}

// sendAll sends what is new in all projects; one that has begun meanwhile is among them.
func (r *runner) sendAll(ctx context.Context) (sent int, err error) {
	var projects []export.Project
	for _, dir := range r.dirs {
		found := []export.Project{{Name: r.project, Dir: dir}}
		if r.all {
			if found, err = export.ListProjects(dir); err != nil {
				return 0, err
			}
		}
		projects = append(projects, found...)
	}
	for _, p := range projects {
		if r.locked[p.Dir] == nil {
			unlock, err := r.Lock(p)
			if errors.Is(err, export.ErrBusy) && r.all {
				r.ReportOnce("project %s: %v", p.Name, err)
				continue
			}
			if err != nil {
				return sent, fmt.Errorf("project %s: %w", p.Name, err)
			}
			r.locked[p.Dir] = unlock
		}
		n, err := r.Send(ctx, p)
		if sent += n; err != nil {
			return sent, err
		}
	}
	return sent, nil
}

func (r *runner) unlockAll() {
	for _, unlock := range r.locked {
		unlock()
	}
}
