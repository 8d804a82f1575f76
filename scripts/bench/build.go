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

// buildEmptyProgram builds it with the flags of the measured binary.
func buildEmptyProgram(dir, like string) (binary string, flags []string, err error) {
	flags, env, err := readBuildFlags(like)
	if err != nil {
		return "", nil, err
	}
	source := filepath.Join(dir, "empty.go")
	if err := os.WriteFile(source, []byte(emptyProgram), 0o600); err != nil {
		return "", nil, fmt.Errorf("write the empty program: %w", err)
	}
	binary = filepath.Join(dir, "empty.linked")
	build := exec.Command("go", append(append([]string{"build"}, flags...), "-o", binary, source)...)
	build.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off"), env...)
	if out, err := build.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("build the empty program: %w\n%s", err, out)
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
