package shell

import (
	"regexp"
	"strings"
)

// bind gives a variable a value, and adds what that makes other programs do.
func (e *evaluator) bind(name string, value field) {
	e.state.bind(name, value)
	e.addVariable(name, value)
}

// forget makes a variable unknown to which the line gives a value that cannot be known.
func (e *evaluator) forget(name string) {
	e.state.forget(name)
	e.addVariable(name, unknownField())
}

// variableUse is what programs do with the value of a variable.
type variableUse uint8

const (
	plainValue  variableUse = iota
	holdsCode               // a shell or a program runs it: code, the name of a program, or arguments of one
	namesCode               // where code lies: files or folders
	namesOutput             // a file that is written
)

// variableUses are the variables of which programs do more than to read their value, as globs. The last one that fits
// counts.
var variableUses = [...]struct {
	use   variableUse
	names string
}{
	{use: namesCode, names: "*PATH *HOME ZDOTDIR BASH_ENV LD_PRELOAD LD_AUDIT DYLD_* GIT_*DIR GIT_WORK_TREE *_CONFIG " +
		"*CONFIG_GLOBAL *CONFIG_SYSTEM *CONFIG_FILE XDG_CONFIG_HOME *_USERCONFIG *_GLOBALCONFIG *_SCRIPT_SHELL " +
		"npm_config_userconfig npm_config_globalconfig npm_config_script_shell INPUTRC LESSKEY* SCREENRC MYVIMRC VIM " +
		"VIMRUNTIME WGETRC PYTHONSTARTUP PYTHONUSERBASE *LIB BUNDLE_GEMFILE NODE_REPL_EXTERNAL_MODULE MIX_EXS GOROOT " +
		"GOENV OPENSSL_* GCC_EXEC_PREFIX MAKEFILES PYTEST_PLUGINS"},
	{use: holdsCode, names: "*_OPTIONS MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS JAVA_OPTS GOFLAGS *MAKEFLAGS MFLAGS LESS " +
		"PYTEST_ADDOPTS BASH_ALIASES BASH_CMDS BASH_FUNC_* PROMPT_COMMAND GIT_CONFIG_PARAMETERS GIT_CONFIG_KEY_* " +
		"LUA_INIT PERL5DB VIMINIT EXINIT TAR_OPTIONS FZF_DEFAULT_OPTS SHELLOPTS BASHOPTS MANOPT STTY ZIPOPT " +
		"PYTHONWARNINGS PYTHONBREAKPOINT GCONV_PATH PERL5OPT RUBYOPT PS[0-4] PROMPT RPROMPT SPROMPT *PAGER *EDITOR " +
		"*ASKPASS *BROWSER GIT_SSH* GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND VISUAL FCEDIT LESSOPEN LESSCLOSE *_RSH " +
		"SVN_SSH *NULLCMD FZF_DEFAULT_COMMAND RUSTC RUSTC_* SHELL PARALLEL_SHELL"},
	{use: namesOutput, names: "*HISTFILE *_HISTORY SSLKEYLOGFILE PERLIO_DEBUG GIT_INDEX_FILE GIT_OBJECT_DIRECTORY " +
		"GIT_TRACE* NODE_V8_COVERAGE NODE_REDIRECT_WARNINGS PYTHONPYCACHEPREFIX LLVM_PROFILE_FILE GOCOVERDIR " +
		"COVERAGE_FILE TMPDIR MALLOC_TRACE TAPE LD_*_OUTPUT RANDFILE"},
}

// zshVariables are more than values to zsh.
const zshVariables = "argv functions commands aliases galiases saliases dis_functions dis_aliases dis_galiases " +
	"dis_saliases options nameddirs userdirs builtins dis_builtins"

// harmlessPrograms are what such a variable may name: pagers, editors that do nothing, and shells.
const harmlessPrograms = "cat less more true false : ssh vi vim nano sh bash zsh dash ksh fish"

// addVariable adds what the value of a variable makes programs run or write.
func (e *evaluator) addVariable(name string, v field) {
	e.differs = e.differs || hasWord(zshVariables, name) || hasWord("path fpath module_path", name) && !isTrusted(v)
	isHarmless, use := v.is("") && name != "PATH", plainValue
	for _, u := range variableUses {
		if matchesAny(u.names, name) {
			use = u.use
		}
	}
	switch use {
	case plainValue:
		return
	case holdsCode:
		isProgram := hasWord(harmlessPrograms, CommandName(v.text)) && (!strings.Contains(v.text, "/") || isTrusted(v))
		isSetting := strings.HasPrefix(name, "GIT_CONFIG_KEY_") && !isCodeSetting(strings.ToLower(v.text))
		isHarmless = isHarmless || v.known && (isProgram || isSetting)
	case namesCode:
		isHarmless = isHarmless || isTrusted(v) || name == "GIT_DIR" && v.is(".git")
	case namesOutput:
		if !v.known || strings.Trim(v.text, "0123456789-") != "" && !hasWord("true false", v.text) {
			e.addFile(Write, v)
		}
		return
	}
	if !isHarmless {
		text := v.text
		if !v.known {
			text = "?"
		}
		e.addCall(Call{Kind: Command, Words: []string{name + "=" + text}, Code: true,
			Groups: e.groupsOfCode(v.knownText(), true)})
	}
}

// isTrusted reports whether a value names only places where an agent has put no code: folders of the system, and of
// toolchains in the home directory.
func isTrusted(v field) bool {
	trusted := regexp.MustCompile(`^(?:\$\{PATH\}|(?:~|\$\{HOME\})/(?:\.[^$]+|go/bin|bin)|/dev/null|/nonexistent|` +
		`/var/empty|/(?:usr|bin|sbin|lib|lib64|etc|opt|nix|snap|run/current-system|Library|System|Applications|` +
		`home/linuxbrew)(?:/[^$]*)?)$`)
	for part := range strings.SplitSeq(v.text, ":") {
		isHome := (part == "~" || part == "${HOME}") && (v.tilde || !v.known)
		if !isHome && (strings.Contains(part, "..") || !trusted.MatchString(part)) {
			return false
		}
	}
	return true
}
