package system

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Shell is the program that runs lines of gates, checks and hooks: the sh that comes with
// Git for Windows, as in its own hooks.
func Shell() string {
	if path, err := exec.LookPath("sh"); err == nil {
		return path
	}
	if git, err := exec.LookPath("git"); err == nil { // …\Git\cmd\git.exe
		return filepath.Join(filepath.Dir(filepath.Dir(git)), "bin", "sh.exe")
	}
	return filepath.Join(os.Getenv("ProgramFiles"), "Git", "bin", "sh.exe")
}

// RunGroup runs a command. What it has started ends with it when its context does.
func RunGroup(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return cmd.Run()
	}
	defer windows.CloseHandle(job)
	cmd.Cancel = func() error { return windows.TerminateJobObject(job, 1) }
	if err := cmd.Start(); err != nil {
		return err
	}
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, p)
		_ = windows.CloseHandle(p)
	}
	if err != nil {
		_ = cmd.Process.Kill() // it could not be stopped with what it starts
	}
	return cmd.Wait()
}

// Exec goes on as another program, which runs until this one ends with its exit code. It
// returns only if that cannot be started.
func Exec(path string, args []string) error {
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		return err
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}

// HasFewDescriptors reports whether the process may open few files.
func HasFewDescriptors() bool { return false }

// The variables that name the user's folders.
const (
	HomeVariable  = "USERPROFILE"
	StateVariable = "LOCALAPPDATA"
)

// Groups lists the groups of the user, by their SIDs.
func Groups() ([]string, error) {
	u, err := user.Current()
	if err != nil {
		return nil, err
	}
	return u.GroupIds()
}

// FindHome is the user's home as the system knows it, "" where it does not.
func FindHome() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.HomeDir
}

// HasTerminal reports whether a terminal controls this process. Windows does not say.
func HasTerminal() bool { return true }
