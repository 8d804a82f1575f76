package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestAddresses: records leave the machine encrypted, or not at all.
func TestAddresses(t *testing.T) {
	tests := []struct {
		url      string
		insecure bool
		want     string // of the error; "" for none
	}{
		{"https://collector.example:4318", false, ""},
		{"https://collector.example/otlp/", true, ""},
		{"http://127.0.0.1:4318", true, ""},
		{"http://[::1]:4318", true, ""},
		{"http://localhost:4318", true, ""},
		{"http://127.0.0.1:4318", false, "--insecure"},
		{"http://collector.example:4318", true, "not on this machine"},
		{"http://127.0.0.1.example:4318", true, "not on this machine"},
		{"http://10.0.0.1:4318", true, "not on this machine"},
		{"collector.example:4318", false, "expected a URL"},
		{"ftp://127.0.0.1", true, "expected a URL"},
		{"", false, "expected a URL"},
		{"https://joe:secret@collector.example", false, "OTEL_EXPORTER_OTLP_HEADERS"},
		{"https://collector.example?key=secret", false, "OTEL_EXPORTER_OTLP_HEADERS"},
	}
	for _, test := range tests {
		_, err := newCollector(test.url, test.insecure, "")
		if test.want == "" && err != nil || test.want != "" &&
			(err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s, insecure %t: %v, expected %q", test.url, test.insecure, err, test.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows a secret: %v", test.url, err)
		}
	}
}

func TestHeaders(t *testing.T) {
	got, err := parseHeaders("x-api-key=a%3Db, authorization = Bearer%20t ,")
	if err != nil || got.Get("X-Api-Key") != "a=b" || got.Get("Authorization") != "Bearer t" || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"secret", "k=%zz", "=secret", "k=secret%0Ax", "k k=secret", "ké=secret"} {
		if _, err := parseHeaders(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestPost: what is sent, and what an answer means.
func TestPost(t *testing.T) {
	tests := []struct {
		code      int
		body      string
		path      string
		want      string // of the error or of what is said; "" for neither
		temporary bool
	}{
		{200, "{}", "/v1/logs", "", false},
		{202, "thanks", "/v1/logs", "", false},
		{200, `{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"too old"}}`, "/v1/logs",
			"left out 3 that were posted to /v1/logs: too old", false},
		{429, "", "/v1/logs", "429", true},
		{500, "", "/v1/logs", "500", true},
		{503, "", "/v1/logs", "503", true},
		{400, "what\nis this", "/v1/logs", "400 Bad Request to /v1/logs: what", false},
		{401, "who", "/v1/logs", "401", false},
		{404, "", "/v1/traces", "--logs-only", false},
		{302, "", "/v1/logs", "302", false},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.code, test.path), func(t *testing.T) {
			calls := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls++
				if z, err := gzip.NewReader(r.Body); err != nil {
					t.Error(err)
				} else if body, err := io.ReadAll(z); err != nil || string(body) != "what" {
					t.Errorf("posted %s, %v", body, err)
				}
				if got := r.Method + r.URL.Path + r.Header.Get("X-Key") + r.Header.Get("Content-Type"); got !=
					"POST/base"+test.path+"k1application/json" {
					t.Errorf("request %s", got)
				}
				w.Header().Set("Retry-After", "7")
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(test.code)
				fmt.Fprint(w, test.body)
			}))
			defer server.Close()
			c, err := newCollector(server.URL+"/base/", true, "x-key=k1")
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			c.sayf = func(format string, a ...any) { said = fmt.Sprintf(format, a...) }
			if err = c.post(t.Context(), test.path, []byte("what")); err != nil {
				said = err.Error()
			}
			var wait temporary
			if errors.As(err, &wait) != test.temporary || test.temporary && wait.after != 7*time.Second {
				t.Errorf("temporary %t, after %s: %v", !test.temporary, wait.after, err)
			}
			if !strings.Contains(said, test.want) || test.want == "" && said != "" || calls != 1 {
				t.Errorf("said %q in %d calls, expected %q", said, calls, test.want)
			}
		})
	}
}

// TestPageForPeople: a proxy's page that answers 200 has taken nothing.
func TestPageForPeople(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<html>log in</html>")
	}))
	defer server.Close()
	c, err := newCollector(server.URL, true, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.post(t.Context(), "/v1/logs", nil); err == nil || !strings.Contains(err.Error(), "it is no collector") {
		t.Error(err)
	}
}

// TestRedirectsGetNothing: another host that a collector names gets neither records nor headers.
func TestRedirectsGetNothing(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("got %s with %v", r.URL, r.Header)
	}))
	defer other.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, code)
		}))
		c, err := newCollector(server.URL, true, "authorization=secret")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.post(t.Context(), "/v1/logs", []byte("x")); err == nil || errors.As(err, new(temporary)) {
			t.Errorf("%d: %v", code, err)
		}
		server.Close()
	}
}
