package shell

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Group is a set of groups of commands, by which rules name them.
type Group uint16

// The groups. A command that only shows something is in none.
const (
	Builds    Group = 1 << iota // builds, tests or runs a project, or fetches packages for it
	Tests                       // of these: only tests or checks it
	Remote                      // leaves this machine, or cannot be taken back
	Destroys                    // removes what no undo brings back, or stops the machine
	Elsewhere                   // hands work to another process or machine

	noGroup // in rows only: in none, though the command is; a tool that it runs is judged by itself
)

var groupNames = [...]string{"@builds", "@tests", "@remote", "@destroys", "@elsewhere"}

// Names returns the names of the groups in a set, or nil.
func (g Group) Names() (out []string) {
	for i, name := range groupNames {
		if g&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// groupsOf returns the groups of a command that does more than to show something. inside are
// the calls of what it runs.
func (p *program) groupsOf(inside []Call) Group {
	in, also := p.in, p.form
	if in == 0 {
		in = p.top.in
		if also.alsoIn == nil && also.remoteBy+also.destroysBy == "" {
			also = p.top
		}
	}
	switch {
	case in&noGroup != 0:
		in = 0
	case in&Tests != 0, in&Builds != 0 && p.onlyTests():
		in |= Builds | Tests
	}
	if from, known := p.buildFiles(); p.hidesCode() || !p.isModelled() || !known || len(from) > 1 { // of another folder
		in &^= Tests
	}
	if p.hasAny(also.remoteBy) {
		in |= Remote
	}
	if p.hasAny(also.destroysBy) {
		in |= Destroys
	}
	if also.alsoIn != nil {
		in |= also.alsoIn(p)
	}
	if p.top.global != nil {
		in |= p.top.global(p)
	}
	if _, rest := p.top.skipOptions(p.whole); p.lacksForm && len(rest) < len(p.whole.args()) {
		in |= groupsOfVerbs(p.whole.args()) // an option that the row lacks may stand in front of the subcommand
	}
	shows := p.rest.words[0].is("exec") && p.where == container && len(inside) > 0
	for _, c := range inside {
		if c.Kind == Write || c.Kind == Delete {
			in |= c.Groups
		}
		shows = shows && (c.Shows || c.Kind == Read || c.Kind == List)
	}
	if shows { // in a container that runs
		in &^= Elsewhere
	}
	if p.isGiven(cmp.Or(p.dry, p.top.dry)) {
		in &= Builds | Tests
	}
	return in
}

// onlyTests reports whether all that a build tool is to do is to test or to check.
func (p *program) onlyTests() bool {
	operands := p.operands
	if p.dashes >= 0 {
		operands = operands[:p.dashes]
	}
	if p.script {
		operands = operands[:min(1, len(operands))]
	}
	found := false
	for _, f := range operands {
		tool := p.findRow(f.text)
		isTool := p.script && tool != nil && tool.in&Tests != 0 // yarn jest
		switch {
		case f.known && f.text == "clean", strings.Contains(f.text, "="):
		case f.isFixed() && (isTool || matchesAny(p.tests, f.text)):
			found = true
		default:
			return false
		}
	}
	return found
}

// hasAny reports whether an operand matches a glob of a list, or an option of the list, which has dashes, is given.
func (p *program) hasAny(list string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(word string) bool {
		if option := strings.TrimLeft(word, "-"); option != word {
			return p.given(option)
		}
		return slices.ContainsFunc(p.operands, func(f field) bool {
			target := f.text
			if strings.HasPrefix(target, "//") || strings.HasPrefix(target, "./") { // of bazel and go
				target = path.Base(target)
			}
			return matchGlob(word, target) && !matchGlob(localTargets, target)
		})
	})
}

// matchesAny reports whether a word matches one of several globs, which blanks separate.
func matchesAny(globs, word string) bool {
	return slices.ContainsFunc(strings.Fields(globs), func(glob string) bool { return matchGlob(glob, word) })
}

// hostsHere are the names of this machine in addresses.
const hostsHere = `(?:[\w-]+\.)*localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0`

// isThisMachine reports whether an address, or the name of a host with a user before it, is on this machine.
func isThisMachine(address string) bool {
	return matches(`(?i)^(?:\w+://)?(?:[^/@]*@)?(?:`+hostsHere+`|:\d+|::1)(?::[^/@]*)?(?:/|$)`, address)
}

// namesDaemon says of docker whether its daemon is that of another machine.
func namesDaemon(p *program) Group {
	daemons := p.top.leadingOptions(p.whole).values("H c host context")
	for _, name := range []string{"DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST"} {
		if v := p.lookup(name); v != nil {
			daemons = append(daemons, *v)
		}
	}
	if slices.ContainsFunc(daemons, func(f field) bool {
		return !f.is("", "default", "rootless", "desktop-linux", "colima", "orbstack") && !isThisMachine(f.text) &&
			!strings.HasPrefix(f.text, "unix://")
	}) {
		return Remote
	}
	return 0
}

// pushesImage says whether what docker builds goes to a registry.
func pushesImage(p *program) Group {
	if slices.ContainsFunc(p.values("o output"), func(f field) bool {
		return hasAnyPart(f.text, "registry", "push=true")
	}) {
		return Remote
	}
	return 0
}

// sendsHTTP says whether a client of the web sends something to another machine.
func sendsHTTP(p *program) (in Group) {
	if p.has("unix-socket abstract-unix-socket") {
		in = Elsewhere // the daemon of containers, for one
	}
	if !p.sends() {
		return in
	}
	urls := slices.Concat(p.values("url"), p.operands)
	if hasWord("http https xh xhs", p.name) && !p.hasForeign(p.words) { // a method, the address, then data
		if len(urls) > 1 && strings.Trim(strings.ToUpper(urls[0].text), "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			urls = urls[1:]
		}
		urls = urls[:min(1, len(urls))]
	}
	if len(urls) == 0 || p.has("x proxy preproxy connect-to resolve socks4 socks4a socks5 socks5-hostname") ||
		slices.ContainsFunc(urls, func(f field) bool { return !isThisMachine(f.text) }) {
		in |= Remote
	}
	return in
}

// sends reports whether a client of the web does more than to fetch.
func (p *program) sends() bool {
	changes := func(f field) bool {
		return !f.known || !hasWord("GET HEAD OPTIONS TRACE PROPFIND", strings.ToUpper(f.text))
	}
	switch {
	case slices.ContainsFunc(p.values("X request method"), changes):
		return true
	case hasWord("http https xh xhs", p.name):
		for i, f := range p.operands {
			if i == 0 && f.known && f.text != "" && strings.Trim(f.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
				return changes(f)
			}
			if i > 0 && !strings.Contains(f.text, "==") && strings.ContainsAny(f.text, "=@") {
				return true
			}
		}
		return p.has("raw f form multipart")
	case p.name == "curl":
		return p.has("F form form-string T upload-file mail-from mail-rcpt Q quote json K config") ||
			p.has("d data data-raw data-binary data-ascii data-urlencode expand-data expand-data-raw "+
				"expand-data-binary expand-data-urlencode expand-json expand-form-string") && !p.has("G get")
	}
	return p.has("post-data post-file body-data body-file")
}

// sendsFiles says whether a copy between machines sends files to another one.
func sendsFiles(p *program) Group {
	_, target := p.splitLast()
	isFar := p.whole.name == "mc" || isRemote(target) || strings.Contains(target.text, "://") ||
		strings.HasPrefix(target.text, "^/") || // of svn
		!target.known && strings.Contains(target.text, ":")
	if isFar && !isThisMachine(target.text) {
		return Remote
	}
	return 0
}

// archivesElsewhere says of tar whether its archive is on another machine.
func archivesElsewhere(p *program) Group {
	if slices.ContainsFunc(p.values("f file"), isRemote) && !p.has("force-local") {
		return Remote
	}
	return 0
}

// entersMachine says of ssh and its like whether they reach another machine.
func entersMachine(p *program) Group {
	if _, words := p.skipOptions(p.rest); len(words) == 0 {
		return 0
	} else if words[0].known && isThisMachine(words[0].text) {
		return Elsewhere
	}
	return Remote | Elsewhere
}

// givenTexts returns what a client of a database is given: its arguments and its input.
func (p *program) givenTexts() []field {
	texts := p.args()
	if t := p.input.text; t != nil {
		texts = append(slices.Clip(texts), *t)
	}
	return texts
}

// changesData says what the statements do that a client of a database is given: drop what no undo brings back, or
// change what may be on another machine.
func changesData(p *program) (in Group) {
	const begin = `(?i)(?:^|[;\n{}=(])\s*(?:explain\s+(?:\([^)]*analy[sz]e[^)]*\)|analy[sz]e(?:\s+verbose)?)\s+)?`
	drops := regexp.MustCompile(begin + `(?:drop\W+(?:table|database|schema|owned|tablespace|keyspace|user|role)|truncate|` +
		`delete\s+from|alter\s+table[^;]*\sdrop\s+(?:column|partition)|flushall|flushdb)(?:\W|$)|` +
		`\.(?:drop(?:database)?|deletemany|remove)\(`)
	changes := regexp.MustCompile(begin + `(?:insert|update|delete|alter|create|drop|truncate|grant|revoke|call|exec|` +
		`merge|replace|copy|import|load|reindex|set)\s|` +
		`\.(?:insert|update|replace|delete|create|drop|remove|rename|bulkwrite|save)\w*\(`)
	for _, f := range p.givenTexts() {
		if drops.MatchString(f.text) {
			in |= Destroys
		}
		if changes.MatchString(f.text) {
			in |= Remote
		}
	}
	return in
}

// changesDatabase is changesData for a database that may be on this machine.
func changesDatabase(p *program) Group {
	in := changesData(p)
	redis := regexp.MustCompile(`(?i)^(?:[hm]*set(?:ex|nx)?|del|unlink|rename|expire|incr|decr|[lr]push|[lr]pop|` +
		`[sz]add|[sz]rem|xadd|publish|eval|config|flush\w*)$`)
	isUnknown := func(f field) bool { return !f.known }
	if p.has("f file clean drop") || p.input.from == opened || // it is not known what they do
		slices.ContainsFunc(p.values("c command e eval execute Q"), isUnknown) ||
		slices.ContainsFunc(p.operands, func(f field) bool { return redis.MatchString(f.text) }) {
		in |= Remote
	}
	if !p.isDatabaseFar() {
		in &^= Remote
	}
	return in
}

// isDatabaseFar reports whether a client of a database is to reach another machine.
func (p *program) isDatabaseFar() bool {
	hosts := p.values("h host S server")
	for _, name := range []string{"PGHOST", "MYSQL_HOST"} {
		if v := p.lookup(name); v != nil {
			hosts = append(hosts, *v)
		}
	}
	for _, f := range p.args() {
		if _, host, named := strings.Cut(f.text, "host="); named && !strings.HasPrefix(f.text, "-") {
			host, _, _ = strings.Cut(host, " ")
			hosts = append(hosts, knownField(host))
		} else if strings.Contains(f.text, "://") && !strings.ContainsAny(f.text, " \n") {
			hosts = append(hosts, f)
		}
	}
	return slices.ContainsFunc(hosts, func(f field) bool {
		return !isThisMachine(f.text) && !strings.HasPrefix(f.text, "/") && !f.is(".")
	})
}

// namesProduction returns Remote if the arguments or the environment of a command on a database name production.
func namesProduction(p *program) Group {
	names := slices.Clone(p.args())
	for _, name := range []string{"RAILS_ENV", "NODE_ENV", "APP_ENV", "DJANGO_SETTINGS_MODULE"} {
		if v := p.lookup(name); v != nil {
			names = append(names, *v)
		}
	}
	if slices.ContainsFunc(names, func(f field) bool { return matches(`(?i)(?:^|[=._-])prod(?:uction)?$`, f.text) }) {
		return Remote
	}
	return 0
}

// groupsOfTarget says what it means to write to a path: a socket leads to a machine, and a raw device holds what no
// undo brings back.
func groupsOfTarget(path string) Group {
	rest, isDevice := strings.CutPrefix(path, "/dev/")
	switch {
	case isSocket(path) && isThisMachine(rest[len("tcp/"):]):
		return Elsewhere
	case isSocket(path):
		return Remote
	case isDevice && rest != "" && !isStream(path) && !reachesProcess(path) && !strings.HasPrefix(rest, "shm/"):
		return Destroys
	}
	return 0
}

// killsAll says whether kill is to end every process.
func killsAll(p *program) Group {
	args := p.args()
	if len(args) > 1 { // the first may be the signal
		args = args[1:]
	}
	if findField(args, "-1") >= 0 {
		return Destroys
	}
	return 0
}

// Words of the clients of clouds and of managers of machines: the first word of what concerns this machine only,
// those that look, those that change something, and those that remove it.
const (
	cloudLocal = "login logout init link configure completion dev help version sso open doctor"
	cloudOwn   = "auth config" // of this machine too, with the words that follow next
	cloudOwnTo = "set unset get list ls show view login logout status revoke print-* configure-* activate-* " +
		"application-default init switch configurations use use-* current token whoami setup-* describe"
	cloudLooks = "list list-* ls describe describe-* get get-* show show-* info status logs log tail view inspect " +
		"whoami search query wait head-* batch-get-* types diff validate validate-* check check-* scan read exists " +
		"url ps dev dev:* auth:export *:list *:info *:get port-forward proxy emulators:start serve listen linked " +
		"current history env completion help members"
	cloudChanges = "create create-* update update-* put put-* set set-* add add-* apply deploy redeploy publish run " +
		"start stop restart reboot scale submit ssh exec invoke promote rollback enable disable import push restore " +
		"attach up sync cp mv import-* start-* stop-* run-* install upgrade reset_password dispatch launch"
	cloudRemoves = "delete delete-* destroy destroy-* terminate terminate-* purge remove remove-* rm rb uninstall " +
		"*:delete *:destroy *:remove *:reset down drop reset prune undefine"
)

// changesCloud says of a client of a cloud what it does there. A word that looks is the name of a service as well
// (aws logs): it decides only where no other verb follows before the first option.
func changesCloud(p *program) Group {
	_, words := p.top.skipOptions(p.whole)
	if len(words) > 0 && matchesAny(cloudLocal, words[0].text) ||
		len(words) > 1 && matchesAny(cloudOwn, words[0].text) && matchesAny(cloudOwnTo, words[1].text) {
		return 0
	}
	if at := p.whole.wordOptions("endpoint-url"); len(at) > 0 && isThisMachine(at[0].text) {
		return Elsewhere
	}
	looks := false
	for i, f := range words {
		if !f.known || i > 5 || i > 0 && strings.HasPrefix(f.text, "-") {
			break
		}
		switch {
		case f.is("run") && p.whole.name == "gcloud": // there it is a service
		case f.is("start", "stop") && p.whole.name == "supabase": // of servers on this machine
			return Elsewhere
		case f.is("build") && hasWord("vercel netlify", p.whole.name):
			return 0
		case matchesAny(cloudRemoves, f.text):
			return Remote | Elsewhere | Destroys
		case matchesAny(cloudChanges, f.text):
			return Remote | Elsewhere
		case matchesAny(cloudLooks, f.text):
			looks = true
		}
	}
	if looks {
		return changesData(p)
	}
	return Remote | Elsewhere
}

// changesMachine is changesCloud for what runs on this machine.
func changesMachine(p *program) Group { return changesCloud(p) &^ Remote }

// changesByAPI says of gh api whether it changes something: a query of GraphQL does not.
func changesByAPI(p *program) Group {
	fields := p.values("f raw-field F field")
	isQuery := len(p.operands) > 0 && p.operands[0].is("graphql") && len(fields) > 0 &&
		!slices.ContainsFunc(fields, func(f field) bool { return matches(`^query=\s*(?:[^{q\s]|q[^u])`, f.text) })
	if isQuery || findField(p.values("X method"), "GET", "HEAD", "get") >= 0 {
		return 0
	}
	return Remote
}

// usesDaemon says whether a build tool hands its work to a process that runs already.
func usesDaemon(p *program) Group {
	global := p.top.leadingOptions(p.whole)
	switch name := p.whole.name; {
	case hasWord("bazel bazelisk", name) && !global.has("batch"), hasWord("buck buck2 mvnd", name),
		name == "pants" && !global.has("no-pantsd"), hasWord("gradle gradlew", name) && !p.isGiven("no-daemon"):
		return Elsewhere
	}
	return 0
}
