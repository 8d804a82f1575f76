package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Audit says what is kept of what happened, and how long.
type Audit struct {
	Input   string `koanf:"input" is:"none summary full"`
	MaxSize string `koanf:"max_size" as:"size"`
	MaxAge  string `koanf:"max_age" as:"age"`
	Keep    int    `koanf:"keep" range:"1 -"`
}

// Readiness is what must hold before a policy is enforced; shares are in percent.
type Readiness struct {
	Days             int `koanf:"days" range:"0 -"`
	Calls            int `koanf:"calls" range:"0 -"`
	Sessions         int `koanf:"sessions" range:"0 -"`
	Certain          int `koanf:"certain" range:"0 100"`
	Errors           int `koanf:"errors" range:"0 100"`
	Bypassed         int `koanf:"bypassed" range:"0 100"`
	BypassedSessions int `koanf:"bypassed_sessions" range:"0 100"`
}

// leastSize is the smallest max_size. The first record of a journal alone may take 8 KB.
const leastSize = 100_000

func (k *checker) checkAudit() {
	if n, err := parseMeasure(k.Audit.MaxSize, sizeUnits); err == nil && n > 0 && n < leastSize {
		k.report(to("audit", "max_size"), found(k.Audit.MaxSize, "at least 100KB"),
			"each file begins with the whole session")
	}
}

// compile returns how much of the past is kept. Values that could not be read are reported.
func (a Audit) compile() fsm.Retention {
	size, _ := parseMeasure(a.MaxSize, sizeUnits)
	age, _ := parseMeasure(a.MaxAge, ageUnits)
	return fsm.Retention{MaxSize: size, MaxAge: time.Duration(age), Sessions: a.Keep}
}

// The units of each kind of measure.
const (
	sizeUnits    = "KB MB GB KiB MiB GiB"
	ageUnits     = "h d w"
	spanUnits    = "m h d"
	timeoutUnits = "s m h d"
)

// Words that stand for a size or an age without an end, and for a span without one.
const (
	never     = "never"
	unbounded = "none"
)

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

var errMeasure = errors.New("not a number with a unit")

// parseMeasure reads a whole number and one of the units, such as 10MB; "never" is 0.
func parseMeasure(s, units string) (int64, error) {
	if s == never || s == "" {
		return 0, nil
	}
	digits := strings.TrimRight(s, letters)
	unit := s[len(digits):]
	size := map[string]int64{"KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, // bytes
		"s": int64(time.Second), "m": int64(time.Minute), "h": int64(time.Hour),
		"d": 24 * int64(time.Hour), "w": 7 * 24 * int64(time.Hour)}[unit] // nanoseconds
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != digits || !slices.Contains(strings.Fields(units), unit) ||
		n > (1<<62)/size {
		return 0, errMeasure
	}
	return n * size, nil
}

// Span reads a whole number of minutes, hours or days, such as 30m.
func Span(s string) (time.Duration, error) {
	n, err := parseMeasure(s, spanUnits)
	if err == nil && n == 0 {
		err = errMeasure
	}
	return time.Duration(n), err
}

// checkMeasure makes a check of a number with a unit, or the word for no end.
func checkMeasure(expected, units, endless string) textCheck {
	hint := "a whole number and " + JoinOr(strings.Fields(units)) + ", without a space; or " + endless
	return func(s string) (string, string) {
		if _, err := parseMeasure(s, units); s == endless || err == nil && s != never {
			return "", ""
		}
		return found(s, expected), hint
	}
}
