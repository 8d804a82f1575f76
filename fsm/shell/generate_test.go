package shell

import (
	"math/rand/v2"
	"strings"
)

// generator makes shell lines: from a grammar that likes corners, or by changing
// lines of the corpus.
type generator struct {
	*rand.Rand
	seeds []string
	depth int
}

func (g *generator) pick(choices ...string) string { return choices[g.IntN(len(choices))] }

// line makes one line.
func (g *generator) line() string {
	g.depth = 0
	if g.IntN(2) == 0 {
		return g.disguised()
	}
	if len(g.seeds) > 0 && g.IntN(3) == 0 {
		return g.mutated()
	}
	return g.list()
}

func (g *generator) list() string {
	var b strings.Builder
	for n := 1 + g.IntN(3); n > 0; n-- {
		b.WriteString(g.compound())
		if n > 1 {
			b.WriteString(g.pick("; ", "\n", " && ", " || ", " | ", " & ", " |& ", ";\n"))
		}
	}
	return b.String()
}

func (g *generator) compound() string {
	if g.depth > 3 {
		return g.simple()
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(26) {
	case 0:
		return "(" + g.list() + ")" + g.redirect()
	case 1:
		return "{ " + g.list() + "; }" + g.redirect()
	case 2:
		return "if " + g.list() + "; then " + g.list() + "; else " + g.list() + "; fi"
	case 3:
		return "for " + g.name() + " in " + g.words() + "; do " + g.list() + "; done"
	case 4:
		return "for X; do " + g.list() + "; done"
	case 5:
		return "case " + g.word() + " in a) " + g.list() + g.pick(";;", ";&", ";;&") + " *) " + g.list() + ";; esac"
	case 6:
		return g.pick("f", "g", "echo", "cat") + "() { " + g.list() + "; }"
	case 7:
		return "f " + g.words()
	case 8:
		return g.pick("trap ", "eval ", "alias f=", "eval -- ") + g.code() + g.pick(" EXIT", "", "")
	case 9:
		return g.pick("bash", "sh") + " -c " + g.code() + " " + g.words()
	case 10:
		return g.pick("bash", "sh", "cat", "bash -s", "read X") + " <<" + g.heredoc()
	case 11:
		return g.pick("X", "Y", "Z", "A") + g.pick("=", "+=") + g.word()
	case 12:
		return g.pick("export ", "readonly ", "declare ", "local ", "declare -i ", "declare -n ", "declare -x ",
			"unset ") + g.name() + g.pick("=", "=", "") + g.word()
	case 13:
		return "A=(" + g.words() + ")"
	case 14:
		return "set -- " + g.words()
	case 15:
		return g.pick("xargs ", "env ", "nice ", "timeout 1 ", "command ", "builtin ", "exec ", "nohup ", "X=a ",
			"IFS=a ", "env X=a ", "! ", "time ") + g.simple()
	case 16:
		return "find . " + g.pick("-exec ", "-ok ", "-execdir ") + g.simple() + " {} " + g.pick(`\;`, "+")
	case 17:
		return "[[ " + g.word() + g.pick(" == ", " -eq ", " < ", " =~ ") + g.word() + " ]]"
	case 18:
		return "((" + g.pick("X=", "X+", "A[", "") + g.pick("1", "X", g.word()) + "))"
	case 19:
		return "while " + g.simple() + "; do " + g.list() + "; break; done"
	case 20:
		return g.pick("read X", "printf -v X %s", "mapfile A", "getopts ab X", "let X=1", "shift", "break", "continue",
			"return", "exit", "IFS=a", "set -e", "unset f", "unset -f f", "cd sub",
			"shopt -s expand_aliases extglob nullglob")
	}
	return g.simple()
}

func (g *generator) simple() string {
	cmd := g.pick("echo", "cat", "printf %s", "true", "head -1", "grep a", "sort", "sed -n p", "awk 1", "tr a b", "wc",
		"rm", "touch", "tee", "cp a", "mkdir", "sed -i s/a/b/", "find . -name", "awk", "sed", "X=rm", "f", g.word(),
		g.word())
	return cmd + " " + g.words() + g.redirect()
}

func (g *generator) words() string {
	var ws []string
	for n := g.IntN(3); n > 0; n-- {
		ws = append(ws, g.word())
	}
	return strings.Join(ws, " ")
}

func (g *generator) name() string { return g.pick("X", "Y", "Z", "A") }

func (g *generator) word() string {
	if g.depth > 5 {
		return "a"
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(22) {
	case 0:
		return `"` + g.inner() + `"`
	case 1:
		return "'" + g.pick("rm b", "touch x", "a b", "> x", "$(touch x)", "X", "A[$(touch x)]", "echo $X", "r") + "'"
	case 2:
		return "$" + g.name()
	case 3:
		return "${" + g.name() + g.pick("", ":-", ":=", ":+", "%", "##", "^^", "//a/", "@P", "[0]", "[@]", ":1:2",
			"-") + g.pick("}", "rm}", "touch x}", "a}", "$X}", "$(touch x)}")
	case 4:
		return "$(" + g.list() + ")"
	case 5:
		return "`" + g.pick("touch x", "echo rm", "cat a", "echo a") + "`"
	case 6:
		return "{" + g.word() + "," + g.word() + "}"
	case 7:
		return g.pick("<", ">") + "(" + g.list() + ")"
	case 8:
		return "$((" + g.pick("1", "X", "X=1", "A[0]", "A[$(touch x)]") + "))"
	case 9:
		return g.pick("r\\m", "r''m", `t"ou"ch`, "to\\\nuch", "{rm,b}", "r$Z''m", "*", "?", "[ab]", "sub*", "!", "{",
			"}", "--", "-", "-n", "-e", "-c", "-o")
	case 10:
		return g.pick("$@", `"$@"`, "$1", "$*", `"$*"`, "${!X}", "$#", "${A[@]}", `"${A[@]}"`, "${#X}", "$?", "${X@P}",
			"${!X*}")
	case 11:
		return g.word() + g.word()
	case 12:
		return g.pick("'BEGIN{print 1 > \"x\"}'", "'{print > $1}'", "'BEGIN{system(\"touch x\")}'", "'1{p}'", "'w x'",
			"'s,a,b,w x'", "'1e touch x'", "'$!N;P;D'", "'s/[/]/b/w x'", "'{ x = 1 > 2 } 1'", "'/a/{w x\n}'",
			"'a\\\nw x'", "'y/abc/wxy/'", "-i", "--in-place", "-delete", "-fprint")
	}
	return g.pick("a", "b", "rm", "touch", "x", "c", "sub", "echo", "cat", "1", "X", "X=a", "f")
}

func (g *generator) inner() string {
	return g.pick("a", "", "rm ", "touch x") + g.pick("$X", "$(echo b)", "${X:-rm}", "`echo a`", "$@", "", "$(touch x)",
		"\\$X", "\\\"") + g.pick("", "b", " x")
}

func (g *generator) code() string {
	if g.IntN(2) == 0 {
		return "'" + strings.ReplaceAll(g.list(), "'", `'\''`) + "'"
	}
	return g.word()
}

func (g *generator) heredoc() string {
	return g.pick("", "-") + g.pick("E", "'E'", "\\E") + "\n" + g.list() + "\nE\n"
}

func (g *generator) redirect() string {
	switch g.IntN(14) {
	case 0:
		return " " + g.pick(">", ">>", ">|", "&>", "2>", ">&", "<>", "3>", "&>>") + g.pick("x", " x", "$X", "&1", "&2",
			" sub", "-")
	case 1:
		return " <" + g.pick("a", "b", "$X", "<< a", "<< 'touch x'", "&0", "<< \"$X\"")
	case 2:
		return " 2>&1"
	}
	return ""
}

// mutated changes a line of the corpus, or joins two.
func (g *generator) mutated() string {
	s := g.seeds[g.IntN(len(g.seeds))]
	for n := 1 + g.IntN(4); n > 0; n-- {
		s = g.mutate(s)
	}
	return s
}

func (g *generator) mutate(s string) string {
	at := g.IntN(len(s) + 1)
	switch g.IntN(6) {
	case 0:
		return s[:at] + g.pick(";", "&", "|", ">x", "<", "$", "(", ")", "{", "}", `"`, "'", "`", "\\", " ", "\n", "#",
			"*", "!", "=", "$X", "$(", ">") + s[at:]
	case 1:
		end := min(len(s), at+1+g.IntN(6))
		return s[:at] + s[end:]
	case 2:
		return s[:at] + " " + g.word() + " " + s[at:]
	case 3:
		other := g.seeds[g.IntN(len(g.seeds))]
		return s[:at] + other[g.IntN(len(other)+1):]
	case 4:
		ws := strings.Fields(s)
		if len(ws) > 1 {
			i, j := g.IntN(len(ws)), g.IntN(len(ws))
			ws[i], ws[j] = ws[j], ws[i]
		}
		return strings.Join(ws, " ")
	}
	return s + g.pick("; ", " && ", " | ", "\n") + g.simple()
}
