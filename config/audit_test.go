package config

import (
	"math"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

func TestMeasure(t *testing.T) {
	for s, want := range map[string]int64{"": 0, "never": 0, "1KB": 1000, "10MB": 1e7, "3GiB": 3 << 30,
		"1KiB": 1024, "2MiB": 2 << 20,
		"2147483647GB": 2147483647e9,
		"0MB":          -1, "-1MB": -1, "+1MB": -1, "01MB": -1, "1": -1, "MB": -1, "1mb": -1, "1 MB": -1, " 1MB": -1,
		"1.5MB": -1, "1MBMB": -1, "1e3KB": -1,
		"99999999999MB": -1, "1_0MB": -1, "\u0661MB": -1, "Never": -1} {
		got, err := parseMeasure(s, sizeUnits)
		if want < 0 != (err != nil) || err == nil && got != want {
			t.Errorf("%q: %d, %v; expected %d", s, got, err, want)
		}
	}
	for text, fits := range map[string]bool{"7625w": true, "7626w": false} { // about 146 years
		if _, err := parseMeasure(text, ageUnits); (err == nil) != fits {
			t.Errorf("%s: %v", text, err)
		}
	}
	if n, err := parseMeasure("2147483647w", ageUnits); err == nil {
		t.Errorf("an age beyond all time is %d of %d", n, math.MaxInt64)
	}
}

// What one layer says of one key leaves the others as they are.
func TestAuditLayers(t *testing.T) {
	p := newGround(t)
	p.file("project/pipeline.yaml", "version: 1\naudit: {input: full, max_age: never}\n")
	p.file("project/pipeline.local.yaml", "audit: {max_size: 2MiB, keep: 7}\n")
	c, _ := p.load()
	if got, want := c.Audit.compile(), (fsm.Retention{MaxSize: 2 << 20, Sessions: 7}); got != want ||
		c.Audit.Input != "full" {
		t.Errorf("%+v, %q", got, c.Audit.Input)
	}
	if got := (Audit{MaxAge: "2w"}).compile().MaxAge; got != 14*24*time.Hour {
		t.Error(got)
	}
}

// TestSmallAudit: a journal has room for its first record, or no bound.
func TestSmallAudit(t *testing.T) {
	for size, want := range map[string]string{"never": "", "100KB": "", "1GiB": "",
		"99KB": `found "99KB", expected at least 100KB`, "1 MB": `found "1 MB", expected a size such as 10MB`} {
		mistaken(t, "version: 1\naudit: {max_size: "+size+"}\n", want)
	}
}
