package shell

import "testing"

// TestScripts: scripts of sed and awk that only edit and print, and those that may do more.
func TestScripts(t *testing.T) {
	for script, want := range map[string]bool{
		`1,20p`: true, `$d`: true, `s/a/b/g`: true, `s|a/b|c|;s/x/y/`: true, `s/[^a-z]//g`: true, `s/[[:space:]]*$//`: true,
		`/^#/d`: true, `/a/,/b/{s/x/y/;p}`: true, "1i\\\n// w out": false, "a foo": true, "$!N;P;D": true,
		":a;N;$!ba;s/\\n/ /g": true, `/x/I,+3p`: true, `10q`: true, `/re/!d`: true, `s/\//x/`: true, `\,a,p`: false,
		`s/a/\n/`: true, `/a/s//b/2gp`: true, `y/abc/xyz/`: true, `s/a/[b/`: true, `${x;p}`: true, `1~2p`: true,
		`0,/a/d`: true, `/a/{n;d}`: true, `s/"[0-9]*\.[0-9]*"/"1"/`: true, `s/a/b/;#c`: true,
		`s/a/b/w out`: false, `s/a/b/e`: false, `e ls`: false, `w out`: false, `r f`: false, `s/[/]/;/w a/;p`: false,
		`s/[/]/x/`: false, `s/[[:alpha:]/]/;/w x/`: false, "# a\nw out": false, "# a\\\nw out": false,
		`b end; :end w x`: false,
		"${w}\n}":         false, "t\\a w f\\p": false, "b y/a/b/;w f": false, ":x/i\\\nw f": false,
		"ba;i\\\nw f":  false,
		"tx#;i\\\nw f": false, ":a}i\\\nw f": false, `s,a,b,w x`: false, `\xaxw f`: false, `s\a\b\w f`: false,
		"a x\\\nw y": false, "i\\x\nw y": false,
	} {
		if got := editsOnly(script); got != want {
			t.Errorf("sed: %s: edits only: %v", script, got)
		}
	}
	for script, want := range map[string]bool{
		`{print $1}`: false, `$3 > 5 {print}`: false, `/foo|bar/ {print $2}`: false, `{if ($1 > 2 || x) print}`: false,
		`{print ($1 > 5 ? "a" : "b")}`: false, `{print "x" > "/dev/stderr"}`: false, `{ print $1 "|" $2 }`: false,
		`/->/ {n++} END {print n}`: false, `{gsub(/a>b|c/, "x"); print}`: false, `{print a[$1 > 2]}`: true,
		`length($0) > 80 { print FILENAME ": " FNR }`: false, `NR>=10 && NR<=20`: false, `NR>1{print}`: false, `!seen[$0]++`: false,
		`{print > "a"}`: true, `{print "x" > "/dev/stderr"; print > f}`: true, `BEGIN{"ls" | getline x}`: true, `{print | "sh"}`: true,
		`a/b; system("x") /1`: true, `/[/]"/ ; system("x") ; /"/`: true, `BEGIN { printf "%s", a > b }`: true, `@load "x"`: true,
		`BEGIN{x = /#/; system("x")}`: true, `BEGIN{x = /"/; system("x")}`: true, "{print \"a\",\n\"b\" > \"f\"}": true,
		"{print \"a\" \\\n > \"f\"}": true, `{s+=$1} END {if (NR>0) print s/NR}`: false, `{ print s/NR > "/dev/stderr" }`: false,
		"# it's \"\n{system(\"x\")}": true, `{if (x) /#/; system("y")}`: true, `$1 ~ /#/ {print $2 > 1 "/"}`: true,
	} {
		if got := awkActs(script); got != want {
			t.Errorf("awk: %s: acts: %v", script, got)
		}
	}
}
