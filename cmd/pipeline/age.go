package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ageOf reads how far back to look: an age (90m, 12h, 7d, 2w) or a date (2026-03-01, or with a time). Nothing is the
// beginning of time.
func ageOf(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		if n, err := strconv.Atoi(strings.TrimSuffix(s, unit)); err == nil && strings.HasSuffix(s, unit) && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n*days), nil
		}
	}
	for _, form := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(form, s, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usageError{fmt.Sprintf("found %s for a time, expected an age such as 12h, 7d, 2w, or a date such as 2026-03-01", quote(s))}
}
