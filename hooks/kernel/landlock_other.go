//go:build !linux

package kernel

func landlockEngine() Engine { return Engine{} }
