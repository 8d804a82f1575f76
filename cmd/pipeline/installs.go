package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"

	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// What a person has installed is remembered outside the settings files, so that a change of theirs which takes our
// hooks away can be told from one that a person made with install or uninstall.

func installsFile(p *program) string {
	return filepath.Join(p.base("XDG_STATE_HOME", ".local/state"), "pipeline", "installs.json")
}

func readInstalls(p *program) (map[string][]settings.Entry, error) {
	out := map[string][]settings.Entry{}
	body, err := os.ReadFile(installsFile(p))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", installsFile(p), err)
	}
	return out, nil
}

// rememberInstall notes what a settings file is meant to hold from now on.
func rememberInstall(p *program, file string, ours []settings.Entry) error {
	all, err := readInstalls(p)
	if err != nil {
		all = map[string][]settings.Entry{} // damaged: begin anew, with what is being done now
		p.sayf("%v: written anew", err)
	}
	key := realPath(file)
	delete(all, key)
	if len(ours) > 0 {
		all[key] = ours
	}
	body, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode installs: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(installsFile(p)), 0o700); err != nil {
		return fmt.Errorf("remember the installation: %w", err)
	}
	if err := atomic.WriteFile(installsFile(p), bytes.NewReader(body)); err != nil {
		return fmt.Errorf("remember the installation: %w", err)
	}
	return nil
}

// wants is what a person has installed in a settings file.
func (p *program) wants(file string) []settings.Entry {
	all, err := readInstalls(p)
	if err != nil {
		return nil
	}
	return all[realPath(file)]
}

func realPath(file string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return filepath.Clean(file)
	}
	return filepath.Join(dir, filepath.Base(file))
}
