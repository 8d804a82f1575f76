package config

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Opened is what is in force.
type Opened struct {
	Project  Project
	Policy   *fsm.Policy // nil when nothing is in force
	Problems []Problem   // what is wrong in the config as it stands
	Notes    []string    // what else a person should know
	Stale    bool        // the policy is the last good one, because the config as it stands has problems
	None     bool        // nothing is configured
}

// Open is the way of every hook call: the compiled policy, if it belongs to exactly these sources, this environment and
// this program; else it is compiled, and kept for the next call. A config with problems is not in force: the last good
// policy stays. An error means that there is no telling what the policy is; it comes with the last good one, if any.
func Open(w World) (Opened, error) {
	p, found, err := Find(w)
	o := Opened{Project: p, None: !found && err == nil}
	if err != nil {
		o.Policy, o.Stale = LastGood(p, w)
		return o, err
	}
	if o.None {
		return o, nil
	}
	k := policyKey(p, w)
	s := p.policyStore(w)
	if policy, err := readSealed(s.policyFile(k), k, isReleased(w)); err == nil {
		o.Policy = policy
		if last, ok := s.readLast(); !ok || last != k {
			o.addNote(s.setLast(k))
		}
		return o, nil
	}
	return o.compileAnew(k, w)
}

// compileAnew builds the policy and keeps it. Should the sources change meanwhile, it starts again: a policy must not be
// kept under the key of another text.
func (o Opened) compileAnew(k key, w World) (Opened, error) {
	policy, problems, err := buildPolicy(o.Project, w)
	for range 3 {
		now := policyKey(o.Project, w)
		if now == k {
			break
		}
		k = now
		policy, problems, err = buildPolicy(o.Project, w)
	}
	o.Problems = problems
	if err != nil || policy == nil {
		o.Policy, o.Stale = LastGood(o.Project, w)
		return o, err
	}
	policy.Fingerprint = k.fingerprint()
	o.Policy = policy
	o.addNote(o.Project.policyStore(w).writePolicy(k, policy))
	return o, nil
}

func (o *Opened) addNote(err error) {
	if err != nil {
		o.Notes = append(o.Notes, err.Error())
	}
}

// isReleased reports whether the program's version tells what form its policies have. A version that was built from changed
// sources does not; then the form itself has to be looked at, which takes longer than all the rest of the key.
func isReleased(w World) bool {
	return w.Version != "" && w.Version != "dev" && !strings.Contains(w.Version, "dirty")
}

// policyKey hashes all that a policy depends on.
func policyKey(p Project, w World) (k key) {
	b := appendTexts(nil, magic, w.Version, p.Root, p.Owner, w.Home)
	if !isReleased(w) {
		b = binary.LittleEndian.AppendUint64(b, shapeOf(reflect.TypeFor[fsm.Policy]()))
	}
	for _, o := range activeOverrides(w) {
		b = appendTexts(b, o.name, o.value)
	}
	for _, s := range p.stray {
		b = appendTexts(b, "stray", s.file)
	}
	h := sha256.New()
	h.Write(b)
	for _, file := range p.Files {
		text, err := readSource(file)
		if err != nil {
			text = []byte(err.Error())
		}
		h.Write(binary.AppendUvarint(appendTexts(b[:0], file), uint64(len(text))))
		h.Write(text)
	}
	h.Sum(k[:0])
	return k
}

// appendTexts appends texts so that where each ends counts too.
func appendTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

// policyStore is where this project's policies are. The last good one is told apart by all that chooses a config beside its
// text: a policy that somebody loosened by the environment must not become another session's.
func (p Project) policyStore(w World) store {
	s := store{dir: filepath.Join(p.Home, "policy"), last: "last"}
	over, file := activeOverrides(w), onlyFile(w)
	if len(over) == 0 && file == "" && p.Root == p.Owner {
		return s
	}
	b := appendTexts(nil, file, p.Root)
	for _, o := range over {
		b = appendTexts(b, o.name, o.value)
	}
	sum := sha256.Sum256(b)
	s.last += "-" + hex.EncodeToString(sum[:6])
	return s
}
