package kernel

import (
	"fmt"
	"strconv"
	"strings"
)

// seatbelt runs the line under a profile of macOS's sandbox. It was never run: only the
// profile's text is tested.
func seatbelt(l Limits, argv []string) ([]string, error) {
	return append([]string{"/usr/bin/sandbox-exec", "-p", profile(l)}, argv...), nil
}

// profile denies writing, then allows and denies it by place. The last rule that fits counts.
func profile(l Limits) string {
	var b strings.Builder
	b.WriteString("(version 1)(allow default)(deny file-write*)" +
		`(allow file-write* (subpath "/dev"))`)
	for _, place := range l.Writable {
		fmt.Fprintf(&b, "(allow file-write* (subpath %s))", strconv.Quote(place))
	}
	for _, place := range l.ReadOnly {
		fmt.Fprintf(&b, "(deny file-write* (subpath %s))", strconv.Quote(place))
	}
	return b.String()
}
