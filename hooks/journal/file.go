package journal

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/agent-pipeline/pipeline/config/system"
)

// A file is an open journal.
type file struct{ system.File }

func openFile(path string, flags int) (file, error) {
	f, err := system.Open(path, flags|system.NoFollow)
	if err != nil {
		err = &fs.PathError{Op: "open journal", Path: path, Err: err}
	}
	return file{f}, err
}

// Size is how long the file is, in bytes.
func (f file) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("read journal: %w", err)
	}
	if !info.IsRegular() {
		return 0, errors.New("read journal: it is no regular file")
	}
	return info.Size(), nil
}
