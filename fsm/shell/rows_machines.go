package shell

// machinesRows are containers, clouds and other machines. What runs in a container may change any file here that is
// mounted: those below `-v HERE:THERE` are known by their names here, the others are unknown. What runs on another
// machine changes none.
var machinesRows = []form{
	{words: "docker|podman|nerdctl", takes: "H c l f p config context host log-level tlscacert tlscert tlskey file " +
		"project-name project-directory profile env-file", in: Elsewhere, global: namesDaemon, forms: []form{
		{words: "ps|images|logs|inspect|info|version|stats|top|port|diff|history|search|events|container ls|" +
			"container list|container logs|container inspect|container top|container stats|container port|image " +
			"ls|image list|image inspect|image history|network ls|network list|network inspect|volume ls|volume " +
			"list|volume inspect|system df|system info|context ls|context show|context inspect|compose ps|" +
			"compose ls|compose logs|compose top|compose images|compose port|compose version|manifest inspect|" +
			"buildx ls|buildx inspect|buildx du|service ls|service ps|service inspect|service logs|stack ls|stack " +
			"ps|stack services|node ls|node ps|node inspect|secret ls|secret inspect|config ls|config inspect|plugin " +
			"ls", shows: showsKnown, knows: clientLooks + " no-stream pretty"},
		{words: "compose config", shows: showsKnown, knows: "services volumes profiles images hash"},
		{words: "system prune|volume prune|image prune|container prune|network prune|builder prune|buildx prune|" +
			"system reset|volume rm|volume remove|pod prune", in: Elsewhere | Destroys},
		{words: "compose down", destroysBy: "-v --volumes", dry: "dry-run"},
		{words: "push|image push|compose push|compose publish|manifest push|plugin push|buildx imagetools create|" +
			"stack deploy|stack rm|service create|service update|service rm|service scale|service rollback|swarm|" +
			"node promote|node demote|node rm|node update|trust sign|trust revoke", in: Remote | Elsewhere,
			dry: "dry-run"},
		{words: "compose up|compose watch|compose start|buildx bake", writes: "metadata-file", in: Builds | Elsewhere,
			remoteBy: "--push"},
		{words: "compose exec", takes: "e u w env user workdir index", wraps: argv, before: 1, where: container},
		{words: "compose run", takes: "e u w v p env user workdir volume name entrypoint publish", wraps: argv,
			before: 1, where: container, in: Builds | Elsewhere},
		{words: "exec", takes: "e u w env user workdir env-file detach-keys", reads: "env-file", wraps: argv, before: 1,
			where: container},
		{words: "run", takes: "a c e u w v p l m h add-host attach cpus device dns entrypoint env env-file gpus " +
			"hostname ipc label memory mount name network net pid platform publish pull restart runtime security-opt " +
			"shm-size tmpfs ulimit user userns volume volumes-from workdir cap-add cap-drop cidfile",
			opaque: "v volume mount volumes-from", writes: "cidfile", reads: "env-file", wraps: argv, before: 1,
			where: container},
		{words: "save|export|image save|container export", takes: "o", writes: "o output"},
		{words: "build|buildx build|image build|compose build",
			takes: "f t c m o file tag output build-arg secret iidfile metadata-file", reads: "secret",
			writes: "o output iidfile metadata-file", in: Builds | Elsewhere, remoteBy: "--push", alsoIn: pushesImage},
		{words: "rm|rmi|stop|start|restart|kill|pause|unpause|create|pull|tag|login|logout|container rm|" +
			"container stop|image rm|image pull|network create|volume create|compose stop|compose restart|" +
			"compose pull|compose rm"},
		{words: "cp|container cp|compose cp", effect: addRemoteCopy}}},
	{words: "kubectl|oc",
		takes:  "n s v namespace context kubeconfig cluster user server token as as-group request-timeout profile",
		writes: noOutputs, in: Remote | Elsewhere, dry: "dry-run", forms: []form{
			{words: "get|describe|logs|top|explain|version|api-resources|api-versions|cluster-info|diff|events|auth " +
				"can-i|auth whoami|config view|config get-contexts|config current-context|config get-clusters|config " +
				"get-users|rollout status|rollout history|wait|options", shows: showsKnown,
				knows: clientLooks + " for", in: noGroup},
			{words: "config set|config unset|config use-context|config set-context|config set-cluster|config " +
				"set-credentials|config delete-context|config rename-context|krew", unnamed: true,
				in: noGroup},
			{words: "kustomize", writes: "o output", opaque: "enable-helm enable-alpha-plugins", in: noGroup},
			{words: "completion|plugin|port-forward|proxy", in: noGroup},
			{words: "exec", takes: "c n f container namespace filename pod-running-timeout context", wraps: dashed,
				before: 1, where: elsewhere},
			{words: "run", wraps: dashed, where: elsewhere},
			{words: "delete", takes: "f k o l filename kustomize output", reads: "f filename",
				in: Remote | Elsewhere | Destroys},
			{words: "apply|create|replace|patch", takes: "f k o filename kustomize output from-file from-env-file",
				reads: "f filename from-file from-env-file"},
			{words: "cp", takes: "c container namespace", effect: addRemoteCopy, in: noGroup, alsoIn: sendsFiles}}},
	{words: "lima|limactl|multipass|virsh|lxc|incus|minikube|kind|k3d|colima|machinectl|toolbox|distrobox|" +
		"flatpak-spawn|vagrant", others: true, alsoIn: changesMachine, forms: []form{
		{words: "init|package", unnamed: true, in: noGroup},
		{words: "ssh", takes: "c command", wraps: byOption, where: container},
		{words: "shell", wraps: argv, before: 1, where: container, in: Elsewhere}}},
	{words: "ssh|autossh", takes: "b B c D E e F I i J L l m O o p Q R S W w", wraps: joined, before: 1,
		where: elsewhere, writes: "E", alsoIn: entersMachine, dry: "V Q G"},
	{words: "mosh", wraps: argv, before: 1, where: elsewhere, opaque: "ssh", takes: "ssh predict",
		alsoIn: entersMachine},
	{words: "chroot", takes: "userspec groups", wraps: argv, before: 1, where: container},

	// Services and clouds.
	{words: "systemctl", takes: "H M t p n o host machine type property root output", writes: noOutputs, in: Elsewhere,
		dry: "dry-run", forms: []form{
			{words: "reboot|poweroff|halt|kexec|suspend|hibernate|hybrid-sleep|soft-reboot|rescue|emergency|isolate|" +
				"exit", in: Destroys},
			{words: "start|stop|restart|reload|enable|disable|daemon-reload|mask|unmask|edit|link|kill|" +
				"import-environment|set-environment"},
			{words: "status|show|is-active|is-enabled|is-failed|list-units|list-unit-files|list-timers|list-sockets|" +
				"list-dependencies|cat|get-default|show-environment", shows: showsKnown, knows: clientLooks +
				" user system no-pager failed type state property no-legend full"}}},
	{words: "launchctl|supervisorctl|pm2", in: Elsewhere, forms: []form{
		{words: "list|print|status|info|describe|logs|avail|pid", shows: showsKnown, knows: clientLooks}}},
	{words: "helm", takes: "n namespace kube-context kubeconfig registry-config", writes: noOutputs,
		in: Remote | Elsewhere, dry: "dry-run", forms: []form{
			{words: "uninstall|delete|del|un", in: Remote | Elsewhere | Destroys},
			{words: "repo add|repo update|repo remove|repo index|plugin|completion|registry", in: noGroup},
			{words: "list|ls|status|get|diff|history|show|version|search|env|lint|repo list|repo ls|plugin list|" +
				"dependency list|dependency ls|dep list|dep ls|inspect|verify|help", shows: showsKnown,
				knows: clientLooks, in: noGroup},
			{words: "template", takes: "output-dir post-renderer", writes: "output-dir", opaque: "post-renderer",
				in: noGroup},
			{words: "create|pull|package|dependency update|dependency build", unnamed: true, in: noGroup}}},
	{words: "terraform|tofu", takes: "chdir", forms: []form{
		{words: "fmt", unnamed: true, unless: checkOnly + " -write=false"},
		{words: "plan", writes: "out generate-config-out"},
		{words: "destroy", in: Remote | Elsewhere | Destroys},
		{words: "apply", in: Remote | Elsewhere, destroysBy: "--destroy"},
		{words: "refresh|state push|state mv|state rm|test|force-unlock|login|import", in: Remote | Elsewhere},
		{words: "init|get|state pull|workspace new|workspace select|providers lock|taint|untaint",
			unnamed: true},
		{words: "show|version|validate|output|providers|graph|state list|state show|workspace list|workspace show",
			shows: showsKnown, knows: "json raw no-color chdir type"}}},
	{words: "terragrunt|cdk|pulumi|serverless|sls|sam|packer",
		takes: "C s chdir cwd stack working-dir terragrunt-working-dir", dry: "dry-run", forms: []form{
			{words: "list|ls|diff|show|validate|version|preview|inspect|stack ls|about|whoami", shows: showsKnown,
				knows: clientLooks},
			{words: "run-all plan|run-all validate|run-all output", unnamed: true},
			{words: "destroy|remove|rm|delete|stack rm|state delete", unnamed: true, in: Remote | Elsewhere | Destroys},
			{words: "deploy|apply|up|update|run|run-all|refresh|bootstrap|publish|rollback|import|watch|build|push|" +
				"cancel|sync", unnamed: true, in: Remote | Elsewhere, destroysBy: cloudRemoves}}},
	{words: "firebase|supabase|azd|amplify|wrangler|gcloud|az|doctl|flyctl|fly|vercel|netlify|oci|ibmcloud|" +
		"linode-cli|hcloud|scw|railway|heroku|eas|eksctl|argocd|flux|nomad|kamal|cap|aliyun|auth0|okta|cf|render|" +
		"neonctl|pscale|turso|databricks|snow|confluent|sf|sfdx|shopify|stripe|twilio|sentry-cli|azcopy|s5cmd|" +
		"openstack|dokku|eb|ko|skaffold|tilt|devspace|helmfile|vault|consul|etcdctl|nats|rabbitmqadmin|airflow|" +
		"argo|temporal|bq|snowsql|grpcurl|tailscale",
		takes: commonGlobals + " app remote", writes: noOutputs, others: true, alsoIn: changesCloud,
		dry: "dry-run help local", forms: []form{
			{words: "run", takes: "a r app remote", wraps: joined, where: elsewhere},
			{words: "storage cp|storage mv|storage rsync", effect: addRemoteCopy, unless: "dry-run",
				alsoIn: sendsFiles},
			{words: "init|pull|generate|up --provision|link|env pull|job init|migration new|storage blob " +
				"download|storage file download", unnamed: true, in: noGroup}}},
	{words: "aws", takes: "profile region output query endpoint-url cli-input-json", writes: noOutputs, others: true,
		alsoIn: changesCloud, dry: "dry-run dryrun help", forms: []form{
			{words: "s3 mv", effect: addRemoteCopy, in: Remote},
			{words: "s3 cp|s3 sync", effect: addRemoteCopy, unless: "dryrun", alsoIn: sendsFiles},
			{words: "s3 ls|sts get-caller-identity|configure list|help", shows: showsKnown, knows: clientLooks},
			{words: "s3api get-object|eks update-kubeconfig", unnamed: true, in: noGroup}}},
	{words: "ansible", opaque: "m module-name a args", in: Remote | Elsewhere, dry: "C check list-hosts h help"},
	{words: "ansible-playbook|ansible-pull", opaqueAlways: true, unless: "syntax-check list-tasks list-hosts " +
		"list-tags h help", in: Remote | Elsewhere, dry: "C check h help"},
	{words: "gh", takes: "R F repo hostname body-file input", writes: noOutputs, in: Remote, dry: "dry-run",
		forms: []form{
			{words: "pr view|pr list|pr status|pr diff|pr checks|issue view|issue list|issue status|run view|run " +
				"list|run watch|repo view|repo list|release view|release list|workflow view|workflow list|search|" +
				"status|auth status|label list|gist view|gist list|cache list|variable list|secret list|project list|" +
				"config get|config list|attestation verify|codespace list|project view|project item-list|ruleset " +
				"list|ruleset view|ruleset check", shows: showsKnown,
				knows: clientLooks + " R repo comments patch name-only", in: noGroup},
			{words: "api", takes: "X f F H q t method field raw-field header input jq template", reads: "input",
				effect: addUploads, shows: showsKnown, knows: "X f F H q t method field raw-field header input jq " +
					"template paginate slurp i include cache hostname", changes: "X method f raw-field F field input",
				in: noGroup, alsoIn: changesByAPI},
			{words: "pr create|pr edit|pr comment|issue create|issue comment|issue edit|release create|pr review",
				takes: "F b t B H a l m p r R body-file body title base head notes-file",
				reads: "F body-file notes-file"},
			{words: "gist create|release upload", operands: "r*"},
			{words: "alias set|alias import|extension install|extension exec", opaqueAlways: true, in: noGroup},
			{words: "alias|extension|config|auth|browse|completion|repo set-default|gpg-key list|ssh-key list",
				in: noGroup},
			{words: "repo delete|release delete|run delete|cache delete|gist delete|issue delete|secret delete|" +
				"variable delete|label delete|codespace delete", in: Remote | Destroys},
			{words: "copilot", in: Elsewhere},
			{words: "codespace ssh", in: Remote | Elsewhere},
			{words: "repo clone|pr checkout|release download|run download|gist clone|attestation download",
				unnamed: true, in: noGroup}}},
	{words: "glab|tea|hub", takes: "R", writes: noOutputs, in: Remote, forms: []form{
		{words: "auth|config|completion|alias|browse|mr checks", in: noGroup},
		{words: "api", takes: "X f F H method field raw-field header input", shows: showsKnown, knows: "paginate",
			changes: "X method f raw-field F field input", alsoIn: changesByAPI},
		{words: "mr view|mr list|mr diff|issue view|issue list|ci view|ci list|ci status|ci trace|repo view|auth " +
			"status|pr list|pr show", shows: showsKnown, knows: clientLooks + " R repo", in: noGroup},
		{words: "mr checkout|repo clone|clone|checkout|am|apply|merge|cherry-pick|init|pr checkout", unnamed: true,
			in: noGroup}}},
	{words: "adb", in: Elsewhere, forms: []form{
		{words: "devices|version|logcat|get-state", in: noGroup}}},
	{words: "xdotool|ydotool|wtype", in: Elsewhere, opaqueAlways: true}, // they type
	{words: "gdbus|busctl|dbus-send|qdbus|open|xdg-open|gtk-launch|kde-open|exo-open|wslview|watchman",
		in: Elsewhere},
	{words: "twine|flit|vsce|ovsx|jsr|oras|crane|skopeo", dry: "dry-run dryrun", remoteBy: publishVerbs},
	{words: "surge|gh-pages|ghp-import|np|mina|altool|notarytool|websocat|curlie|ngrok|cloudflared|localtunnel|" +
		"ssh-copy-id|pastebinit|chromatic|codecov|sonar-scanner|mosquitto_pub|kafka-console-producer|" +
		"kafka-console-producer.sh",
		in: Remote | Elsewhere, dry: "dry-run"},
	{words: "dvc|wandb|hf|huggingface-cli|anaconda|snyk|lhci|datadog-ci|arc|b4|socat", opaqueAlways: true,
		remoteBy: "push sync upload monitor submit send diff land autorun TCP* UDP* SSL:* OPENSSL:*"},
	{words: "semantic-release|release-it", in: Builds | Remote, unless: "dry-run"},
	{words: "lerna|changeset", unnamed: true, unless: "dry-run", remoteBy: publishVerbs},
}
