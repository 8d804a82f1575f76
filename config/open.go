package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
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

// Confines reports whether a rule that is in force has commands run confined.
func (o Opened) Confines() bool {
	return o.Policy != nil && slices.ContainsFunc(o.Policy.AllRules(),
		func(r *fsm.Rule) bool { return r.Verdict == fsm.Confine })
}

// Open is the way of every hook call. It returns the kept policy if that belongs to
// exactly these sources, this environment and this program; else it compiles one and
// keeps it for the next call. A config with problems is not in force: the last good
// policy stays. An error means that the policy is unknown; it comes with the last good
// one, if any.
func Open(w World) (Opened, error) {
	p, exists, err := Find(w)
	return openFound(p, exists, err, w)
}

func openFound(p Project, exists bool, err error, w World) (Opened, error) {
	o := Opened{Project: p, None: !exists && err == nil}
	if err != nil {
		o.fallBack(w)
		return o, err
	}
	if o.None {
		return o, nil
	}
	k := policyKey(p, w)
	last := p.lastFile(w)
	if policy, err := readPolicy(system.Dir(last), k, isReleased(w)); err == nil {
		o.Policy = policy
		if readLast(last) != k {
			o.addNote(setLast(last, k))
		}
		return o, nil
	}
	return o.compileAndKeep(k, w)
}

// compileAndKeep builds the policy and keeps it. When the sources change meanwhile, it
// starts again: a policy must not be kept under the key of another text.
func (o Opened) compileAndKeep(k string, w World) (Opened, error) {
	var d Draft
	var err error
	settled := false
	for range 4 {
		d, err = Read(o.Project, w)
		now := policyKey(o.Project, w)
		if settled = now == k; settled {
			break
		}
		k = now
	}
	o.Policy, o.Problems = d.Policy, d.Problems
	if err != nil || o.Policy == nil {
		o.fallBack(w)
		return o, err
	}
	o.Policy.Fingerprint = k[:fingerprintLen]
	if settled {
		o.addNote(writePolicy(o.Project.lastFile(w), k, o.Policy))
	}
	return o, nil
}

// fallBack puts in force what holds while the config cannot be used: the organisation's
// alone, below which nothing else may go, or the last good policy.
func (o *Opened) fallBack(w World) {
	if o.Project.Org != "" {
		alone, bare := o.Project, w
		alone.Files, alone.stray = []string{o.Project.Org}, nil
		bare.Getenv = nil // what the environment says may be the mistake
		if d, err := Read(alone, bare); err == nil && d.Policy != nil {
			o.Policy, o.Stale = d.Policy, true
			return
		}
	}
	o.Policy, o.Stale = openLastGood(o.Project, w)
}

func (o *Opened) addNote(err error) {
	if err != nil {
		o.Notes = append(o.Notes, err.Error())
	}
}

// isReleased reports whether the program's version, and with it a key, determines the form
// of its policies. A version built from changed sources does not. Then the form is compared
// itself, which takes longer than all the rest.
func isReleased(w World) bool {
	return w.Version != "" && w.Version != "dev" && !strings.Contains(w.Version, "dirty")
}

// policyKey is the hash, in hexadecimal, of all that a policy depends on. In quotes it counts where each text ends.
func policyKey(p Project, w World) string {
	texts := append([]string{magic, w.Version, p.Root, p.Owner, w.Home}, activeOverrides(w)...)
	for _, s := range p.stray {
		texts = append(texts, "stray", s.File)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q", texts)
	for _, file := range p.Files {
		text, err := readSource(file)
		if err != nil {
			text = []byte(err.Error())
		}
		fmt.Fprintf(h, "%q%d ", file, len(text))
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// lastFile names the last good policy, beside this project's policies. There is one for each choice of a config beside
// its text: a policy that somebody loosened by the environment must not become another session's.
func (p Project) lastFile(w World) string {
	name := "last"
	over, file := activeOverrides(w), w.onlyFile()
	if len(over) > 0 || file != "" || p.Root != p.Owner {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q", append(over, file, p.Root)))
		name += "-" + hex.EncodeToString(sum[:6])
	}
	return p.Home + "/policy/" + name
}

// openLastGood returns the policy that was last in force in a project.
func openLastGood(p Project, w World) (*fsm.Policy, bool) {
	last := p.findLastGood(w)
	if last == "" {
		return nil, false
	}
	policy, err := readPolicy(system.Dir(last), readLast(last), false)
	return policy, err == nil
}

// findLastGood is the file that names the last good policy which applies: that of this environment, else that of the
// files alone; "" where there is none. The policy of another environment never applies.
func (p Project) findLastGood(w World) string {
	if p.Home == "" {
		return ""
	}
	for _, last := range []string{p.lastFile(w), p.lastFile(World{Home: w.Home, Version: w.Version})} {
		if _, err := os.Stat(last); err == nil {
			return last
		}
	}
	return ""
}

// OpenVanished opens the last good policy of the project whose config is gone: it stays in force
// until a person says otherwise. Where Find finds no config, the project is the nearest folder on the same way that
// has such a policy.
func OpenVanished(w World) (Opened, bool) {
	dir, err := system.EvalSymlinks(w.Dir)
	if err != nil {
		return Opened{}, false
	}
	t, _ := findTree(dir)
	for d := range system.Upward(dir) {
		p := Project{Root: d}
		p.setOwner(t, w)
		if p.findLastGood(w) != "" {
			o := openGone(p, w)
			return o, o.Policy != nil
		}
		if d == t.top {
			break
		}
	}
	return Opened{}, false
}

// openGone opens the last good policy of a project without a config.
func openGone(p Project, w World) Opened {
	note := "the config of " + p.Root + " is gone: its last good form stays in force; " +
		"a person ends that with: pipeline mode off"
	o := Opened{Project: p, Stale: true, Notes: []string{note}}
	o.Policy, _ = openLastGood(p, w)
	return o
}

// A session keeps the project under which it began, wherever its client runs later. A
// file in the state folder names the project's root and the owner of its state. It lies
// where the project's state lies by default, whatever `dir` says, so that it is found
// without the config.

func (p Project) pinFile(session string) string {
	return p.Home + "/sessions/" + session + "/root"
}

// HasPinned reports whether a session began under this project.
func (p Project) HasPinned(session string) bool {
	st, err := system.Stat(p.pinFile(session))
	return err == nil && st.IsRegular
}

// Pin keeps a session under this project.
func (p Project) Pin(session string) error {
	if err := system.MakeFile(p.pinFile(session), []byte(p.Root+"\n"+p.Owner+"\n")); err != nil {
		return fmt.Errorf("note the root of a session: %w", err)
	}
	return nil
}

// HasState reports whether there is state of any project.
func HasState(w World) bool {
	_, err := os.Stat(w.StateFolder())
	return err == nil
}

// FindPinned finds the project under which a session began.
func FindPinned(w World, session string) (Project, bool) {
	dir := w.StateFolder()
	entries, _ := os.ReadDir(dir) // those that were read
	for _, e := range entries {
		p := Project{Home: dir + "/" + e.Name()}
		text, _ := os.ReadFile(p.pinFile(session)) // empty where there is none
		root, owner, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
		if system.IsAbs(root) && system.IsAbs(owner) {
			p.Root, p.Owner = root, owner
			return p, true
		}
	}
	return Project{}, false
}

// OpenPinned opens what is in force in a project that is known already. Where its config
// is gone, the last good policy stays in force.
func OpenPinned(p Project, w World) (Opened, error) {
	var err error
	for _, dir := range []string{p.Root, p.Owner} {
		if p.Files, p.stray, err = projectFiles(dir); err != nil || len(p.Files) > 0 {
			break
		}
	}
	own := len(p.Files) > 0
	err = p.addMore(err, w)
	if err == nil && !own && w.onlyFile() == "" {
		o := openGone(p, w)
		if o.Policy == nil {
			o.fallBack(w)
		}
		return o, nil
	}
	return openFound(p, true, err, w)
}
