package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// TestMain is the program itself where the storm starts it.
func TestMain(m *testing.M) {
	if os.Getenv("PIPELINE_EXPORT_MAIN") != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestStorm: while 10,000 records are written and journals are rotated, a real collector is
// killed and started again ten times, and the export five times. Each record arrives.
func TestStorm(t *testing.T) {
	s := &storm{T: t, base: t.TempDir(), collector: findCollector(t), address: freeAddress(t)}
	const sessions, each, kills = 4, 2500, 10
	before := s.write(sessions, each/2, 0) // a kill finds many records on their way
	written := make(chan int)
	go func() { written <- s.write(sessions, each/2, 200*time.Millisecond) }()
	stopCollector, stopExport := s.startCollector(), s.startExport()
	random := rand.New(rand.NewPCG(10, 5))
	for i := range kills {
		time.Sleep(time.Duration(200+random.IntN(600)) * time.Millisecond)
		if i%2 == 0 {
			stopExport()
			stopExport = s.startExport()
		}
		stopCollector()
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		stopCollector = s.startCollector()
	}
	want := before + <-written
	stopExport()
	if out, err := s.export("").CombinedOutput(); err != nil {
		t.Fatalf("the last export: %v: %s", err, out)
	}
	stopCollector()
	times := s.arrived()
	twice := 0
	for uid, n := range times {
		if n > 1 {
			twice++
		}
		if n == 0 || uid == "" {
			t.Errorf("found %q %d times", uid, n)
		}
	}
	if len(times) != want {
		t.Errorf("%d records arrived, expected %d", len(times), want)
	}
	t.Logf("%d records, %d of them more than once", len(times), twice)
}

// A storm has a folder with projects, and a collector that comes and goes.
type storm struct {
	*testing.T
	base, collector, address string
	runs                     int // of the collector
}

// write writes records in turns, with pauses, and returns how many.
func (s *storm) write(sessions, each int, pause time.Duration) (n int) {
	const step = 50
	for done := 0; done < each; done += step {
		for i := range sessions {
			id := fmt.Sprint("s", i)
			writeRecords(s, s.base, "shop-0123456789ab", id, step)
			n += step
			if dir := filepath.Join(s.base, "shop-0123456789ab", "sessions", id); (done/step+i)%20 == 19 {
				if _, err := journal.Rotate(dir, time.Now()); err != nil {
					s.Error(err)
				}
				n++
				if err := journal.Compress(dir); err != nil {
					s.Error(err)
				}
			}
		}
		time.Sleep(pause)
	}
	return n
}

func (s *storm) export(follow string) *exec.Cmd {
	args := strings.Fields(follow + " -insecure -otlp http://" + s.address + " -all " + s.base)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "PIPELINE_EXPORT_MAIN=1")
	return cmd
}

// startExport starts an export that goes on until it is killed.
func (s *storm) startExport() (kill func()) {
	cmd := s.export("-follow")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	return killer(s, cmd, &said)
}

// killer returns what kills a process; one that has ended by itself is a failure.
func killer(t testing.TB, cmd *exec.Cmd, said *bytes.Buffer) func() {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	kill := func() error { return errors.Join(cmd.Process.Kill(), <-ended) }
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return func() {
		select {
		case err := <-ended:
			t.Fatalf("%s has ended: %v: %s", cmd.Path, err, said)
		default:
			_ = kill()
		}
	}
}

// startCollector starts the collector with a file of its own.
func (s *storm) startCollector() (kill func()) {
	s.runs++
	config := filepath.Join(s.base, "..", fmt.Sprintf("collector-%d.yaml", s.runs))
	text := fmt.Sprintf(`receivers: {otlp: {protocols: {http: {endpoint: %q}}}}
exporters: {append: {path: %q}}
service:
  pipelines:
    logs: {receivers: [otlp], exporters: [append]}
    traces: {receivers: [otlp], exporters: [append]}
`, s.address, s.outFile(s.runs))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
	return startOtelcol(s, s.collector, s.address, config)
}

// startOtelcol starts the collector with the files of a configuration, and waits until it listens.
func startOtelcol(t testing.TB, otelcol, address string, configs ...string) (kill func()) {
	var args []string
	for _, file := range configs {
		args = append(args, "--config=file:"+file)
	}
	cmd := exec.Command(otelcol, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = killer(t, cmd, &said)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			return kill
		}
		if time.Now().After(deadline) {
			kill()
			t.Fatalf("the collector does not answer: %v: %s", err, &said)
		}
	}
}

func (s *storm) outFile(run int) string {
	return filepath.Join(s.base, "..", fmt.Sprintf("out-%d.jsonl", run))
}

// arrived counts the records that the collector has answered for. A line that a kill has
// cut was not answered for.
func (s *storm) arrived() map[string]int {
	times := map[string]int{}
	for run := range s.runs {
		in, err := os.Open(s.outFile(run + 1))
		if err != nil {
			s.Fatal(err)
		}
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				if err != io.EOF {
					s.Error(err)
				}
				break
			}
			for _, l := range gjson.GetBytes(line, "resourceLogs.#.scopeLogs.#.logRecords|@flatten|@flatten").Array() {
				times[l.Get(`attributes.#(key=="log.record.uid").value.stringValue`).Str]++
			}
		}
		in.Close()
	}
	return times
}

func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// findCollector returns the collector of scripts/otelcol. Its build takes minutes, so it is
// kept in the user's cache, and only made where PIPELINE_COLLECTOR asks for it.
func findCollector(t *testing.T) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, name := range []string{"go.mod", "go.sum", "main.go", "promql.go"} {
		body, err := os.ReadFile(filepath.Join("../../scripts/otelcol", name))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(body)
	}
	path := filepath.Join(cache, "pipeline-otelcol", hex.EncodeToString(sum.Sum(nil)[:8]), "otelcol")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("PIPELINE_COLLECTOR") != "build" {
		t.Skip("no collector is built: make test-collector")
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path+".new", ".")
	build.Dir, build.Env = "../../scripts/otelcol", append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the collector: %v: %s", err, out)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}
