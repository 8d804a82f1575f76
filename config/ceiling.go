package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// An organisation's config lies in World.System, below all others. What it names in
// `locked` is a ceiling. Of `level` and `limits` the stricter value counts. Its locked
// rules are judged beside the project's own. Any other locked section stays as the
// organisation wrote it.

func (l *loading) noteLocked(key string, at Origin) {
	message := fmt.Sprintf("`%s` is locked by %s", key, l.project.Org)
	l.locked = append(l.locked, at.problemAt(at.field.at, message, ""))
}

func (l *loading) isLocked(p trail) bool { return slices.ContainsFunc(l.locks, p.isIn) }

// isIn reports whether a value is another one, or below it.
func (p trail) isIn(other trail) bool {
	rest, ok := strings.CutPrefix(string(p), string(other))
	return ok && (rest == "" || strings.HasPrefix(rest, sep))
}

// top is the section of the file that a value belongs to.
func (p trail) top() trail {
	first, _, _ := strings.Cut(string(p), sep)
	return trail(first)
}

// dropSection drops what lower files say of a section, except what is locked of it.
func (l *loading) dropSection(section trail) {
	kept := map[trail]any{}
	for _, key := range l.locks {
		if key.isIn(section) {
			kept[key] = l.merged.Get(string(key))
		}
	}
	maps.DeleteFunc(l.at, func(p trail, _ Origin) bool { return p.isIn(section) && !l.isLocked(p) })
	l.merged.Delete(string(section))
	for key, value := range kept {
		_ = l.merged.Set(string(key), value)
	}
}

// refuseLocked takes out of a file what it says of locked sections, and notes it.
func (l *loading) refuseLocked(s *source) {
	for _, key := range l.locks {
		above, name := s.root, string(key)
		if i := strings.LastIndex(name, sep); i >= 0 {
			above, name = s.root.follow(key[:i]), name[i+len(sep):]
		}
		if above == nil {
			continue
		}
		above.fields = slices.DeleteFunc(above.fields, func(f field) bool {
			from := Origin{field: f, source: s}
			switch {
			case f.key != name:
				return false
			case key == "locked":
				l.at[key] = from // which is a mistake: see checkCeiling
			default:
				l.noteLocked(key.String(), from)
			}
			return true
		})
	}
}

// deniesOnError reports whether a text that is no YAML or TOML still says what it would answer then.
func deniesOnError(text string) bool {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.Replace(line, "=", ":", 1), ":"); ok &&
			strings.TrimSpace(key) == "on_error" && strings.HasPrefix(strings.Trim(value, " \t\"'"), "deny") {
			return true
		}
	}
	return false
}

// readLocks reads what the organisation locks, once its file has been read.
func (l *loading) readLocks(w World) {
	p := l.project
	// A config in a folder of the work tree does not move what the organisation's paths mean.
	alone := Project{Root: Top(p.Root), Owner: p.Owner, Home: p.Home, Files: []string{p.Org}, named: true}
	c, o, problems, err := Load(alone, World{Home: w.Home})
	text, _ := readSource(p.Org)
	denies := o.broken && deniesOnError(string(text)) // no parser reads it
	if denies {
		_ = l.merged.Set("on_error", "deny")
	}
	if denies || slices.Contains(c.Locked, "on_error") { // also where the rest has problems
		l.locks = []trail{"locked", "on_error"}
	}
	if err != nil || len(problems) > 0 {
		return // it is reported, and nothing is in force
	}
	if w.Account != nil {
		o.account = w.Account()
	}
	policy, problems := Compile(c, o)
	if len(c.Locked) == 0 {
		return
	}
	if len(problems) > 0 { // else a project's file could put right what locks
		l.problems, l.broken = append(l.problems, problems...), true
		return
	}
	l.locks = listLocks(c)
	ceiling := fsm.Ceiling{Place: p.Org, RuleLevel: policy.Level, Allow: c.Bypass.Allow, Sections: c.Locked,
		Tools: policy.Tools}
	for _, key := range c.Locked {
		switch key {
		case "level":
			ceiling.Level = policy.Level
		case "limits":
			l.limits = c.Limits
		case "orchestrator":
			ceiling.Main = lockRules(policy.Main, p.Org)
		case "subagents":
			ceiling.Subagents = lockRules(policy.Subagents, p.Org)
		}
	}
	l.ceiling = ceiling
}

// listLocks lists what others may not write where the organisation locks some sections:
// those, and what they depend on. Who calls decides which rules bind, and so does the
// state where a rule names some. A state is entered first, and is left by a result that
// is no failure. States and task graphs name groups.
func listLocks(c *Config) []trail {
	var groups []trail
	for name := range c.Groups {
		groups = append(groups, to("groups", name))
	}
	states := append([]trail{"states", "initial", "fails", "caller"}, groups...)
	byState := func(r Rule) bool { return len(r.States)+len(r.AdmittedIn) > 0 || slices.Contains(r.ResetOn, "state") }
	out := []trail{"locked"}
	for _, key := range c.Locked {
		switch key {
		case "level": // the stricter one counts
		case "limits":
			out = append(out, to("limits", "running_env"))
		case "orchestrator", "subagents":
			out = append(out, "caller")
			if slices.ContainsFunc(c.rulesOf(trail(key)).Rules, byState) {
				out = append(out, states...)
			}
		case "states":
			out = append(out, states...)
		case "tasks":
			out = append(append(out, "tasks", "fails"), groups...)
		default:
			out = append(out, trail(key))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// DescribeOpen says what is missing for a ceiling that no project switches off, and what
// to do. Both are empty where there is one. The policy is nil where no config is in force.
func DescribeOpen(p *fsm.Policy) (what, next string) {
	if p != nil && !p.Ceiling.IsOpen() {
		return "", ""
	}
	file := system.Join(system.SharedConfig, "pipeline.yaml")
	return "each project can write `level: off`: " + file + " locks neither the level nor rules",
		"write `level: strict` and `locked: [level]` into " + file
}

// lockRules names rules as locked, and the whole path of their file.
func lockRules(rules fsm.Rules, file string) fsm.Rules {
	out := fsm.Rules{List: slices.Clone(rules.List), Default: rules.Default}
	lock := func(r *fsm.Rule) {
		r.Name = fsm.LockedPrefix + strings.TrimPrefix(r.Name, fsm.LockedPrefix)
		r.Place = system.Join(system.Dir(file), r.Place)
	}
	for i := range out.List {
		lock(&out.List[i])
	}
	if lock(&out.Default); out.Default.Name == fsm.LockedPrefix {
		out.Default.Name += "default"
	}
	return out
}

// isLocked reports whether a section's rules are the organisation's, as it locked them: no
// other file has a word in them, nor in the groups that they name.
func (o *Origins) isLocked(section trail, locked fsm.Rules) bool {
	if locked.Default.Name == "" { // it is not locked
		return false
	}
	for p, at := range o.at {
		if top := p.top(); (top == section || top == "groups") && (at.source == nil || at.file != o.project.Org) {
			return false
		}
	}
	return true
}

// applyLimits holds the level and the limits to what is locked.
func (l *loading) applyLimits() {
	c := l.ceiling
	if level, ok := fsm.ParseLevel(l.merged.String("level")); ok && level < c.Level {
		l.narrow("level", c.Level.String())
	}
	for i, key := range keysOf(reflect.TypeFor[Limits]()) {
		most, at := reflect.ValueOf(l.limits).Field(i), to("limits", key)
		now := l.merged.Int(string(at))
		if most.CanInt() && most.Int() > 0 && (now == 0 || now > int(most.Int())) {
			l.narrow(at, int(most.Int()))
		}
	}
	at := to("limits", "own_worktree")
	now := l.merged.Strings(string(at))
	isThere := func(agent string) bool { return slices.Contains(now, agent) }
	if missing := slices.DeleteFunc(slices.Clone(l.limits.OwnWorktree), isThere); len(missing) > 0 {
		l.narrow(at, append(now, missing...))
	}
}

func (l *loading) narrow(at trail, value any) {
	l.noteLocked(at.String(), l.at[at])
	l.at[at] = Origin{By: "locked by " + l.project.Org}
	_ = l.merged.Set(string(at), value)
}

// checkCeiling reports what only the organisation's file may say.
func (k *checker) checkCeiling() {
	for _, p := range []trail{"locked", to("bypass", "allow")} {
		project := k.project
		if at := k.at[p]; at.source != nil && at.file != project.Org && !project.named {
			k.reportKey(p, "found `"+p.String()+"` here, expected it in the organisation's config", "")
		}
	}
}
