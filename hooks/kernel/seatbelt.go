package kernel

import (
	"fmt"
	"strconv"
	"strings"
)

// seatbelt runs the line under a profile of macOS's sandbox, which denies writing, then allows and denies it by place:
// the last rule that fits counts. It was never run: only the profile's text is tested.
func seatbelt(l Limits, argv []string) ([]string, error) {
	var b strings.Builder
	b.WriteString("(version 1)(allow default)(deny file-write*)" +
		`(allow file-write* (subpath "/dev"))`)
	for _, place := range l.Writable {
		fmt.Fprintf(&b, "(allow file-write* (subpath %s))", strconv.Quote(place))
	}
	for _, place := range l.ReadOnly {
		fmt.Fprintf(&b, "(deny file-write* (subpath %s))", strconv.Quote(place))
	}
	return append([]string{"/usr/bin/sandbox-exec", "-p", b.String()}, argv...), nil
}
