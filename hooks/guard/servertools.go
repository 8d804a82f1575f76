package guard

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// This file is the table of what the tools of common servers do (MCP), by their names and
// inputs: which files they read, write and delete, and what they run. A config extends it
// with `tools`. What is not known here follows the rules by the tool's name alone.

// The words of a tool's name that say what it does to the files that it is given. The
// first list counts that has a word of the name: search_and_replace writes.
const (
	moveWords   = " move rename mv "
	deleteWords = " delete remove rm unlink trash erase "
	copyWords   = " copy cp duplicate "
	writeWords  = " write create edit update append replace insert patch save overwrite modify touch mkdir" +
		" format reformat refactor apply download export "
	uploadWords = " upload attach send import "
	runWords    = " run execute exec eval evaluate shell bash sh zsh terminal cmd spawn interpret interact repl "
)

// The inputs by what they are: a file, the file that is moved or copied and where it goes,
// a shell line, its arguments, and code of another language.
const (
	fileInputs = " path file_path filepath file filename file_name file_names relative_path path_in_project" +
		" target_file absolute_path abs_path full_path directory dir folder notebook_path uri file_uri paths files" +
		" file_paths output_path output_file save_path download_path output_dir "
	sourceInputs = " source src from source_path old_path from_path path oldpath "
	targetInputs = " destination dest dst to target destination_path dest_path new_path to_path newpath target_path "
	sqlInputs    = " sql sql_query sqls statement statements queries "
	lineInputs   = " command cmd command_line commandline shell_command commands "
	codeInputs   = " script code source_code python javascript expression input function "
	folderInputs = " cwd workdir working_directory work_dir working_dir "
)

// remoteServers have files that are not on this machine.
const remoteServers = " github gitlab bitbucket gitea notion slack linear jira atlassian confluence gdrive drive" +
	" dropbox s3 aws gcp azure figma sentry stripe supabase vercel netlify cloudflare discord gmail asana trello" +
	" hubspot airtable context7 fetch kubernetes k8s kubectl helm terraform pulumi argocd heroku render railway" +
	" digitalocean hetzner neon planetscale snowflake bigquery databricks twilio sendgrid mailgun telegram whatsapp" +
	" teams outlook gmail email mail calendar zendesk salesforce intercom shopify paypal "

// The first or the last word of a tool that only shows what is elsewhere, and the first of one that sends
// something there, whatever its server.
const (
	showWords = " get list search find read view show fetch query describe download count lookup resolve check" +
		" compare retrieve browse whoami analyze history replies "
	sendWords = " deploy publish push send release "
	setWords  = " add archive assign close comment post set submit transition "
)

// databases are asked by SQL.
const databases = " postgres postgresql mysql mariadb sqlite mssql sqlserver sql database db duckdb clickhouse oracle "

// typingWords are those of tools that type into a terminal or a window, terminalWords of those where it is a terminal;
// there typedInputs are shell lines.
const (
	terminalWords = " tmux screen terminal iterm iterm2 console pty tty "
	typingWords   = terminalWords + "keyboard keys key type keystroke keystrokes "
	typedInputs   = " keys text input data "
)

// browsers run code in a page, where it reaches no file.
const browsers = " playwright puppeteer chrome browser "

// remoteWrites are the tools of servers for repositories that change one.
const remoteWrites = " push_files create_or_update_file delete_file merge_pull_request create_branch" +
	" update_pull_request_branch create_repository fork_repository push_file commit_files "

// gitCommands are the commands of git that servers offer as tools: git_commit, or commit
// of a server named git.
const gitCommands = " add am apply archive bisect blame branch checkout cherry-pick clean clone commit config diff" +
	" fetch init log merge mv pull push rebase remote reset restore revert rm show stash status submodule switch" +
	" tag worktree "

// A serverCall is the call of a server's tool, with its words in small letters.
type serverCall struct {
	server, tool []string
	args         []fsm.Arg
}

// splitWords splits a name such as createNewFile or create-new_file into its words.
func splitWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// inputName is the name of an input as the table has it: of files.filePath, file_path.
func inputName(name string) string {
	return strings.Join(splitWords(name[strings.LastIndex(name, ".")+1:]), "_")
}

// A fileUse is what a call does to a file.
type fileUse struct{ tool, path string }

// useOf is what a server's tool does: by the config, else by the table.
func (g Guards) useOf(c serverCall, name string) (files []fileUse, lines []string, code bool) {
	sets := g.Tools
	if len(sets) == 0 {
		sets = [][]fsm.ToolUse{nil}
	}
	for _, set := range sets {
		var f []fileUse
		var l []string
		var runs bool
		if i := slices.IndexFunc(set, func(u fsm.ToolUse) bool { return fsm.MatchTool(u.Tool, name) }); i >= 0 {
			f, l = c.useConfigured(set[i])
		} else {
			f = c.listFiles()
			l, runs = c.listLines()
		}
		if !slices.Equal(files, f) {
			files = append(files, f...)
		}
		if !slices.Equal(lines, l) {
			lines = append(lines, l...)
		}
		code = code || runs
	}
	return files, lines, code
}

// useConfigured is what a tool does by the config.
func (c serverCall) useConfigured(u fsm.ToolUse) (files []fileUse, lines []string) {
	for _, a := range c.args {
		named := func(names []string) bool {
			return slices.ContainsFunc(names, func(n string) bool {
				return n == a.Name || inputName(n) == inputName(a.Name) && !strings.Contains(n, ".")
			})
		}
		for _, role := range []struct {
			tool  string
			names []string
		}{{"Read", u.Reads}, {"Write", u.Writes}, {"Delete", u.Deletes}} {
			if named(role.names) {
				files = append(files, fileUse{role.tool, a.Text})
			}
		}
	}
	return files, c.joinLines(func(a fsm.Arg) bool {
		return slices.ContainsFunc(u.Runs, func(n string) bool { return inputName(n) == inputName(a.Name) })
	})
}

// listFiles is what a tool does to files by the words of its name.
func (c serverCall) listFiles() (files []fileUse) {
	role := c.fileRole()
	for _, a := range c.args {
		name := inputName(a.Name)
		tool := role
		switch copies := role == "move" || role == "copy"; {
		case copies && hasWord(sourceInputs+fileInputs, name):
			tool = map[string]string{"move": "Delete", "copy": "Read"}[role]
		case copies && hasWord(targetInputs, name):
			tool = "Write"
		case copies || !hasWord(fileInputs, name):
			continue
		}
		if tool != "" {
			files = append(files, fileUse{tool, a.Text})
		}
	}
	return files
}

// fileRole is the tool of the client that does the same to a file, or "move" or "copy";
// empty where the call is not about files of this machine.
func (c serverCall) fileRole() string {
	if hasAnyWord(remoteServers+browsers, c.server) { // only what it sends is on this machine
		if hasAnyWord(uploadWords, c.tool) {
			return "Read"
		}
		return ""
	}
	if c.isEditor() {
		if slices.ContainsFunc(c.args, func(a fsm.Arg) bool { return a.Name == "command" && a.Text == "view" }) {
			return "Read"
		}
		return "Write"
	}
	for _, role := range [...]struct{ words, tool string }{{moveWords, "move"}, {deleteWords, "Delete"},
		{copyWords, "copy"}, {writeWords, "Write"}, {" search grep ", "Grep"}, {" find glob ", "Glob"},
		{" list ls tree stat info ", "LS"},
		{" read get view open cat show load head tail diff upload describe publish artifact ", "Read"}} {
		if hasAnyWord(role.words, c.tool) {
			return role.tool
		}
	}
	return ""
}

// isEditor reports whether a tool is the text editor whose `command` is a word of its own:
// view, create, str_replace, insert.
func (c serverCall) isEditor() bool {
	name := strings.Join(c.tool, "_")
	return strings.HasPrefix(name, "str_replace") || strings.HasSuffix(name, "text_editor")
}

// listLines lists the shell lines that a tool runs, and whether it runs code that cannot be
// known.
func (c serverCall) listLines() (lines []string, code bool) {
	if line := c.gitLine(); line != "" {
		return []string{line}, false
	}
	if c.isEditor() {
		return nil, false
	}
	for _, a := range c.args {
		name := inputName(a.Name)
		if hasWord(sqlInputs, name) || name == "query" && hasAnyWord(databases, slices.Concat(c.server, c.tool)) {
			lines = append(lines, "psql -c "+quoteArgument(a.Text))
		}
	}
	if len(lines) > 0 {
		return lines, false
	}
	isTerminal := hasAnyWord(terminalWords, slices.Concat(c.server, c.tool))
	lines = c.joinLines(func(a fsm.Arg) bool {
		name := inputName(a.Name)
		return hasWord(lineInputs, name) || // of one word it may be a key
			isTerminal && hasWord(typedInputs, name) && strings.ContainsAny(a.Text, " /.\n")
	})
	if len(lines) == 0 && hasAnyWord(runWords, c.tool) {
		inPage := hasAnyWord(browsers, c.server) && !slices.Contains(c.tool, "run")
		for _, a := range c.args {
			if name := inputName(a.Name); hasWord(codeInputs, name) && !inPage {
				code = true
				if name == "script" { // it may be the shell's
					lines = append(lines, a.Text)
				}
			}
		}
		if line := c.joinArguments(); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, code
}

// actsElsewhere reports whether a tool may do something on another machine. Of a server that is there, all tools
// may that are not known to show only.
func (c serverCall) actsElsewhere() bool {
	words := c.tool
	for len(words) > 1 && (slices.Contains(c.server, words[0]) || words[0] == "api") {
		words = words[1:]
	}
	if len(words) == 0 || hasAnyWord(typingWords+browsers, slices.Concat(c.server, words)) {
		return false
	}
	if first, last := words[0], words[len(words)-1]; !hasAnyWord(remoteServers, c.server) {
		return hasWord(sendWords, first)
	} else {
		return !hasWord(showWords, first) &&
			(!hasWord(showWords, last) || hasWord(sendWords+setWords+moveWords+deleteWords+copyWords+writeWords, first))
	}
}

// gitLine is the command of git that a tool stands for.
func (c serverCall) gitLine() string {
	words := c.tool
	if hasAnyWord(" github gitlab bitbucket gitea ", c.server) {
		if hasWord(remoteWrites, strings.Join(words, "_")) {
			return "git push"
		}
		return ""
	}
	if len(words) > 1 && words[0] == "git" {
		words = words[1:]
	} else if !slices.Equal(c.server, []string{"git"}) {
		return ""
	}
	switch {
	case len(words) > 1 && words[0] == "cherry":
		return "git cherry-pick x"
	case len(words) > 1 && hasWord(gitCommands, words[1]) && (words[0] == "create" || words[0] == "delete"):
		return "git " + words[1] + " x"
	case len(words) > 0 && hasWord(gitCommands, words[0]):
		line := "git " + words[0]
		if hasWord(" checkout switch reset restore merge ", words[0]) {
			line += " x"
		}
		return line
	}
	return ""
}

// joinLines makes the shell lines of some inputs. The elements of a list are the words of
// one line, unless they are lines themselves.
func (c serverCall) joinLines(isLine func(fsm.Arg) bool) (lines []string) {
	var words []fsm.Arg
	for _, a := range c.args {
		if isLine(a) {
			words = append(words, a)
		}
	}
	isOneLine := len(words) > 1 && words[0].Name == words[1].Name && !strings.ContainsAny(words[0].Text, " \n")
	if isOneLine {
		quoted := ""
		for _, a := range words {
			quoted += " " + quoteArgument(a.Text)
		}
		return []string{strings.TrimSpace(quoted)}
	}
	for i, a := range words {
		line := a.Text
		if rest := c.joinArguments(); i == 0 && rest != "" {
			line += " " + rest
		}
		lines = append(lines, line)
	}
	return lines
}

// joinArguments is the arguments that are given apart from the command, as a shell reads
// them.
func (c serverCall) joinArguments() (line string) {
	for _, a := range c.args {
		if name := inputName(a.Name); name == "args" || name == "arguments" || name == "argv" {
			line += " " + quoteArgument(a.Text)
		}
	}
	return strings.TrimSpace(line)
}

func quoteArgument(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// maxServerParts is how many files of one call rules are asked about. A call with more
// than maxServerTexts texts is refused: it takes too long to look at each.
const (
	maxServerParts = 200
	maxServerTexts = 10_000
)

const tooManyTexts = "files of the pipeline: it has too many inputs to tell"

// makeServerParts lists what a server's tool does: its own part, which rules know by its
// name, and what it does to files and in a shell. None of its inputs may lead to what is
// guarded.
func (g Guards) makeServerParts(t fsm.Tool, dir string) []fsm.Part {
	if len(t.Args) > maxServerTexts {
		return []fsm.Part{{Tool: t.Name, Guards: tooManyTexts}}
	}
	l := line{Guards: g, dirs: []string{dir}}
	l.Shell, l.HasZsh = "", nil // the shell is the server's
	server, tool := "", t.Name
	if rest, ok := strings.CutPrefix(t.Name, "mcp__"); ok {
		server, tool, _ = strings.Cut(rest, "__")
	}
	c := serverCall{splitWords(server), splitWords(tool), t.Args}
	files, lines, code := g.useOf(c, t.Name)
	own := slices.Clone(t.Paths)
	for _, f := range files {
		if !slices.Contains(own, f.path) && len(own) < maxServerParts {
			own = append(own, f.path)
		}
	}
	out := []fsm.Part{{Tool: t.Name}}
	for i, path := range own {
		out = append(out[:i], l.Guards.makeFilePart(t.Name, cutFileScheme(path), dir))
	}
	out[0].Guards = cmp.Or(out[0].Guards, l.findReached(c, files, dir))
	for i, f := range files {
		if fsm.ChangesFiles(f.tool) {
			l.followGuards()
		}
		part := l.Guards.makeFilePart(f.tool, cutFileScheme(f.path), dir)
		if i >= maxServerParts { // one stands for the rest
			part.Path = shell.Unknown
		}
		if i <= maxServerParts || part.Guards != "" {
			out = append(out, part)
		}
	}
	if code || t.Opaque && len(lines) == 0 {
		out = append(out, fsm.Part{Tool: "Bash", Code: true})
	}
	for _, a := range t.Args {
		if hasWord(folderInputs, inputName(a.Name)) {
			l.dirs = []string{MakeAbsolute(a.Text, dir, g.Home)}
		}
	}
	var run []fsm.Part
	for _, text := range lines {
		run = append(run, l.readLine(text)...)
	}
	onlyShows := len(run) > 0 && !slices.ContainsFunc(run, func(p fsm.Part) bool { return !p.Shows })
	if c.actsElsewhere() && !onlyShows {
		out[0].Groups = []string{fsm.RemoteCommands}
	}
	return append(out, run...)
}

// findReached says which guarded thing the inputs of a call name. No tool has business with our
// state. The rest may be read, by tools that are known to read.
func (l *line) findReached(c serverCall, files []fileUse, dir string) string {
	reads := len(files) > 0 && !slices.ContainsFunc(files, func(f fileUse) bool { return fsm.ChangesFiles(f.tool) })
	var ends []string // of paths
	for _, a := range c.args {
		text := cutFileScheme(a.Text)
		if len(text) > 4096 || strings.ContainsAny(text, "\n\x00") || text == "" {
			continue
		}
		named := hasWord(fileInputs+sourceInputs+targetInputs, inputName(a.Name))
		if !named && !strings.Contains(text, "/") {
			continue
		}
		if l.reachesPath(text, dir) {
			return ourState
		}
		if !reads && (named || isRooted(text) || text[0] == '.') && !strings.ContainsAny(text, wildcards) {
			if ends == nil {
				ends = l.listEnds(c)
			}
			for _, end := range ends {
				if what := l.Guards.makeFilePart("Write", text+end, dir).Guards; what != "" {
					return what
				}
			}
		}
	}
	if hasAnyWord(typingWords, slices.Concat(c.server, c.tool)) &&
		slices.ContainsFunc(c.args, func(a fsm.Arg) bool { return carriesCommand(a.Text) }) {
		return personsCommands
	}
	if slices.ContainsFunc(c.args, func(a fsm.Arg) bool {
		return hasWord(codeInputs, inputName(a.Name)) && l.mentionsPrivate(a.Text)
	}) {
		return ourState
	}
	return ""
}

// listEnds lists what may stand behind a path in another input: nothing, or a name of something that is guarded.
func (l *line) listEnds(c serverCall) []string {
	l.followGuards()
	out := []string{""}
	for _, a := range c.args {
		name := l.fold(a.Text)
		isGuarded := isGuardedName(name)
		for _, path := range l.eachGuarded(true) {
			isGuarded = isGuarded || filepath.Base(path) == name
		}
		if isGuarded {
			out = append(out, "/"+a.Text)
		}
	}
	return out
}

// cutFileScheme makes a path of a file's address.
func cutFileScheme(path string) string {
	if rest, ok := strings.CutPrefix(path, "file://"); ok && system.IsAbs(rest) {
		if plain, err := url.PathUnescape(rest); err == nil {
			return plain
		}
		return rest
	}
	return path
}
