package settings

import "slices"

// changes is what brings the entries of a file to what is wanted.
type changes struct {
	update map[int]Entry // by index in document.ours
	remove []int         // indices in document.ours, ascending
	add    []Entry
}

// plan gives each wanted entry one that stands there: one that is right already
// if there is any, else one of the same event that can be made right in place.
func plan(there []found, wanted []Entry) changes {
	taken := make([]bool, len(there))
	pick := func(e Entry, fits func(found, Entry) bool) int {
		for i, f := range there {
			if !taken[i] && fits(f, e) {
				taken[i] = true
				return i
			}
		}
		return -1
	}
	c := changes{update: map[int]Entry{}}
	var left []Entry
	for _, e := range wanted {
		if pick(e, found.is) < 0 {
			left = append(left, e)
		}
	}
	for _, e := range left {
		if i := pick(e, found.canBecome); i >= 0 {
			c.update[i] = e
		} else {
			c.add = append(c.add, e)
		}
	}
	for i, t := range taken {
		if !t {
			c.remove = append(c.remove, i)
		}
	}
	return c
}

// is: f says what e says, however it is laid out.
func (f found) is(e Entry) bool {
	return f.Event == e.Event && f.Command == e.Command && slices.Equal(f.Args, e.Args) &&
		f.Timeout == e.Timeout && f.OnFailureBlock == e.OnFailureBlock && !f.odd && f.matches(e)
}

// canBecome: f can be rewritten as e without touching a hook of the user's, who
// may have put one into our group.
func (f found) canBecome(e Entry) bool {
	return f.Event == e.Event && (f.sole || f.matches(e))
}

// matches: the matcher of f lets through what that of e does.
func (f found) matches(e Entry) bool {
	return f.Matcher == e.Matcher || all(f.Matcher) && all(e.Matcher)
}

// all: the matcher lets everything through.
func all(matcher string) bool {
	return matcher == "" || matcher == "*" || matcher == ".*"
}
