//go:build !windows

package kernel

import (
	"os"
	"os/exec"
	"syscall"
)

func replaceProcess(argv []string) error {
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	return syscall.Exec(program, argv, os.Environ())
}
