package browsertest

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const mermaidVersion = "11.17.2"

// Mermaid is the path of Mermaid as one script. npm fetches it into the cache the first
// time: $PIPELINE_E2E_CACHE, else pipeline-e2e in the user's cache.
func Mermaid(t testing.TB) string {
	t.Helper()
	Need(t, "npm", "npm")
	path, err := fetchMermaid(t.TempDir())
	if err != nil {
		t.Fatalf("fetch Mermaid %s: %v", mermaidVersion, err)
	}
	return path
}

func fetchMermaid(work string) (string, error) {
	cache := os.Getenv("PIPELINE_E2E_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "pipeline-e2e")
	}
	path := filepath.Join(cache, "mermaid-"+mermaidVersion+".min.js")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	pack := exec.Command("npm", "pack", "mermaid@"+mermaidVersion, "--pack-destination", work)
	pack.Dir = work
	if out, err := pack.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm pack: %w\n%s", err, out)
	}
	script, err := os.CreateTemp(cache, "mermaid.*.part")
	if err != nil {
		return "", err
	}
	defer os.Remove(script.Name())
	defer script.Close()
	archive := filepath.Join(work, "mermaid-"+mermaidVersion+".tgz")
	if err := extract(archive, "package/dist/mermaid.min.js", script); err != nil {
		return "", err
	}
	return path, os.Rename(script.Name(), path)
}

// extract copies one file of a packed archive.
func extract(archive, name string, to io.Writer) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	files := tar.NewReader(unpacked)
	for {
		h, err := files.Next()
		if err != nil {
			return fmt.Errorf("find %s: %w", name, err)
		}
		if h.Name == name {
			_, err = io.Copy(to, files)
			return err
		}
	}
}
