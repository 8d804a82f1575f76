package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// state: can what happens be written down, and by us alone?
func (x *exam) state() []Finding {
	var found []Finding
	for _, dir := range slices.Compact([]string{x.State, x.Opened.Project.Home, x.Store.Dir}) {
		if dir == "" {
			continue
		}
		f := x.folder(dir)
		found = append(found, f...)
		if slices.ContainsFunc(f, func(f Finding) bool { return f.Status == Problem }) {
			return found // what is below it cannot be better
		}
	}
	if _, err := os.Stat(x.Store.Dir); err != nil {
		return orFine(found, "%s: not there yet, and can be made", x.Store.Dir)
	}
	return orFine(append(found, x.room()...), "%s: ours alone, written to and read back", x.Store.Dir)
}

// folder: it is a folder or can be made, it is ours, nobody else gets in, and it can be written to.
func (x *exam) folder(dir string) []Finding {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return x.makeable(dir)
	case err != nil:
		return []Finding{problem("make it so that this works: mkdir -p "+dir, "%v: no session can be kept, so nothing that depends on a state is enforced", err)}
	case !info.IsDir():
		return []Finding{problem("mv "+dir+" "+dir+".old", "%s is no folder: no session can be kept in it", dir)}
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return []Finding{problem("run as its owner, or: sudo chown -R $(id -u) "+dir, "%s belongs to user %d, and this is user %d", dir, s.Uid, os.Geteuid())}
	}
	if err := writable(dir); err != nil {
		return []Finding{unwritable(dir, err)}
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		f := warn("chmod 0700 "+dir, "%s has mode %04o: others can read what your agents were told", dir, mode)
		f.mend = func() (string, error) { return "chmod 0700 " + dir, os.Chmod(dir, 0o700) }
		return []Finding{f}
	}
	return nil
}

func unwritable(dir string, err error) Finding {
	what := fmt.Sprintf("%s cannot be written to: %v: no session can be kept in it", dir, err)
	switch {
	case errors.Is(err, syscall.EROFS):
		return problem("set XDG_STATE_HOME, or `dir` in the config, to a folder that can be written to", "%s (its file system is read-only)", what)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return problem("make room", "%s", what)
	}
	return problem("chmod u+rwx "+dir, "%s", what)
}

// makeable: the folder is not there yet, and the nearest one above that is lets it be made.
func (x *exam) makeable(dir string) []Finding {
	up := filepath.Dir(dir)
	for up != filepath.Dir(up) {
		if _, err := os.Lstat(up); err == nil {
			break
		}
		up = filepath.Dir(up)
	}
	info, err := os.Stat(up)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "make a folder in", Path: up, Err: syscall.ENOTDIR}
	}
	if err == nil {
		err = writable(up)
	}
	if err != nil {
		return []Finding{problem("make it so that this works: mkdir -p "+dir, "%s is not there and cannot be made: %v", dir, err)}
	}
	return nil
}

// writable writes a file, reads it back and removes it.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		return plain(err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString("canary")
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	body, err := os.ReadFile(f.Name())
	if err == nil && string(body) != "canary" {
		err = errors.New("what was written is not what is read back")
	}
	return err
}

// plain is an error without the name of the file that was tried.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// scarce is how much room is worth a word: a session is far less.
const scarce = 50 << 20

func (x *exam) room() []Finding {
	var fsys syscall.Statfs_t
	if err := syscall.Statfs(x.Store.Dir, &fsys); err != nil {
		return nil // it is not there yet
	}
	left := fsys.Bavail * uint64(fsys.Bsize)
	switch {
	case left < 1<<20 || fsys.Files > 0 && fsys.Ffree == 0:
		return []Finding{problem("make room", "%s: the file system is full", x.Store.Dir)}
	case left < scarce:
		return []Finding{warn("make room", "%s: only %d MB are left", x.Store.Dir, left>>20)}
	}
	return nil
}
