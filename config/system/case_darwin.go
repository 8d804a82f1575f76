package system

import (
	"strings"
	"unicode"
)

// IgnoresCase reports whether paths in a folder that differ in case alone lead to one file.
// Each volume of macOS says so for itself. Where it cannot be seen, they do.
func IgnoresCase(dir string) bool {
	other := strings.Map(func(r rune) rune {
		if unicode.IsLower(r) {
			return unicode.ToUpper(r)
		}
		return unicode.ToLower(r)
	}, dir)
	here, err := Stat(dir)
	if err != nil || other == dir {
		return true
	}
	there, err := Stat(other)
	return err == nil && there.IsSame(here)
}
