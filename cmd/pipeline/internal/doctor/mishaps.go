package doctor

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// mishaps: what has gone wrong in pipeline itself of late?
func (x *exam) mishaps() []Finding {
	var found []Finding
	switch n, last, err := x.errorsSince(x.Now.Add(-week)); {
	case err != nil:
		found = append(found, warn("see the lines on state", "errors.jsonl cannot be read: %v", err))
	case n > 0:
		found = append(found, warn("less "+filepath.Join(x.Opened.Project.Home, "errors.jsonl"), "%d error(s) of pipeline itself in the last 7 days, the last: %s", n, oneLine(last)))
	}
	if n, newest := x.crashes(); n > 0 {
		found = append(found, warn("less "+newest, "%d crash(es) of pipeline in the last 7 days: please report the newest", n))
	}
	return orFine(found, "pipeline itself has not failed in the last 7 days")
}

// errorsSince counts what errors.jsonl has, other than what canaries have run into.
func (x *exam) errorsSince(t time.Time) (n int, last string, err error) {
	f, err := os.Open(filepath.Join(x.Opened.Project.Home, "errors.jsonl"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return 0, "", nil
	}
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Time           time.Time
			Session, Error string
		}
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Time.After(t) && !strings.HasPrefix(e.Session, CanaryPrefix) {
			n, last = n+1, e.Error
		}
	}
	return n, last, lines.Err()
}

func (x *exam) crashes() (n int, newest string) {
	names, _ := filepath.Glob(filepath.Join(x.Opened.Project.Home, "crashes", "*.txt")) // in the order of time
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && x.Now.Sub(info.ModTime()) < week {
			n, newest = n+1, name
		}
	}
	return n, newest
}
