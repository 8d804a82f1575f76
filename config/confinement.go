package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Confinement says what commands may do that rules confine: beside where the rules let files be
// written.
type Confinement struct {
	Writable []string `koanf:"writable"`
	Exempt   []string `koanf:"exempt"`
}

// ignoredFolders stands for the folders of the project that git ignores.
const ignoredFolders = "@ignored"

// checkConfinement wants folders that open nothing which is guarded.
func (k *checker) checkConfinement() {
	home := k.home
	for i, place := range k.Confinement.Writable {
		at := to("confinement", "writable").item(i)
		if place == ignoredFolders {
			continue
		}
		dir := k.resolveDir(place)
		_, holdsHome := relativePath(dir, home)
		switch {
		case !filepath.IsAbs(dir) || place == "~" || strings.ContainsAny(place, "*?[{"):
			k.report(at, found(place, "a folder such as ~/.cache, or "+ignoredFolders), "")
		case home != "" && holdsHome:
			k.report(at, found(place, "a folder that does not hold the whole home folder"), "")
		}
	}
}

func (c reading) compileConfinement() fsm.Confinement {
	writable, exempt := c.Confinement.Writable, c.Confinement.Exempt
	if writable == nil { // where tools keep what they fetch and build: never our state, settings or what a shell runs
		writable = []string{"~/.cache", "~/.npm", "~/.cargo/registry", "~/.cargo/git", "~/go/pkg", "~/.gradle/caches",
			"~/.m2/repository", "~/.nuget/packages", "~/.bun/install/cache", "~/.pub-cache", "~/Library/Caches",
			ignoredFolders}
	}
	if exempt == nil { // these need privileges or a user namespace of their own, which no confined process gets
		exempt = []string{"sudo", "doas", "su", "pkexec", "run0", "podman", "buildah", "bwrap", "firejail", "unshare"}
	}
	out := fsm.Confinement{Exempt: exempt, Ignored: slices.Contains(writable, ignoredFolders)}
	for _, place := range writable {
		if place != ignoredFolders {
			out.Writable = append(out.Writable, c.resolveDir(place))
		}
	}
	return out
}
