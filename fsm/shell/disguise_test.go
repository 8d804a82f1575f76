package shell

import "strings"

// disguised makes a line that changes a file, in up to four disguises: most such lines
// really do.
func (g *generator) disguised() string {
	line := g.change()
	for n := g.IntN(4); n > 0; n-- {
		line = g.disguise(line)
	}
	return line
}

// change is a simple command that changes a file.
func (g *generator) change() string {
	words := strings.Fields(g.pick("rm a", "touch x", "cp a x", "mv a x", "ln a x", "tee x", "mkdir x", "sort -o x a",
		"dd if=a of=x",
		"sed -i s/a/b/ a", "truncate -s0 a", "chmod 600 a", "git rm -f a", "git mv a x", "git checkout -f",
		"find a -delete",
		"install a x", "split a", "uniq a x", "gzip a", "tar cf x a", "zip x a", "unlink a", "shred -u a",
		"sed -n wx a",
		"git diff --output=x", "xxd a x", "patch -p1 -i fix.patch", "git stash", "make", "./build.sh"))
	if g.IntN(5) == 0 {
		return g.pick("echo y ", "ls ", "", ": ", "cat <b ", "git log ") + g.pick(">", ">>", "1>", ">|", "2>", "<>",
			">&") + g.pick("x", " a", " \"x\"", " ./x", " $PWD/x")
	}
	for i, w := range words {
		if g.IntN(4) == 0 {
			words[i] = g.disguiseWord(w)
		}
	}
	return strings.Join(words, " ")
}

// disguiseWord writes a word differently.
func (g *generator) disguiseWord(w string) string {
	at := 1 + g.IntN(max(1, len(w)-1))
	if at > len(w) {
		at = len(w)
	}
	a, b := w[:at], w[at:]
	way := g.IntN(16)
	if w[0] == '-' || strings.HasPrefix(w, "diff") {
		way %= 3 // an unknown word is taken for an operand
	}
	switch way {
	case 0:
		return a + "''" + b
	case 1:
		return `"` + a + `"` + b
	case 2:
		return "'" + w + "'"
	case 3:
		return "$(echo " + w + ")"
	case 4:
		return "`echo " + w + "`"
	case 5:
		return "${Q:-" + w + "}"
	case 6:
		return a + "$Q" + b
	case 7:
		return a + "\\\n" + b
	case 8:
		return a + "\\" + b
	case 9:
		return "{" + w + "," + "}"
	case 10:
		return "$'" + w + "'"
	case 11:
		return a + "{" + b + ",}"
	case 12:
		return a + "${Q+z}" + b
	case 13:
		return `"$(printf %s ` + w + `)"`
	case 14:
		return a + "[" + b[:min(1, len(b))] + "]" + b[min(1, len(b)):]
	}
	return w
}

// quoted is a text as one word.
func (g *generator) quoted(s string) string {
	if g.IntN(3) == 0 && !strings.ContainsAny(s, "\"\\$`!\n") {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// disguise puts a line into another that runs it.
func (g *generator) disguise(l string) string {
	q := g.quoted(l)
	all := []func() string{
		func() string { return g.pick("eval ", "eval -- ", "command eval ", "builtin eval ") + q },
		func() string {
			return g.pick("sh", "bash", "zsh", "dash", "env sh", "nice bash", "exec sh", "busybox sh", "command sh",
				"timeout 5 sh") + " -c " + q
		},
		func() string { return "f() { " + l + "\n}; f" },
		func() string {
			return g.pick("ls", "git", "cat", "echo") + "() { " + l + "\n}; " + g.pick("ls", "git", "cat", "echo")
		},
		func() string { return "trap " + q + " " + g.pick("EXIT", "0", "DEBUG", "USR1; kill -USR1 $$") },
		func() string {
			return "x=" + q + "; " + g.pick("eval \"$x\"", "sh -c \"$x\"", "eval $x", "$x", "${x}",
				"printf %s \"$x\" | sh")
		},
		func() string {
			return g.pick("echo ", "printf '%s\\n' ", "print -r -- ") + q + g.pick(" | sh", " | bash -s",
				" | xargs -I{} sh -c {}", " > /tmp/s; sh /tmp/s", " > /tmp/s; . /tmp/s", " | (read -r x; eval \"$x\")")
		},
		func() string {
			return g.pick("sh", "bash", "cat", "eval \"$(cat", "zsh") + " <<'E'" + "\n" + l + "\nE\n"
		},
		func() string {
			return g.pick("echo ", ": ", "x=", "cd ", "test -n ", "export x=", "git log ", "local x=", "exec ",
				"printf ") + g.pick("\"$(", "$(", "\"${x:-$(", "\"pre$(") + l + "\n)\""
		},
		func() string {
			return g.pick("if ", "while ", "until ! ") + l + g.pick("\nthen :; fi", "\ndo break; done")
		},
		func() string {
			return g.pick("if true; then ", "for i in 1 2; do ", "while :; do ") + l + g.pick("\nfi", "\ndone",
				"\nbreak; done")
		},
		func() string { return "case x in " + g.pick("x", "*", "(x") + ") " + l + "\n;; esac" },
		func() string { return g.pick("(", "{ ", "! { ", "time (", "( (") + l + g.pick("\n)", "\n}", "\n) )") },
		func() string {
			return g.pick("true && ", "false || ", "ls | ", "! ", "ls; ", "ls\n", "git status # x\n", "ls # \\\n",
				"cd docs; cd ..; ", "set -e; ") + l
		},
		func() string {
			return l + g.pick(" &\nwait", " | cat", " && ls", " > /dev/null 2>&1", "; ls", " # x", " || true",
				" |& cat")
		},
		func() string {
			return "cat " + g.pick("<(", "=(", ">(") + l + "\n)" + g.pick("", "; wait", "; sleep 0.1")
		},
		func() string {
			return g.pick("((a[$(", "[[ $(", "echo $((1+$(", "[[ -v 'a[$(") + l + g.pick("\n)]))", "\n) ]]", "\n)))",
				"\n)]' ]]")
		},
		func() string { return "coproc " + g.pick("", "X ") + "{ " + l + "\n}; wait" },
		func() string { return "find . -maxdepth 0 -exec sh -c " + q + " \\;" },
		func() string { return "echo a | xargs sh -c " + q },
		func() string {
			return g.pick("env X=1 ", "env -i PATH=\"$PATH\" ", "nohup ", "setsid ", "stdbuf -o0 ", "flock /tmp/l ",
				"ionice -c3 ", "nice -n1 ", "script -qc ") + "sh -c " + q
		},
		func() string { return "git -c alias.z='!'" + q + " z" },
		func() string { return "alias z=" + q + "\nz" },
		func() string { return "shopt -s expand_aliases; alias z=" + q + "\nz" },
		func() string {
			return g.pick("GIT_EDITOR=", "GIT_EXTERNAL_DIFF=", "PAGER=") + q + g.pick(" git commit --amend",
				" git diff", " git -p log")
		},
		func() string { return "repeat 1 { " + l + "\n}" },
		func() string { return "() { " + l + "\n}" },
		func() string { return "{ " + l + "\n} always { : }" },
		func() string { return "functions[f]=" + q + "; f" },
		func() string { return "emulate " + g.pick("sh", "zsh") + " -c " + q },
		func() string { return "echo *(e:" + q + ":)" },
		func() string {
			return "set -- " + l + "; " + g.pick("\"$@\"", "$@", "$*", "eval \"$*\"", "command \"$@\"",
				"f() { \"$@\"; }; f \"$@\"")
		},
		func() string {
			return "x=(" + l + "); " + g.pick("\"${x[@]}\"", "${x[@]}", "${x[*]}", "$x", "eval \"${x[*]}\"")
		},
		func() string { return "read -r x <<E\n" + l + "\nE\n" + g.pick("eval \"$x\"", "$x", "sh -c \"$x\"") },
		func() string { return "PS4='$(" + l + "\n)'; " + g.pick("set -x; :", "setopt promptsubst xtrace; :") },
		func() string {
			return "awk 'BEGIN{system(\"" + strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "'", "'\\''", "\n",
				"\\n").Replace(l) + "\")}'"
		},
		func() string { return "perl -e 'system(q{" + strings.ReplaceAll(l, "'", "'\\''") + "})'" },
		func() string { return "printf 'x:\\n\\t%s\\n' " + q + " | make -f - x" },
		func() string {
			return "declare -" + g.pick("i", "a", "A", "l", "n") + " x=" + g.pick("'a[$(", "\"$(", "'($(") + l +
				g.pick("\n)]'", "\n)\"", "\n))'")
		},
	}
	return all[g.IntN(len(all))]()
}
