package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

const (
	npmName    = "@agent-pipeline/pipeline"
	repository = "https://github.com/agent-pipeline/pipeline"
	summary    = "Enforces a pipeline of agents: which agents may run in which state, and what moves it to the next"
)

// makeNPM writes one package for each system and one that names them as optional
// dependencies: npm installs the one that fits. No package has an install script.
func (r *release) makeNPM() error {
	to := tree(filepath.Join(r.out, "npm"))
	if err := to.clear(); err != nil {
		return err
	}
	systems := map[string]string{}
	for _, system := range r.systems() {
		goos, goarch, _ := strings.Cut(system, "-")
		os, cpu := strings.Replace(goos, "windows", "win32", 1), strings.Replace(goarch, "amd64", "x64", 1)
		name := npmName + "-" + os + "-" + cpu
		systems[name] = r.version
		manifest := r.npmManifest(name, summary+" ("+os+", "+cpu+")")
		manifest["os"], manifest["cpu"] = []string{os}, []string{cpu}
		manifest["preferUnplugged"] = true
		dir := tree(to.path(os + "-" + cpu))
		programs := map[string]map[string]string{"pipeline": r.binaries, "pipeline-export": r.exporters}
		for program, built := range programs {
			if err := dir.copy("bin/"+executable(program, system), built[system]); err != nil {
				return err
			}
		}
		if err := r.finishNPM(dir, manifest); err != nil {
			return err
		}
	}
	manifest := r.npmManifest(npmName, summary)
	manifest["bin"] = map[string]string{"pipeline": "bin/pipeline.js"}
	manifest["engines"] = map[string]string{"node": ">=18"}
	manifest["optionalDependencies"] = systems
	dir := tree(to.path("main"))
	if err := dir.write("bin/pipeline.js", []byte(npmShim), 0o755); err != nil {
		return err
	}
	for name, from := range map[string]string{"README.md": filepath.Join(r.root, "README.md"),
		"man": filepath.Join(r.pages, "man", "man1"), "completions": filepath.Join(r.pages, "completions")} {
		if err := dir.copy(name, from); err != nil {
			return err
		}
	}
	pages, err := filepath.Glob(dir.path("man/*.1"))
	for i, page := range pages {
		pages[i] = "man/" + filepath.Base(page)
	}
	manifest["man"] = pages
	return errors.Join(err, r.finishNPM(dir, manifest))
}

func (r *release) npmManifest(name, text string) map[string]any {
	return map[string]any{"name": name, "version": r.version, "description": text, "license": "MIT",
		"repository": map[string]string{"type": "git", "url": "git+" + repository + ".git"},
		"homepage":   repository, "publishConfig": map[string]string{"access": "public"}}
}

// finishNPM writes the manifest and the tarball, under the name that npm pack gives it.
func (r *release) finishNPM(dir tree, manifest map[string]any) error {
	if err := dir.copy("LICENSE", filepath.Join(r.root, "LICENSE")); err != nil {
		return err
	}
	if err := dir.writeJSON("package.json", manifest); err != nil {
		return err
	}
	name := strings.ReplaceAll(strings.TrimPrefix(fmt.Sprint(manifest["name"]), "@"), "/", "-")
	return dir.pack(filepath.Join(r.out, "npm", name+"-"+r.version+".tgz"), "package")
}

// npmShim starts the binary. A hook never runs it: install registers the binary itself.
const npmShim = `#!/usr/bin/env node
'use strict';
const { spawnSync } = require('child_process');

const name = '` + npmName + `-' + process.platform + '-' + process.arch;
let binary;
try {
  binary = require.resolve(name + '/bin/pipeline' + (process.platform === 'win32' ? '.exe' : ''));
} catch {
  console.error('pipeline: the package ' + name + ' is not installed. It comes with ` + npmName +
	` unless npm omits optional dependencies, or there is none for this system.');
  process.exit(1);
}
const run = spawnSync(binary, process.argv.slice(2), { stdio: 'inherit' });
if (run.error) {
  console.error('pipeline: ' + run.error.message);
  process.exit(1);
}
if (run.signal) {
  process.kill(process.pid, run.signal);
}
process.exit(run.status ?? 1);
`
