//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// A program is an executable with its arguments and environment.
type program struct {
	path string
	args []string
	dir  string
	env  []string
}

// A sample is one run, from just before the fork to just after the wait.
type sample struct {
	start, end time.Time // monotonic
	cpu        time.Duration
	faults     int64 // page faults without reading from the disk
	reads      int64 // page faults that read from the disk
	code       int
	out, err   string
}

func (s sample) wall() time.Duration { return s.end.Sub(s.start) }

type running struct {
	pid           int
	start         time.Time
	in, out, errs *os.File // our ends
	fed           chan error
}

// run starts a program with its input waiting, and waits for its end.
func (p program) run(stdin []byte) (sample, error) {
	r, err := p.start(stdin)
	if err != nil {
		return sample{}, err
	}
	return r.wait()
}

// feed writes a program's whole input.
func (r *running) feed(stdin []byte) error {
	if _, err := r.in.Write(stdin); err != nil {
		return fmt.Errorf("write to process: %w", err)
	}
	return r.in.Close()
}

// pipeHolds is less than a pipe holds.
const pipeHolds = 60 << 10

// start forks with the input already in the pipe, written before the clock starts. One that the pipe does not
// hold is written while the program runs, as a client does. Answers are far below 64 KB, so neither side blocks.
func (p program) start(stdin []byte) (*running, error) {
	r := &running{}
	theirs, err := r.openPipes()
	defer closeAll(theirs)
	if isLong := len(stdin) > pipeHolds; isLong {
		r.fed = make(chan error, 1)
	} else if err == nil {
		err = r.feed(stdin)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare to start %s: %w", p.path, err)
	}
	attr := &syscall.ProcAttr{Dir: p.dir, Env: p.env, Files: listFDs(theirs)}
	argv := append([]string{p.path}, p.args...)
	r.start = time.Now()
	if r.pid, err = syscall.ForkExec(p.path, argv, attr); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.path, err)
	}
	if r.fed != nil {
		go func() { r.fed <- r.feed(stdin) }()
	}
	return r, nil
}

// openPipes makes the three standard streams and returns the program's ends.
func (r *running) openPipes() (theirs []*os.File, err error) {
	in, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, outW, err := os.Pipe()
	if err != nil {
		return []*os.File{in}, err
	}
	errs, errsW, err := os.Pipe()
	r.in, r.out, r.errs = w, out, errs
	return []*os.File{in, outW, errsW}, err
}

func listFDs(files []*os.File) []uintptr {
	out := make([]uintptr, len(files))
	for i, f := range files {
		out[i] = f.Fd()
	}
	return out
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

func (r *running) wait() (sample, error) {
	s := sample{start: r.start}
	var status syscall.WaitStatus
	var used syscall.Rusage
	_, err := syscall.Wait4(r.pid, &status, 0, &used)
	for errors.Is(err, syscall.EINTR) {
		_, err = syscall.Wait4(r.pid, &status, 0, &used)
	}
	s.end = time.Now()
	if r.fed != nil && err == nil {
		err = <-r.fed
	}
	if err != nil {
		return s, fmt.Errorf("wait for process %d: %w", r.pid, err)
	}
	s.cpu = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	s.faults, s.reads = used.Minflt, used.Majflt
	s.code = status.ExitStatus()
	s.out, s.err = readAll(r.out), readAll(r.errs)
	return s, nil
}

func readAll(f *os.File) string {
	defer f.Close()
	text, _ := io.ReadAll(f) // the other end is closed: this ends
	return string(text)
}

// wantSilence checks the answer to a call that is allowed.
func wantSilence(s sample) error {
	if s.code != 0 || s.out != "" || s.err != "" {
		return fmt.Errorf("expected exit code 0 and no output, found %s", s)
	}
	return nil
}

func (s sample) String() string {
	return fmt.Sprintf("exit code %d, %q, and on stderr %q", s.code, s.out, s.err)
}
