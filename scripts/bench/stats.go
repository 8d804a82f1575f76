//go:build unix

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A contender is one of several that are measured against each other.
type contender struct {
	name  string
	of    program
	stdin func() []byte      // a fresh one for each run; not timed
	check func(sample) error // whether it answered what it should, and everything put back; not timed
}

// warmUp is how many rounds are run before the ones that count.
const warmUp = 5

// paired runs every contender once a round, each round in a new random order, so that whatever else the machine does
// meets all of them alike.
func paired(rounds int, contenders ...contender) ([][]sample, error) {
	got := make([][]sample, len(contenders))
	for round := range warmUp + rounds {
		for _, i := range rand.Perm(len(contenders)) {
			s, err := contenders[i].once()
			if err != nil {
				return nil, err
			}
			if round >= warmUp {
				got[i] = append(got[i], s)
			}
		}
	}
	return got, nil
}

func (c contender) once() (sample, error) {
	s, err := c.of.run(c.stdin())
	if err == nil {
		err = c.check(s)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", c.name, err)
	}
	return s, nil
}

// percentile is the smallest value that p of all values are not above.
func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

func median(values []float64) float64 { return percentile(values, 0.5) }

// ratio is the median of the quotients round by round.
func ratio(of, to []sample) float64 {
	quotients := make([]float64, len(of))
	for i := range of {
		quotients[i] = float64(of[i].wall()) / float64(to[i].wall())
	}
	return median(quotients)
}

func walls(samples []sample) []float64 {
	return each(samples, sample.wall)
}

func cpus(samples []sample) []float64 {
	return each(samples, func(s sample) time.Duration { return s.cpu })
}

// each is a duration of every sample, in milliseconds.
func each(samples []sample, of func(sample) time.Duration) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = float64(of(s)) / float64(time.Millisecond)
	}
	return out
}

// peak is how many of the processes were alive at the same time, at most.
func peak(samples []sample) int {
	most := 0
	for _, at := range samples {
		alive := 0
		for _, s := range samples {
			if !s.start.After(at.start) && s.end.After(at.start) {
				alive++
			}
		}
		most = max(most, alive)
	}
	return most
}
