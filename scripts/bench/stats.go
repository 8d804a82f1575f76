//go:build unix

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// A contender is one of several programs that are compared.
type contender struct {
	name  string
	of    program
	stdin func() []byte      // a new one for each run; not timed
	check func(sample) error // checks the answer and restores the files; not timed
}

// warmUp is the number of rounds before those that count.
const warmUp = 5

// runPaired runs every contender once a round, each round in a new random order. Other load on
// the machine then affects all of them alike.
func runPaired(rounds int, contenders ...contender) ([][]sample, error) {
	got := make([][]sample, len(contenders))
	for round := range warmUp + rounds {
		for _, i := range rand.Perm(len(contenders)) {
			s, err := contenders[i].runOnce()
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

func (c contender) runOnce() (sample, error) {
	s, err := c.of.run(c.stdin())
	if err == nil {
		err = c.check(s)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", c.name, err)
	}
	return s, nil
}

// percentile returns the smallest value that a share p of the values does not exceed.
func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

func median(values []float64) float64 { return percentile(values, 0.5) }

// ratio returns the median of the quotients, round by round.
func ratio(of, to []sample) float64 {
	quotients := make([]float64, len(of))
	for i := range of {
		quotients[i] = float64(of[i].wall()) / float64(to[i].wall())
	}
	return median(quotients)
}

func wallTimes(samples []sample) []float64 {
	return toMillis(samples, sample.wall)
}

func cpuTimes(samples []sample) []float64 {
	return toMillis(samples, func(s sample) time.Duration { return s.cpu })
}

// toMillis returns a duration of every sample, in milliseconds.
func toMillis(samples []sample, of func(sample) time.Duration) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = float64(of(s)) / float64(time.Millisecond)
	}
	return out
}

// countPeak returns how many processes were alive at the same time, at most.
func countPeak(samples []sample) int {
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
