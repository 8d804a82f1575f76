package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A unit is a word behind a number, and how many of the smallest one it is.
type unit struct {
	name string
	is   int64
}

func sizes() []unit {
	return []unit{{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}
}

func ages() []unit {
	return []unit{{"h", int64(time.Hour)}, {"d", 24 * int64(time.Hour)}, {"w", 7 * 24 * int64(time.Hour)}}
}

// never stands for a size or an age without an end.
const never = "never"

// leastSize keeps a journal from being carried on again and again: its first record alone may take 8 KB.
const leastSize = 100_000

var errMeasure = errors.New("not a number with a unit")

// measure reads a whole number and its unit, such as 10MB; "never" is 0.
func measure(s string, units []unit) (int64, error) {
	if s == never || s == "" {
		return 0, nil
	}
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != digits {
		return 0, errMeasure
	}
	for _, u := range units {
		if s[len(digits):] == u.name {
			if n > (1<<62)/u.is {
				return 0, errMeasure
			}
			return n * u.is, nil
		}
	}
	return 0, errMeasure
}

func unitNames(units []unit) string {
	var names []string
	for _, u := range units {
		names = append(names, u.name)
	}
	return oneOf(names)
}

func (k *checker) audit() {
	k.measure("max_size", k.Audit.MaxSize, "a size such as 10MB", sizes())
	if n, err := measure(k.Audit.MaxSize, sizes()); err == nil && n > 0 && n < leastSize {
		k.report(to("audit", "max_size"), fmt.Sprintf("found %s, expected 100KB at least", quoted(k.Audit.MaxSize)), "each file begins with the whole session")
	}
	k.measure("max_age", k.Audit.MaxAge, "an age such as 90d", ages())
	if n := k.Audit.Keep; n != nil && *n < 1 {
		k.report(to("audit", "keep"), fmt.Sprintf("found %d, expected how many sessions are kept", *n), "")
	}
}

func (k *checker) measure(key, value, want string, units []unit) {
	if _, err := measure(value, units); err != nil {
		hint := "a whole number and " + unitNames(units) + ", without a space; or never"
		k.report(to("audit", key), fmt.Sprintf("found %s, expected %s", quoted(value), want), hint)
	}
}

// kept is how much of the past is kept. What could not be read has been reported.
func (a Audit) kept() fsm.Retention {
	size, _ := measure(a.MaxSize, sizes())
	age, _ := measure(a.MaxAge, ages())
	k := fsm.Retention{MaxSize: size, MaxAge: time.Duration(age), AppendOnly: a.AppendOnly}
	if a.Keep != nil {
		k.Sessions = *a.Keep
	}
	return k
}
