# Makes the project in which the oracle runs lines: its files, and what git, make and
# the archive tools need to change them.
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
mkdir -p src docs build tools
printf 'package main\n\nfunc main() {}\n' >main.go
printf 'module project\n\ngo 1.20\n' >go.mod
printf '# Project\n\nuse main.go\n' >README.md
printf 'build:\n\techo built > build/out\n.PHONY: build\n' >Makefile
printf '{"name": "p", "version": "1.0.0", "scripts": {"build": "echo built > build/out", "test": "true"}}\n' >package.json
printf 'a b\nrm\n' >a
printf 'touch x\n' >b
printf 'c\n' >src/c
printf 'a\nb\nmain.go\n' >list.txt
printf 'print( 1)\n' >src/app.py
printf 'package src\nfunc   F(){}\n' >src/util.go
printf '#!/bin/sh\necho built > build/out\n' >build.sh
printf 'touch pwned\n' >tools/run.sh
printf 'guide\n' >docs/guide.md
printf 'SECRET=1\n' >.env
printf 'build/\n' >.gitignore
chmod +x build.sh
mkdir x-archive && cp main.go x-archive/ && (cd x-archive && echo 1 >unpacked && tar cf ../archive.tar unpacked main.go)
(cd x-archive && gzip -k main.go && mv main.go.gz ../old.gz)
rm -r x-archive
git init -q --template= -b main .
git config user.name a && git config user.email a@b.c
git add -A && git commit -qm one
git checkout -qb other && echo '// other' >>main.go && echo new >new.txt && git add -A && git commit -qm two
git format-patch -1 --stdout >../two.patch
git checkout -q main
mv ../two.patch fix.patch
echo '// edited' >>src/util.go
git stash -q && git stash apply -q
git gc -q
rm -rf .git/info .git/branches .git/logs
find . -path ./.git -prune -o -exec touch -h -d 2020-01-01 {} +
