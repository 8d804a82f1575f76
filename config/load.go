package config

import (
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
)

//go:embed defaults.yaml
var defaults string

// Load merges the built-in defaults, the project's files and the environment. The
// problems are those of the shape; Compile finds the others. An error is a fault of this
// program.
func Load(p Project, w World) (*Config, *Origins, []Problem, error) {
	l := loading{merged: koanf.New(sep),
		Origins: &Origins{project: p, home: w.Home, at: map[trail]Origin{}, bad: map[trail]bool{}}}
	builtIn := &source{file: "defaults.yaml", text: []byte(defaults)}
	builtIn.parse()
	l.addLayer(builtIn.root.plain().(map[string]any))
	for _, key := range l.merged.Keys() {
		l.at[trail(key)] = Origin{By: "default"}
	}
	l.problems, l.broken = slices.Concat(builtIn.problems, p.stray), len(p.stray) > 0
	for _, file := range p.Files {
		l.addFile(file)
		if file == p.Org {
			l.readLocks(w)
		}
	}
	l.addEnvironment(w)
	l.applyLimits()
	c, err := l.decodeConfig()
	return c, l.Origins, l.problems, err
}

type loading struct {
	merged *koanf.Koanf // its Load and Set fail only where merging is strict, which it is not
	*Origins
	problems []Problem
	locks    []trail // what others than the organisation do not write, while their files are read
	limits   Limits  // those that are locked
}

// addFile reads a file strictly and merges it. Sections that come from one file entirely
// replace those of lower layers.
func (l *loading) addFile(file string) {
	src := parseSource(file)
	defer func() { l.problems = append(l.problems, src.problems...) }()
	if len(src.problems) > 0 {
		l.broken = true
		return
	}
	l.refuseLocked(src)
	// These come from one file entirely: the states of two files never become one pipeline that is in neither.
	for _, section := range []trail{"states", "groups", "commands", "orchestrator", "subagents", "agents", "tools",
		"checks", "never", to("bypass", "env")} {
		if src.root.follow(section) != nil {
			l.dropSection(section)
		}
	}
	s := strict{source: src, Origins: l.Origins}
	if tree, isMapping := src.root.plain().(map[string]any); isMapping {
		s.checkMapping(src.root, reflect.TypeFor[Config](), "")
		l.addLayer(tree)
	} else {
		l.broken = true
		s.report("", src.root.at, fmt.Sprintf("found %s, expected keys such as `version: 1`", src.root.describe()), "")
	}
}

// addLayer merges what a file says. What is not of the type of its key has been reported.
func (l *loading) addLayer(tree map[string]any) { _ = l.merged.Load(confmap.Provider(tree, ""), nil) }

// addEnvironment adds the last layer: PIPELINE_LEVEL and the like.
func (l *loading) addEnvironment(w World) {
	values, t := map[string]any{}, reflect.TypeFor[Config]()
	for _, o := range activeOverrides(w) {
		name, value, _ := strings.Cut(o, "=")
		key, by := strings.ToLower(strings.TrimPrefix(name, "PIPELINE_")), "environment "+name
		if l.isLocked(trail(key)) {
			l.noteLocked(key, Origin{By: by})
			continue
		}
		values[key] = value
		l.at[trail(key)] = Origin{By: by}
		words := strings.Fields(t.Field(slices.Index(keysOf(t), key)).Tag.Get("is"))
		if len(words) > 0 && !slices.Contains(words, value) {
			p := Problem{File: by, Message: found(value, JoinOr(words)), Hint: DidYouMean(value, words)}
			l.problems = append(l.problems, p)
		}
	}
	l.addLayer(values)
}

// decodeConfig makes the Config. What it objects to has been reported with its place
// already. If not, the strict reading is not strict enough, which is our fault.
func (l *loading) decodeConfig() (*Config, error) {
	c, meta := &Config{}, mapstructure.Metadata{}
	err := l.merged.UnmarshalWithConf("", c, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result:    c,
		TagName:   "koanf",
		Metadata:  &meta,
		MatchName: func(key, field string) bool { return key == field },
	}})
	switch {
	case len(l.problems) > 0:
		return c, nil
	case err != nil:
		return c, fmt.Errorf("decode config: %w", err)
	case len(meta.Unused) > 0:
		return c, fmt.Errorf("decode config: unused keys %s", strings.Join(meta.Unused, ", "))
	}
	return c, nil
}
