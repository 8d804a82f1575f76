package shell

import (
	"strings"
	"testing"
)

// showing are lines of which every command only shows something.
const showingLines = `
git status
git status --short | head
tar cf - . | wc -c
tar tf a.tar
gls -l
gstat a
fd -e go
git -C sub log --oneline -5
git diff --stat main...HEAD -- src
git show HEAD:main.go
git log $(git merge-base main HEAD)..HEAD
B=$(git rev-parse --abbrev-ref HEAD); git log "$B"
git branch
git branch -a
git branch -vv
git branch --list 'f*'
git branch --show-current
git branch --contains HEAD
git branch --merged main
git branch --sort=-committerdate
git remote
git remote -v
git remote get-url origin
git remote show origin
git tag
git tag -l 'v*'
git tag --list
git tag -n3
git merge-base main HEAD
git rev-list --count HEAD
git reflog
git reflog show main
git cat-file -p HEAD
git ls-tree -r HEAD
git ls-files
git for-each-ref --format='%(refname:short)' refs/heads
git config --get user.name
git config -l
git config --list --show-origin
git config user.email
git config list
git stash list
git stash show -p
git submodule
git submodule status
git check-ignore -v x
git name-rev HEAD
git diff-tree --no-commit-id -r HEAD
git notes list
git notes
git worktree list
git bisect log
git fetch --dry-run
git help log
git --version
git version
git symbolic-ref --short HEAD
git grep -n foo
git commit --dry-run
git clean -n
git archive HEAD
git archive --list
git rm -n x
git blame f
git shortlog -sn
git describe --tags
git log --help
make --version
make -n
make -n all
make --dry-run test
yarn --version
pnpm -v
bun --version
cmake --version
ninja --version
npm run
npm ls
npm list --depth=0
npm view react version
npm outdated
npm audit
npm audit --audit-level=high
pnpm audit
npm version
npm -v
pnpm list
cargo tree
cargo --version
cargo metadata
go list ./...
go version
go env GOPATH
go help build
go tool
nix config show
nix profile list
nix registry list
pip list
pip show requests
docker ps -a
docker images
docker logs web
docker inspect web
docker compose ps
kubectl get pods -n x
kubectl describe pod web
kubectl logs web
gh pr view 12
gh pr list
gh run list
gh issue view 3
systemctl status nginx
journalctl -u nginx
terraform show
terraform version
cat README.md
cat *.go | head -20
head -5 f
tail -n 3 f
wc -l f
sort f | uniq -c
sed -n 1,20p f
awk '{print $1}' f
jq .name package.json
diff a b
stat f
file f
du -sh .
df -h
ps aux
env
which go
echo hello
printf '%s\n' x
test -f x && echo yes
[ -d y ] || true
date
uname -a
cd src && git status
pwd
ls -la
find . -maxdepth 1
tree -L 2
grep -rn foo src
rg foo
xargs cat
rm --help
python3 --version
node --version
claude --version
tmux ls
rustup --version
for f in a b; do cat $f; done
while read -r l; do echo "$l"; done < f
git ls-files | while read -r f; do git log -1 "$f"; done
git ls-files | xargs git log
lsattr a
print -l a
ss -tlnp
ip addr
ip -br addr show
shellcheck -x a.sh
golangci-lint linters
gofmt -l .
aws s3 ls
gh run view 1 --log-failed
find . -name '*.go' -exec grep -l foo {} +
`

// changing are lines with a command that may change something.
const changingLines = `
npm audit fix
pnpm audit --fix
git branch new
git branch -D old
git branch -v new
git branch -m a b
git branch -u origin/main
git remote add x url
git remote remove x
git tag v1
git tag -d v1
git tag -a v1 -m x
git config user.name x
git config --unset user.name
git config set user.name x
git config edit
git stash
git stash drop
git worktree add ../x
git notes add -m x
git bisect start
git bisect run make
git submodule update
git submodule foreach git status
git symbolic-ref HEAD refs/heads/x
git reflog expire --all
git fetch
git fetch 'ext::sh -c touch% x'
git commit -m x
git add .
git -c core.pager=x log
git diff --output=f
git log --output f
git diff --ext-diff
git show --textconv
git grep -O foo
git grep -Ovim foo
git grep --open-files-in-pager foo
git diff $(echo --output=f)
git diff $(git rev-parse -- --output=f)
X=$(cat opts); git log $X
git $SUB
git frobnicate
make
make all
make test --version x
npm ci
npm run build
npm version patch
yarn
yarn build --help
pnpm build --help
sort -o f f
sort --compress-program=x f
sed -i s/a/b/ f
sed 'w out' f
awk 'BEGIN{system("x")}'
gawk -o x
tree -o out
rg --pre x foo
find . -delete
find . -fprint out
find . -exec rm {} +
uniq a b
date -s tomorrow
hostname new
go env -w GOFLAGS=x
go tool stringer -type=Kind
go list -mod=mod ./...
git archive -o out.tar HEAD
git -c tar.x.command='touch y; cat' archive --format=x HEAD
git -c trailer.x.command='touch y' interpret-trailers --trailer x=1
rm help
touch version
./cat f
frobnicate --version
python3 x.py
bash --version x
docker rm web
kubectl delete pod x
gh pr create
cat opts | xargs sort
sd a b f
jc -o
cloc --out=x .
ncdu -o x
atop -w x
git rm --cached a
git apply --cached p
sysctl -w a.b=1
sysctl a.b=1
hostnamectl set-hostname x
timedatectl set-time now
ss -K
dmesg -C
date 01010101
golangci-lint run
golangci-lint run --fix
npm audit fix
docker-compose stop
gofmt -w .
psql -c 'drop table x'
sqlite3 x.db '.output f' 'select 1'
man -P 'touch x' ls
stty sane
ip addr add 1.2.3.4 dev x
tput reset
kubectl get pods --frobnicate x
frobnicate status
apply_patch '*** Add File: x'
print -P x
zstdcat -o x a
pkg-config --log-file=x a
file -C
claude -p -c "do x" mcp list
`

func TestShows(t *testing.T) {
	each := func(lines string, want bool) {
		for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
			shows, calls := true, Parse(line, Options{})
			for _, c := range calls {
				if c.Kind == Command && !c.Shows {
					shows = false
				}
			}
			if shows != want || len(calls) == 0 {
				t.Errorf("%s: shows %v, want %v", line, shows, want)
			}
		}
	}
	each(showingLines, true)
	each(changingLines, false)
}

// TestNamesThings: what a command prints names things, and is no option, unless it shows what is in files.
func TestNamesThings(t *testing.T) {
	for line, want := range map[string]bool{
		"git diff --name-only": true, "git diff": false, "git ls-files": true, "git show": false,
		"find . -name a": true,
		"cat a":          false, "rm --name-only": false, "find . -printf -i": false, "date +-i": false, "$X": false,
		"": false,
	} {
		if got := namesThings(Parse(line, Options{})); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
