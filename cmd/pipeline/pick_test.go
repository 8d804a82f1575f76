package main

import (
	"fmt"
	"testing"
	"time"
)

func TestAges(t *testing.T) {
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{"": "0001-01-01T00:00:00Z", "90m": "2026-03-20T10:30:00Z",
		"7d": "2026-03-13T12:00:00Z", "2w": "2026-03-06T12:00:00Z",
		"2026-03-01": "2026-03-01T00:00:00Z", "2026-03-01 10:00:00": "2026-03-01T10:00:00Z", "-1h": "", "d": "",
		"7x": "", "99999999999d": "", "1.5d": ""} {
		got, err := parseAge(in, now)
		if err == nil != (want != "") || err == nil && got.Format(time.RFC3339) != want {
			t.Errorf("%q: %v %v, expected %s", in, got, err, fmt.Sprint(want))
		}
	}
}
