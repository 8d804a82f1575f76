package settings

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
)

// An Edit makes of the content of a settings file, nil for no file, what it is to be; nil removes the file.
type Edit func(src []byte) ([]byte, error)

// A File is a settings file that we edit. What it was before is kept beside our state, and comes
// back if the file was not changed since.
type File struct {
	Path  string
	State string // the folder of our state
	Strip Edit   // takes out what is ours
}

// Edit edits the file. Without edits it takes out what is ours: the original comes back, or, where somebody
// else has changed the file since, what Strip leaves. It reports whether the file changed, and where the
// original is kept if there was one.
//
// The file is replaced at once or not at all, keeps its mode, and stays where a symbolic link points
// to. The original is written first. A file that another process writes in the meantime stays as it
// wrote it, with an error: the command can be run again then.
func (f File) Edit(edits ...Edit) (kept string, changed bool, err error) {
	target, err := followLinks(f.Path)
	if err != nil {
		return "", false, err
	}
	before, err := readContent(target)
	if err != nil {
		return "", false, err
	}
	record := filepath.Join(f.State, "settings", hashText([]byte(target))[:16]+"-"+filepath.Base(target))
	original, err := f.findOriginal(before, record)
	after := original
	for i, edit := range edits {
		if i == 0 {
			after = before
		}
		if err == nil {
			after, err = edit(after)
		}
	}
	switch {
	case err != nil:
		return "", false, fmt.Errorf("edit %s: %w", f.Path, err)
	case hashText(before) == hashText(after):
		return "", false, nil
	case len(edits) == 0:
		if err = f.replace(target, before, after); err == nil {
			_ = os.Remove(record) // it says nothing of any other text
		}
		return "", true, err
	}
	head := hashText(original) + " " + hashText(before) + " " + hashText(after) + "\n"
	if err = system.MakeFile(record, slices.Concat([]byte(head), original)); err != nil {
		return "", false, fmt.Errorf("keep what %s was: %w", f.Path, err)
	}
	if original != nil {
		kept = record
	}
	return kept, true, f.replace(target, before, after)
}

// findOriginal is the file without anything of ours. A record holds it below a line with its sum and those of the
// texts that it is the original of.
func (f File) findOriginal(now []byte, record string) ([]byte, error) {
	body, _ := os.ReadFile(record) // without one ours is taken out
	head, original, _ := bytes.Cut(body, []byte("\n"))
	sums := strings.Fields(string(head))
	if len(sums) == 3 && sums[0] == noFile {
		original = nil
	}
	if len(sums) == 3 && sums[0] == hashText(original) && slices.Contains(sums[1:], hashText(now)) {
		return original, nil
	}
	original, err := f.Strip(now)
	if err == nil && bytes.Equal(original, now) { // an empty file is a file
		original = now
	}
	return original, err
}

// replace has the file hold other text, or removes it.
func (f File) replace(target string, before, after []byte) error {
	switch now, err := readContent(target); {
	case err != nil:
		return err
	case hashText(now) != hashText(before):
		return fmt.Errorf("%s was changed by another process meanwhile", f.Path)
	case after == nil:
		return os.Remove(target)
	case before != nil:
		return system.WriteFile(target, after)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return system.WriteShared(target, after, os.O_EXCL) // it fails if another process was faster
}

// noFile is the hash of a file that does not exist.
const noFile = "missing"

func hashText(text []byte) string {
	if text == nil {
		return noFile
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
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
