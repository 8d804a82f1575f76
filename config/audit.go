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

func sizeUnits() []unit {
	return []unit{{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}
}

func ageUnits() []unit {
	return []unit{{"h", int64(time.Hour)}, {"d", 24 * int64(time.Hour)}, {"w", 7 * 24 * int64(time.Hour)}}
}

// never stands for a size or an age without an end.
const never = "never"

// leastSize keeps a journal from being carried on again and again: its first record alone may take 8 KB.
const leastSize = 100_000

var errMeasure = errors.New("not a number with a unit")

// parseMeasure reads a whole number and its unit, such as 10MB; "never" is 0.
func parseMeasure(s string, units []unit) (int64, error) {
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

func listUnits(units []unit) string {
	var names []string
	for _, u := range units {
		names = append(names, u.name)
	}
	return joinOr(names)
}

func (k *checker) checkAudit() {
	k.checkMeasure("max_size", k.Audit.MaxSize, "a size such as 10MB", sizeUnits())
	if n, err := parseMeasure(k.Audit.MaxSize, sizeUnits()); err == nil && n > 0 && n < leastSize {
		k.report(to("audit", "max_size"), fmt.Sprintf("found %s, expected 100KB at least", quoteShort(k.Audit.MaxSize)), "each file begins with the whole session")
	}
	k.checkMeasure("max_age", k.Audit.MaxAge, "an age such as 90d", ageUnits())
	if n := k.Audit.Keep; n != nil && *n < 1 {
		k.report(to("audit", "keep"), fmt.Sprintf("found %d, expected how many sessions are kept", *n), "")
	}
}

func (k *checker) checkMeasure(key, value, want string, units []unit) {
	if _, err := parseMeasure(value, units); err != nil {
		hint := "a whole number and " + listUnits(units) + ", without a space; or never"
		k.report(to("audit", key), fmt.Sprintf("found %s, expected %s", quoteShort(value), want), hint)
	}
}

// compile is how much of the past is kept. What could not be read has been reported.
func (a Audit) compile() fsm.Retention {
	size, _ := parseMeasure(a.MaxSize, sizeUnits())
	age, _ := parseMeasure(a.MaxAge, ageUnits())
	k := fsm.Retention{MaxSize: size, MaxAge: time.Duration(age), AppendOnly: a.AppendOnly}
	if a.Keep != nil {
		k.Sessions = *a.Keep
	}
	return k
}
