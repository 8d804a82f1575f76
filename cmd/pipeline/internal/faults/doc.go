// Package faults breaks the real hook on purpose: it kills the program at a system call, or
// lets the call fail, and looks at what is left. It has tests only.
package faults
