package config

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
)

func benchWorld(b *testing.B) World {
	dir := b.TempDir()
	text, err := os.ReadFile("../configs/pipeline.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range []string{"configs", ".claude", ".git", "home"} {
		if err := os.Mkdir(system.Join(dir, d), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(system.Join(dir, "configs/pipeline.yaml"), text, 0o644); err != nil {
		b.Fatal(err)
	}
	return World{Dir: dir, Home: system.Join(dir, "home"), Getenv: os.Getenv, Version: "bench"}
}

func BenchmarkFind(b *testing.B) {
	w := benchWorld(b)
	for b.Loop() {
		if _, ok, err := Find(w); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func BenchmarkOpenWarm(b *testing.B) {
	w := benchWorld(b)
	if _, err := Open(w); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if o, err := Open(w); o.Policy == nil || err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenCold(b *testing.B) {
	w := benchWorld(b)
	p, _, _ := Find(w)
	for b.Loop() {
		if policy, _, err := buildPolicy(p, w); policy == nil || err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadPolicy(b *testing.B) {
	w := benchWorld(b)
	o, err := Open(w)
	if err != nil {
		b.Fatal(err)
	}
	k := policyKey(o.Project, w)
	dir := system.Dir(o.Project.lastFile(w))
	for b.Loop() {
		if _, err := readPolicy(dir, k, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenFirst is what a hook call pays: Open as the first thing that a fresh process does. Each round is a
// process of its own; the figure is the median of their results.
func BenchmarkOpenFirst(b *testing.B) {
	if dir := os.Getenv("CONFIG_BENCH_DIR"); dir != "" {
		start := time.Now()
		w := World{Dir: dir, Home: system.Join(dir, "home"), Getenv: os.Getenv, Version: "bench"}
		p, _, _ := Find(w)
		found := time.Now()
		k := policyKey(p, w)
		keyed := time.Now()
		_, err := readPolicy(system.Dir(p.lastFile(w)), k, false)
		read := time.Now()
		fmt.Println("FIRST", found.Sub(start).Nanoseconds(), keyed.Sub(found).Nanoseconds(),
			read.Sub(keyed).Nanoseconds(), err)
		os.Exit(0)
	}
	w := benchWorld(b)
	if _, err := Open(w); err != nil {
		b.Fatal(err)
	}
	var times [3][]float64
	for b.Loop() {
		cmd := exec.Command(os.Args[0], "-test.run=NONE", "-test.bench=OpenFirst", "-test.benchtime=1x")
		cmd.Env = append(os.Environ(), "CONFIG_BENCH_DIR="+w.Dir)
		out, err := cmd.Output()
		_, line, _ := strings.Cut(string(out), "FIRST ")
		var at [3]float64
		if _, scan := fmt.Sscanf(line, "%f %f %f <nil>", &at[0], &at[1], &at[2]); scan != nil || err != nil {
			b.Fatal(err, scan, string(out))
		}
		for i := range at {
			times[i] = append(times[i], at[i])
		}
	}
	for i, unit := range []string{"find-ns", "key-ns", "read-ns"} {
		slices.Sort(times[i])
		b.ReportMetric(times[i][len(times[i])/2], unit)
	}
}
