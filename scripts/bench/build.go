//go:build unix

package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// emptyProgram is the smallest Go program. Every Go program costs at least as much.
const emptyProgram = "package main\n\nfunc main() {}\n"

// startingProgram is the empty program, which then becomes another one.
const startingProgram = `package main

import (
	"os"
	"syscall"
)

func main() { panic(syscall.Exec(os.Args[1], os.Args[1:], os.Environ())) }
`

// buildProgram builds a program with the flags of the measured binary.
func buildProgram(dir, name, text, like string) (binary string, flags []string, err error) {
	flags, env, err := readBuildFlags(like)
	if err != nil {
		return "", nil, err
	}
	source := filepath.Join(dir, name+".go")
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return "", nil, fmt.Errorf("write the %s program: %w", name, err)
	}
	binary = filepath.Join(dir, name+".linked")
	build := exec.Command("go", append(append([]string{"build"}, flags...), "-o", binary, source)...)
	build.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off"), env...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("build the %s program: %w\n%s", name, err, out)
	}
	return binary, append(flags, env...), nil
}

// readBuildFlags reads from a binary how it was built. With -trimpath it lacks the linker's
// flags; these only strip here, which does not change the time.
func readBuildFlags(binary string) (flags, env []string, err error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, nil, fmt.Errorf("read how %s was built: %w", binary, err)
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "-compiler": // always gc here, and no flag of go build
		case strings.HasPrefix(s.Key, "-"):
			flags = append(flags, s.Key+"="+s.Value)
		case strings.HasPrefix(s.Key, "GO"), s.Key == "CGO_ENABLED":
			env = append(env, s.Key+"="+s.Value)
		}
	}
	return flags, env, nil
}

// copyBinary copies a program in one piece, as `make build` does. All contenders are such
// copies: how a file was written decides how it lies in the page cache, and how fast it
// starts.
func copyBinary(to, from string) error {
	body, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, body, 0o700)
	}
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// buildOther returns the binary to compare with: a file, or what `make build` makes of a commit in a work tree of
// its own.
func (l *lab) buildOther() (string, error) {
	if _, err := os.Stat(l.against); err == nil {
		return l.against, nil
	}
	return buildCommit(".", l.against, filepath.Join(l.dir, "other"))
}

// buildCommit builds a commit of a repository in a new folder. The folder is a clone that shares the objects: the
// repository itself stays as it is, whatever happens.
func buildCommit(repository, commit, dir string) (string, error) {
	id, err := exec.Command("git", "-C", repository, "rev-parse", "--verify", "--quiet", commit+"^{commit}").Output()
	if err != nil {
		return "", fmt.Errorf("-against %s: neither a file nor a commit", commit)
	}
	for _, argv := range [][]string{
		{"git", "clone", "--quiet", "--shared", "--no-checkout", repository, dir},
		{"git", "-C", dir, "-c", "advice.detachedHead=false", "checkout", "--quiet", strings.TrimSpace(string(id))},
		{"make", "-C", dir, "build"},
	} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("build %s: %s: %w\n%s", commit, strings.Join(argv, " "), err, out)
		}
	}
	return filepath.Join(dir, "bin", "pipeline"), nil
}
