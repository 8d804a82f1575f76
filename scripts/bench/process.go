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

// A program is what is started again and again.
type program struct {
	path string
	args []string
	dir  string
	env  []string
}

// A sample is one process, from just before it was forked to just after it was seen to end.
type sample struct {
	start, end time.Time // monotonic
	cpu        time.Duration
	code       int
	out, err   string
}

func (s sample) wall() time.Duration { return s.end.Sub(s.start) }

type running struct {
	pid           int
	start         time.Time
	in, out, errs *os.File // our ends
}

// run starts a program with its input waiting, and waits for its end.
func (p program) run(stdin []byte) (sample, error) {
	r, err := p.start(stdin)
	if err != nil {
		return sample{}, err
	}
	return r.wait()
}

// start forks with the input already in its pipe. It is written before the clock runs: an input that did not fit would
// block here, and an answer that did not fit would block the child; neither comes near 64 KB.
func (p program) start(stdin []byte) (*running, error) {
	return p.fork(func(r *running) error { return r.feed(stdin) })
}

// hold forks and lets the program wait for its input.
func (p program) hold() (*running, error) {
	return p.fork(func(*running) error { return nil })
}

// feed gives a program its whole input.
func (r *running) feed(stdin []byte) error {
	if _, err := r.in.Write(stdin); err != nil {
		return fmt.Errorf("write to process: %w", err)
	}
	return r.in.Close()
}

func (p program) fork(before func(*running) error) (*running, error) {
	r := &running{}
	theirs, err := r.pipes()
	defer closeAll(theirs)
	if err == nil {
		err = before(r)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare to start %s: %w", p.path, err)
	}
	attr := &syscall.ProcAttr{Dir: p.dir, Env: p.env, Files: fds(theirs)}
	argv := append([]string{p.path}, p.args...)
	r.start = time.Now()
	if r.pid, err = syscall.ForkExec(p.path, argv, attr); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.path, err)
	}
	return r, nil
}

// pipes makes the three standard streams and returns the program's ends of them.
func (r *running) pipes() (theirs []*os.File, err error) {
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

func fds(files []*os.File) []uintptr {
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
	if err != nil {
		return s, fmt.Errorf("wait for process %d: %w", r.pid, err)
	}
	s.cpu = time.Duration(used.Utime.Nano() + used.Stime.Nano())
	s.code = status.ExitStatus()
	s.out, s.err = drain(r.out), drain(r.errs)
	return s, nil
}

func drain(f *os.File) string {
	defer f.Close()
	text, _ := io.ReadAll(f) // a pipe whose other end is gone: it ends
	return string(text)
}

// silent is the answer to a call that nobody objects to.
func silent(s sample) error {
	if s.code != 0 || s.out != "" || s.err != "" {
		return fmt.Errorf("expected exit code 0 and no output, found %s", s)
	}
	return nil
}

func (s sample) String() string {
	return fmt.Sprintf("exit code %d, %q, and on stderr %q", s.code, s.out, s.err)
}
