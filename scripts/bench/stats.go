//go:build unix

package main

import (
	"math"
	"slices"
	"time"
)

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
