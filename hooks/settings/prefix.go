package settings

import "strings"

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
		d, err = d.add(member{prefixKey, launcher}, environmentKey)
	case IsOurLauncher(text):
		d, err = d.replace(there, launcher)
	default:
		return src, string(there.Pack()), nil
	}
	return d.bytes(), "", err
}

// findPrefix is where our launcher stands; nil if it does not.
func (d document) findPrefix() []place {
	env := value(d.root, environmentKey)
	if text, _ := stringIn(value(env, prefixKey)); !IsOurLauncher(text) {
		return nil
	}
	return []place{{d.root, effective(d.root)[environmentKey]}, {env, effective(env)[prefixKey]}}
}
