package guard

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/clients"
)

const ourProcess = "the processes of the pipeline and its client"

// listPrivate are the folders of our state that no agent has any business in. The long texts
// in the project are for agents to read.
func (g Guards) listPrivate() []string {
	texts := system.Join(g.Root, ".pipeline")
	return slices.DeleteFunc(slices.Clone(g.States), func(s string) bool { return s == "" || s == texts })
}

// isPrivate reports whether a resolved path lies in a private folder.
func (g Guards) isPrivate(path string) bool {
	private := g.listPrivate()
	return slices.ContainsFunc(g.listPlaces(path), func(p string) bool {
		return slices.ContainsFunc(private, func(s string) bool { return isWithin(p, s) })
	})
}

// reachesPrivate reports whether words of a command name a place in a private folder. Where
// the command runs code, it is enough that the code mentions it.
func (l *line) reachesPrivate(c shell.Call) bool {
	for _, w := range c.Words {
		if w == shell.Unknown {
			continue
		}
		if c.Code && l.mentionsPrivate(w) {
			return true
		}
		for _, w := range slices.Compact([]string{w, w[strings.IndexByte(w, '=')+1:]}) {
			w = system.Native(w)
			if strings.ContainsAny(w, "\n") || len(w) > 4096 || !strings.Contains(w, "/") && c.Dir == "" {
				continue
			}
			for _, dir := range l.listDirs(c) {
				if l.reachesPath(w, dir) {
					return true
				}
			}
		}
	}
	return false
}

// mentionsPrivate reports whether a text has the path of a private folder in it.
func (g Guards) mentionsPrivate(text string) bool {
	text = strings.ReplaceAll(g.fold(filepath.ToSlash(text)), "//", "/")
	return slices.ContainsFunc(g.listPrivate(), func(s string) bool {
		return strings.Contains(text, strings.TrimPrefix(s, g.Home+"/"))
	})
}

// reachesPath reports whether a path or a pattern leads into a private folder. Tools take a path as it
// is: [ and * are letters of a name.
func (l *line) reachesPath(path, dir string) bool {
	if strings.ContainsAny(path, wildcards) {
		if !strings.Contains(path, "/") {
			return false
		}
		l.followGuards()
		return l.findGuardedByPattern("Read", path, dir) == ourState
	}
	return l.reachesResolved(l.resolve(path, dir))
}

func (l *line) reachesResolved(path string) bool {
	if l.isPrivate(path) {
		return true
	}
	if l.known || isWithin(path, l.Root) {
		return false
	}
	l.followGuards()
	return l.isPrivate(path)
}

// controlCommands are commands that change how the processes run that they are given.
const controlCommands = " kill prlimit renice ionice chrt taskset cpulimit taskkill tskill gdb lldb strace ltrace" +
	" reptyr nsenter cgclassify criu stop-process spps "

// aimsAtUs reports whether a command is aimed at our processes or the client's, as far as
// its words tell.
func aimsAtUs(c shell.Call, name string) bool {
	if len(c.Words) < 2 {
		return false
	}
	args := c.Words[1:]
	// A number may be that of this process, of the client that started it, or of one of their groups.
	isOurProcess := func(word string) bool { // -9, --pid=9, -p9
		n, _ := strconv.Atoi(strings.TrimLeftFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }))
		return n > 1 && (n == os.Getpid() || n == os.Getppid())
	}
	switch {
	case hasWord(controlCommands, name):
		return c.Parent || slices.ContainsFunc(args, isOurProcess) ||
			name == "kill" && slices.Contains(args[1:], "-1") ||
			hasWord(" taskkill stop-process spps ", name) && slices.ContainsFunc(args, namesOurImage)
	case hasWord(" killall pkill skill xkill ", name):
		return c.Parent || slices.ContainsFunc(args, func(a string) bool {
			return isOurProcess(a) || !strings.HasPrefix(a, "-") && a != shell.Unknown && namesProcess(a, name, args)
		})
	}
	return false
}

// namesOurImage reports whether a word of taskkill is, or can match, the name of our
// program or the client's.
func namesOurImage(word string) bool {
	word = shell.CommandName(word)
	return slices.ContainsFunc([]string{"pipeline", "pipeline.exe", "claude", "claude.exe"}, func(name string) bool {
		return matchName(word, name)
	})
}

// namesProcess reports whether a name, or a pattern of pkill, is that of a hook call or of
// the client. With -f a pattern is compared with the whole command line.
func namesProcess(word, command string, args []string) bool {
	names := []string{"pipeline", "claude"}
	isWord := func(a string) bool { return !strings.HasPrefix(a, "-") }
	options := strings.Join(slices.DeleteFunc(slices.Clone(args), isWord), "")
	if command == "killall" && !strings.Contains(options, "r") {
		return slices.Contains(names, strings.ToLower(filepath.Base(word)))
	}
	if strings.Contains(options, "f") {
		for _, client := range clients.Names() {
			names = append(names, "pipeline hook --host "+client)
		}
	}
	re, err := regexp.Compile("(?i)" + word)
	return err == nil && slices.ContainsFunc(names, re.MatchString)
}

// runsForeign reports whether a command that only shows something runs build files outside of the project, and of where
// the line begins, or is git and reads its settings from a repository there. Anyone may have written those, and
// settings name programs to run.
func (l *line) runsForeign(c shell.Call) bool {
	for _, dir := range l.listDirs(c) {
		if slices.ContainsFunc(c.Evaluates, func(from string) bool { return l.isForeign(l.enter(dir, from)) }) {
			return true
		}
		if l.name != "git" {
			continue
		}
		words, own := c.Words[1:], ""
		for ; len(words) > 0 && strings.HasPrefix(words[0], "-"); words = words[1:] {
			name, value, has := strings.Cut(words[0], "=")
			if !has && len(words) > 1 && shell.TakesValue("git", name) {
				value, words = words[1], words[1:]
			}
			switch name {
			case "-C":
				dir = l.enter(dir, value)
			case "--git-dir":
				own = value
			}
		}
		if own != "" {
			dir = l.enter(dir, own)
		}
		if len(words) > 0 && l.isForeign(dir) { // else it is git --version
			return true
		}
	}
	return false
}

// isForeign reports whether a folder lies outside of the project, and of where the line
// begins.
func (l *line) isForeign(dir string) bool {
	at := l.fold(dir)
	return l.Root != "" && (dir == shell.Unknown || !isWithin(at, l.resolve(l.Root, "/")) &&
		!isWithin(at, l.resolve(l.dirs[0], "/")) && !l.isWorktree(dir))
}

// enter returns the folder that a path means in another, or Unknown.
func (l *line) enter(dir, to string) string {
	if to == shell.Unknown || dir == shell.Unknown && !isRooted(to) {
		return shell.Unknown
	}
	return resolvePath(leaveLinks(to, dir, l.Home), dir, l.Home)
}

// isWorktree reports whether a folder is in a linked worktree of the project, which has the
// project's settings.
func (g Guards) isWorktree(dir string) bool {
	for dir := range system.Upward(dir) {
		if to, ok := strings.CutPrefix(system.ReadLine(system.Join(dir, ".git")), "gitdir: "); ok {
			return isWithin(g.resolve(to, dir), g.resolve(system.Join(g.Root, ".git", "worktrees"), "/"))
		}
	}
	return false
}
