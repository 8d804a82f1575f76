package config

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
)

//go:embed defaults.yaml
var defaults string

// Load merges the built-in defaults, the project's files and the environment. The problems are those that can be told
// without knowing what the keys mean; Compile finds the others. An error is a fault of this program.
func Load(p Project, w World) (*Config, *Origins, []Problem, error) {
	l := loading{merged: koanf.New(sep), origins: newOrigins(p, w.Home)}
	l.addDefaults()
	l.addStrays(p.stray)
	for _, file := range p.Files {
		l.addFile(file)
	}
	l.addEnvironment(w)
	c, err := l.decodeConfig()
	return c, l.origins, sortProblems(l.problems, p.Files), err
}

type loading struct {
	merged   *koanf.Koanf
	origins  *Origins
	problems []Problem
	failed   error
}

func (l *loading) addDefaults() {
	l.addLayer([]byte(defaults), yaml.Parser())
	for _, key := range l.merged.Keys() {
		l.origins.at[trail(key)] = Origin{By: "default"}
	}
}

func (l *loading) addStrays(strays []stray) {
	for _, s := range strays {
		l.origins.broken = true
		l.problems = append(l.problems, Problem{File: s.file, Message: "found a config that does not count, expected one in a project: " + s.why, Hint: "remove one of the two"})
	}
}

func (l *loading) addFile(file string) {
	src, problems := parseSource(file)
	l.problems = append(l.problems, problems...)
	if len(problems) > 0 {
		l.origins.broken = true
		return
	}
	s := strict{source: src, origins: l.origins}
	l.problems = append(l.problems, s.checkFile()...)
	for _, name := range wholeSections() {
		if src.root.get(name) != nil {
			l.merged.Delete(name)
		}
	}
	for _, m := range wholeMappings() {
		if src.root.get(m[0]) != nil && src.root.get(m[0]).get(m[1]) != nil {
			l.merged.Delete(m[0] + sep + m[1])
		}
	}
	if src.root.kind == isMapping {
		l.addLayer(src.text, parserOf(file))
	}
}

func (l *loading) addLayer(text []byte, parser koanf.Parser) {
	layer := koanf.New(sep)
	err := layer.Load(rawbytes.Provider(text), parser)
	if err == nil {
		err = l.merged.Merge(layer)
	}
	l.keepError(err)
}

func (l *loading) keepError(err error) {
	if l.failed == nil {
		l.failed = err
	}
}

func parserOf(file string) koanf.Parser {
	if filepath.Ext(file) == ".toml" {
		return toml.Parser()
	}
	return yaml.Parser()
}

// addEnvironment is the last layer: PIPELINE_LEVEL and the like. An empty variable counts as none.
func (l *loading) addEnvironment(w World) {
	over := map[string]any{}
	for _, o := range activeOverrides(w) {
		over[o.key] = o.value
		l.origins.at[trail(o.key)] = Origin{By: "environment " + o.name}
		l.problems = append(l.problems, o.checkValue()...)
	}
	l.keepError(l.merged.Load(confmap.Provider(over, sep), nil))
}

// decodeConfig makes the Config. What it objects to has been reported with its place already, or else the strict reading is
// not strict enough, which is our fault.
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
	case l.failed != nil:
		return c, fmt.Errorf("load config: %w", l.failed)
	case err != nil:
		return c, fmt.Errorf("decode config: %w", err)
	case len(meta.Unused) > 0:
		return c, fmt.Errorf("decode config: nobody reads %s", strings.Join(meta.Unused, ", "))
	}
	return c, nil
}

// Check is all that is wrong in a project's config.
func Check(p Project, w World) ([]Problem, error) {
	_, problems, err := buildPolicy(p, w)
	return problems, err
}

func sortedProblems(a, b []Problem, files []string) []Problem {
	return sortProblems(slices.Concat(a, b), files)
}
