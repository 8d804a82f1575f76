package guard

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// TestLines: shell lines that change what is ours, and those that do not. @ stands for
// the user's home.
func TestLines(t *testing.T) {
	tests := []struct{ line, want string }{
		{"echo x > configs/pipeline.yaml", "config"},
		{"echo x >> ./configs/pipeline.local.yml", "config"},
		{"cd configs && echo x > pipeline.yaml", "config"},
		{"cd configs; echo x > pipeline.yaml", "config"},
		{"cd src; cd ../configs; echo x > pipeline.yaml", "config"},
		{"(cd configs; tee pipeline.yaml < x)", "config"},
		{"pushd configs && sed -i s/strict/off/ pipeline.yaml", "config"},
		{"bash -c 'cd configs && echo x > pipeline.yaml'", "config"},
		{"D=configs; echo x > $D/pipeline.yaml", "config"},
		{"echo x > same.yaml", "config"},
		{"echo x > to-be.yaml", "config"},
		{"echo x > src/../linked/pipeline.yaml", "config"},
		{"tee @/.config/pipeline/pipeline.yaml < x", "config"},
		{"sed -i s/strict/off/ configs/pipeline.yaml", "config"},
		{"cp evil.yaml configs/pipeline.yaml", "config"},
		{"cp other/pipeline.yaml configs/", "config"},
		{"cp other/pipeline.yaml configs", "config"},
		{"cp other/pipeline.yaml linked", "config"},
		{"cp other/pipeline.yaml .", "config"},
		{"mv other/pipeline.yaml .claude", "config"},
		{"install -m 644 other/pipeline.yaml configs", "config"},
		{"ln -sf /tmp/evil.yaml configs/pipeline.yaml", "config"},
		{"ln configs/pipeline.yaml x", "config"},
		{"truncate -s 0 configs/pipeline.yaml", "config"},
		{"dd if=/dev/null of=configs/pipeline.yaml", "config"},
		{"curl -o configs/pipeline.yaml http://x", "config"},
		{"chmod 000 configs/pipeline.yaml", "config"},
		{"chmod -R 000 configs", "config"},
		{"tar xf x.tar -C configs", "config"},
		{"git checkout -- configs/pipeline.yaml", "config"},
		{"git checkout HEAD~1 -- configs", "config"},
		{"rm configs/pipeline.yaml", "config"},
		{"rm -f same.yaml", "config"},
		{"rm configs/*", "config"},
		{"cd configs && rm p*.yaml", "config"},
		{"rm -rf *", "the "},
		{"rm -rf configs", "config"},
		{"rm -rf ../proj", "config"},
		{"rm -rf .?laude", "settings"},
		{"rm -rf .", "config"},
		{"sudo rm -rf configs", "config"},
		{"mv configs old", "config"},
		{"mv configs/pipeline.yaml x", "config"},
		{"git mv configs old", "config"},
		{"git rm configs/pipeline.yaml", "config"},
		{"find configs -delete", "config"},
		{"find . -name 'pipe*' -delete", "config"},
		{"find . -name configs -delete", "config"},
		{"find ~/.local -type f | xargs cat", "state"},
		{"find . -delete -name '*.pyc'", "config"},
		{"find . ! -name '*.pyc' -delete", "config"},
		{"find . ! -empty -o -name '*.yaml' -delete", "config"},
		{"find . ! \\( -name x \\) -name '*.pyc' -delete", "config"},
		{"find . -name '*.yaml' ! -path './x/*' -delete", "config"},
		{"find . \\( -name '*.pyc' -name 'x*' -o -empty \\) -delete", "config"},
		{"find . \\( ! -name x -o -name '*.pyc' \\) -delete", "config"},
		{"find . -name '*.pyc' -o -name '*.yaml' -delete", "config"},
		{"find . \\( -name '*.pyc' -o -name '*.yaml' \\) -delete", "config"},
		{"find . -iname 'PIPE*' -delete", "config"},
		{"find . -name '*.pyc' -o -delete", "the "},
		{"find configs -type f -exec sed -i s/a/b/ {} +", "config"},
		{"sed -i s/a/b/ conf*/*.yaml", "config"},
		{"sed -i s/a/b/ sam*.yaml", "config"},
		{"sed -i s/a/b/ sam[!x].yaml", "config"},
		{"sed -i s/a/b/ sam[[:lower:]].yaml", "config"},
		{"sed -i s/a/b/ sam[[.e.]].yaml", "config"},
		{"sed -i s/a/b/ link*/pipelin[!x].yaml", "config"},
		{"sed -i s/a/b/ linke[!x]/pipeline.yaml", "config"},
		{"sed -i s/a/b/ link*/pipe*", "config"},
		{"find link*/ -type f | xargs sed -i s/a/b/", "config"},
		{"sed -i s/a/b/ configs/[a-q]*", "config"},
		{"shopt -s dotglob; sed -i s/a/b/ *ude/settings.json", "settings"},
		{"setopt globdots; sed -i s/a/b/ *ude/settings.json", "settings"},
		{"setopt GLOB_DOTS; sed -i s/a/b/ *ude/settings.json", "settings"},
		{"setopt DOT_GLOB; sed -i s/a/b/ *ude/settings.json", "settings"},
		{"sed -i s/a/b/ *ude/settings.json", ""},
		{"tee configs/* < x", "config"},
		{"rm configs/pipeline.y[[:alpha:]]ml", "config"},
		{"rm configs/pipeline.y[[.a.]]ml", "config"},
		{"rm configs/pipeline.y[[=a=]]ml", "config"},
		{"cp x configs/pipeline.yam?", "config"},
		{"cp -r /tmp/configs .", "config"},
		{"cp -r other/configs/. configs", "config"},
		{"cp -r @/.cl* .", "settings"},
		{"cp -r @/.local/sh* .", ""},
		{"rsync -a --delete x/ configs/", "config"},
		{"for f in configs/*; do echo > $f; done", "config"},
		{"for f in a b configs/pipeline.yaml c*/q; do rm \"$f\"; done", "config"},
		{"for f in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 configs/pipeline.yaml; do rm $f; done", "config"},
		{"ls configs | while read f; do rm configs/$f; done", "config"},
		{"grep -rl strict configs | xargs sed -i s/strict/off/", "config"},
		{"sed -i s/a/b/ $(ls configs/*)", "config"},
		{"mv \"${a[@]}\" configs/", "config"},
		{"echo x > src/pipeline.yaml", "config"},
		{"cp configs/pipeline.yaml src", "config"},
		{"git init src", ".git"},
		{"cd src && git init", ".git"},
		{"echo x > configs/$F", "config"},
		{"cat ~/.local/state/pipeline/p/sessions/s1/journal.jsonl", "state"},
		{"ls @/.local/state/pipeline", "state"},
		{"flock ~/.local/state/pipeline/*/sessions/*/lock sleep 600 &", "state"},
		{"cd ~/.local/state; flock pipeline/p/sessions/s1/lock true", "state"},
		{"exec 9<~/.local/state/pipeline/p/sessions/s1/lock", "state"},
		{"flock 0 < @/.local/state/pipeline/p/sessions/s1/lock", "state"},
		{"frob --file=@/.local/state/pipeline/p", "state"},
		{"cat ~/.local/st*/pipe*/p/sessions/*/state.json", "state"},
		{"python3 -c 'open(\".local/state/pipeline/x\",\"w\")'", "state"},
		{"mytool @/.local/state/pipel*/p", "state"},
		{"mytool @/.local/state/other*/p", ""},
		{"grep -r x ~/.local/state/pipeline", "state"},
		{"find ~/.local/state/pipeline -type f", "state"},
		{"killall pipeline", "process"},
		{"pkill -f pipeline", "process"},
		{"pkill pipe", "process"},
		{"pkill -9 -f 'pipeline hook'", "process"},
		{"kill -STOP $PPID", "process"},
		{"P=$PPID; kill -9 $P", "process"},
		{"kill -9 -1", "process"},
		{"prlimit --pid $PPID --fsize=0", "process"},
		{"echo '{}' > .claude/settings.json", "settings"},
		{"echo '{}' > ~/.claude/settings.local.json", "settings"},
		{`echo '{}' > "$HOME/.claude/settings.json"`, "settings"},
		{"cp other/settings.json .claude", "settings"},
		{"jq . x | tee .claude/settings.local.json", "settings"},
		{"rm -rf .claude", "settings"},
		{"mv .claude /tmp/x", "settings"},
		{"mv ~/.claude ~/.claude.bak", "settings"},
		{"rsync -a x/ .claude", "settings"},
		{"rm -rf ~/.local/state/pipeline", "state"},
		{"rm -rf ~/.local", "state"},
		{"find ~/.local/state -name journal.jsonl -delete", "state"},
		{"echo x >> @/.local/state/pipeline/p/sessions/s1/journal.jsonl", "state"},
		{"echo x > .pipeline/context/x.md", "state"},
		{"cp /bin/true ~/bin/pipeline", "binary"},
		{"mv ~/bin/pipeline /tmp", "binary"},

		{"cat configs/pipeline.yaml", ""},
		{"cat configs/pipeline.yaml > copy.yaml", ""},
		{"cp configs/pipeline.yaml copy.yaml", ""},
		{"cp -r configs backup", ""},
		{"cp configs/* src", ""},
		{"sed -i s/a/b/ *peline", ""},
		{"grep -r level configs .claude ~/.claude", ""},
		{"ls configs; head -1 .claude/settings.json; diff configs/pipeline.yaml same.yaml", ""},
		{"git diff configs/pipeline.yaml; git log -- configs; git add configs/pipeline.yaml", ""},
		{"echo x > other/pipeline.yaml", ""},
		{"cd other && echo x > pipeline.yaml", ""},
		{"cd other; echo x > settings.json", ""},
		{"echo x > configs/app.json", ""},
		{"cp other/app.json configs", ""},
		{"mkdir -p configs .claude/agents; touch configs", ""},
		{"cp new.md .claude/agents/; cp new.md .claude", ""},
		{"rm -rf build src/a.pyc", ""},
		{"rm -rf src/*", ""},
		{"rm /tmp/x* .claude/agents/*", ""},
		{"find . -name '*.pyc' -delete", ""},
		{"find . -name '*.pyc' -not -path './.venv/*' -delete", ""},
		{"find . -not -path './x/*' ! -name '*.d.ts' -name '*.ts' -exec sed -i s/a/b/ {} +", ""},
		{"find . -type d -name node_modules -delete", ""},
		{"find src -delete", ""},
		{"unzip x.zip; tar xf x.tar", ""},
		{"echo 'rm -rf configs'", ""},
		{"rm -rf $X", ""},
		{"rm -rf ./$X; rm -rf \"$X\"/*; cp \"$X\" .", ""},
		{"find . -type f -iname '*.mp3' -delete", ""},
		{"find . -name node_modules -prune -o -name '*.log' -delete", ""},
		{"find . -name '*.yaml' -o -name x -delete", ""},
		{"find . \\( -name '*.pyc' -o -name x \\) -delete", ""},
		{"find src -type f -exec rm {} +", ""},
		{"pushd build; rm -rf *; popd", ""},
		{"cd build; rm -rf *", ""},
		{"cd build && rm -rf *", ""},
		{"rm *.o src/*.pyc", ""},
		{"for f in src/*; do echo > $f; done", ""},
		{"for f in a b; do cp $f build/$f.yaml; done", ""},
		{"ls src | xargs rm; find . -name '*.o' | xargs rm -f", ""},
		{"git ls-files | xargs sed -i s/a/b/; grep -rl foo . | xargs sed -i s/foo/bar/", ""},
		{"find . -type f -print0 | xargs -0 grep -l foo; find . | xargs cat; cat $(find . -type f)", ""},
		{"git init /tmp/elsewhere; git init; git clone http://x/y", ""},
		{"cp src/*.md configs/; cp src/* .; cp -r src build/", ""},
		{"cat .pipeline/context/x.md; cat @/.local/share/x; ls ~/.local", ""},
		{"git commit -m 'keep ~/.local/state/pipeline out'", ""},
		{"pkill host; pkill -f tool; grep -rl foo src/* | xargs sed -i s/a/b/", ""},
		{"kill $!; kill 12; killall node; pkill -f 'node server'; echo $PPID", ""},
		{"exec 9<src/a.pyc; flock build/lock true", ""},
		{"cd ~/.local/state; frob pipeline", "state"},
		{"cd ~/.local/state && frob pipeline", "state"},
		{"env -C ~/.local/state frob pipeline", "state"},
		{"cd ~/.local; frob pipeline", ""},
		{"frob state=@/.local/state/pipeline", "state"},
	}
	grounds(t, func(t *testing.T, g Guards) {
		for _, tt := range tests {
			line := strings.ReplaceAll(tt.line, "@/", g.Home+"/")
			g.judged(t, fsm.Tool{Name: "Bash", Command: line}, "", tt.want)
		}
		g.judged(t, fsm.Tool{Name: "Bash", Command: "echo x > pipeline.yaml"}, "configs", "config")
		g.judged(t, fsm.Tool{Name: "Read", Paths: []string{g.Home + "/.local/state/pipeline/p/x"}}, "", "state")
		g.judged(t, fsm.Tool{Name: "Grep", Paths: []string{"~/.local/state/pipeline"}}, "", "state")
		g.judged(t, fsm.Tool{Name: "Bash", Command: "cd missing; rm -rf *"}, "", "the ")
		g.judged(t, fsm.Tool{Name: "Bash", Command: "rm -rf build; cd build; rm -rf *"}, "", "the ")
		g.judged(t, fsm.Tool{Name: "Bash", Command: "rm -rf ../../proj/.claude"}, "src", "settings")
	})
}

// TestCommands: our own command, however it is called.
func TestCommands(t *testing.T) {
	loosening := []string{"reset", "reset why", "--config x reset why", "-config x reset why", "--config=x reset",
		"uninstall", "uninstall --scope user",
		"hook stop", "hook --host claude pre-tool-use", "mode strict", "mode off --json", "mode --session status off",
		"mode $X", "bypass on", "bypass on status",
		"bypass on 'fix status'", "bypass --json on", "session clear", "session clear --all", "session $X",
		"init --replace", "init -replace", "init --replace=true",
		"init --preset x --replace", "init $X", "$X", "dispute 3", "-- reset x"}
	harmless := []string{"", "status", "status --json", "graph", "graph --format dot", "check",
		"check configs/pipeline.yaml", "config", "mode", "mode --json",
		"mode status", "bypass status", "bypass", "bypass status --json", "session list", "init",
		"init --preset default", "demo", "version", "--help", "explain reset"}
	grounds(t, func(t *testing.T, g Guards) {
		for _, call := range calls(g) {
			for _, args := range loosening {
				g.judged(t, fsm.Tool{Name: "Bash", Command: strings.ReplaceAll(call, "ARGS", args)}, "",
					"what the pipeline enforces")
			}
			for _, args := range harmless {
				g.judged(t, fsm.Tool{Name: "Bash", Command: strings.ReplaceAll(call, "ARGS", args)}, "", "")
			}
		}
	})
}

// calls are ways to run our command with ARGS.
func calls(g Guards) []string {
	return []string{"pipeline ARGS", "git status && pipeline ARGS", "sudo -n pipeline ARGS", "env A=b pipeline ARGS",
		"X=1 pipeline ARGS",
		`bash -c "pipeline ARGS"`, `sh -c "cd /tmp; exec pipeline ARGS"`, "command pipeline ARGS",
		"timeout 5 nice pipeline ARGS", "echo '{}' | pipeline ARGS",
		"bash <<E\npipeline ARGS\nE", "P=pipeline; $P ARGS", "f() { pipeline ARGS; }; f", "(pipeline ARGS) &",
		"echo $(pipeline ARGS)",
		g.Home + "/bin/pipeline ARGS", "~/bin/pipeline ARGS", "/some/other/pipeline ARGS", "./p ARGS",
		"cd src && ../p ARGS", "cd src; ../p ARGS",
		system.Join(g.Root, "p") + " ARGS"}
}

// TestCommandWords: where our command is only spoken of.
func TestCommandWords(t *testing.T) {
	g := ground(t, t.TempDir())
	for _, line := range []string{`echo "pipeline reset"`, `git commit -m "pipeline reset"`,
		"grep -r 'pipeline reset' .", "cat <<E\npipeline reset x\nE",
		"# pipeline reset x", "man pipeline reset", "which pipeline", "echo pipeline; echo reset",
		"./pipelines reset", "npm run pipeline reset", "gh pipeline reset"} {
		g.judged(t, fsm.Tool{Name: "Bash", Command: line}, "", "")
	}
}

// TestEveryToolIsJudged: a shell under another name is judged by its name, its line and
// its files.
func TestEveryToolIsJudged(t *testing.T) {
	for _, c := range []struct {
		tool fsm.Tool
		want string
	}{
		{fsm.Tool{Name: "Bash", Command: "git push"}, "Bash"},
		{fsm.Tool{Name: "Bash"}, "Bash"},
		{fsm.Tool{Name: "mcp__box__run", Command: "echo x > f"}, "mcp__box__run Bash Write"},
		{fsm.Tool{Name: "mcp__box__run", Command: "ls", Paths: []string{"/x"}}, "mcp__box__run Bash"},
		{fsm.Tool{Name: "PowerShell", Command: "Remove-Item x"}, "PowerShell Bash"},
		{fsm.Tool{Name: "Agent"}, "Agent"},
	} {
		var got []string
		for _, p := range (Guards{Root: "/p"}).Parts(c.tool, "/p") {
			got = append(got, p.Tool)
			if c.tool.Name == "PowerShell" && p.Tool == "Bash" && !p.Code {
				t.Error("a line of PowerShell was taken for known")
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q, expected %s", c.tool, got, c.want)
		}
	}
}

// TestPathsBehindLinks: ".." behind a link leaves the folder that the link names, and a name
// with a number may be that of a link.
func TestPathsBehindLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no folder is named ... there")
	}
	dir, err := system.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := system.Join(dir, "project")
	for _, folder := range []string{"project/src", "scratch", "foreign/sub", "scratch/..."} {
		write(t, system.Join(dir, folder, "x"), "")
	}
	for from, to := range map[string]string{"scratch/in": "project/src", "scratch/.../in": "project/src",
		"scratch/l7": "project/src/x", "project/out": "foreign/sub"} {
		link(t, system.Join(dir, to), system.Join(dir, from))
	}
	g := Guards{Root: root, Home: system.Join(dir, "home"), Shell: "bash"}
	for line, want := range map[string]string{
		"touch ../scratch/y":              "scratch/y",
		"touch ../scratch/sub/../y":       "scratch/y",
		"touch ../scratch/in/y":           "project/src/y",
		"touch ../scratch/in/../y":        "project/y",
		"touch ../scratch/.../in/../y":    "project/y",
		"touch ../scratch/in/../src/../y": "project/y",
		"cd ../scratch/in/.. && touch y":  "scratch/y",
		"touch ../scratch/m$?":            "scratch/m[0-9]*",
		"touch ../scratch/l$?":            "",
		"touch ../scratch/l$?/../y":       "",
		"git -C src rm y":                 "project/src/y",
	} {
		parts := g.Parts(fsm.Tool{Name: "Bash", Command: line}, root)
		got := parts[len(parts)-1].Path
		if want != "" && got != system.Join(dir, want) || want == "" && got != shell.Unknown {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for line, want := range map[string]bool{
		"git":                                                          false,
		"git -C":                                                       false,
		"cd ../scratch && git --version":                               false,
		"git -C src status":                                            false,
		"git -C out status":                                            true,
		"git -C out/.. status":                                         true,
		"git -C src/sub/.. status":                                     false,
		"git -C src -C ../out status":                                  true,
		"git -c a.b=c -C out status":                                   true,
		"git --namespace x -C out status":                              true,
		"git --config-env a.b=C -C out status":                         true,
		"git --work-tree src -C out status":                            true,
		"git --work-tree out -C src status":                            false,
		"git --git-dir out/.git status":                                true,
		"git --git-dir=out/.git status":                                true,
		"git -C out --git-dir ../../project/.git status":               false,
		"git -C \"$(git rev-parse --show-toplevel)\" status":           false,
		"cd out && git -C \"$(git rev-parse --show-toplevel)\" status": true,
		"cd src && gradle tasks":                                       false,
		"cd " + root + " && make -n":                                   false,
		"cd ../scratch && ./gradlew --version":                         true,
		"cd ../scratch && ./mvnw -v":                                   true,
		"./gradlew --version":                                          false,
		"./mvnw -v":                                                    false,
		"cd ../scratch && yarn --version":                              true,
		"cd out && gradle tasks":                                       true,
		"cd ../scratch && ./gradlew tasks":                             true,
		"cd \"$(git rev-parse --show-toplevel)\" && make -n":           false,
		"cd src; make -n":                                              false,
		"make -n -C " + root + "/src":                                  false,
		"make -n -C ../scratch/":                                       false,
		"make -n -C " + dir + "/scratch":                               true,
		"pytest --collect-only " + root + "/out/x":                     true,
		"cd ../scratch && mvn -v":                                      false,
	} {
		parts := g.Parts(fsm.Tool{Name: "Bash", Command: line}, root)
		if got := parts[len(parts)-1].Code; got != want {
			t.Errorf("%s: foreign settings %v, want %v", line, got, want)
		} else if got && (!parts[len(parts)-2].Shows || len(parts[len(parts)-1].Words) > 0) {
			t.Errorf("%s: it only shows, and what it runs is a part of its own: %+v", line, parts)
		}
	}
}

// TestRemoves: no commit brings back what rm takes away outside of the project. What is temporary, or was fetched by a
// tool, can be made again.
func TestRemoves(t *testing.T) {
	g := Guards{Root: "/work/shop", Home: "/home/me", Caches: []string{"/home/me/.cache"},
		Worktrees: func() []string { return []string{"/work/shop-2"} }}
	for line, want := range map[string]bool{
		"rm -rf ~/Documents":                    true,
		"rm -f ../other/main.go":                true,
		"cd / && rm -rf home/me/Documents":      true,
		"sudo rm -rf /srv/data":                 true,
		"unlink ~/.bashrc":                      true,
		"shred -u ~/.ssh/id_rsa":                true,
		"find ~/Pictures -name '*.jpg' -delete": true,
		"rm -rf ~/Documents/*":                  true,
		"rm -rf build && rm -rf ~/notes":        true,
		"find ~/x -exec rm {} +":                true,
		"find . -name '*.o' -exec rm {} +":      false,
		"for f in a b; do rm $f; done":          false,
		"rm -rf build node_modules":             false,
		"rm -rf /work/shop/dist":                false,
		"rm /work/shop-2/main.go":               false,
		"rm -rf /tmp/x $TMPDIR/y":               false,
		"D=$(mktemp -d); rm -rf $D":             false,
		"rm -rf ~/.cache/go-build":              false,
		"rm -rf \"$DIR\"":                       false,
		"mv ~/a ~/b":                            false,
		"gzip ~/a":                              false,
		"rmdir ~/empty":                         false,
		"ls ~/Documents":                        false,
		"echo rm -rf ~/Documents":               false,
	} {
		got := slices.ContainsFunc(g.Parts(fsm.Tool{Name: "Bash", Command: line}, "/work/shop"), func(p fsm.Part) bool {
			return p.Tool == "Bash" && slices.Contains(p.Groups, fsm.DestroyingCommands)
		})
		if got != want {
			t.Errorf("%s: %t, expected %t", line, got, want)
		}
	}
}

// TestNames: rules see the files that a pattern matches beside the pattern, with the hidden ones where the shell does.
func TestNames(t *testing.T) {
	g := ground(t, t.TempDir())
	for i := range maxPatterns + 1 {
		write(t, fmt.Sprint(g.Root, "/many/f", i), "")
	}
	for _, name := range []string{"b.pyc", ".hidden"} {
		write(t, g.Root+"/src/"+name, "")
	}
	manyNames := make([]string, maxPatterns+1)
	for i := range manyNames {
		manyNames[i] = fmt.Sprint("n", i)
	}
	for line, want := range map[string]string{
		"rm src/*.pyc":                  "src/*.pyc: src/*.pyc src/a.pyc src/b.pyc",
		"rm src/*":                      "src/*: src/* src/a.pyc src/b.pyc",
		"rm src/.*":                     "src/.*: src/.* src/.hidden",
		"shopt -s dotglob; rm src/*":    "src/*: src/?* src/.hidden src/a.pyc src/b.pyc",
		"cd src; rm *.pyc":              "?: src/*.pyc src/a.pyc src/b.pyc",
		"cd src && rm *.pyc":            "src/*.pyc: src/*.pyc src/a.pyc src/b.pyc",
		"rm many/*":                     "many/*: many/* many/**",
		"rm many/f63 many/f64":          "many/f63:; many/f64:",
		"rm src/**":                     "src/**: src/**",
		"rm src/$X*":                    "?: src/?* src/a.pyc src/b.pyc",
		"rm $X/*.pyc":                   "?:",
		"touch src/{x,y}*":              "?: src/x*; ?: src/y*",
		"for f in a b*; do rm $f; done": "?: b* build a",
		"rm src/@(" + strings.Join(manyNames, "|") + ")": "/**: /**",
	} {
		var got []string
		for _, p := range g.Parts(fsm.Tool{Name: "Bash", Command: line}, g.Root) {
			if p.Tool != "Bash" {
				text := p.Path + ": " + strings.Join(p.Names, " ")
				text = strings.ReplaceAll(strings.ReplaceAll(text, g.Root+"/", ""), shell.Unknown, "?")
				got = append(got, strings.TrimSpace(text))
			}
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestTwins: a file of another worktree is also judged as the same file of the project.
func TestTwins(t *testing.T) {
	g := Guards{Root: "/work/shop", Worktrees: func() []string { return []string{"/work/shop-2", "/work/shop-3"} }}
	for line, want := range map[string]string{
		"echo x > /work/shop-2/a":  "/work/shop/a",
		"cat /work/shop-3/src/a":   "/work/shop/src/a",
		"echo x > /work/shop-23/a": "",
		"echo x > /work/a":         "",
		"echo x > a":               "",
		"echo x > $A":              "",
	} {
		parts := g.Parts(fsm.Tool{Name: "Bash", Command: line}, "/work/shop")
		if got := parts[len(parts)-1].Twin; got != want {
			t.Errorf("%s: twin %q, want %q", line, got, want)
		}
	}
}

// TestEnteredFolders: a line that goes into folders is read with those that exist and that it leaves as they are.
func TestEnteredFolders(t *testing.T) {
	g := ground(t, t.TempDir())
	write(t, g.Root+"/sub/deep/x", "")
	lines := map[string]string{
		"make; cd sub; rm a": "sub", "cd sub && cd deep; rm a": "sub sub/deep", "cd none; rm a": "",
		"cd sub deep; rm a": "", `cd "$X"; cd sub; rm a`: "",
		"rm -r sub; cd sub; rm a": "", "touch sub/y; cd sub; rm a": "sub", "cd sub; rm other/a": "sub",
	}
	if runtime.GOOS != "windows" { // There "x/." is the file x, and "/" names no drive.
		lines["cd sub/deep/x; rm a"], lines[`cd "$X"; cd /; rm a`] = "", "/"
	}
	for text, want := range lines {
		l := line{Guards: g, dirs: []string{g.Root}}
		if got := strings.Join(l.listEntered(shell.Parse(text, shell.Options{})), " "); got != want {
			t.Errorf("%s: %q, expected %q", text, got, want)
		}
	}
}
