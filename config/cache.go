package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
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
	"syscall"
	"time"

	"github.com/natefinch/atomic"

	"github.com/agent-pipeline/pipeline/fsm"
)

// The compiled policies of a project lie in Home/policy: KEY.bin each, and `last`, which names the one in force. Whoever
// can write there can change the rules, so only files of the user himself that nobody else can write are believed.

const (
	magic   = "pipeline policy 2\n"
	ending  = ".bin"
	keep    = 20      // policies that are no longer in force
	largest = 8 << 20 // of a policy's file
)

// A key is the hash of all that a policy depends on.
type key [sha256.Size]byte

func (k key) String() string { return hex.EncodeToString(k[:]) }

// fingerprint is the part of the key by which records name a policy.
func (k key) fingerprint() string { return k.String()[:12] }

var errForeign = errors.New("belongs to someone else, or others may write it")

// ours reports whether a file is the user's own and nobody else may write it.
func ours(st *syscall.Stat_t) bool {
	return int(st.Uid) == os.Geteuid() && st.Mode&syscall.S_IFMT == syscall.S_IFREG && st.Mode&0o022 == 0
}

// readOwn reads a file that is only the user's own.
func readOwn(path string, most int64) ([]byte, error) {
	b, st, err := readBare(path, most)
	switch {
	case err != nil:
		return nil, err
	case !ours(&st):
		return nil, fmt.Errorf("read %s: %w", path, errForeign)
	case st.Size > most:
		return nil, fmt.Errorf("read %s: %w", path, errCodec)
	}
	return b, nil
}

// readPolicy reads a compiled policy. A damaged file is an error like a missing one: the caller compiles again.
func readPolicy(path string, k key) (*fsm.Policy, error) { return readSealed(path, k, false) }

// readSealed reads one whose key may already say what form it has.
func readSealed(path string, k key, formed bool) (*fsm.Policy, error) {
	b, err := readOwn(path, largest)
	if err != nil {
		return nil, err
	}
	body, err := unseal(b, k, formed)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	p := new(fsm.Policy)
	if err := decode(string(body), reflect.ValueOf(p).Elem()); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return p, nil
}

func head(k key) []byte {
	b := append([]byte(magic), k[:]...)
	return binary.LittleEndian.AppendUint64(b, shape(reflect.TypeFor[fsm.Policy]()))
}

// seal puts a head before a body and a checksum behind it. The checksum is against damage, not against malice: whoever
// may write here could make any. A hash that withstands malice takes twenty times as long, at every call.
func seal(k key, body []byte) []byte {
	b := append(head(k), body...)
	return binary.LittleEndian.AppendUint64(b, checksum(b))
}

// checksum is FNV-1a: it needs no tables, which would have to be made in every call.
func checksum(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

func unseal(b []byte, k key, formed bool) ([]byte, error) {
	h := append([]byte(magic), k[:]...)
	if !formed {
		h = head(k)
	}
	end := len(b) - 8
	if end < len(magic)+len(k)+8 || !bytes.HasPrefix(b, h) || checksum(b[:end]) != binary.LittleEndian.Uint64(b[end:]) {
		return nil, errCodec
	}
	return b[len(magic)+len(k)+8 : end], nil
}

// A store is the folder of a project's policies.
type store struct {
	dir  string
	last string // the file that names the policy in force
}

func (s store) file(k key) string { return filepath.Join(s.dir, k.String()+ending) }

// write keeps a policy and makes it the one in force.
func (s store) write(k key, p *fsm.Policy) error {
	body, err := encode(nil, reflect.ValueOf(*p))
	if err == nil {
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err == nil {
		err = replace(s.file(k), seal(k, body))
	}
	if err == nil {
		err = s.point(k)
	}
	if err != nil {
		return fmt.Errorf("keep the compiled policy: %w", err)
	}
	s.prune(time.Now())
	return nil
}

// replace writes a file in one step. What cannot be trusted is removed first: it would pass on its permissions.
func replace(path string, b []byte) error {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) == nil && !ours(&st) {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return atomic.WriteFile(path, bytes.NewReader(b))
}

// point makes a policy the last good one.
func (s store) point(k key) error {
	return replace(filepath.Join(s.dir, s.last), []byte(k.String()+" "+k.fingerprint()+"\n"))
}

// pointed reads which policy was the last good one.
func (s store) pointed() (k key, ok bool) {
	b, err := readOwn(filepath.Join(s.dir, s.last), 1<<10)
	if err != nil || len(b) < hex.EncodedLen(len(k)) {
		return key{}, false
	}
	_, err = hex.Decode(k[:], b[:hex.EncodedLen(len(k))])
	return k, err == nil
}

// prune forgets the oldest policies, but none that is in force anywhere, and what killed processes have left.
func (s store) prune(now time.Time) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	var old []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || s.inForce(e.Name(), entries):
		case filepath.Ext(e.Name()) == ending:
			old = append(old, info)
		case !strings.HasPrefix(e.Name(), "last") && now.Sub(info.ModTime()) > time.Hour:
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
	slices.SortFunc(old, func(a, b fs.FileInfo) int { return cmp.Compare(b.ModTime().UnixNano(), a.ModTime().UnixNano()) })
	for _, info := range old[min(keep, len(old)):] {
		_ = os.Remove(filepath.Join(s.dir, info.Name()))
	}
}

func (s store) inForce(name string, entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		if !strings.HasPrefix(e.Name(), "last") {
			return false
		}
		k, ok := store{s.dir, e.Name()}.pointed()
		return ok && name == k.String()+ending
	})
}

// Good returns a policy that was in force earlier, by its fingerprint: for sessions in a state that a new config lacks.
func Good(home, fingerprint string) (*fsm.Policy, error) {
	dir := filepath.Join(home, "policy")
	if _, err := hex.DecodeString(fingerprint); err != nil || len(fingerprint) != 12 {
		return nil, fmt.Errorf("look for policy %q: no fingerprint", fingerprint)
	}
	found, err := filepath.Glob(filepath.Join(escaped(dir), fingerprint+"*"+ending))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("look for policy %s: %w", fingerprint, cmp.Or(err, fs.ErrNotExist))
	}
	var k key
	if _, err := hex.Decode(k[:], []byte(strings.TrimSuffix(filepath.Base(found[0]), ending))); err != nil {
		return nil, fmt.Errorf("look for policy %s: %w", fingerprint, err)
	}
	return readPolicy(found[0], k)
}

// escaped keeps a folder's name from being taken for a pattern.
func escaped(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
