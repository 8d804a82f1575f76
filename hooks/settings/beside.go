package settings

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// What of ours stands beside the hooks: the status line, and the launcher.

// A settings file has one status line: a command that the client gives to a shell. Ours is
// recognized by that command. One that a person wrote stays theirs, even if it runs us.

const statusKey = "statusLine"

// StatusCommand is the shell line that prints our status line. It is written in one way
// only, by which it is recognized.
func StatusCommand(binary string) string { return QuoteWord(binary) + " statusline" }

// isOurStatus reports whether StatusCommand wrote a command.
func isOurStatus(command string) bool {
	binary, _ := splitLine(command)
	return isProgram(binary) && StatusCommand(binary) == command
}

// StatusLine is the status line of a settings file: the command, or what else stands there,
// and whether it is ours. Both are empty where there is none. Of a key that is written
// twice the last counts, as for the client.
func StatusLine(src []byte) (what string, ours bool, err error) {
	d, err := parse(src)
	v := value(d.root, statusKey)
	if command, ok := stringIn(statusCommand(v)); ok {
		return command, isOurStatus(command), err
	}
	if v != nil {
		what = string(v.Pack())
	}
	return what, false, err
}

// statusCommand is where the command of a status line stands, nil if it has none.
func statusCommand(v *hujson.Value) *hujson.Value {
	command := value(v, "command")
	if kind, _ := stringIn(value(v, "type")); kind != "command" || kindOf(command) != '"' {
		return nil
	}
	return command
}

// InstallStatusLine returns src with our status line. One that is ours gets the new
// command, and keeps what a person has set beside it. One that is not ours stays, unless
// replace is set; kept is then what it is. A src of no bytes is a file that does not exist.
func InstallStatusLine(src []byte, binary string, replace bool) (out []byte, kept string, err error) {
	command := StatusCommand(binary)
	if !isOurStatus(command) {
		return nil, "", fmt.Errorf("status line: %q would not be recognized as ours", command)
	}
	what, ours, err := StatusLine(src)
	if err == nil && what != "" && !ours && !replace {
		return src, what, nil
	}
	d, err := parse(src, statusKey)
	if err != nil {
		return nil, "", err
	}
	line := struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Padding int    `json:"padding"`
		Refresh int    `json:"refreshInterval"`
	}{"command", command, 0, refreshSeconds}
	switch there := value(d.root, statusKey); {
	case ours:
		statusCommand(there).Value = hujson.String(command)
	case there != nil:
		d.replace(there, line)
	default:
		err = d.set(line, statusKey)
	}
	return d.bytes(), "", err
}

// refreshSeconds is how often the client draws the line without a message (2.1.197 and
// 2.1.329 take whole seconds). A person's command answers without a message, and changes it.
const refreshSeconds = 2

// A settings file may name a program in its environment that the client runs in place of its shell.
// Ours is recognized by its path; a person's own stays.

const (
	environmentKey = "env"
	prefixKey      = "CLAUDE_CODE_SHELL_PREFIX"
)

// isOurLauncher reports whether a path is that of a launcher which some installation has written.
func isOurLauncher(file string) bool { return strings.HasSuffix(file, "/pipeline/shell") }

// HasLauncher reports whether a settings file names a launcher of ours.
func HasLauncher(src []byte) bool {
	env, err := Environment(src)
	return err == nil && isOurLauncher(env[prefixKey])
}

// InstallPrefix returns src with our launcher as the prefix. Another one stays; kept is then what it is.
func InstallPrefix(src []byte, launcher string) (out []byte, kept string, err error) {
	d, err := parse(src, environmentKey)
	if err != nil {
		return nil, "", err
	}
	there := value(d.root, environmentKey, prefixKey)
	switch text, _ := stringIn(there); {
	case there == nil:
		err = d.set(launcher, environmentKey, prefixKey)
	case isOurLauncher(text):
		there.Value = hujson.String(launcher)
	default:
		return src, string(there.Pack()), nil
	}
	return d.bytes(), "", err
}
