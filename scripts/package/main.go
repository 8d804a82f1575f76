// Command package makes of built binaries what other installers take: the plugins of the
// client's marketplace, npm packages, a nix flake, and the entry for the schema store. The
// same input gives the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A release is what is packaged.
type release struct {
	root      string            // of the repository
	out       string            // where it goes
	pages     string            // the folder with man/man1 and completions
	version   string            // without a v
	binaries  map[string]string // pipeline, by system, such as linux-amd64
	exporters map[string]string // pipeline-export, by system
	sums      map[string]string // of the archives, by file name; hex SHA-256
}

func main() {
	r := release{binaries: map[string]string{}, exporters: map[string]string{}}
	flag.StringVar(&r.root, "root", ".", "the repository")
	flag.StringVar(&r.out, "out", "dist", "the folder to write into")
	flag.StringVar(&r.pages, "pages", ".release", "the folder with the man pages and the completions")
	flag.StringVar(&r.version, "version", "", "the version (default: that of the plugin)")
	dist := flag.String("dist", "", "take the binaries from this folder of goreleaser's")
	flag.Func("binary", "`SYSTEM=PATH`, such as linux-amd64=bin/pipeline", func(s string) error {
		system, path, ok := strings.Cut(s, "=")
		if r.binaries[system] = path; !ok {
			return errors.New("expected SYSTEM=PATH")
		}
		return nil
	})
	sbom := flag.String("sbom", "", "write the SBOM of this `BINARY` to the file that follows, and nothing else")
	flag.Parse()
	err := errors.New("-sbom wants one file")
	switch {
	case *sbom == "":
		err = r.run(*dist, flag.Args())
	case flag.NArg() == 1:
		err = writeSBOM(*sbom, flag.Arg(0), r.version)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		os.Exit(1)
	}
}

// run makes what the words name, all of it without any.
func (r *release) run(dist string, words []string) error {
	if err := r.findArtifacts(dist); err != nil {
		return err
	}
	makers := []struct {
		word string
		make func() error
	}{{"plugins", r.makePlugins}, {"npm", r.makeNPM}, {"flake", r.makeFlake}, {"schemastore", r.makeSchemaStore}}
	for _, m := range makers {
		if len(words) > 0 && !slices.Contains(words, m.word) {
			continue
		}
		if err := m.make(); err != nil {
			return fmt.Errorf("make %s: %w", m.word, err)
		}
	}
	return nil
}

// findArtifacts reads what goreleaser has built.
func (r *release) findArtifacts(dist string) error {
	if r.version == "" {
		var manifest struct{ Version string }
		if err := readJSON(filepath.Join(r.root, ".claude-plugin", "plugin.json"), &manifest); err != nil {
			return err
		}
		r.version = manifest.Version
	}
	if dist == "" {
		return nil
	}
	var built []struct {
		Name, Path, Goos, Goarch, Type string
		Extra                          struct{ Checksum, ID string }
	}
	if err := readJSON(filepath.Join(dist, "artifacts.json"), &built); err != nil {
		return err
	}
	r.sums = map[string]string{}
	for _, b := range built {
		switch b.Type {
		case "Binary":
			programs := r.binaries
			if b.Extra.ID == "export" {
				programs = r.exporters
			}
			programs[b.Goos+"-"+b.Goarch] = b.Path
		case "Archive":
			r.sums[b.Name] = strings.TrimPrefix(b.Extra.Checksum, "sha256:")
		}
	}
	return nil
}

func (r *release) systems() []string {
	var out []string
	for system := range r.binaries {
		out = append(out, system)
	}
	slices.Sort(out)
	return out
}

// executable is a program's file name on a system.
func executable(program, system string) string {
	if strings.HasPrefix(system, "windows-") {
		return program + ".exe"
	}
	return program
}

// A tree is a folder that is being written.
type tree string

func (t tree) path(name string) string { return filepath.Join(string(t), filepath.FromSlash(name)) }

// clear removes what an earlier run left.
func (t tree) clear() error { return os.RemoveAll(string(t)) }

func (t tree) write(name string, body []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(t.path(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(t.path(name), body, mode)
}

func (t tree) writeJSON(name string, value any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return err
	}
	return t.write(name, b.Bytes(), 0o644)
}

// copy copies a file, or all files of a folder. Links are followed.
func (t tree) copy(name, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		body, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		return t.write(name, body, mode)
	}
	entries, err := os.ReadDir(from)
	for _, e := range entries {
		if err == nil {
			err = t.copy(name+"/"+e.Name(), filepath.Join(from, e.Name()))
		}
	}
	return err
}

// pack writes the folder as an archive whose names begin with a prefix. Times and owners
// are the same in every build.
func (t tree) pack(archive, prefix string) error {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	w := tar.NewWriter(z)
	err := filepath.WalkDir(string(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(string(t), path)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		head := tar.Header{Name: prefix + "/" + filepath.ToSlash(rel), Mode: int64(info.Mode().Perm()),
			Size: int64(len(body)), ModTime: time.Date(1985, 10, 26, 8, 15, 0, 0, time.UTC), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&head); err != nil {
			return err
		}
		_, err = w.Write(body)
		return err
	})
	if err := errors.Join(err, w.Close(), z.Close()); err != nil {
		return err
	}
	return tree(filepath.Dir(archive)).write(filepath.Base(archive), b.Bytes(), 0o644)
}

func readJSON(file string, into any) error {
	body, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}
