package shell

// wrapper is a command that runs another one, given in its arguments.
type wrapper struct {
	name  string // its words, as of Match: "docker exec"
	short string // letters of options that take a value
	long  string // long options that take the next word as value
	skip  int    // operands before the command
	style style  // how the command is given
	own   bool   // it is a tool of its own: its call is judged too
	where place  // where the command's files are
}

// style is how a wrapper is given what it runs.
type style uint8

const (
	argv     style = iota // the rest of the words
	assigns               // NAME=VALUE words, then the rest
	joined                // the rest, joined, is code for a shell
	byOption              // -c CODE, --command CODE, --run CODE
	either                // -c CODE, or the rest
	afterC                // -c WORDS, --command WORDS
	dashed                // the words behind --
	each                  // every operand is code
	fromList              // xargs: the rest, with unknown arguments behind
	template              // parallel: code with places for unknown arguments
)

// wrappers is the one list of them.  To add one, add a row, and a line of
// testdata/corpus.txt.
var wrappers = [...]wrapper{
	{name: "-"},
	{name: "arch", short: "de", long: "arch"},
	{name: "asdf exec", own: true},
	{name: "aws-vault exec", skip: 1, style: dashed, own: true},
	{name: "bun x", short: "p", long: "package", own: true},
	{name: "bunx", short: "p", long: "package", own: true},
	{name: "bundle exec", own: true},
	{name: "busybox"},
	{name: "caffeinate", short: "tw"},
	{name: "catchsegv"},
	{name: "chroot", long: "userspec groups", skip: 1, where: container},
	{name: "chrt", short: "TPD", skip: 1},
	{name: "concurrently", short: "nckls", long: "names kill-others-on-fail prefix", style: each, own: true},
	{name: "conda run", short: "np", long: "name prefix cwd", own: true},
	{name: "cpulimit", short: "lpe"},
	{name: "dbus-run-session", long: "config-file dbus-daemon"},
	{name: "devbox run", own: true},
	{name: "direnv exec", skip: 1, own: true},
	{name: "doas", short: "uCa"},
	{name: "docker compose exec", short: "euw", long: "env user workdir index", skip: 1, own: true, where: container},
	{name: "docker compose run", short: "euwvp", long: "env user workdir volume name entrypoint publish", skip: 1, own: true, where: container},
	{name: "docker-compose exec", short: "euw", long: "env user workdir index", skip: 1, own: true, where: container},
	{name: "docker-compose run", short: "euwvp", long: "env user workdir volume name entrypoint publish", skip: 1, own: true, where: container},
	{name: "docker exec", short: "euw", long: "env user workdir env-file detach-keys", skip: 1, own: true, where: container},
	{name: "docker run", short: "aceuwvplmh", long: "add-host attach cpus device dns entrypoint env env-file gpus hostname ipc label memory mount name network net pid platform publish pull restart runtime security-opt shm-size tmpfs ulimit user userns volume volumes-from workdir cap-add cap-drop", skip: 1, own: true, where: container},
	{name: "doppler run", short: "pc", long: "project config", style: dashed, own: true},
	{name: "dotenv run", short: "f", style: dashed, own: true},
	{name: "dotenv", short: "evp", style: dashed, own: true},
	{name: "eatmydata"},
	{name: "env", short: "uCS", long: "unset chdir split-string", style: assigns},
	{name: "envdir", skip: 1},
	{name: "entr"},
	{name: "faketime", short: "f", skip: 1},
	{name: "fakeroot", short: "lsib"},
	{name: "firejail"},
	{name: "flock", short: "wEc", long: "timeout wait conflict-exit-code command", skip: 1, style: either},
	{name: "gdb", long: "args", style: dashed, own: true},
	{name: "git bisect run", own: true},
	{name: "git submodule foreach", style: joined, own: true},
	{name: "gnice", short: "n", long: "adjustment"},
	{name: "gtimeout", short: "ks", long: "kill-after signal", skip: 1},
	{name: "gxargs", short: "adEILnPs", style: fromList},
	{name: "hatch run", own: true},
	{name: "heroku run", short: "ar", long: "app remote", style: joined, own: true, where: elsewhere},
	{name: "hyperfine", short: "wrmMpcsnPL", long: "warmup runs min-runs max-runs setup shell export-json export-markdown export-csv export-asciidoc command-name parameter-list parameter-scan style", style: each, own: true},
	{name: "infisical run", long: "env path", style: dashed, own: true},
	{name: "ionice", short: "cnpPu", long: "class classdata pid"},
	{name: "kubectl exec", short: "cnf", long: "container namespace filename pod-running-timeout context", skip: 1, style: dashed, own: true, where: elsewhere},
	{name: "kubectl run", style: dashed, own: true, where: elsewhere},
	{name: "lima", where: container},
	{name: "limactl shell", skip: 1, own: true, where: container},
	{name: "ltrace", short: "eopsu", long: "output"},
	{name: "mise exec", style: dashed, own: true},
	{name: "mise x", style: dashed, own: true},
	{name: "multitime", short: "n"},
	{name: "nerdctl exec", short: "euw", skip: 1, own: true, where: container},
	{name: "newgrp"},
	{name: "nice", short: "n", long: "adjustment"},
	{name: "nix develop", style: afterC, own: true},
	{name: "nix shell", style: afterC, own: true},
	{name: "nix-shell", short: "pAI", long: "attr", style: byOption, own: true},
	{name: "nocorrect"},
	{name: "noglob"},
	{name: "nohup"},
	{name: "npm exec", short: "pcw", long: "package call workspace", style: either, own: true},
	{name: "npx", short: "pc", long: "package call", style: either, own: true},
	{name: "nsenter", short: "tSG", long: "target setuid setgid", where: container},
	{name: "numactl", short: "NmCpi", long: "cpunodebind membind physcpubind interleave"},
	{name: "op run", long: "env-file", style: dashed, own: true},
	{name: "parallel", short: "jNSaLnIPd", long: "jobs arg-file colsep delay timeout retries joblog results sshlogin max-args", style: template},
	{name: "pdm run", short: "p", own: true},
	{name: "perf record", short: "oeFpC", long: "output event call-graph", own: true},
	{name: "perf stat", short: "oerpC", long: "output event repeat", own: true},
	{name: "pipenv run", own: true},
	{name: "pipx run", long: "spec python", own: true},
	{name: "pkexec", long: "user"},
	{name: "pnpm dlx", long: "package", own: true},
	{name: "pnpm exec", own: true},
	{name: "pnpx", own: true},
	{name: "podman exec", short: "euw", long: "env user workdir", skip: 1, own: true, where: container},
	{name: "podman run", short: "aceuwvplmh", long: "entrypoint env env-file hostname label memory mount name network platform publish pull restart user userns volume workdir", skip: 1, own: true, where: container},
	{name: "poetry run", own: true},
	{name: "prlimit", long: "pid"},
	{name: "proot", short: "rbwqRS", where: container},
	{name: "proxychains", short: "f"},
	{name: "proxychains4", short: "f"},
	{name: "pyenv exec", own: true},
	{name: "rbenv exec", own: true},
	{name: "rlwrap", short: "fHs"},
	{name: "rtx exec", style: dashed, own: true},
	{name: "runuser", short: "ugGsc", long: "user group supp-group shell command session-command", style: byOption},
	{name: "rye run", own: true},
	{name: "screen", short: "SchtTpe"},
	{name: "script", short: "cEIBOTmo", long: "command log-in log-out log-io log-timing echo output-limit", style: byOption},
	{name: "setarch", skip: 1},
	{name: "setpriv", long: "reuid regid groups"},
	{name: "setsid"},
	{name: "sg", short: "c", skip: 1, style: either},
	{name: "sshpass", short: "pfdP"},
	{name: "ssh", short: "bBcDEeFIiJLlmOopQRSWw", skip: 1, style: joined, own: true, where: elsewhere},
	{name: "stdbuf", short: "ioe", long: "input output error"},
	{name: "strace", short: "abeEIoOpPsSuUX", long: "output trace env user"},
	{name: "su", short: "cgGswT", long: "command group shell session-command", style: byOption},
	{name: "sudo", short: "CDghpRrTtUu", long: "chdir close-from group host prompt role chroot command-timeout other-user user type", style: assigns},
	{name: "systemd-inhibit", long: "what who why mode"},
	{name: "systemd-run", short: "puEMtH", long: "property unit uid gid setenv working-directory slice description machine host on-active on-calendar"},
	{name: "taskset", short: "p", skip: 1},
	{name: "time", short: "fo", long: "format output"},
	{name: "timeout", short: "ks", long: "kill-after signal", skip: 1},
	{name: "torsocks"},
	{name: "toybox"},
	{name: "ts-node-dev"},
	{name: "unbuffer"},
	{name: "unshare", short: "RSGwl", long: "root wd setuid setgid map-user map-group propagation"},
	{name: "uv run", short: "pe", long: "with python extra group env-file directory project with-requirements with-editable package no-group only-group index-url", own: true},
	{name: "uv tool run", short: "p", long: "from with python", own: true},
	{name: "uvx", short: "p", long: "from with python", own: true},
	{name: "vagrant ssh", short: "c", long: "command", style: byOption, own: true, where: container},
	{name: "valgrind"},
	{name: "volta run", long: "node npm yarn", own: true},
	{name: "watch", short: "nq", long: "interval equexit", style: joined},
	{name: "watchexec", short: "wefiosdpnWE", long: "watch exts filter ignore", own: true},
	{name: "winpty"},
	{name: "wsl", short: "du", long: "distribution user cd"},
	{name: "xargs", short: "adEILnPs", long: "arg-file delimiter max-args max-procs max-lines max-chars eof process-slot-var", style: fromList},
	{name: "xvfb-run", short: "enfsp", long: "error-file server-num server-args auth-file"},
	{name: "yarn dlx", short: "p", long: "package", own: true},
	{name: "yarn exec", own: true},
}
