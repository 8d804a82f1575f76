package shell

import (
	"slices"
	"strings"
	"testing"
)

// TestGroups: which lines leave this machine, destroy something or hand work to others.
func TestGroups(t *testing.T) {
	remote := map[bool]int{}
	for _, e := range readExamples(t, "groups.txt") {
		var got Group
		calls := Parse(e.line, Options{})
		for _, c := range calls {
			got |= c.Groups
		}
		want := strings.Join(e.want, " ")
		found := strings.ReplaceAll(strings.Join((got&^(Builds|Tests)).Names(), " "), "@", "")
		if found != strings.TrimSuffix(want, "-") {
			t.Errorf("groups.txt:%d: %s: %q, want %q: %s", e.at, e.line, found, want, shown(calls))
		}
		remote[strings.Contains(want, "remote")]++
	}
	if remote[true] < 60 || remote[false] < 60 {
		t.Errorf("%v lines leave the machine or not, want 60 of each", remote)
	}
}

// TestHiddenGroups: what is not read to its end may leave this machine.
func TestHiddenGroups(t *testing.T) {
	for name, line := range map[string]string{
		"long": "git push # " + strings.Repeat("x", maxLine), "deep": strings.Repeat("(", maxParens+1) + "git push",
		"torn": strings.Repeat("echo;", maxPieces) + "'", "a zero byte": "\x00git push",
	} {
		if calls := Parse(line, Options{}); calls[len(calls)-1].Groups&Remote == 0 {
			t.Errorf("%s: %s", name, shown(calls))
		}
	}
	for code, want := range map[string]bool{
		strings.Repeat("print(\"a b\", 'c d')\n", 500):                    false,
		strings.Repeat("print('a b')\n", 500) + "os.system('git push')\n": true,
		"import subprocess\nsubprocess.run([\n  'git',\n  'push',\n])\n":  true,
	} {
		calls := Parse("python3 - <<'E'\n"+code+"E\n", Options{})
		if got := calls[0].Groups&Remote != 0; got != want {
			t.Errorf("%.60q: leaves this machine: %v, want %v", code, got, want)
		}
	}
}

// TestBuildTools: the table knows the tools that build, test or run a project, and which of
// their calls only show something.
func TestBuildTools(t *testing.T) {
	for file, builds := range map[string]bool{"builds.txt": true, "looks.txt": false} {
		lines := readLines(t, file)
		if len(lines) < 60 {
			t.Errorf("%s has %d lines, want 60", file, len(lines))
		}
		for _, line := range lines {
			calls := Parse(line, Options{})
			if slices.ContainsFunc(calls, func(c Call) bool { return c.Groups&Builds != 0 }) != builds {
				t.Errorf("%s: %q: want Builds %t", file, line, builds)
			}
			if !builds && !calls[len(calls)-1].Shows {
				t.Errorf("%s: %q does not only show something: %s", file, line, shown(calls))
			}
		}
	}
}

// TestTests: of what builds, the table knows what only tests or checks.
func TestTests(t *testing.T) {
	for line, want := range map[string]bool{
		"go test ./...": true, "go vet": true, "go build": false, "go test -exec ./x .": false, "cargo clippy": true,
		"npm test": true, "npm run test": true, "npm run lint -- --quiet": true, "npm run build": false,
		"npm ci": false, "npm run -s lint": true, "yarn jest": true,
		"yarn eslint src":   true,
		"pnpm run test src": true, "pnpm tsc -b": true, "yarn vite": false, "uv run mypy": false,
		"yarn test": true, "yarn lint": true, "yarn build": false, "pnpm -r test": true, "make test": true,
		"make check -j4": true, "make clean test V=1": true, "make test install": false, "make clean": false,
		"make":             false,
		"make -E 'x' test": false, "just test": true, "mvn -q clean verify": true, "mvn test deploy": false,
		"gradle :app:test": true, "./gradlew test": true, "./gradlew assemble": false, "vendor/bin/phpunit": true,
		"make $X test": false, "bash run-tests.sh": false, "tox": true, "ctest": true, "dotnet test": true,
		"dotnet run": false, "bazel test //...": true, "bazel run //a": false, "composer test": true,
		"composer update": false,
		"mix test":        true, "dart analyze": true,
		"npm run test:unit": true, "yarn lint:ts": true, "npm run check:types --workspace web": true,
		"npm run build:test -- x": true, "npm run test:unit && npm run build": true, "npm run testing": false,
		"npm run -w web build": false, "pnpm run -r test": true, "npm run build --workspaces": false,
		"turbo run lint test": true, "turbo run test build": false, "npx turbo run test --filter=web": true,
		"nx run web:test": true, "nx run web:build": false, "nx run-many -t test": true, "nx affected -t build": false,
		"flutter run": false, "make lint:go": true,
		"yarn workspace web test": true, "yarn workspace web run lint:ts": true, "yarn workspace web build": false,
		"yarn workspace test": false, "yarn workspaces run test": true, "yarn workspaces foreach run build": false,
		"swift test": true, "rails test": true, "rails server": false, "deno check a.ts": true,
	} {
		calls := Parse(line, Options{})
		if got := slices.ContainsFunc(calls, func(c Call) bool { return c.Groups&Tests != 0 }); got != want {
			t.Errorf("%q: tests %t, want %t", line, got, want)
		}
		if slices.ContainsFunc(calls, func(c Call) bool { return c.Groups&(Builds|Tests) == Tests }) {
			t.Errorf("%q tests and does not build", line)
		}
	}
}

// TestBuildFilesElsewhere: to show something, some tools run build files. A word that may
// name one outside of the folder is no longer harmless.
func TestBuildFilesElsewhere(t *testing.T) {
	for _, line := range []string{
		"make -n -f ../Makefile", "make -n -C/tmp/x", "make -n -f ~/x", "make -n $X",
		"make -n SHELL=/tmp/x", "gradle tasks --init-script=/tmp/x", "gradle -I/tmp/i tasks",
		"./gradlew -p ../x tasks", "mvn -f ../pom.xml dependency:tree", "gradle tasks --write-locks",
		"pytest --co //tmp/x", "make -n -C ///tmp", "pytest --co ..",
		"pytest --co -o 'pythonpath=src /tmp/x'", "sbt projects 'runMain a'", "mill resolve _ + app.run", "nox -p 3.12",
		"scons -p", "grunt -l build", "ctest -N -S ../x.cmake", "mix deps.tree --format dot",
		"cmake --list-presets -P x.cmake",
		"mocha --list-tests", "coverage report --rcfile=/tmp/x", "dotnet run --list-sdks",
		"celery --workdir=/tmp/x list",
	} {
		if c := Parse(line, Options{})[0]; c.Shows || c.Groups&Builds == 0 {
			t.Errorf("%q: shows %t, builds %t", line, c.Shows, c.Groups&Builds != 0)
		}
	}
	for line, want := range map[string]string{"make -n -C sub": ".", "gradle -p sub tasks": ".",
		"pytest --co tests/a.py": ".",
		"bazel query //...":      ".", "make -n -C /tmp/x": ". /tmp/x", "rake -T -f /tmp/Rakefile": ". /tmp/Rakefile",
		"pytest --co /p/a.py /p/b.py": ". /p/a.py /p/b.py", "mvn -v": ""} {
		if c := Parse(line, Options{})[0]; !c.Shows || strings.Join(c.Evaluates, " ") != want {
			t.Errorf("%q: shows %t, evaluates %q, want %q", line, c.Shows, c.Evaluates, want)
		}
	}
}
