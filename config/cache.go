package config

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// The compiled policies of a project are in Home/policy: KEY.bin each, and `last`, which
// names the one in force. Who can write there can change the rules, so only files are
// trusted that belong to the user and that no one else can write.

const (
	magic   = "pipeline policy 5\n"
	ending  = ".bin"
	keep    = 20      // policies that are no longer in force
	largest = 8 << 20 // of a policy's file

	fingerprintLen = 12 // characters of a key, by which records name its policy
)

var errForeign = errors.New("belongs to another user, or others can write it")

func readPrivate(path string, most int64) ([]byte, error) {
	b, st, err := system.ReadRegular(path, most)
	switch {
	case err != nil:
		return nil, err
	case !st.IsPrivate || !st.IsRegular:
		return nil, fmt.Errorf("read %s: %w", path, errForeign)
	case st.Size > most:
		return nil, fmt.Errorf("read %s: %w", path, errCodec)
	}
	return b, nil
}

// readPolicy reads a compiled policy. A damaged file is an error like a missing one: the
// caller compiles again. So is one of another form, unless its key determines the form.
func readPolicy(dir, k string, hasForm bool) (*fsm.Policy, error) {
	path := dir + "/" + k + ending
	b, err := readPrivate(path, largest)
	if err != nil {
		return nil, err
	}
	head := []byte(magic + k)
	if !hasForm {
		head = makeHead(k)
	}
	start, end := len(magic)+len(k)+8, len(b)-8
	if end < start || !bytes.HasPrefix(b, head) || sumBytes(b[:end]) != binary.LittleEndian.Uint64(b[end:]) {
		return nil, fmt.Errorf("read %s: %w", path, errCodec)
	}
	p := new(fsm.Policy)
	body := b[start:end]
	if err := decodeValue(unsafe.String(unsafe.SliceData(body), len(body)), reflect.ValueOf(p).Elem()); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return p, nil
}

// makeHead is what the file of a policy begins with. The shape of the type is in it: bytes written for another shape
// must not be read.
func makeHead(k string) []byte {
	h := fnv.New64a()
	h.Write(appendShape(nil, reflect.TypeFor[fsm.Policy]()))
	return h.Sum([]byte(magic + k))
}

// sumBytes is FNV-1a over words of eight bytes. It finds damage, not malice: who can write here can make any sum. A
// cryptographic hash takes twenty times as long, and others need tables that every call would have to build.
func sumBytes(b []byte) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for ; len(b) >= 8; b = b[8:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * prime
	}
	for _, c := range b {
		h = (h ^ uint64(c)) * prime
	}
	return h ^ h>>32 // a multiplication carries upward only
}

// writePolicy keeps a policy and makes it the one in force: last is the file that names it.
func writePolicy(last, k string, p *fsm.Policy) error {
	dir := system.Dir(last)
	b, err := encodeValue(makeHead(k), reflect.ValueOf(*p))
	if err == nil {
		err = replaceFile(dir+"/"+k+ending, binary.LittleEndian.AppendUint64(b, sumBytes(b)))
	}
	if err == nil {
		err = setLast(last, k)
	}
	if err != nil {
		return fmt.Errorf("keep the compiled policy: %w", err)
	}
	pruneOld(dir, time.Now())
	return nil
}

// replaceFile writes a file in one step. A file that cannot be trusted is removed first,
// because the new one would inherit its permissions.
func replaceFile(path string, b []byte) error {
	if st, err := system.Lstat(path); err == nil && !(st.IsPrivate && st.IsRegular) {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return system.MakeFile(path, b)
}

// setLast makes a policy the last good one.
func setLast(last, k string) error { return replaceFile(last, []byte(k+"\n")) }

// readLast reads which policy was the last good one; "" where that cannot be read.
func readLast(last string) string {
	b, _ := readPrivate(last, 1<<10)
	return strings.TrimSpace(string(b))
}

// pruneOld removes the oldest policies, but none that is in force anywhere, and what
// killed processes have left.
func pruneOld(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	inForce := map[string]bool{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "last") {
			inForce[readLast(dir+"/"+e.Name())+ending] = true
		}
	}
	var old []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || inForce[e.Name()]:
		case filepath.Ext(e.Name()) == ending:
			old = append(old, info)
		case !strings.HasPrefix(e.Name(), "last") && now.Sub(info.ModTime()) > time.Hour:
			_ = os.Remove(dir + "/" + e.Name())
		}
	}
	slices.SortFunc(old, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, info := range old[min(keep, len(old)):] {
		_ = os.Remove(dir + "/" + info.Name())
	}
}

// FindPolicy returns a policy that was in force earlier, by its fingerprint: for sessions in
// a state that a new config lacks.
func (p Project) FindPolicy(fingerprint string) (*fsm.Policy, error) {
	dir := p.Home + "/policy"
	if _, err := hex.DecodeString(fingerprint); err != nil || len(fingerprint) != fingerprintLen {
		return nil, fmt.Errorf("look for policy %q: no fingerprint", fingerprint)
	}
	files := system.Glob(dir, fingerprint+"*"+ending)
	if len(files) == 0 {
		return nil, fmt.Errorf("look for policy %s: %w", fingerprint, fs.ErrNotExist)
	}
	return readPolicy(dir, strings.TrimSuffix(filepath.Base(files[0]), ending), false)
}
