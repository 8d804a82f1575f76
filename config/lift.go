package config

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Activate says what switches the policy on by itself.
type Activate struct {
	When     []string `koanf:"when"`
	Skills   []string `koanf:"skills"`
	Commands []string `koanf:"commands"`
	Level    string   `koanf:"level" is:"strict ask guidance observe"`
}

// Bypass says what lifts the policy from outside.
type Bypass struct {
	Env     map[string]string `koanf:"env" empty:"is ok"`
	Longest string            `koanf:"longest"`
}

// Talk bounds what is injected, in characters; 0 is without a bound.
type Talk struct {
	PerPrompt  *int `koanf:"per_prompt"`
	PerSession *int `koanf:"per_session"`
}

// unbounded stands for a duration without an end.
const unbounded = "none"

func spanUnits() []unit {
	return []unit{{"m", int64(time.Minute)}, {"h", int64(time.Hour)}, {"d", 24 * int64(time.Hour)}}
}

// Span reads a whole number of minutes, hours or days, such as 30m.
func Span(s string) (time.Duration, error) {
	if s == never {
		return 0, errMeasure
	}
	n, err := parseMeasure(s, spanUnits())
	if err == nil && n == 0 {
		err = errMeasure
	}
	return time.Duration(n), err
}

func (k *checker) checkActivate() {
	at := to("activate")
	for i, pattern := range k.Activate.When {
		if !doublestar.ValidatePattern(pattern) || path.IsAbs(pattern) || strings.HasPrefix(pattern, "~") || slices.Contains(strings.Split(pattern, "/"), "..") {
			k.report(at.key("when").item(i), fmt.Sprintf("found %s, expected a glob of files of the project, such as features/*.json", quoteShort(pattern)), "")
		}
	}
	for key, list := range map[string][]string{"skills": k.Activate.Skills, "commands": k.Activate.Commands} {
		for i, name := range list {
			if strings.HasPrefix(name, "/") || strings.ContainsAny(name, " \t") {
				k.report(at.key(key).item(i), fmt.Sprintf("found %s, expected a name", quoteShort(name)), "without the slash and without arguments")
			}
		}
	}
	if a := k.Activate; a.Level != "" && len(a.When)+len(a.Skills)+len(a.Commands) == 0 {
		k.reportKey(at.key("level"), "found `level` without `when`, `skills` or `commands`, expected what switches the policy on", "")
	}
}

func (k *checker) checkBypass() {
	for _, name := range slices.Sorted(maps.Keys(k.Bypass.Env)) {
		k.checkVariable(to("bypass", "env").key(name), name)
		if k.Bypass.Env[name] == "" {
			k.report(to("bypass", "env").key(name), "found nothing, expected the value that lifts the policy", "")
		}
	}
	if l := k.Bypass.Longest; l != unbounded && l != "" {
		if _, err := Span(l); err != nil {
			k.report(to("bypass", "longest"), fmt.Sprintf("found %s, expected a duration such as 2h", quoteShort(l)), "a whole number and m, h or d, without a space; or none")
		}
	}
}

func (k *checker) checkTalk() {
	for key, n := range map[string]*int{"per_prompt": k.Talk.PerPrompt, "per_session": k.Talk.PerSession} {
		if n != nil && *n != 0 && *n < 1000 {
			k.report(to("talk", key), fmt.Sprintf("found %d, expected 1000 characters at least, or 0 for no bound", *n), "")
		}
	}
}

func (a Activate) compile(o *Origins) fsm.Activation {
	out := fsm.Activation{When: a.When, Skills: a.Skills, Commands: a.Commands, Level: fsm.Strict, Place: o.placeOfKey("activate")}
	if l, ok := fsm.ParseLevel(a.Level); ok {
		out.Level = l
	}
	if len(a.When)+len(a.Skills)+len(a.Commands) == 0 {
		return fsm.Activation{}
	}
	return out
}

func (b Bypass) compile() fsm.BypassRules {
	longest, _ := Span(b.Longest) // unbounded, or reported
	return fsm.BypassRules{Env: sortedInputs(b.Env), Longest: longest}
}

func (t Talk) compile() (out fsm.TalkLimits) {
	if t.PerPrompt != nil {
		out.PerPrompt = *t.PerPrompt
	}
	if t.PerSession != nil {
		out.PerSession = *t.PerSession
	}
	return out
}
