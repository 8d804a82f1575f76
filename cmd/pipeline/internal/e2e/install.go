package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/agent-pipeline/pipeline/hooks/clients"
)

// Version is a released version of a client.
type Version string

// The versions of Claude Code that are served: the newest, and the oldest that still runs
// agents in the foreground unless asked.
var (
	Latest = Version(clients.Tested("claude")[0])
	Older  = Version(clients.Tested("claude")[1])
)

// EachVersion runs the test with both versions of Claude Code.
func EachVersion(t *testing.T, test func(*testing.T, Version)) {
	t.Helper()
	each(t, "claude", test)
}

// EachClient runs the test with every host's client, side by side.
func EachClient(t *testing.T, test func(*testing.T, Client)) {
	t.Helper()
	for _, d := range drivers() {
		t.Run(d.name(), func(t *testing.T) {
			t.Parallel()
			each(t, d.name(), func(t *testing.T, v Version) { test(t, Client{d, v}) })
		})
	}
}

// each runs a test with the versions of a client that are chosen. A test that is to run
// with none of them is skipped: a person has left the client out.
func each(t *testing.T, name string, test func(*testing.T, Version)) {
	t.Helper()
	versions := chosen(os.Getenv("PIPELINE_E2E_CLIENTS"), name)
	if versions == nil {
		t.Skip("PIPELINE_E2E_CLIENTS leaves out " + name)
	}
	for _, v := range versions {
		t.Run(string(v), func(t *testing.T) { test(t, v) })
	}
}

// chosen are the versions of a client in a list such as "claude,codex@0.170.0". A name
// alone means the versions that its adapter was tried with, no list for all clients,
// and "newest" for what npm has of each.
func chosen(list, client string) (versions []Version) {
	if list == "" {
		list = client
	}
	for _, item := range strings.Split(list, ",") {
		name, version, ok := strings.Cut(strings.TrimSpace(item), "@")
		switch {
		case name != client && name != "newest":
		case ok:
			versions = append(versions, Version(version))
		case name == "newest":
			versions = append(versions, newest(client))
		default:
			for _, v := range clients.Tested(client) {
				versions = append(versions, Version(v))
			}
		}
	}
	return versions
}

// newest is the version that npm has of a client; without an answer it is one that cannot
// be installed, and the test says so.
func newest(client string) Version {
	out, err := exec.Command("npm", "view", clients.Package(client), "version").Output()
	if err != nil {
		return Version("newest: " + err.Error())
	}
	return Version(strings.TrimSpace(string(out)))
}

// CheckChosen ends a test binary whose PIPELINE_E2E_CLIENTS names a client that is not
// there: all tests would be left out unnoticed.
func CheckChosen() {
	for item := range strings.SplitSeq(os.Getenv("PIPELINE_E2E_CLIENTS"), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(item), "@")
		isClient := func(d driver) bool { return d.name() == name }
		if name != "" && name != "newest" && !slices.ContainsFunc(drivers(), isClient) {
			fmt.Fprintf(os.Stderr, "PIPELINE_E2E_CLIENTS names no client: %s\n", item)
			os.Exit(2)
		}
	}
}

// Install is the path of Claude Code's binary: see Client.Install.
func Install(t testing.TB, v Version) string {
	t.Helper()
	return Client{claude{}, v}.Install(t)[0]
}

// Install is the command line that starts the client, which npm installs into the cache
// the first time: $PIPELINE_E2E_CACHE, else pipeline-e2e in the user's cache.
func (c Client) Install(t testing.TB) []string {
	t.Helper()
	command, err := c.install()
	if err != nil {
		t.Fatalf("client %s %s: %v", c.Name(), c.Version, err)
	}
	return command
}

func (c Client) install() ([]string, error) {
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, c.Name(), string(c.Version))
	if command, err := c.find(dir); err == nil {
		return command, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, fmt.Errorf("make cache: %w", err)
	}
	unlock, err := lockedfile.MutexAt(dir + ".lock").Lock()
	if err != nil {
		return nil, fmt.Errorf("lock cache: %w", err)
	}
	defer unlock()
	if command, err := c.find(dir); err == nil { // another process was first
		return command, nil
	}
	if err := c.fetch(dir); err != nil {
		return nil, err
	}
	return c.find(dir)
}

// find is the command line in an installation: each word names a file of it.
func (c Client) find(dir string) (command []string, err error) {
	for _, pattern := range c.program() {
		found, _ := filepath.Glob(filepath.Join(dir, "node_modules", pattern))
		if len(found) != 1 {
			return nil, fmt.Errorf("%s has %d files %s", dir, len(found), pattern)
		}
		command = append(command, found[0])
	}
	return command, nil
}

// unpacked is where a client that unpacks itself does so once for all tests. It would do so
// in each home, which takes seconds and 235 MB.
func unpacked() string { return "XDG_CACHE_HOME=" + cachePath("unpacked") }

// cachePath is a folder in the cache, "" if there is none: the installation says why.
func cachePath(name string) string {
	dir, err := cacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, name)
}

func cacheDir() (string, error) {
	dir := os.Getenv("PIPELINE_E2E_CACHE")
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find cache: %w", err)
		}
		dir = filepath.Join(user, "pipeline-e2e")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make cache: %w", err)
	}
	return dir, nil
}

// fetch installs beside dir and renames, so that a cached client is a whole one.
func (c Client) fetch(dir string) error {
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return fmt.Errorf("clear %s: %w", part, err)
	}
	if err := c.npmInstall(part); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear %s: %w", dir, err)
	}
	return os.Rename(part, dir)
}

// npmInstall also runs what it installed: without its install script a package may have a
// binary that only says so. A package that wants another Node brings it along (needs), and
// npm would refuse it, or take an older one, without --force.
func (c Client) npmInstall(prefix string) error {
	wanted := clients.Package(c.Name()) + "@" + string(c.Version)
	args := []string{"install", "--no-audit", "--no-fund", "--force", "--prefix", prefix, wanted}
	npm := exec.Command("npm", append(args, c.needs()...)...)
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s: %w\n%s", wanted, err, out)
	}
	command, err := c.find(prefix)
	if err != nil {
		return err
	}
	run := exec.Command(command[0], append(command[1:], "--version")...)
	run.Env = append(os.Environ(), unpacked())
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), string(c.Version)) {
		return fmt.Errorf("run %s --version: %v\n%s", c.Name(), err, out)
	}
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
