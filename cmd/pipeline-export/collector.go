package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// A collector takes OTLP over HTTP.
type collector struct {
	url    string
	header http.Header
	client http.Client
	sayf   func(string, ...any)
}

// timeout is how long one request may take.
const timeout = 30 * time.Second

// newCollector checks the address. Records leave this machine encrypted, or not at all.
func newCollector(address string, insecure bool, headers string) (*collector, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("found --otlp %q, expected a URL such as https://collector.example:4318", address)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, errors.New("found a user, a query or a fragment in --otlp, expected them as headers in " +
			"OTEL_EXPORTER_OTLP_HEADERS")
	case u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return nil, fmt.Errorf("%s is not on this machine: records leave it over https only", u.Host)
	case u.Scheme == "http" && !insecure:
		return nil, errors.New("found http, expected https, or --insecure for a collector on this machine")
	}
	header, err := parseHeaders(headers)
	if err != nil {
		return nil, err
	}
	c := &collector{url: strings.TrimSuffix(address, "/"), header: header, client: http.Client{Timeout: timeout}}
	c.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

// parseHeaders reads OTEL_EXPORTER_OTLP_HEADERS: key=value,key=value, percent-encoded. A
// value is never shown.
func parseHeaders(text string) (http.Header, error) {
	out := http.Header{}
	isKey := regexp.MustCompile("^[a-zA-Z0-9!#$%&'*+.^_`|~-]+$").MatchString // what a request can carry
	isValue := regexp.MustCompile(`^[^\x00-\x08\x0a-\x1f\x7f]*$`).MatchString
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !ok || err != nil || !isKey(key) || !isValue(value) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: entry %d is not KEY=VALUE", i+1)
		}
		out.Add(key, value)
	}
	return out, nil
}

// A temporary error may be gone in a while.
type temporary struct {
	error
	after time.Duration // that the collector asks for
}

// post sends a body to a path of the collector. A collector that takes only a part says so;
// by the protocol the rest is not sent again.
func (c *collector) post(ctx context.Context, path string, body []byte) error {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(body) // a buffer takes all
	_ = z.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, &packed)
	if err != nil {
		return err
	}
	request.Header = c.header.Clone()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", "gzip")
	request.Header.Set("User-Agent", "pipeline-export/"+version)
	answer, err := c.client.Do(request)
	if err != nil {
		return temporary{error: fmt.Errorf("the collector is away: %w", err)}
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	if err != nil {
		return temporary{error: fmt.Errorf("the collector's answer broke off: %w", err)}
	}
	return c.judge(answer, path, said)
}

// judge says what an answer means: the protocol has the first three to be tried again, and a
// proxy's other errors are as temporary.
func (c *collector) judge(answer *http.Response, path string, said []byte) error {
	code := answer.StatusCode
	switch {
	case code >= 200 && code < 300:
		if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			return fmt.Errorf("a page for people answers at %s: it is no collector", path)
		}
		c.reportPartial(path, said)
		return nil
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= 500:
		seconds, _ := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 32)
		wait := min(time.Duration(seconds)*time.Second, time.Hour)
		return temporary{fmt.Errorf("the collector answers %s to %s", answer.Status, path), wait}
	case code == http.StatusNotFound && path == "/v1/traces":
		return fmt.Errorf("the collector answers %s to %s: it takes no spans; use --logs-only", answer.Status, path)
	}
	line, _, _ := strings.Cut(string(said), "\n")
	line = visible.Shorten(visible.Line(line), 200)
	return fmt.Errorf("the collector answers %s to %s: %s", answer.Status, path, line)
}

func (c *collector) reportPartial(path string, said []byte) {
	var answer struct {
		Partial struct {
			Logs    json.Number `json:"rejectedLogRecords"`
			Spans   json.Number `json:"rejectedSpans"`
			Message string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(said, &answer) != nil {
		return // it may answer anything with its 200
	}
	for _, n := range []json.Number{answer.Partial.Logs, answer.Partial.Spans} {
		if n != "" && n != "0" {
			why := visible.Line(answer.Partial.Message)
			c.sayf("the collector left out %s that were posted to %s: %s", n, path, why)
		}
	}
}
