package shell

var machinesFamily = family{
	title: "Containers, clouds and other machines",
	about: "What runs in a container may change any file here that is mounted. What runs on another machine " +
		"changes none.",
	rows: []form{
		{words: "docker|podman|nerdctl", short: "HclfpD", long: dockerGlobals, subs: checkedSubs, in: Elsewhere,
			forms: []form{
				{words: "ps|images|logs|inspect|info|version|stats|top|port|diff|history|search|events|container ls|" +
					"container list|container logs|container inspect|container top|container stats|container port|" +
					"image ls|image list|image inspect|image history|network ls|network list|network inspect|" +
					"volume ls|" +
					"volume list|volume inspect|system df|system info|context ls|context show|context inspect|" +
					"compose " +
					"ps|compose ls|compose logs|compose top|compose images|compose port|compose version|" +
					"manifest inspect|buildx ls|buildx inspect|buildx " +
					"du", shows: showsOnly, changes: "o output bootstrap " + "lock-image-digests"},
				{words: "compose config|compose convert", short: "o", long: "output format lock-image-digests",
					writes: "o output", shows: showsOnly, changes: "lock-image-digests"},
				{words: "init", unnamed: true},
				{words: dockerPrunes, in: Elsewhere | Destroys},
				{words: "compose down", in: Elsewhere, also: condition{in: Destroys, options: "v volumes"},
					dry: "dry-run"},
				{words: "push|image push|compose push|manifest push|plugin push", in: Remote | Elsewhere,
					dry: "dry-run"},
				{words: "context export", operands: "-o", effect: addExportedContext},
				{words: "compose up|compose watch|compose start|buildx bake", outputs: "metadata-file",
					in:   Builds | Elsewhere,
					also: condition{in: Remote, options: "push"}},
				{words: "generate kube|kube generate|generate systemd", short: "f", long: "filename files",
					writes: "f filename files"},
				{words: "compose exec", short: "euw", long: "env user workdir index", wraps: argv, before: 1, own: true,
					where: container},
				{words: "compose run", short: "euwvp", long: "env user workdir volume name entrypoint publish",
					wraps:  argv,
					before: 1, own: true, where: container, in: Builds | Elsewhere},
				{words: "exec", short: "euw", long: "env user workdir env-file detach-keys", reads: "env-file",
					wraps: argv, before: 1, own: true,
					where: container},
				{words: "run", short: "aceuwvplmh", long: "add-host attach cpus device dns entrypoint env env-file " +
					"gpus hostname ipc label memory mount name network net pid platform publish pull restart runtime " +
					"security-opt shm-size tmpfs ulimit user userns volume volumes-from workdir cap-add cap-drop " +
					"cidfile", opaque: "v volume mount volumes-from", writes: "cidfile",
					reads: "env-file", wraps: argv, before: 1,
					own: true, where: container},
				{words: "save|export|image save|container export", short: "o", writes: "o output"},
				{words: "build|buildx build|image build|compose build", short: "ftcmo", long: "file tag output " +
					"build-arg secret iidfile " +
					"metadata-file", reads: "secret", outputs: "iidfile metadata-file", writes: "o output",
					in: Builds | Elsewhere, also: condition{in: Remote, options: "push"}},
				{words: "buildx imagetools", outputs: "metadata-file"},
				{words: "sbom|scout", outputs: usualOutputs},
				{words: "cp|container cp|compose cp", effect: addRemoteCopy}}},
		{words: "docker-compose|podman-compose", short: "HclfpD", long: dockerGlobals, subs: checkedSubs, in: Elsewhere,
			forms: []form{
				{words: "down", in: Elsewhere, also: condition{in: Destroys, options: "v volumes"}, dry: "dry-run"},
				{words: "push", in: Remote | Elsewhere, dry: "dry-run"},
				{words: "ps|ls|logs|top|images|port|version|events", shows: showsOnly},
				{words: "config|convert", short: "o", long: "output format lock-image-digests", writes: "o output",
					shows: showsOnly, changes: "lock-image-digests"},
				{words: "exec", short: "euw", long: "env user workdir index", wraps: argv, before: 1, own: true,
					where: container},
				{words: "run", short: "euwvp", long: "env user workdir volume name entrypoint publish", wraps: argv,
					before: 1,
					own:    true, where: container, in: Builds | Elsewhere},
				{words: "up|watch|start|build", in: Builds | Elsewhere}}},
		{words: "kubectl|oc", short: "nsv", long: "namespace context kubeconfig cluster user server token as " +
			"as-group request-timeout profile", subs: checkedSubs, outputs: noOutputs, in: Remote | Elsewhere,
			dry: "dry-run",
			forms: []form{
				{words: "get|describe|logs|top|explain|version|api-resources|api-versions|cluster-info|diff|events|" +
					"auth can-i|auth whoami|config view|config get-contexts|config current-context|config " +
					"get-clusters|" +
					"rollout status|rollout history|wait|options", shows: showsOnly, outputs: "output-directory"},
				{words: "config set|config unset|config use-context|config set-context|config set-cluster|" +
					"config set-credentials|config delete-context|config rename-context|krew install|krew upgrade",
					unnamed: true, in: noGroup},
				{words: "kustomize", short: "o", long: "output", writes: "o output", shows: showsOnly},
				{words: "completion|plugin", in: noGroup},
				{words: "exec", short: "cnf", long: "container namespace filename pod-running-timeout context",
					wraps:  dashed,
					before: 1, own: true, where: elsewhere},
				{words: "run", wraps: dashed, own: true, where: elsewhere},
				{words: "delete", short: "fkol", long: "filename kustomize output", reads: "f filename",
					in: Remote | Elsewhere | Destroys, dry: "dry-run"},
				{words: "apply|create|replace|patch", short: "fko", long: "filename kustomize output from-file " +
					"from-env-file",
					reads: "f filename from-file from-env-file", dry: "dry-run"},
				{words: "cp", short: "c", long: "container namespace", effect: addRemoteCopy}}},
		{words: "lima", wraps: argv, own: true, where: container, in: Elsewhere},
		{words: "limactl|multipass|virsh|lxc|incus|minikube|kind|k3d|colima|machinectl|toolbox|distrobox|" +
			"flatpak-spawn", subs: knownSubs, alsoIn: changesMachine, forms: []form{{words: "shell", wraps: argv,
			before: 1, own: true, where: container, in: Elsewhere, alsoIn: changesMachine}}},
		{words: "ssh|autossh", short: "bBcDEeFIiJLlmOopQRSWw", wraps: joined, before: 1, own: true, where: elsewhere,
			writes: "E", interpret: runSSHInput, alsoIn: entersMachine, dry: "V Q G"},
		{words: "mosh", wraps: argv, before: 1, own: true, where: elsewhere, opaque: "ssh", long: "ssh predict",
			alsoIn: entersMachine},
		{words: "vagrant", alsoIn: changesMachine, forms: []form{
			{words: "init|box repackage|package", unnamed: true, in: noGroup},
			{words: "ssh", short: "c", long: "command", wraps: byOption, own: true, where: container}}},
		{words: "chroot", long: "userspec groups", wraps: argv, before: 1, where: container, stdin: true},
		{words: "nsenter", short: "tSG", long: "target setuid setgid", wraps: argv, where: container, stdin: true},
		{words: "proot", short: "rbwqRS", wraps: argv, where: container},

		// Services and clouds.
		{words: "systemctl", short: "HMtpno", long: "host machine type property root output", subs: checkedSubs,
			outputs: noOutputs, in: Elsewhere, dry: "dry-run",
			forms: []form{
				{words: "reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|soft-reboot|rescue|emergency|" +
					"isolate|" +
					"suspend-then-hibernate|exit", in: Destroys},
				{words: "status|show|is-active|is-enabled|is-failed|list-units|list-unit-files|" +
					"list-timers|list-sockets|list-dependencies|cat|get-default|show-environment", shows: showsOnly}}},
		{words: "launchctl|supervisorctl|pm2", in: Elsewhere, forms: []form{
			{words: "list|print|status|info|describe|logs|avail|pid", shows: showsOnly},
			{words: "start|exec|submit|load|bootstrap", hides: hidesAlways}}},
		{words: "journalctl", short: "HMtpnucSUogD", long: "host machine type property root unit identifier since " +
			"until output lines grep directory file cursor-file", writes: "cursor-file", shows: showsOnly,
			changes: "rotate vacuum-size vacuum-time vacuum-files flush sync relinquish-var setup-keys " +
				"update-catalog"},
		{words: "helm", short: "n", long: "namespace kube-context kubeconfig registry-config", subs: checkedSubs,
			outputs: noOutputs, in: Remote | Elsewhere, dry: "dry-run",
			forms: []form{
				{words: "uninstall|delete|del|un", in: Remote | Elsewhere | Destroys, dry: "dry-run"},
				{words: "repo add|repo update|repo remove|repo index|plugin|completion|registry", in: noGroup},
				{words: "list|ls|status|get|history|show|version|search|env|lint|repo list|plugin list|dependency " +
					"list|verify",
					shows: showsOnly},
				{words: "template", long: "output-dir post-renderer", outputs: "output-dir", runs: "post-renderer",
					in: noGroup},
				{words: "create|pull|package|dependency update|dependency build", unnamed: true, in: noGroup}}},
		{words: "terraform|tofu", long: "chdir", subs: checkedSubs, forms: []form{
			{words: "fmt", effect: addFormatted, unless: checkOnly},
			{words: "plan", outputs: "out generate-config-out"},
			{words: "destroy", in: Remote | Elsewhere | Destroys},
			{words: "apply", in: Remote | Elsewhere, also: condition{in: Destroys, options: "destroy"}},
			{words: "refresh|state push|test|force-unlock|login", in: Remote | Elsewhere},
			{words: "import", unnamed: true, in: Remote | Elsewhere},
			{words: "init|get|state pull|workspace new|workspace select|state mv|state rm|providers lock|" +
				"taint|untaint",
				unnamed: true},
			{words: "show|version|validate|output|providers|graph|state list|state show|workspace list|workspace show",
				shows: showsOnly}}},
		{words: "terragrunt|cdk|pulumi|serverless|sls|sam|packer|ansible-galaxy|ansible-vault", long: "chdir stack",
			subs: knownSubs, dry: "dry-run",
			forms: []form{
				{words: "list|ls|diff|show|validate|version|preview|inspect", shows: showsOnly, changes: "o output " +
					"save-plan out"},
				{words: "deploy|apply|up|update|run|run-all|destroy|remove|rm|delete|refresh|bootstrap|publish|" +
					"rollback|import|" +
					"watch|build|push|cancel|sync|stack rm|state delete", unnamed: true, in: Remote | Elsewhere,
					alsoIn: destroysThere, dry: "dry-run"},
				{words: "init|new|create|synth|hclfmt|hcl fmt|fmt|encrypt|decrypt|rekey|edit|job init",
					unnamed: true}}},
		{words: "firebase|supabase|amplify|wrangler", alsoIn: changesCloud, dry: "dry-run", forms: []form{
			{words: "init|pull|generate|up|up --provision", unnamed: true, in: noGroup}}},
		{words: "ansible", short: "aimMubfklt", long: "args module-name inventory", opaque: "m module-name a args",
			in: Remote | Elsewhere, dry: "C check list-hosts"},
		{words: "ansible-playbook|ansible-pull", hides: hidesAlways, unless: "syntax-check list-tasks list-hosts " +
			"list-tags", in: Remote | Elsewhere, dry: "C check"},
		{words: "gh", short: "RF", long: "repo hostname body-file input", subs: checkedSubs, outputs: noOutputs,
			in:  Remote,
			dry: "dry-run",
			forms: []form{
				{words: "pr view|pr list|pr status|pr diff|pr checks|issue view|issue list|issue status|run view|" +
					"run list|run watch|repo view|repo list|release view|release list|workflow view|workflow list|" +
					"search|status|auth status|label list|gist view|gist list|cache list|variable list|secret list|" +
					"ruleset list|project list|config get|config list|alias list|extension " +
					"list", shows: showsOnly, changes: "w web"},
				{words: "api", short: "XfFHqt", long: "method field raw-field header input jq template",
					reads: "input", effect: addUploads, shows: showsOnly,
					changes: "X method f raw-field F field input", in: noGroup, alsoIn: changesByAPI},
				{words: "pr create|pr edit|pr comment|issue create|issue comment|issue edit|release create|pr review",
					short: "FbtBHalmprR",
					long:  "body-file body title base head notes-file", reads: "F body-file notes-file",
					dry: "dry-run"},
				{words: "gist create", operands: "r*"},
				{words: "release upload", operands: "-r*"},
				{words: "alias set|alias import|extension install|extension exec", hides: hidesAlways, in: noGroup},
				{words: "alias|extension|config|auth|browse|completion|repo set-default|gpg-key list|ssh-key list",
					in: noGroup},
				{words: "repo delete|release delete|run delete|cache delete|gist delete|issue delete|secret delete|" +
					"variable delete|label delete|codespace delete", in: Remote | Destroys},
				{words: "copilot", in: Elsewhere},
				{words: "codespace ssh", in: Remote | Elsewhere},
				{words: "repo fork|repo create|codespace cp|repo sync", unnamed: true},
				{words: "repo clone|pr checkout|release download|run download|gist clone|attestation download",
					unnamed: true, in: noGroup}}},
		{words: "glab|tea|hub", short: "R", subs: knownSubs, outputs: noOutputs, in: Remote, forms: []form{
			{words: "auth|config|completion|alias|browse|mr checks", in: noGroup},
			{words: "mr view|mr list|mr diff|issue view|issue list|ci view|ci list|ci status|repo view|auth " +
				"status|pr list|pr show",
				shows: showsOnly, changes: "w web"},
			{words: "fork|repo fork", unnamed: true},
			{words: "mr checkout|repo clone|clone|checkout|am|apply|merge|cherry-pick|init|pr checkout",
				unnamed: true, in: noGroup}}},
		{words: "adb", in: Remote | Elsewhere, forms: []form{{words: "devices|version|logcat|get-state", in: noGroup}}},
		{words: "gdbus|busctl|dbus-send|qdbus", alsoIn: changesMachine},
		{words: "open|xdg-open|gtk-launch|kde-open|exo-open|wslview|xdotool|watchman", in: Elsewhere},
		{words: "twine|flit|vsce|ovsx|jsr|oras|crane|skopeo", dry: "dry-run dryrun",
			alsoIn: publishesPackage},
		{words: "lerna|changeset|semantic-release|release-it", dry: "dry-run", unnamed: true, unless: "dry-run",
			alsoIn: publishesPackage},
	}}
