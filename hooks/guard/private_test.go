package guard

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestOurProcesses: no command is aimed at the client that calls us, by its number or its name, however it is written.
func TestOurProcesses(t *testing.T) {
	pid := os.Getppid()
	if pid < 2 { // Wine does not know the parent
		pid = os.Getpid()
	}
	g, client := ground(t, t.TempDir()), strconv.Itoa(pid)
	for line, want := range map[string]string{
		"kill CLIENT":                        ourProcess,
		"kill -9 -CLIENT":                    ourProcess,
		"kill -s STOP -- -CLIENT":            ourProcess,
		"prlimit --pid=CLIENT --fsize=0":     ourProcess,
		"prlimit -pCLIENT --fsize=0":         ourProcess,
		"renice -n 19 -p CLIENT":             ourProcess,
		"gdb -p CLIENT":                      ourProcess,
		"gdb -pCLIENT":                       ourProcess,
		"taskkill /F /PID CLIENT":            ourProcess,
		"kill 9CLIENT":                       "",
		"kill -9 %1":                         "",
		"echo CLIENT":                        "",
		"ls -pCLIENT":                        "",
		"taskkill /F /IM claude.exe":         ourProcess,
		"taskkill /F /IM claud*":             ourProcess,
		"taskkill /F /IM node.exe":           "",
		"killall -9 claude":                  ourProcess,
		"killall cla":                        "",
		"killall -r cla":                     ourProcess,
		"pkill cla":                          ourProcess,
		"pkill claudia":                      "",
		"pkill 'hook --host'":                "",
		"pkill -f 'hook --host'":             ourProcess,
		"pkill --full 'hook --host'":         ourProcess,
		"pkill -P $PPID":                     ourProcess,
		"pkill -P CLIENT":                    ourProcess,
		"pkill --parent CLIENT":              ourProcess,
		"pkill -KILL -g $PPID":               ourProcess,
		"killall --regexp 'cla.*'":           ourProcess,
		"killall -qr 'cla.*'":                ourProcess,
		"killall -I Claude":                  ourProcess,
		"pkill -i CLAUDE":                    ourProcess,
		"pkill -KILL -fi 'HOOK --HOST'":      ourProcess,
		"pkill -P 1 make":                    "",
		"skill pipeline; xkill -name other":  ourProcess,
		"pwsh -c 'Stop-Process -Id CLIENT'":  ourProcess,
		"pwsh -c 'SPPS -Name Claude*'":       ourProcess,
		"pwsh -c 'kill CLIENT'":              ourProcess,
		"pwsh -c 'kill -Name claude'":        ourProcess,
		"pwsh -c 'Stop-Process -Id 9CLIENT'": "",
		"kill -1 12":                         "", // the signal
		"kill -- -1":                         ourProcess,
		"renice -n -1 12":                    "",
		"pkill -x":                           "",
		"pkill $NAME":                        "",
	} {
		g.judged(t, fsm.Tool{Name: "Bash", Command: strings.ReplaceAll(line, "CLIENT", client)}, "", want)
	}
}
