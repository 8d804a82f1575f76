package settings

import (
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
	if err == nil {
		err = d.checkUnique(d.root, environmentKey)
	}
	if err != nil {
		return nil, "", err
	}
	there := value(d.root, environmentKey, prefixKey)
	switch text, _ := stringIn(there); {
	case there == nil:
		err = d.set(launcher, environmentKey, prefixKey)
	case IsOurLauncher(text):
		there.Value = hujson.String(launcher)
	default:
		return src, string(there.Pack()), nil
	}
	return d.bytes(), "", err
}
