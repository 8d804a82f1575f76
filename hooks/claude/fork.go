package claude

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// renamed is the id that a forked session goes on with, where the client still says the old one. Client 2.1.197 starts a
// fork as a resume of the old session and uses the new id from the next event on; only the folder of the environment
// file already has it (by experiment).
func (c *call) renamed() string {
	if c.Source != "resume" || c.host.Getenv == nil {
		return ""
	}
	file := c.host.Getenv("CLAUDE_ENV_FILE")
	id := filepath.Base(filepath.Dir(file))
	if file == "" || filepath.Base(filepath.Dir(filepath.Dir(file))) != "session-env" || id == c.SessionID {
		return ""
	}
	return id
}

// Parent is the session that this one was forked from. The client does not say it: it is on its command line, and where
// it was told to continue the latest conversation it is the project's latest (2.1.329, by experiment).
func (c *call) Parent() string {
	if c.renamed() != "" {
		return c.SessionID
	}
	if c.Source != "fork" {
		return ""
	}
	if id := resumed(c.commandLine()); id != "" {
		return id
	}
	return c.latest()
}

func (c *call) commandLine() []string {
	pid := ""
	if c.host.Getenv != nil {
		pid = c.host.Getenv("CLAUDE_PID")
	}
	if pid == "" || strings.Trim(pid, "0123456789") != "" {
		return nil
	}
	line, err := os.ReadFile("/proc/" + pid + "/cmdline")
	if err != nil {
		return nil
	}
	return strings.Split(string(line), "\x00")
}

// resumed finds the session id among the client's arguments.
func resumed(args []string) string {
	for i, a := range args {
		if (a == "-r" || a == "--resume") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			return args[i+1]
		}
		if id, ok := strings.CutPrefix(a, "--resume="); ok {
			return id
		}
	}
	return ""
}

// latest is the project's conversation that was written to last, other than this one.
func (c *call) latest() string {
	if c.Transcript == "" {
		return ""
	}
	files, err := os.ReadDir(filepath.Dir(c.Transcript))
	if err != nil {
		return ""
	}
	var latest string
	var when time.Time
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".jsonl")
		info, err := f.Info()
		if ok && err == nil && f.Type().IsRegular() && f.Name() != filepath.Base(c.Transcript) && info.ModTime().After(when) {
			latest, when = id, info.ModTime()
		}
	}
	return latest
}
