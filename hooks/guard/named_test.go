package guard

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

// TestWindowsLines: no line of PowerShell or cmd changes what is ours. ROOT is the
// project, TAIL the same without its first name, STATE the state, and _ a backslash.
func TestWindowsLines(t *testing.T) {
	g := foldedGround(t)
	tail := strings.TrimPrefix(g.Root[len(system.VolumeName(g.Root)):], "/")
	names := strings.NewReplacer("/ROOT", g.Root, "ROOT", g.Root, "TAIL", strings.ReplaceAll(tail, "/", `\`), "STATE",
		g.States[0],
		"_", `\`)
	for line, want := range map[string]string{
		// the config
		"Set-Content configs_pipeline.yaml x": "config", "'x' | Out-File .__configs_pipeline.yaml": "config",
		"ni -Force CONFIGS_Pipeline.yaml": "config", "echo x> configs_pipeline.yaml": "config",
		"type nul > configs_pipeline.yaml": "config", "copy /y other_pipeline.yaml configs": "config",
		"Copy-Item other/pipeline.yaml -Destination configs": "config", "cpi other_* configs": "config",
		"robocopy other configs": "config", "xcopy /y other_* configs": "config",
		"Expand-Archive x.zip configs": "config",
		"tar -xf x.zip -C configs":     "config", "ren configs_a.yaml pipeline.local.yaml": "config",
		"rd /s /q configs": "config", "del configs_*.yaml": "config", "move configs old": "config",
		"[IO.File]::WriteAllText('configs_pipeline.yaml', 'x')":                          "config",
		"Set-Content (Join-Path configs pipeline.yaml) x":                                "config",
		"Set-Content ('configs/pipe' + 'line.yaml') x":                                   "config",
		"Set-Content (\"configs/pipe\"+\"line.yaml\") x":                                 "config",
		"$d='configs'; Set-Content $d/pipeline.yaml x":                                   "config",
		"Set-Content $env:CD_configs_pipeline.yaml x":                                    "config",
		"echo x > %CD%_configs_pipeline.yaml":                                            "config",
		"echo x > con^figs_pipe^line.yaml":                                               "config",
		"cmd /v:on /c \"set a=pipe& echo x> configs_!a!line.yaml\"":                      "config",
		"for %i in (configs_*) do echo x > %i":                                           "config",
		"for /f %f in ('dir /b configs') do del configs_%f":                              "config",
		"Set-Content FileSystem::ROOT/configs/pipeline.yaml x":                           "config",
		"Set-Content Microsoft.PowerShell.Core_FileSystem::ROOT/configs/pipeline.yaml x": "config",
		"New-PSDrive P FileSystem configs; Set-Content P:_pipeline.yaml x":               "config",
		"subst P: configs & echo x > P:_pipeline.yaml":                                   "config",
		"Set-Content __wsl.localhost_Ubuntu_TAIL_configs_pipeline.yaml x":                "config",
		"Set-Content Q:_TAIL_configs_pipeline.yaml x":                                    "config",
		"cmd /c mklink /J x configs":                                                     "config",
		"New-Item -ItemType Junction -Path x -Target configs":                            "config",
		"New-Item -ItemType SymbolicLink -Path x -Value .claude":                         "settings",
		"Set-Content -Path:configs_pipeline.yaml x":                                      "config",
		"Remove-Item -Path:configs -Recurse":                                             "config",
		"xcopy x /d:configs":                                                             "config",
		"echo note:configs":                                                              "",
		"Copy-Item other_* -Destination configs":                                         "config",
		"Copy-Item $x configs":                                                           "config",
		"copy a_settings.json .claude" + strings.Repeat(" x", 300):                       "settings",
		"copy" + strings.Repeat(" x", 300) + " a_settings.json .claude":                  "settings",
		// the client's settings, and what else is guarded
		"ren .claude_a.json settings.json": "settings", "Rename-Item .claude/a.json settings.json": "settings",
		"copy a_settings.json .claude": "settings", "sc .claude_settings.json '{}'": "settings",
		"Remove-Item -Recurse -Force .git": ".git", "del ~_bin_pipeline": "binary",
		// the state
		"Remove-Item -Recurse $env:LOCALAPPDATA_pipeline": "state", "rd /s /q %LOCALAPPDATA%_pipeline": "state",
		"Remove-Item -Recurse ${env:LOCALAPPDATA}_pipeline_p": "state", "rd /s /q \"%localappdata%_Pipeline\"": "state",
		"Remove-Item -Recurse (Join-Path $env:LOCALAPPDATA pipeline)": "state",
		"Get-Content $HOME_.local_state_pipeline_p_x":                 "state",
		"type %USERPROFILE%_.local_state_pipeline_p_x":                "state",
		"Get-Content STATE_p_x":                                       "state",
		"cd $env:LOCALAPPDATA; ls pipeline":                           "state",
		// our commands
		"pipeline uninstall": "enforces", "pipeline.exe reset x": "enforces", "PIPELINE.EXE bypass 30m": "enforces",
		"pipeline.cmd uninstall": "enforces", "pipeline.ps1 reset x": "enforces", "pipeline.bat mode off": "enforces",
		"._node_.bin_pipeline.cmd mode off":                    "enforces",
		"& 'C:_Program Files_pipeline_pipeline.exe' uninstall": "enforces",
		"cmd /c pipeline mode off":                             "enforces", "start \"\" pipeline reset x": "enforces",
		"call pipeline reset x":                                           "enforces",
		"Start-Process pipeline -ArgumentList 'uninstall'":                "enforces",
		"Start-Process -ArgumentList 'mode','off' -FilePath pipeline.exe": "enforces",
		"saps -Args 'bypass 30m' pipeline":                                "enforces",
		"Set-Alias q pipeline; q uninstall":                               "enforces",
		"function q { pipeline @args }; q uninstall":                      "enforces",
		"doskey q=pipeline $*":                                            "enforces",
		"saps -Args 'reset'" + strings.Repeat(" x", 300) + " pipeline":    "enforces",
		"iex 'pipeline reset x'":                                          "enforces",
		"& ('pipe' + 'line') reset x":                                     "enforces",
		"pipe`line re`set x":                                              "enforces",
		"pipe^line re^set x":                                              "enforces",
		"wsl pipeline mode off":                                           "enforces",
		"$c = 'reset'; pipeline $c x":                                     "enforces",

		"Set-Content src_a.txt x": "", "Copy-Item src_a.txt other": "", "copy configs_app.json src": "",
		// it may do anything
		"Get-Content configs_pipeline.yaml | Select-String level": "config", "dir configs": "config",
		"ls .claude": "settings", "git add .claude src": "settings", "dir configs_presets": "", "git add src": "",
		"Remove-Item -Recurse build": "", "tar -xf x.zip -C build": "", "Expand-Archive x.zip build": "",
		"robocopy src build": "", "pipeline status": "", "pipeline.cmd check": "", "npm run build": "",
		"cmd /c rd /s /q build": "", "cmd //c del /q src_a.txt": "",
		"Set-Location FileSystem::":       "",
		"Start-Process notepad src_a.txt": "", "New-Item -ItemType Directory build_x": "", "Set-Alias g git": "",
		"git commit -m 'settings'": "", "Remove-Item $env:TEMP_x": "", "echo 100% done": "",
		"ren src_a.txt b.txt": "", "$x = 'a' + 'b'; Set-Content src_$x.txt 1": "", "cd $env:LOCALAPPDATA; ls Temp": "",
		"Copy-Item Q:_data_settings.json src": "", "Start-Process pipeline -ArgumentList 'status'": "",
		"pwsh -e bm90IGEgbGluZQ==": "", "npm install @types/node": "", "for %i in (src_*) do echo %i": "",
	} {
		line = names.Replace(line)
		g.judged(t, fsm.Tool{Name: "PowerShell", Command: line}, "", want)
		if want != "" {
			g.judged(t, fsm.Tool{Name: "Bash", Command: "cmd.exe /c " + quoteLine(line)}, "", want)
		}
	}
}

// TestAnyShell: a line that may run in PowerShell, which reads it in another way, is unknown code too.
func TestAnyShell(t *testing.T) {
	for command, same := range map[string]bool{
		"git status && go test ./... > out.txt": true, "echo 'a $b; c' 2>&1 | wc": true, "> x ri a": false,
		"echo 'a; c' | wc":        true,
		`git commit -m "fix: it"`: true, "rm old.txt": true, "make -j4; ls -la": true, "ls\n \npwd": true,
		"Remove-Item a": false, "remove-item a": false, "ri a": false, "ni a": false, "echo a | iex": false,
		"git log | % x": false,
		"echo `rm a`":   false, "echo $(rm a)": false, "ls {rm a}": false, "ls (rm a)": false, "echo \"$x\"": false,
		"echo 'a'b": false,
		"'rm' a":    false, "ls \u2019; rm a": false, "echo 'it\u2019s'": false, "x\\y": false, "a,b": false,
		"@a":        false,
		"ls # it":   false,
		"tool -o.x": false, "tool -o:x": false, "echo 'a": false, "foreach x": false, "sc a b": false,
		"gc a|sc b": false, "ls\nri a": false,
	} {
		for _, has := range []bool{true, false} {
			g := Guards{Root: "/proj", Home: "/h", Shell: "bash", HasPowerShell: func() bool { return has },
				HasZsh: func() bool { return false }}
			parts := g.Parts(fsm.Tool{Name: "Bash", Command: command, AnyShell: true}, "/proj")
			isCode := len(parts) > 0 && reflect.DeepEqual(parts[len(parts)-1], fsm.Part{Tool: "Bash", Code: true})
			if has && isCode == same {
				t.Errorf("%s: unknown code: %v", command, isCode)
			}
			if !has && same && slices.ContainsFunc(parts, func(p fsm.Part) bool { return p.Code }) {
				t.Errorf("%s is unknown code without a PowerShell", command)
			}
		}
	}
}

// TestFloorOfFiles: where a call could not be judged, each file that it changes counts, however it is given.
func TestFloorOfFiles(t *testing.T) {
	g := ground(t, t.TempDir())
	for _, tool := range []fsm.Tool{
		{Name: "Write", Paths: []string{"configs/pipeline.yaml"}},
		{Name: "apply_patch", Files: []fsm.FileUse{{Tool: "Edit", Path: "configs/pipeline.yaml"}}},
	} {
		if got := g.FindMentioned(tool, g.Root); got != ourConfig {
			t.Errorf("%+v: %q", tool, got)
		}
	}
}
