package main

import (
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// A lineInstall is what an installation does with the status line, and what it found.
type lineInstall struct {
	scope, binary  string
	add, replace   bool
	hidden         foreignLine // a person's in another file, which ours would hide
	kept, replaced string      // a person's in this file
}

// A foreignLine is a status line that a person has in a settings file.
type foreignLine struct{ file, command string }

func planStatusLine(c *cli.Context, binary string, other foreignLine) *lineInstall {
	replace := c.Bool("replace-statusline")
	return &lineInstall{scope: c.String("scope"), binary: binary, add: replace || c.Bool("statusline"), replace: replace, hidden: other}
}

// install adds our status line where that was asked for, and brings one that is there already up to date.
func (l *lineInstall) install(src []byte) ([]byte, error) {
	what, ours, err := settings.StatusLine(src)
	if err != nil || !ours && (!l.add || l.hidden.command != "" && !l.replace) {
		return src, err
	}
	out, kept, err := settings.InstallStatusLine(src, l.binary, l.replace)
	if l.kept = kept; !ours && kept == "" {
		l.replaced = what
	}
	return out, err
}

// said tells a person of a status line of his own, and how it can be replaced.
func (l *lineInstall) said(p *program) {
	switch {
	case l.replaced != "":
		p.sayf("your own status line was replaced: %s", cut(l.replaced, 200))
		return
	case !l.add || l.replace:
		return
	case l.kept != "":
		p.sayf("there is a status line of your own, which was kept: %s", cut(l.kept, 200))
	case l.hidden.command != "":
		p.sayf("%s has a status line of your own, which ours would hide: %s", l.hidden.file, cut(l.hidden.command, 200))
	default:
		return
	}
	p.hint("pipeline install --scope %s --replace-statusline", l.scope)
}

// findOtherLine is a status line that a person has in a file of another scope. The client shows one: the local file's before
// the project's before the user's.
func findOtherLine(p *program, scope, root string) foreignLine {
	files := map[string]string{
		"local":   filepath.Join(root, ".claude", "settings.local.json"),
		"project": filepath.Join(root, ".claude", "settings.json"),
		"user":    filepath.Join(p.clientConfig(), "settings.json"),
	}
	for _, other := range []string{"local", "project", "user"} {
		if other == scope {
			continue
		}
		body, err := os.ReadFile(files[other])
		if err != nil {
			continue // none, or none that the client could read
		}
		if what, ours, err := settings.StatusLine(body); err == nil && what != "" && !ours {
			return foreignLine{files[other], what}
		}
	}
	return foreignLine{}
}
