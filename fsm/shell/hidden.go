package shell

import (
	"path"
	"strings"
)

// hidden tells whether a command runs something that its words do not say.
func (r *reader) hidden(c command) bool {
	switch c.name {
	case "sed", "gsed", "ssed":
		return sedRuns(c)
	case "awk", "gawk", "mawk", "nawk":
		return awkRuns(c)
	case "git":
		_, sub, ok := gitParts(c)
		return !ok && len(sub.words) > 0 || ok && !gitKnows(sub.name)
	case "vim", "vi", "nvim", "ex", "gvim":
		return c.options("cSiTutwW", "cmd").has("c S s cmd") || r.stdin.from != inherited || plus(c)
	case "ed":
		return r.stdin.text != nil && strings.Contains(r.stdin.text.text, "!")
	case "rg", "rga":
		return c.options("", "pre").has("pre")
	case "su", "sudo", "doas", "chroot", "unshare", "nsenter", "newgrp", "script", "nix-shell", "nix":
		return r.stdin.from != inherited // the shell they start reads it
	case "tmux":
		return len(c.args()) > 0 && !contains("ls list-sessions kill-session kill-server has-session capture-pane", c.args()[0].text)
	case "go", "bun":
		return runsFile(c)
	case "sqlite3", "psql", "mysql", "gdb", "lldb":
		return r.escapes(c) || r.stdin.from == opened
	}
	if scriptFile(c.name) || cmdlet(c.words[0].text) || c.name[0] == '=' {
		return true
	}
	return r.hiddenSub(c)
}

// hiddenSub tells whether a tool with subcommands is given one that is not known.
func (r *reader) hiddenSub(c command) bool {
	switch c.name {
	case "npm", "pnpm", "yarn", "bun", "docker", "docker-compose", "podman", "kubectl", "helm", "go", "cargo", "rustup", "uv", "poetry",
		"pip", "pip3", "gh", "terraform", "tofu", "systemctl", "apt", "apt-get", "brew", "nix", "pipeline":
	default:
		return false
	}
	short, long, _ := globals(c.name)
	w := wrapper{short: short, long: long}
	_, rest := w.leading(c)
	return len(rest) > 0 && !rest[0].fixed()
}

// plus tells whether an editor is given a command as +CMD.
func plus(c command) bool {
	for _, f := range c.args() {
		if len(f.text) > 1 && f.text[0] == '+' && strings.Trim(f.text[1:], "0123456789") != "" {
			return true
		}
	}
	return false
}

// escapes tells whether a database or debugger is given a way out to the shell.
func (r *reader) escapes(c command) bool {
	texts := c.args()
	if t := r.stdin.text; t != nil {
		texts = append(texts[:len(texts):len(texts)], *t)
	}
	for _, f := range texts {
		if strings.Contains(f.text, ".shell") || strings.Contains(f.text, ".system") || strings.Contains(f.text, `\!`) ||
			strings.Contains(f.text, "shell ") || f.is("-ex") || f.is("-x") {
			return true
		}
	}
	return false
}

// runsFile tells whether go run or bun is given a file rather than a package.
func runsFile(c command) bool {
	at := max(1, position([]string{c.name, "run"}, words(c.words)))
	return at < len(c.words) && (scriptFile(c.words[at].text) || strings.HasSuffix(c.words[at].text, ".go"))
}

// scriptFile tells whether a command word names a script, as uv run may be given.
func scriptFile(name string) bool {
	switch path.Ext(name) {
	case ".sh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".bash", ".zsh", ".ps1", ".bat", ".cmd":
		return true
	}
	return false
}

// cmdlet tells whether a command word is one of PowerShell's: Remove-Item.
func cmdlet(word string) bool {
	verb, noun, ok := strings.Cut(word, "-")
	return ok && verb != "" && noun != "" && verb[0] >= 'A' && verb[0] <= 'Z' && noun[0] >= 'A' && noun[0] <= 'Z'
}
