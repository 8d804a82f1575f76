package settings

import (
	"errors"
	"strings"

	"github.com/tailscale/hujson"
)

// A settings file may name a program in its environment that the client runs in place of its shell.
// Ours is recognized by its path; a person's own stays.

const (
	environmentKey = "env"
	prefixKey      = "CLAUDE_CODE_SHELL_PREFIX"
)

// IsOurLauncher reports whether a path is that of a launcher which some installation has written.
func IsOurLauncher(file string) bool {
	return strings.HasSuffix(file, "/pipeline/shell")
}

// ShellPrefix is the program that a settings file names; empty for none.
func ShellPrefix(src []byte) (string, error) {
	env, err := Environment(src)
	return env[prefixKey], err
}

// InstallPrefix returns src with our launcher as the prefix. Another one stays; kept is then what it is.
func InstallPrefix(src []byte, launcher string) (out []byte, kept string, err error) {
	d, err := parse(src)
	if err != nil {
		return nil, "", err
	}
	if err := d.checkUnique(environmentKey); err != nil {
		return nil, "", err
	}
	env := value(d.root, environmentKey)
	there := value(env, prefixKey)
	pair := func(s style, _ string) string { return s.renderPair(prefixKey, quote(launcher)) }
	switch text, _ := stringIn(there); {
	case there != nil && !IsOurLauncher(text):
		return src, string(there.Pack()), nil
	case there != nil:
		there.Value = hujson.String(launcher)
	case env == nil && d.root == nil:
		s := styleOf(d)
		d, err = d.withText(s.renderBlock("{", []string{s.renderPair(environmentKey,
			s.renderBlock("{", []string{pair(s, "")}, "}", s.unit))}, "}", "") + s.eol)
	case env == nil:
		containerOf(d.root).insertItem(d.text, styleOf(d), func(s style, indent string) string {
			return s.renderPair(environmentKey, s.renderBlock("{", []string{pair(s, "")}, "}", indent))
		})
	case env.Value.Kind() != '{':
		return nil, "", errors.New(describeMismatch(environmentKey, *env, "an object"))
	default:
		containerOf(env).insertItem(d.text, styleOf(d), pair)
	}
	return d.bytes(), "", err
}

// removePrefix takes our launcher out, and with it an environment that holds nothing else.
func (d document) removePrefix() (document, error) {
	env := value(d.root, environmentKey)
	text, _ := stringIn(value(env, prefixKey))
	switch {
	case !IsOurLauncher(text):
		return d, nil
	case len(members(env)) == 1:
		return d.removeAt(nil, environmentKey)
	}
	return d.removeAt([]string{environmentKey}, prefixKey)
}
