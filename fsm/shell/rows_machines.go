package shell

var machinesFamily = family{title: "Containers, clouds and other machines", about: "", rows: []form{
	// Containers and other machines.
	{words: "docker|podman|nerdctl", short: "HclfpD", long: dockerGlobals, subs: checkedSubs, forms: []form{
		{words: "ps|images|logs|inspect|info|version|stats|top|port|diff|history|search|events|container ls|" +
			"container list|container logs|container inspect|container top|container stats|container port|image ls|" +
			"image list|image inspect|image history|network ls|network list|network inspect|volume ls|volume list|" +
			"volume inspect|system df|system info|context ls|context show|context inspect|compose ps|compose ls|" +
			"compose logs|compose config|compose top|compose images|compose port|compose version|manifest inspect|" +
			"buildx ls|buildx inspect|buildx du", shows: showsOnly, changes: "o output bootstrap lock-image-digests"},
		{words: "compose exec", short: "euw", long: "env user workdir index", wraps: argv, before: 1, own: true,
			where: container},
		{words: "compose run", short: "euwvp", long: "env user workdir volume name entrypoint publish", wraps: argv,
			before: 1, own: true, where: container},
		{words: "exec", short: "euw", long: "env user workdir env-file detach-keys", wraps: argv, before: 1, own: true,
			where: container},
		{words: "run", short: "aceuwvplmh", long: "add-host attach cpus device dns entrypoint env env-file gpus " +
			"hostname ipc label memory mount name network net pid platform publish pull restart runtime security-opt " +
			"shm-size tmpfs ulimit user userns volume volumes-from workdir cap-add cap-drop", wraps: argv, before: 1,
			own: true, where: container},
		{words: "cp", effect: addRemoteCopy}}},
	{words: "docker-compose|podman-compose", short: "HclfpD", long: dockerGlobals, subs: checkedSubs, forms: []form{
		{words: "exec", short: "euw", long: "env user workdir index", wraps: argv, before: 1, own: true,
			where: container},
		{words: "run", short: "euwvp", long: "env user workdir volume name entrypoint publish", wraps: argv, before: 1,
			own: true, where: container}}},
	{words: "kubectl|oc", short: "nsv", long: "namespace context kubeconfig cluster user server token as as-group " +
		"request-timeout profile", subs: checkedSubs, forms: []form{
		{words: "get|describe|logs|top|explain|version|api-resources|api-versions|cluster-info|diff|events|auth can-i|" +
			"auth whoami|config view|config get-contexts|config current-context|config get-clusters|rollout status|" +
			"rollout history|wait|options", shows: showsOnly, changes: "output-directory"},
		{words: "exec", short: "cnf", long: "container namespace filename pod-running-timeout context", wraps: dashed,
			before: 1, own: true, where: elsewhere},
		{words: "run", wraps: dashed, own: true, where: elsewhere},
		{words: "cp", short: "c", long: "container namespace", effect: addRemoteCopy}}},
	{words: "heroku", forms: []form{
		{words: "run", short: "ar", long: "app remote", wraps: joined, own: true, where: elsewhere}}},
	{words: "lima", wraps: argv, where: container},
	{words: "limactl", forms: []form{{words: "shell", wraps: argv, before: 1, own: true, where: container}}},
	{words: "ssh", short: "bBcDEeFIiJLlmOopQRSWw", wraps: joined, before: 1, own: true, where: elsewhere,
		interpret: runSSHInput},
	{words: "vagrant", forms: []form{
		{words: "ssh", short: "c", long: "command", wraps: byOption, own: true, where: container}}},
	{words: "chroot", long: "userspec groups", wraps: argv, before: 1, where: container, stdin: true},
	{words: "nsenter", short: "tSG", long: "target setuid setgid", wraps: argv, where: container, stdin: true},
	{words: "proot", short: "rbwqRS", wraps: argv, where: container},
}}
