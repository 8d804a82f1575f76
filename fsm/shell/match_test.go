package shell

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMatchEmptyTarget: an empty target, which make refuses, is no option.
func TestMatchEmptyTarget(t *testing.T) {
	if !Match([]string{"make", "deploy"}, []string{"make", "", "deploy"}) {
		t.Error("make '' deploy is no make deploy")
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, words string
		want           bool
	}{
		{"git", "git", true},
		{"git", "git status", true},
		{"git", "/usr/bin/git status", true},
		{"git", "GIT.EXE status", true},
		{"git", "gitk", false},
		{"git", "echo git", false},
		{"git push", "git push", true},
		{"git push", "git push origin main", true},
		{"git push", "git -C x -c a=b push", true},
		{"git push", "git --git-dir=x --no-pager push", true},
		{"git push", "git --git-dir x push", true},
		{"git push", "git -C push status", false},
		{"git push", "git status push", false},
		{"git push", "git log --grep push", false},
		{"git push", "git", false},
		{"git status", "git \x00? status", false},
		{"git push --force", "git push origin main --force", true},
		{"git push -f", "git push -uf", true},
		{"git push -f", "git push -u", false},
		{"git push --force", "git push --force=x", true},
		{"git push --force", "git push origin", false},
		{"git stash pop", "git stash pop", true},
		{"git stash pop", "git stash -q pop", true},
		{"git *", "git anything", true},
		{"git re*", "git rebase main", true},
		{"rm -rf", "rm -rf x", true},
		{"rm -rf", "rm -r -f x", true},
		{"rm -rf", "rm -fvr x", true},
		{"rm -rf", "rm -r x", false},
		{"rm -rf", "rm -f x", false},
		{"rm -rf", "rm -- -rf", false},
		{"find -delete", "find . -name x -delete", true},
		{"npm run", "npm --prefix x run build", true},
		{"npm run build", "npm --prefix x run build", true},
		{"npm run build", "npm run -w pkg build", true},
		{"npm run build", "npm run-script build", true},
		{"npm run build", "npm run test", false},
		{"npm publish", "npm.cmd publish", true},
		{"npm publish", "C:/tools/npm.CMD publish", true},
		{"npm test", "npm t", true},
		{"npm test", "npm run test", true},
		{"npm run test", "npm test", true},
		{"npm run build", "yarn run build", false},
		{"yarn run build", "yarn build", true},
		{"yarn run", "yarn install", false},
		{"npm install", "npm i left-pad", true},
		{"cargo test", "cargo +nightly test --all", true},
		{"cargo test", "cargo t", true},
		{"docker rm", "docker --context x rm y", true},
		{"docker compose up", "docker compose -f x.yml up -d", true},
		{"kubectl delete", "kubectl -n x delete pod y", true},
		{"kubectl get", "kubectl --context get delete pod", false},
		{"make test", "make -j4 CC=gcc build test", true},
		{"make test", "make -C test build", false},
		{"make deploy", "make go deploy", true}, // go is no option that takes a value
		{"tool go", "tool --opt val go", true},
		{"tool go", "tool other go", false},
		{"pytest", ".venv/bin/pytest -x", true},
		{"python*", "python3.11 x.py", true},
	}
	for _, tt := range tests {
		p, err := ParsePattern(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := Match(p, strings.Fields(tt.words)); got != tt.want {
			t.Errorf("Match(%q, %q) = %v", tt.pattern, tt.words, got)
		}
	}
}

func TestParsePattern(t *testing.T) {
	for _, bad := range []string{"", "  ", "git [", "npm run [a-"} {
		if p, err := ParsePattern(bad); err == nil {
			t.Errorf("ParsePattern(%q) = %q, want an error", bad, p)
		}
	}
	if Match(nil, []string{"git"}) || Match([]string{"git"}, nil) {
		t.Error("nothing matches nothing")
	}
}

// A pattern made of a command's own first words matches it, whatever follows and
// whatever global options of git stand between.
func TestMatchOwnWords(t *testing.T) {
	word := rapid.StringMatching(`[a-z][a-z0-9]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		sub, rest := word.Draw(t, "sub"), rapid.SliceOf(word).Draw(t, "rest")
		between := rapid.SampledFrom([]string{"", "-C d", "-c k=v", "--no-pager", "--git-dir=d", "-p"}).Draw(t,
			"between")
		words := append(strings.Fields("git "+between+" "+sub), rest...)
		if !Match([]string{"git", sub}, words) {
			t.Fatalf("git %s does not match %q", sub, words)
		}
	})
}

// TestTakesValue: an option in front of the subcommand takes the next word, alone, last of its letters, and by a name.
func TestTakesValue(t *testing.T) {
	for line, want := range map[string]bool{"git -C": true, "git --git-dir": true, "git --no-pager": false,
		"git -pC": true, "git -Cx": false, "git --git-dir=x": false, "git C": false, "none -C": false, "git --": false,
		"docker -H": true, "git -": false} {
		command, word, _ := strings.Cut(line, " ")
		if got := TakesValue(command, word); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}
