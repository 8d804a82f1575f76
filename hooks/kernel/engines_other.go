//go:build !linux

package kernel

import "runtime"

// engines lists those of this system, the best first.
func engines() []Engine {
	if runtime.GOOS == "darwin" {
		return []Engine{seatbelt()}
	}
	return nil
}
