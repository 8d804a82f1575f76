package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/export"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/scripts/browsertest"
)

// A decided call is one record that the shipped configuration counts.
type decided struct{ agent, tool, state, verdict, rule string }

// TestFleet: the collector runs docs/fleet/collector.yaml, with addresses and files of this test. What
// Prometheus then reads counts decisions by machine, rule, state and verdict, over several exports. The
// dashboard asks for nothing else.
func TestFleet(t *testing.T) {
	f := &fleet{T: t, otelcol: findCollector(t), base: t.TempDir()}
	f.start()
	refused := decided{"main", "Bash", "IDLE", "deny", "no-push"}
	f.write(refused, refused, decided{"main", "Read", "IDLE", "pass", "none"})
	f.export()
	f.write(refused, decided{"gatherer", "Bash", "GATHERING", "ask", "no-push"},
		decided{"gatherer", "Bash", "GATHERING", "pass", "none"})
	f.export()
	f.exportFrom("another machine")
	here, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, host := range []string{here, "another machine"} {
		want[fmt.Sprint(host, refused)] = "3"
		want[fmt.Sprint(host, decided{"main", "Read", "IDLE", "pass", "none"})] = "1"
		want[fmt.Sprint(host, decided{"gatherer", "Bash", "GATHERING", "ask", "no-push"})] = "1"
		want[fmt.Sprint(host, decided{"gatherer", "Bash", "GATHERING", "pass", "none"})] = "1"
		want[host+" errors"] = "2"
	}
	var got map[string]string
	var samples []sample
	for deadline := time.Now().Add(30 * time.Second); !maps.Equal(got, want) && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
		got, samples = map[string]string{}, f.scrape()
		for _, s := range samples {
			switch {
			case s.metric == "pipeline_decisions_total" && s.labels["gen_ai_workflow_name"] == "shop":
				got[fmt.Sprint(s.labels["host_name"], decided{s.labels["gen_ai_agent_name"],
					s.labels["gen_ai_tool_name"],
					s.labels["pipeline_state"], s.labels["pipeline_verdict"], s.labels["pipeline_rule"]})] = s.value
			case s.metric == "pipeline_errors_total":
				got[s.labels["host_name"]+" errors"] = s.value
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Fatalf("counted %v, expected %v", got, want)
	}
	f.checkStore()
	f.checkDashboard(samples)
}

// A fleet is a collector, the store behind it and a folder with a project.
type fleet struct {
	*testing.T
	otelcol, base      string
	address, scrapeURL string
	certificate        string // of the collector

	mu     sync.Mutex
	stored map[string]int // requests to the store, by path
}

// start runs the collector with the shipped configuration. A second file replaces addresses,
// certificates and places of files, and nothing else.
func (f *fleet) start() {
	dir := f.TempDir()
	f.stored = map[string]int{}
	store := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.stored[r.URL.Path]++
	}))
	f.Cleanup(store.Close)
	server := httptest.NewTLSServer(nil) // it has a certificate for this machine
	server.Close()
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		f.Fatal(err)
	}
	for kind, body := range map[string][]byte{"CERTIFICATE": server.Certificate().Raw, "PRIVATE KEY": key} {
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: body})
		if err := os.WriteFile(filepath.Join(dir, kind), text, 0o600); err != nil {
			f.Fatal(err)
		}
	}
	metrics := freeAddress(f.T)
	f.address, f.scrapeURL, f.certificate = freeAddress(f.T), "http://"+metrics+"/metrics",
		filepath.Join(dir, "CERTIFICATE")
	here := filepath.Join(dir, "here.yaml")
	text := fmt.Sprintf(`receivers: {otlp: {protocols: {http: {endpoint: %q, tls: {cert_file: %q, key_file: %q}}}}}
exporters:
  prometheus: {endpoint: %q}
  otlp_http/store: {endpoint: %q}
`, f.address, f.certificate, filepath.Join(dir, "PRIVATE KEY"), metrics, store.URL)
	if err := os.WriteFile(here, []byte(text), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(startOtelcol(f, f.otelcol, f.address, "../../docs/fleet/collector.yaml", here))
}

// write appends a record of each call, and one of an error, to a journal of the project shop.
func (f *fleet) write(calls ...decided) {
	dir := filepath.Join(f.base, "shop-0123456789ab", "sessions", "s1")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		f.Fatal(err)
	}
	j, err := journal.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	defer j.Close()
	appendRecord := func(r journal.Record) {
		r.Event.Time, r.State.ID = time.Now().UTC(), "s1"
		if err := j.Append(&r, false); err != nil {
			f.Fatal(err)
		}
	}
	for _, c := range calls {
		r := journal.Record{Event: fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: c.tool}}}
		if r.State.Machine.State = c.state; c.agent != "main" {
			r.Event.Agent = fsm.Agent{ID: "a1", Type: c.agent}
		}
		if c.verdict != "pass" {
			r.Verdict, r.Rule = c.verdict, c.rule
		}
		appendRecord(r)
	}
	appendRecord(journal.Record{Event: fsm.Event{Kind: fsm.TurnStop}, Error: "the disk is full"})
}

// export sends what is new, over TLS.
func (f *fleet) export() {
	cmd := exec.Command(os.Args[0], "-otlp", "https://"+f.address, "-all", f.base)
	cmd.Env = append(os.Environ(), "PIPELINE_EXPORT_MAIN=1", "SSL_CERT_FILE="+f.certificate)
	if out, err := cmd.CombinedOutput(); err != nil {
		f.Fatalf("export: %v: %s", err, out)
	}
}

// exportFrom sends all records once more, as another machine that has the same.
func (f *fleet) exportFrom(host string) {
	pem, err := os.ReadFile(f.certificate)
	if err != nil {
		f.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	c, err := newCollector("https://"+f.address, false, "")
	if err != nil {
		f.Fatal(err)
	}
	c.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	x := export.Exporter{Resource: export.Resource{Version: version, Host: host}, Name: "other", Post: c.post,
		Report: f.Errorf}
	p := export.Project{Name: "shop", Dir: filepath.Join(f.base, "shop-0123456789ab")}
	unlock, err := x.Lock(p)
	if err != nil {
		f.Fatal(err)
	}
	defer unlock()
	if n, err := x.Send(f.Context(), p); err != nil || n == 0 {
		f.Fatalf("sent %d: %v", n, err)
	}
}

// A sample is a line of what Prometheus reads.
type sample struct {
	metric string
	labels map[string]string
	value  string
}

func (f *fleet) scrape() (out []sample) {
	answer, err := http.Get(f.scrapeURL)
	if err != nil {
		f.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range regexp.MustCompile(`(?m)^(\w+)\{(.*)\} (\S+)`).FindAllStringSubmatch(string(body), -1) {
		s := sample{line[1], map[string]string{}, line[3]}
		for _, label := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(line[2], -1) {
			s.labels[label[1]] = label[2]
		}
		out = append(out, s)
	}
	return out
}

// checkStore waits until logs and spans have reached the place where they are kept.
func (f *fleet) checkStore() {
	var stored map[string]int
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		f.mu.Lock()
		stored = maps.Clone(f.stored)
		f.mu.Unlock()
		if stored["/v1/logs"] > 0 {
			return
		}
	}
	f.Errorf("the store was sent %v", stored)
}

// checkDashboard fails for a query that Prometheus would refuse, and for one that asks for a
// metric or a label that was not scraped.
func (f *fleet) checkDashboard(samples []sample) {
	has := map[string]bool{}
	for _, s := range samples {
		has[s.metric] = true
		for label := range s.labels {
			has[s.metric+"."+label] = true
		}
	}
	need := func(where, metric, label string) {
		f.Helper()
		if !has[metric] || label != "" && !has[metric+"."+label] {
			f.Errorf("%s: no %s was scraped with label %q", where, metric, label)
		}
	}
	text, err := os.ReadFile("../../docs/fleet/grafana.json")
	if err != nil {
		f.Fatal(err)
	}
	var legends, queries []string
	for _, target := range gjson.GetBytes(text, "panels.#.targets|@flatten").Array() {
		legends = append(legends, target.Get("legendFormat").Str)
		queries = append(queries, strings.NewReplacer("$__rate_interval", "5m", "$__range",
			"1h").Replace(target.Get("expr").Str))
	}
	if len(queries) < 9 {
		f.Fatalf("the dashboard has %d queries", len(queries))
	}
	for i, s := range f.parse(queries) {
		for _, metric := range s.Metrics {
			need(queries[i], metric, "")
			for _, label := range s.Labels {
				need(queries[i], metric, label)
			}
		}
		for _, label := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(legends[i], -1) {
			if !slices.Contains(s.Labels, label[1]) {
				f.Errorf("the legend %q: the query has no such label: %s", legends[i], queries[i])
			}
		}
	}
	for _, variable := range gjson.GetBytes(text, "templating.list.#.query.query").Array() {
		call := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(variable.Str)
		if call == nil {
			f.Errorf("the variable's query %q", variable.Str)
			continue
		}
		need(variable.Str, call[1], call[2])
	}
}

// A selection is what a query asks for.
type selection struct{ Metrics, Labels []string }

// parse has Prometheus' own parser read the queries.
func (f *fleet) parse(queries []string) (out []selection) {
	in, err := json.Marshal(queries)
	if err != nil {
		f.Fatal(err)
	}
	cmd := exec.Command(f.otelcol, "promql")
	cmd.Stdin = bytes.NewReader(in)
	body, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		f.Fatalf("%s", failed.Stderr)
	}
	if err != nil || len(out) != len(queries) {
		f.Fatalf("%d of %d queries: %v", len(out), len(queries), err)
	}
	return out
}

// TestUnits: systemd understands each line of the shipped units, the personal one and the machine's.
func TestUnits(t *testing.T) {
	browsertest.Need(t, "systemd-analyze", "systemd")
	for _, c := range []struct{ manager, name, program string }{
		{"--user", "pipeline-export.service", "/usr/local/bin/pipeline "},
		{"--system", "pipeline-export@.service", "/usr/bin/pipeline "},
	} {
		text, err := os.ReadFile("../../docs/fleet/" + c.name)
		if err != nil {
			t.Fatal(err)
		}
		installed := bytes.Replace(text, []byte(c.program), []byte(os.Args[0]+" "), 1)
		unit := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(unit, installed, 0o600); err != nil || bytes.Equal(installed, text) {
			t.Fatalf("%s starts another program: %v", c.name, err)
		}
		cmd := exec.Command("systemd-analyze", c.manager, "verify", unit)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v: %s", c.name, err, out)
		}
	}
}
