package doctor

import (
	"os"
	"path/filepath"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// drift is how far clocks may be apart before it matters: records are ordered by number, not by time.
const drift = 2 * time.Minute

// clock: has it jumped back behind what was recorded, and does the file system agree with it?
func (x *exam) clock() []Finding {
	var found []Finding
	items, _ := x.Store.List() // the check of the locks says why not
	for _, i := range items[:min(len(items), 5)] {
		r, err := journal.Tail(filepath.Join(x.Store.Path(i.ID), journal.Name))
		newest := i.Last
		if err == nil && r.Event.Time.After(newest) {
			newest = r.Event.Time
		}
		if ahead := newest.Sub(x.Now); ahead > drift {
			found = append(found, problem("", "it says %s, but session %s was recorded %s later: it has jumped back, and what is kept and reported by time is wrong",
				x.Now.Local().Format(time.DateTime), i.ID, ahead.Round(time.Second)))
			break
		}
	}
	if off := x.fileClock(); off.Abs() > drift {
		found = append(found, warn("", "the file system of %s is %s off", x.Store.Dir, off.Round(time.Second)))
	}
	return orFine(found, "%s, after all that was recorded", x.Now.Local().Format(time.DateTime))
}

// fileClock is how far the time that the file system gives to a new file is from ours.
func (x *exam) fileClock() time.Duration {
	f, err := os.CreateTemp(x.Store.Dir, ".doctor-")
	if err != nil {
		return 0 // the check of the state says so
	}
	defer os.Remove(f.Name())
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.ModTime().Sub(time.Now())
}
