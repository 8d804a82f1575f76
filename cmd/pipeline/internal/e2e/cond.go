package e2e

import (
	"bytes"
	"context"
	"os"
	"time"
)

// Cond is something that a turn can wait for. It is asked again and again,
// from another goroutine than the test's.
type Cond func() bool

// All holds when every one of them does.
func All(conds ...Cond) Cond {
	return func() bool {
		for _, c := range conds {
			if !c() {
				return false
			}
		}
		return true
	}
}

// FileHas holds when the file exists and contains the text, such as a log that
// a hook writes.
func FileHas(path, text string) Cond {
	return func() bool {
		data, err := os.ReadFile(path)
		return err == nil && bytes.Contains(data, []byte(text))
	}
}

func (c Cond) wait(ctx context.Context) bool { return c.every(ctx, 10*time.Millisecond) }

// every waits like wait, and asks less often: for what costs a process.
func (c Cond) every(ctx context.Context, d time.Duration) bool {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for !c() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}
