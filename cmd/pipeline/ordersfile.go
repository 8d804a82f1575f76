package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/configs"
)

// The client takes /pipeline for an unknown command, and fires nothing, unless there is a command file of that name (by
// experiment, 2.1.197 and 2.1.329): install ships one, uninstall takes it away again if it is still ours.

// ordersFile is the command file that belongs to a settings file.
func ordersFile(settings string) string {
	return filepath.Join(filepath.Dir(settings), "commands", "pipeline.md")
}

// placeCommandFile writes the command file, unless somebody has one of his own there.
func placeCommandFile(p *program, settings string) error {
	text, _ := configs.Command("pipeline")
	path := ordersFile(settings)
	switch old, err := os.ReadFile(path); {
	case err == nil && bytes.Equal(old, text):
		return nil
	case err == nil && !oursOnce(old):
		p.sayf("%s is not ours and stays: orders typed as /pipeline may not reach pipeline", path)
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	p.printf("%s: the command /pipeline, for orders of yours\n", path)
	return nil
}

// oursOnce reports whether a command file is one that some version of pipeline has written.
func oursOnce(text []byte) bool {
	return bytes.Contains(text, []byte("Orders to the pipeline, a person's only"))
}

func removeCommandFile(p *program, settings string) error {
	path := ordersFile(settings)
	if old, err := os.ReadFile(path); err != nil || !oursOnce(old) {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	_ = os.Remove(filepath.Dir(path)) // if nothing else is in it
	p.printf("%s: removed\n", path)
	return nil
}
