package shell

import (
	"strings"
	"testing"
)

// TestLanguages reads lines as the shells do that may run them. Each was run in bash,
// zsh and dash.
func TestLanguages(t *testing.T) {
	tests := []struct{ shell, line, want string }{
		// A comment ends with its line, whatever its last character.
		{"", "git status # x \\\ngit push", "Bash(?)"},
		{"zsh", "git status # x \\\ngit push", "Bash(?)"},
		{"", "echo '# x \\\ny'", "Bash(echo '# x \\\ny')"},
		{"", "echo a \\\n  b # c", "Bash(echo a b)"},

		// A carriage return is a character, and what it is part of is unknown.
		{"", "echo a \\\r\ntouch x", "Bash(?)  Bash(echo a \ufdd1)  Bash(touch x)  Write(x)"},
		{"", "echo a\rtouch x", "Bash(?)  Bash(echo a\ufdd1touch x)"},
		{"", "touch x\r", "Bash(?)  Bash(touch x\ufdd1)  Write(x\ufdd1)"},

		// What only bash or zsh know is unknown to sh.
		{"", `sh -c "[[ a > b ]]"`, "Bash(?)"},
		{"", `sh -c "grep '[[:space:]]' f"`, "Bash(grep [[:space:]] f)  Grep(f)"},
		{"", `sh -c 'echo $((1+2))'`, "Bash(echo ?)"},
		{"", `bash -c 'T=a; T+=b; $T x'`, "Bash(? x)?  Bash(x)?"},
		{"", `sh -c 'T=a; T+=b; $T x'`, "Bash(?)  Bash(? x)?  Bash(x)?"},
		{"sh", `declare T=a`, "Bash(?)"},
		{"", `sh -c "echo \$'a\\'; touch x #'"`, "Bash(?)  Bash(echo ?)"},
	}
	for _, tt := range tests {
		if got := shownCalls(Parse(tt.line, Options{Shell: tt.shell})); got != tt.want {
			t.Errorf("%s: %q\n got %s\nwant %s", tt.shell, tt.line, got, tt.want)
		}
	}
}

// TestVariablesAndForms reads lines whose variables, builtins or zsh forms run code, and
// ordinary ones beside them.
func TestVariablesAndForms(t *testing.T) {
	tests := []struct{ shell, line, want string }{
		{"", "path=(/opt/x/bin $path); ls", "Bash(ls)  Bash(?)"},
		{"", "path=(. $path); ls", "Bash(ls)  Bash(?)"},
		{"", "functions[ls]='touch x'; ls", "Bash(ls)  Bash(?)"},
		{"", "c='rm a'; $c", "Bash(rm a)  Delete(a)"},
		{"", "c='a b'; rm $c", "Bash(rm a b)  Delete(a)  Delete(b)"},
		{"", "for x (a b) echo $x", "Bash(?)"},
		{"", "ls *(.N)", "Bash(ls '*(.N)')"},
		{"", "ls *(e:'touch x':)", "Bash(ls '*(e:'\\''touch x'\\'':)')  Bash(?)"},
		{"", "echo x >! f", "Bash(echo x f)  Write(!)  Bash(?)"},
		{"", "git show $REF:path", "Bash(git show ?)  Read(?)"},
		{"", "setopt nullglob; ls", "Bash(setopt nullglob)?  Bash(ls)"},
		{"", "setopt extended_glob; ls", "Bash(setopt extended_glob)?  Bash(ls)"},
		{"", "repeat 2 git push", "Bash(repeat 2 git push)?"},
		{"", "PATH=$HOME/.cargo/bin:$PATH cargo test", "Bash(cargo test)"},
		{"", "export PATH=\"$HOME/go/bin:/usr/local/bin:$PATH\"; go test ./...", "Bash(go test ./...)"},
		{"", "PATH=./bin:$PATH ls", "Bash(PATH=?)?  Bash(ls)"},
		{"", "PATH=$PATH: ls", "Bash(PATH=?)?  Bash(ls)"},
		{"", "HOME=~ git status", "Bash(git status)"},
		{"", "HOME=/tmp/h git status", "Bash(HOME=/tmp/h)?  Bash(git status)"},
		{"", "GIT_PAGER=cat git log", "Bash(git log)"},
		{"", "GIT_EDITOR=true git rebase --continue", "Bash(git rebase --continue)  Write(?)"},
		{"", "GIT_EXTERNAL_DIFF=rm git diff", "Bash(GIT_EXTERNAL_DIFF=rm)?  Bash(git diff)"},
		{"", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' git status",
			"Bash(git status)"},
		{"", "GIT_CONFIG_KEY_0=core.pager git log", "Bash(GIT_CONFIG_KEY_0=core.pager)?  Bash(git log)"},
		{"", "GIT_TRACE=1 git fetch", "Bash(git fetch)"},
		{"", "GIT_TRACE=/p/x git fetch", "Write(/p/x)  Bash(git fetch)"},
		{"", "ENV=production npm test", "Bash(npm test)"},
		{"", "ENV=./rc sh -i", "Bash(?)  Bash(sh -i)?"},
		{"", "NODE_OPTIONS=--max-old-space-size=4096 npm test",
			"Bash(NODE_OPTIONS=--max-old-space-size=4096)?  Bash(npm test)"},
		{"", "NODE_OPTIONS='-r ./x.js' npm test", "Bash('NODE_OPTIONS=-r ./x.js')?  Bash(npm test)"},
		{"", "NODE_ENV=test CI=1 LC_ALL=C npm test", "Bash(npm test)"},
		{"", "read PATH < f", "Bash(PATH=?)?  Bash(read PATH)  Read(f)"},
		{"", "unset GIT_DIR HISTFILE; ls", "Bash(unset GIT_DIR HISTFILE)  Bash(ls)"},
		{"", "LESS=-R git log", "Bash(LESS=-R)?  Bash(git log)"},
		{"", "PS4='+ '; set -x; ls", "Bash('PS4=+ ')?  Bash(set -x)  Bash(ls)"},
		{"", "PS4='$(rm x)'; set -x; ls", "Bash('PS4=$(rm x)')?  Bash(set -x)  Bash(ls)"},
		{"", "declare T={echo,touch}; $T x", "Bash(?)  Bash({echo,touch} x)?"},
		{"", "A=touch; declare A=echo B=$A; $B x", "Bash(touch x)  Write(x)"},
		{"", "alias ll='ls -l'\nll src",
			"Bash(alias 'll=ls -l')  Bash(?)  Bash(ls -l)  Bash(ll src)?"},
		{"", "alias a='T=touch;'; a $T x", "Bash(alias 'a=T=touch;')  Bash(?)  Bash(a ? x)?"},
		{"", "mapfile -t lines < f", "Bash(mapfile -t lines)  Read(f)"},
		{"", "mapfile -C 'rm x;' -c1 < f",
			"Bash(mapfile -C 'rm x;' -c1)?  Read(f)"},
		{"", "test -v 'a[$(rm x)]'", "Bash(?)  Bash(test -v 'a[$(rm x)]')"},
		{"zsh", "[ 'a[$(rm x)]' -eq 1 ]", "Bash(?)  Bash([ 'a[$(rm x)]' -eq 1 ])"},
		{"", "read x; [ \"$f\" = '[a]' ]", "Bash(read x)  Bash(?)  Bash([ ? = [a] ])"},
		{"", "test -v HOME", "Bash(test -v HOME)"},
		{"", "[ \"$x\" = y ]", "Bash([ ? = y ])"},
		{"", "f1() { T=touch; }; T=echo; f1; $T x", "Bash(? x)?  Bash(x)?"},
		{"", "rm() { :; }; unset -f rm; rm a", "Bash(?)  Bash(unset -f rm)  Bash(:)"},
		{"", "declare -i n=0; n+=1", "Bash(?)"},
		{"", "declare -i n; n='a[$(rm x)]'", "Bash(?)  Bash(?)"},
		{"", "sh -c 'touch {a,b}'", "Bash(?)  Bash(touch a b)  Write(a)  Write(b)"},
		{"", "export $(cat .env)", "Bash(cat .env)  Read(.env)  Bash(?)"},
		{"", "SHELL=/bin/bash make", "Bash(make)"},
		{"zsh", "rm (a|b)", "Bash(?)"},
		{"zsh", "rm <1-3>", "Bash(?)"},
		{"zsh", "echo x > {p,q}", "Bash(echo x)  Write({p,q})  Bash(?)"},
		{"zsh", "setopt braceccl; rm {pq}", "Bash(setopt braceccl)?  Bash(rm {pq})  Delete({pq})"},
		{"", "echo a\\ b*(e:'touch X':)", "Bash(echo 'a b*(e:'\\''touch X'\\'':)')  Bash(?)"},
		{"", "echo \\(hi\\)", "Bash(echo '(hi)')"},
		{"", "echo \"${1:-none (here)}\"", "Bash(echo ?)"},
		{"", "touch x\\", "Bash(touch 'x\\')  Write('x\\')  Bash(?)"},
		{"", "wait $pid; $CMD x", "Bash(wait ?)  Bash(? x)?  Bash(x)?"},
		{"", "x=$(echo 'a[$(rm x)]'); (( x ))", "Bash(echo 'a[$(rm x)]')  Bash(?)"},
		{"", "let 'x=1'; let n=n+1", ""},
		{"", "for f in $(ls); do echo $f; done", "Bash(ls)  Bash(echo ?)"},
		{"", "for i in 1 2; do (( i > 1 )) && echo $i; done", "Bash(echo 1)  Bash(echo 2)"},
		{"", "n=$(wc -l < f); if [ \"$n\" -gt 3 ]; then echo big; fi",
			"Bash(wc -l)  Read(f)  Bash([ ? -gt 3 ])  Bash(echo big)"},
		{"", "dir=$PWD/x; n=0; (( n++ )); echo $dir", "Bash(echo ?)"},
		{"", "find . -name '*.go' | while read -r f; do wc -l \"$f\"; done",
			"Bash(find . -name *.go)  Glob(.)  Bash(read -r f)  Bash(wc -l ?)"},
		{"", "git log --format='%h %s' -5 && git diff --stat HEAD~1",
			"Bash(git log '--format=%h %s' -5)  Bash(git diff --stat HEAD~1)"},
		{"", "arr=(a b c); for i in \"${!arr[@]}\"; do echo \"$i: ${arr[$i]}\"; done", "Bash(echo ?)"},
		{"", "export FOO=bar BAZ=\"$FOO/x\"; echo $BAZ", "Bash(echo ?)"},
		{"", "cat <<'EOT'\na (b) *(c) ${(e)x} $=y\nEOT", "Bash(cat)"},
		{"", "echo \"cost: $5 (five)\" | grep -c '('", "Bash(echo ?)  Bash(grep -c '(')"},
		{"", "rg -n 'foo\\(bar' src | head", "Bash(rg -n 'foo\\(bar' src)  Grep(src)  Bash(head)"},
		{"", "awk '{print $1}' f | sort | uniq -c",
			"Bash(awk '{print $1}' f)  Read(f)  Bash(sort)  Bash(uniq -c)"},
		{"", "[[ $a == *(x|y) ]] && echo z", "Bash(echo z)"},
		{"", "ls ${dir}/*.{go,mod}", "Bash(ls ? ?)"},
		{"", "git log --oneline main..HEAD -- 'src/*.go'", "Bash(git log --oneline main..HEAD -- src/*.go)"},
		{"", "diff <(sort a) <(sort b)",
			"Bash(sort a)  Read(a)  Bash(sort b)  Read(b)  Bash(diff /dev/fd/63 /dev/fd/63)"},
		{"", "LC_ALL=C sort f; TZ=UTC date; CI=1 true; DEBUG=1 ls; COLUMNS=80 ls",
			"Bash(sort f)  Read(f)  Bash(date)  Bash(true)  Bash(ls)  Bash(ls)"},
		{"", "A=1 B=2 env | grep A", "Bash(env)  Bash(grep A)"},
		{"", "test -f x && [ -d y ] || [[ -v HOME ]]", "Bash(test -f x)  Bash([ -d y ])"},
		{"", "echo $((1 + 2)) ${#a} ${a%.*} ${a:0:3} ${a//x/y}", "Bash(echo ? ? ? ? ?)"},
		{"", "a=Pwned; : > $a:l", "Bash(:)  Write(Pwned:l)  Bash(?)"},
		{"", "a=d/x; rm \"$a:t\"", "Bash(rm d/x:t)  Delete(d/x:t)  Bash(?)"},
		{"", "set -A functions ls 'rm x'; ls", "Bash(?)  Bash(set -A functions ls 'rm x')  Bash(ls)"},
		{"", "zsh -o shwordsplit -c 'ls'", "Bash(?)  Bash(ls)"},
		{"", "bash --rcfile b -i", "Bash(?)  Bash(bash --rcfile b -i)?"},
		{"", "jobs -x rm a", "Bash(jobs -x rm a)?"},
		{"", "history -w f", "Bash(history -w f)?"},
		{"zsh", "touch x\\", "Bash(touch 'x\\')  Write('x\\')  Bash(?)"},
		{"zsh", "a=Pwned; : > $a:l", "Bash(:)  Write(Pwned:l)  Bash(?)"},
		{"zsh", "a=d/x; rm \"$a:t\"", "Bash(rm d/x:t)  Delete(d/x:t)  Bash(?)"},
		{"bash", "path=(. $path); ls", "Bash(ls)"},
		{"bash", "functions[ls]='touch x'; ls", "Bash(ls)"},
		{"bash", "echo x >! f", "Bash(echo x f)  Write(!)"},
		{"bash", "c='a b'; rm $c", "Bash(rm a b)  Delete(a)  Delete(b)"},
	}
	for _, tt := range tests {
		if got := shownCalls(Parse(tt.line, Options{Shell: tt.shell})); got != tt.want {
			t.Errorf("%s: %q\n got %s\nwant %s", tt.shell, tt.line, got, tt.want)
		}
	}
}

// TestHasZsh reads lines in a shell that is not named: zsh's reading counts where there is
// a zsh, and it is asked for where it matters.
func TestHasZsh(t *testing.T) {
	const differs = "ls *(e:x:)"
	asked := 0
	hasZsh := func(is bool) func() bool { return func() bool { asked++; return is } }
	for _, tt := range []struct {
		o    Options
		line string
		as   Options
		asks int
	}{
		{Options{HasZsh: hasZsh(true)}, "git status && ls -la", Options{}, 0},
		{Options{HasZsh: hasZsh(true)}, differs, Options{}, 1},
		{Options{HasZsh: hasZsh(false)}, differs, Options{Shell: "bash"}, 1},
		{Options{HasZsh: hasZsh(false), Shell: "fish"}, differs, Options{Shell: "bash"}, 1},
		{Options{HasZsh: hasZsh(false), Shell: "zsh"}, differs, Options{Shell: "zsh"}, 0},
		{Options{HasZsh: hasZsh(true), Shell: "bash"}, differs, Options{Shell: "bash"}, 0},
	} {
		asked = 0
		got, want := shownCalls(Parse(tt.line, tt.o)), shownCalls(Parse(tt.line, tt.as))
		if got != want || asked != tt.asks {
			t.Errorf("%q in %q: asked %d times for %s, want %d for %s", tt.line, tt.o.Shell, asked, got, tt.asks, want)
		}
	}
}

func shownCalls(calls []Call) string {
	var out []string
	for _, c := range calls {
		out = append(out, c.String())
	}
	return strings.Join(out, "  ")
}
