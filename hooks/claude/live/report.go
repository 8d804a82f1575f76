package live

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

func (w *watch) report() Report {
	return Report{Stretches: w.stretches(w.missed), Notes: w.notes, More: w.more}
}

// stretches parts missed calls where we were asked in between.
func (w *watch) stretches(calls []missed) (out []Stretch) {
	if len(calls) == 0 {
		return nil
	}
	var asked []time.Time
	for _, at := range w.asked {
		asked = append(asked, at)
	}
	slices.SortFunc(asked, time.Time.Compare)
	for _, c := range calls {
		last := len(out) - 1
		if last < 0 || between(asked, out[last].To, c.Time) {
			out = append(out, Stretch{From: c.Time, To: c.Time, Calls: []Call{c.Call}})
			continue
		}
		out[last].To = c.Time
		out[last].Calls = append(out[last].Calls, c.Call)
	}
	return out
}

// between reports whether one of the times, which are in order, is after a and not after b.
func between(times []time.Time, a, b time.Time) bool {
	i, _ := slices.BinarySearchFunc(times, a.Add(1), time.Time.Compare)
	return i < len(times) && !times[i].After(b)
}

// say picks what the person has not been told, where it is worth telling, and holds it for told. The first time two calls
// are enough; later there must be two in a stretch of which nothing was said: that a stretch has grown is no news.
func (w *watch) say(all []Stretch) (out []Stretch) {
	said := map[string]bool{}
	for _, m := range w.missed {
		if m.said {
			said[m.ID] = true
		}
	}
	news, fresh := false, 0
	for _, s := range all {
		told := slices.ContainsFunc(s.Calls, func(c Call) bool { return said[c.ID] })
		if !told {
			out, fresh = append(out, s), fresh+len(s.Calls)
			news = news || len(s.Calls) >= enough
		}
	}
	if len(said) == 0 && fresh < enough || len(said) > 0 && !news {
		return nil
	}
	w.told()
	return out
}

// told marks everything as said. Of what was said only the latest is kept.
func (w *watch) told() {
	for i := range w.missed {
		w.missed[i].said = true
	}
	if n := len(w.missed) - mostMissed; n > 0 {
		w.missed = slices.Delete(w.missed, 0, n)
	}
}

// mostSpoken is how many stretches a sentence names.
const mostSpoken = 3

// Word is the sentence for the person, with times in a zone of his; empty where there is nothing to tell.
func (r Report) Word(zone *time.Location) string {
	if len(r.New) == 0 {
		return ""
	}
	var when []string
	for _, s := range r.New[:min(len(r.New), mostSpoken)] {
		when = append(when, s.when(zone))
	}
	if n := len(r.New) - mostSpoken; n > 0 {
		when = append(when, fmt.Sprintf("%d times more", n))
	}
	return fmt.Sprintf("enforcement was off %s: %d tool calls were made that pipeline was never asked about (%s); see: pipeline doctor",
		strings.Join(when, ", "), count(r.New), tools(r.New))
}

func (s Stretch) when(zone *time.Location) string {
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

// tools counts the calls by tool, the most frequent first: Bash 5, Write 2.
func tools(stretches []Stretch) string {
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
