package shell

// globals are the options that take a value and may stand before a command's
// subcommand: their letters, and their long names apart.  False if the command
// is not known to have subcommands.
func globals(name string) (short, long string, ok bool) {
	switch name {
	case "git":
		return "Cc", "git-dir work-tree namespace exec-path super-prefix config-env attr-source list-cmds", true
	case "npm", "npx", "pnpm", "pnpx":
		return "CwF", "prefix workspace userconfig registry loglevel cache dir filter location", true
	case "yarn":
		return "", "cwd cache-folder registry", true
	case "bun", "bunx":
		return "c", "cwd config filter", true
	case "docker", "podman", "nerdctl", "docker-compose", "podman-compose":
		return "HclfpD", "config context host log-level tlscacert tlscert tlskey file project-name project-directory profile env-file", true
	case "kubectl", "oc":
		return "nsv", "namespace context kubeconfig cluster user server token as as-group request-timeout profile", true
	case "helm":
		return "n", "namespace kube-context kubeconfig registry-config", true
	case "go":
		return "C", "", true
	case "cargo":
		return "CZ", "color config manifest-path target-dir", true
	case "uv", "uvx":
		return "p", "directory project config-file cache-dir python color", true
	case "poetry", "pdm", "hatch", "pipenv":
		return "CPpe", "directory project env", true
	case "pip", "pip3":
		return "", "log proxy retries timeout cache-dir python", true
	case "gh":
		return "R", "repo hostname", true
	case "terraform", "tofu", "terragrunt":
		return "", "chdir", true
	case "systemctl", "journalctl":
		return "HMtpn", "host machine type property root", true
	case "apt", "apt-get":
		return "cto", "option config-file target-release", true
	case "nix":
		return "", "option log-format extra-experimental-features experimental-features store", true
	case "mvn", "gradle", "gradlew", "mvnw":
		return "fPDpb", "file project-dir build-file", true
	case "pipeline":
		return "", "config session project dir", true
	case "claude", "codex", "gemini", "brew", "rustup", "conda", "mamba", "bundle", "just", "aws", "gcloud", "az", "dotnet", "deno":
		return "", "profile region config project model", true
	}
	return "", "", false
}

// synonym is the full name of a subcommand that is written shorter.
func synonym(name, sub string) string {
	switch name {
	case "npm", "pnpm", "yarn", "bun":
		switch sub {
		case "run-script", "rum", "urn":
			return "run"
		case "t", "tst":
			return "test"
		case "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall", "add":
			return "install"
		case "un", "rm", "r", "remove", "unlink":
			return "uninstall"
		case "x":
			return "exec"
		}
	case "cargo":
		switch sub {
		case "b":
			return "build"
		case "c":
			return "check"
		case "t":
			return "test"
		case "r":
			return "run"
		case "d":
			return "doc"
		}
	}
	return sub
}
