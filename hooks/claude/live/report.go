package live

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

func (w *watch) report() Report {
	return Report{Stretches: w.groupStretches(w.Missed), Notes: w.notes, More: w.more}
}

// groupStretches divides missed calls where we were asked in between.
func (w *watch) groupStretches(calls []missedCall) (out []Stretch) {
	if len(calls) == 0 {
		return nil
	}
	var asked []time.Time
	for _, c := range w.Asked {
		asked = append(asked, time.UnixMilli(c.Milli))
	}
	slices.SortFunc(asked, time.Time.Compare)
	for _, c := range calls {
		last := len(out) - 1
		if last < 0 || hasBetween(asked, out[last].To, c.Time) {
			out = append(out, Stretch{From: c.Time, To: c.Time, Calls: []Call{c.Call}})
			continue
		}
		out[last].To = c.Time
		out[last].Calls = append(out[last].Calls, c.Call)
	}
	return out
}

// hasBetween reports whether one of the times, which are in order, is after a and not after b.
func hasBetween(times []time.Time, a, b time.Time) bool {
	i, _ := slices.BinarySearchFunc(times, a.Add(1), time.Time.Compare)
	return i < len(times) && !times[i].After(b)
}

// pickNew picks the stretches that the person should read of now, and marks them as
// announced. The first time two calls are enough. Later there must be two in a stretch
// that was not announced: that a stretch has grown is no news.
func (w *watch) pickNew(all []Stretch) (out []Stretch) {
	announced := map[string]bool{}
	for _, m := range w.Missed {
		if m.Announced {
			announced[m.ID] = true
		}
	}
	hasNews, count := false, 0
	for _, s := range all {
		if !slices.ContainsFunc(s.Calls, func(c Call) bool { return announced[c.ID] }) {
			out, count = append(out, s), count+len(s.Calls)
			hasNews = hasNews || len(s.Calls) >= minMissed
		}
	}
	if len(announced) == 0 && count < minMissed || len(announced) > 0 && !hasNews {
		return nil
	}
	for i := range w.Missed {
		w.Missed[i].Announced = true
	}
	if n := len(w.Missed) - maxMissed; n > 0 { // of what was announced only the latest is kept
		w.Missed = slices.Delete(w.Missed, 0, n)
	}
	return out
}

// maxNamed is how many stretches a message names.
const maxNamed = 3

// Message is what the person should read, with times in a zone; "" for nothing.
func (r Report) Message(zone *time.Location) string {
	if len(r.New) == 0 {
		return ""
	}
	var when []string
	for _, s := range r.New[:min(len(r.New), maxNamed)] {
		when = append(when, s.formatTime(zone))
	}
	if n := len(r.New) - maxNamed; n > 0 {
		when = append(when, fmt.Sprintf("%d times more", n))
	}
	return fmt.Sprintf("enforcement was off %s: %d tool calls were made that pipeline %s (%s); see: pipeline doctor",
		strings.Join(when, ", "), countCalls(r.New), HowMade(r.New...), countTools(r.New))
}

// HowMade says of calls why they were not enforced: that pipeline …
func HowMade(stretches ...Stretch) string {
	for _, s := range stretches {
		if slices.ContainsFunc(s.Calls, func(c Call) bool { return c.Refused }) {
			return "refused, or was never asked about"
		}
	}
	return "was never asked about"
}

func (s Stretch) formatTime(zone *time.Location) string {
	from, to := s.From.In(zone), s.To.In(zone)
	if from.Format(time.DateTime) == to.Format(time.DateTime) {
		return "at " + from.Format(time.DateTime)
	}
	layout := time.TimeOnly
	if from.Format(time.DateOnly) != to.Format(time.DateOnly) {
		layout = time.DateTime
	}
	return "from " + from.Format(time.DateTime) + " to " + to.Format(layout)
}

// countTools counts the calls by tool, the most frequent first: Bash 5, Write 2.
func countTools(stretches []Stretch) string {
	times := map[string]int{}
	for _, s := range stretches {
		for _, c := range s.Calls {
			times[c.Tool]++
		}
	}
	names := slices.Sorted(maps.Keys(times))
	slices.SortStableFunc(names, func(a, b string) int { return times[b] - times[a] })
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprint(n, " ", times[n]))
	}
	return strings.Join(out, ", ")
}
