package settings

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Blocks says why our hooks would not run if src were the settings: "" if they would. want
// is what Install was last given for this file. nil means that we are not registered in
// it: then only disableAllHooks matters, which counts for the hooks of every file.
//
// A timeout or onFailure other than wanted does not count, since the hook runs: a newer
// binary may want others than the one that installed. Claude Code reads strict JSON only
// (2.1.197 and 2.1.329, tried): one comment or trailing comma, and it ignores the file.
// Then nothing of ours in it runs.
func Blocks(src []byte, want []Entry) (reason string) { return Format{}.Blocks(src, want) }

// Blocks is the same in another host's format.
func (f Format) Blocks(src []byte, want []Entry) (reason string) {
	d, err := parseStrict(src, f.Comments)
	switch {
	case err == nil && d.isTrue("disableAllHooks"):
		return "disableAllHooks is true"
	case len(want) == 0:
		return ""
	case err != nil:
		return "the client ignores the file: " + err.Error()
	}
	there, malformed := f.findHooks(d)
	if malformed != "" {
		return "the client ignores the file: " + malformed
	}
	for _, e := range want {
		if reason := describeMissing(there, e); reason != "" {
			return reason
		}
	}
	return ""
}

// Ignored says why the clients do not read a settings file at all; "" if they do.
func Ignored(src []byte) string {
	d, err := parseStrict(src, false)
	if err != nil {
		return err.Error()
	}
	_, malformed := Format{}.findHooks(d)
	return malformed
}

// parseStrict refuses what our parser reads beyond JSON, but for comments where the client reads them too.
func parseStrict(src []byte, comments bool) (document, error) {
	d, err := parse(src)
	if d.root == nil || err != nil {
		return d, err
	}
	strict, err := hujson.Standardize(bytes.Clone(d.text)) // it writes over what it is given
	for i := 0; err == nil && i < len(strict); i++ {
		if strict[i] == d.text[i] {
			continue
		}
		n := commentAt(d.text[i:])
		if n == 0 || !comments {
			err = d.errorAt(i, "a comment or a comma too many")
		}
		i += n - 1
	}
	return d, err
}

// describeMissing says what is wrong with the entry that should be e.
func describeMissing(there []found, e Entry) string {
	reason := fmt.Sprintf("the entry for %s is gone", e.Event)
	for _, f := range there {
		if !f.Ours || f.Event != e.Event {
			continue
		}
		difference := ""
		switch {
		case f.Command != e.Command:
			difference = fmt.Sprintf("runs %s instead of %s", f.Command, e.Command)
		case !slices.Equal(f.Args, e.Args):
			difference = fmt.Sprintf("has other arguments: %q", f.Args)
		case !f.isForAll():
			difference = fmt.Sprintf("is only for %s", f.Matcher)
		case f.Muted != "":
			difference = fmt.Sprintf("has %q set", f.Muted)
		case f.hasty:
			difference = "is given less than a second"
		default:
			return ""
		}
		reason = fmt.Sprintf("the entry for %s %s", e.Event, difference)
	}
	return reason
}

// Matches reports whether a matcher lets a tool through, as the clients apply it (2.1.197
// and 2.1.329, tried): a list of names where it has only letters, digits, blanks and any
// of _-|, else a JavaScript expression that may match anywhere. Case counts. Task is Agent
// too. An expression that only JavaScript has leaves the answer uncertain.
func Matches(matcher, tool string) (yes, certain bool) {
	names := []string{tool}
	if tool == "Agent" {
		names = append(names, "Task")
	}
	switch {
	case matcher == "" || matcher == "*":
		return true, true
	case strings.Trim(matcher, alphanumeric+"_-|, ") == "":
		for _, m := range strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' }) {
			yes = yes || slices.Contains(names, strings.TrimSpace(m))
		}
		return yes, true
	}
	re, err := regexp.Compile(matcher)
	if err != nil {
		return false, !strings.Contains(matcher, "(?") && !strings.Contains(matcher, `\`)
	}
	return slices.ContainsFunc(names, re.MatchString), true
}
