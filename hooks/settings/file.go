package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/config/system"
)

// backupSuffix makes the name of the copy that stays beside an edited file.
const backupSuffix = ".pipeline-backup"

// Apply edits the file at path: edit gets its content, nil if there is no file, and returns
// the new one; no bytes remove the file. The file is replaced at once or not at all, keeps
// its mode, and stays where a symbolic link at path points to. When the content changes,
// the previous one is kept beside path under the name backup, with the same permissions.
//
// A file that another process writes in the meantime stays as it wrote it, with an error:
// the command can be run again then.
func Apply(path string, edit func(src []byte) ([]byte, error)) (backup string, err error) {
	target, err := followLinks(path)
	if err != nil {
		return "", err
	}
	before, err := readContent(target)
	if err != nil {
		return "", err
	}
	after, err := edit(before)
	if err != nil {
		return "", fmt.Errorf("edit %s: %w", path, err)
	}
	if bytes.Equal(before, after) {
		return "", nil
	}
	wasEmpty := false // before we wrote to it: the last backup is
	if before != nil {
		backup = path + backupSuffix
		info, err := os.Lstat(backup)
		wasEmpty = err == nil && info.Mode().IsRegular() && info.Size() == 0
		if err := keepBackup(target, backup, before); err != nil {
			return "", fmt.Errorf("back up %s: %w", path, err)
		}
	}
	switch now, err := readContent(target); {
	case err != nil:
		return backup, err
	case !bytes.Equal(now, before):
		return backup, fmt.Errorf("%s was changed by another process meanwhile", path)
	case len(after) == 0 && !wasEmpty:
		return backup, os.Remove(target)
	case before != nil:
		return backup, system.WriteFile(target, after)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", err
	}
	return "", system.WriteShared(target, after, os.O_EXCL) // it fails if another process was faster
}

// readContent is nil for a missing file and not nil for an empty one.
func readContent(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.ReadFile(path)
}

// keepBackup replaces an older backup. A link in its place is replaced, not followed.
func keepBackup(target, backup string, content []byte) error {
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if err := os.Remove(backup); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := system.WriteFile(backup, content); err != nil {
		return err
	}
	return os.Chmod(backup, info.Mode().Perm())
}

// followLinks resolves path as far as it exists: the last link may point to a file that
// does not exist yet.
func followLinks(path string) (string, error) {
	for range 40 {
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing there: reading reports it
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return "", fmt.Errorf("follow %s: too many symbolic links", path)
}
