package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A colour is a parameter of the terminal's SGR sequence (ECMA-48), which the client renders.
type colour string

const (
	none   colour = ""
	bold   colour = "1"
	dim    colour = "2"
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	cyan   colour = "36"
)

// A drawn segment is its text with what separates it from the one before.
type drawn struct {
	lead, text string
	colour     colour
}

// line puts the segments together, as many as there is room for.
func (r *lineRun) line() string {
	var parts []drawn
	for _, s := range segments() {
		text, how := s.tell(r)
		if text = plain(text); text == "" {
			continue
		}
		lead := " · "
		switch {
		case len(parts) == 0:
			lead = ""
		case s.name == "agents":
			lead = " "
		}
		parts = append(parts, drawn{lead, text, how})
	}
	return r.paint(fit(parts, r.columns()))
}

// margin is what the client takes of the terminal's width: it sets two columns before the line (2.1.197 and 2.1.329, by
// experiment), and as many are left free behind it.
const margin = 4

// columns is the room there is; 0 when it is not known. (Both clients set COLUMNS to the terminal's width.)
func (r *lineRun) columns() int {
	n, err := strconv.Atoi(r.getenv("COLUMNS"))
	if err != nil || n <= 0 {
		return 0
	}
	return max(n-margin, 1)
}

// fit drops segments from the right until the line is narrow enough, and cuts the last that is left.
func fit(parts []drawn, columns int) []drawn {
	if columns == 0 {
		return parts
	}
	width, n := 0, 0
	for ; n < len(parts); n++ {
		width += utf8.RuneCountInString(parts[n].lead + parts[n].text)
		if width > columns {
			break
		}
	}
	if n == 0 && len(parts) > 0 {
		parts[0].text, n = cut(parts[0].text, columns), 1
	}
	return parts[:n]
}

func (r *lineRun) paint(parts []drawn) string {
	colours := r.getenv("NO_COLOR") == "" && r.getenv("TERM") != "dumb"
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.lead)
		if colours && p.colour != none {
			fmt.Fprintf(&b, "\x1b[%sm%s\x1b[0m", p.colour, p.text)
			continue
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// plain keeps what comes from elsewhere, names and errors, from steering the terminal or making a second line.
func plain(s string) string {
	return strings.Map(func(c rune) rune {
		if c == ' ' || unicode.IsGraphic(c) && !unicode.IsSpace(c) {
			return c
		}
		return '?'
	}, s)
}

// cells is how wide a bar is.
const cells = 10

// bar draws a share of a hundred.
func bar(percent float64) string {
	full := int(percent*cells/100 + 0.5)
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// sparkline draws durations against the longest of them.
func sparkline(all []time.Duration) string {
	steps := []rune("▁▂▃▄▅▆▇█")
	longest := time.Millisecond // of none at all
	for _, d := range all {
		longest = max(longest, d)
	}
	var b strings.Builder
	for _, d := range all {
		b.WriteRune(steps[int64(d)*int64(len(steps)-1)/int64(longest)])
	}
	return b.String()
}

// brief is a duration as it is said: 12s, 3m05s, 1h02m.
func brief(d time.Duration) string {
	s := int(d.Seconds() + 0.5)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm", s/3600, s%3600/60)
}
