package shell

import (
	"strconv"
	"strings"
	"testing"
)

// sample is shell of about n bytes, as agents write it.
func sample(n int) string {
	const part = "cd src && git -C ../lib status --short | grep -v '^??' | head -20; for f in a b; do sed -n " +
		"'1,20p' \"$f.go\" > /dev/null; done\n"
	if n <= len(part) {
		return part[:strings.Index(part, ";")]
	}
	return strings.Repeat(part, n/len(part))
}

func benchmark(b *testing.B, n int) {
	line := sample(n)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		Parse(line, Options{})
	}
}

func BenchmarkParse100B(b *testing.B) { benchmark(b, 100) }
func BenchmarkParse10KB(b *testing.B) { benchmark(b, 10<<10) }
func BenchmarkParse60KB(b *testing.B) { benchmark(b, 60<<10) }
func BenchmarkParse1MB(b *testing.B)  { benchmark(b, 1<<20) }

// hostile are lines made to cost time.
func hostile() map[string]string {
	return map[string]string{
		"parens":        strings.Repeat("(", maxLine),
		"substitutions": strings.Repeat("$(", maxLine/2),
		"closed":        strings.Repeat("(", 20000) + ":" + strings.Repeat(")", 20000),
		"and":           strings.Repeat("a&&", maxLine/3-1) + "a",
		"pipes":         strings.Repeat("a|", maxLine/2-1) + "a",
		"echoes":        strings.Repeat("echo $(", 40) + ":" + strings.Repeat(")|cat", 40),
		"braces":        "echo " + strings.Repeat("{a,b}", 60),
		"loops":         strings.Repeat("for i in 1 2 3 4 5 6 7 8; do ", 20) + "rm $i" + strings.Repeat(";done", 20),
		"whiles":        strings.Repeat("while a; do ", 40) + "rm $i" + strings.Repeat(";done", 40),
		"variables":     strings.Repeat("A=$A;", 13000),
		"names":         names(9000),
		"branches":      strings.Repeat("a&&X=b;", 9000),
		"evals":         strings.Repeat("X=\"$X$X\";", 30) + "eval \"$X\"",
		"doubling":      "X=aaaaaaaaaaaaaaaa;" + strings.Repeat("X=$X$X$X$X;", 40) + "echo $X",
		"functions":     functions(60),
		"quotes":        strings.Repeat("bash -c '", 30) + "rm x",
		"heredocs":      strings.Repeat("cat <<E\nE\n", 6000),
		"if":            strings.Repeat("if a; then ", 4000) + strings.Repeat("fi;", 4000),
		"arithmetic":    "echo $((" + strings.Repeat("(", 30000) + "1" + strings.Repeat(")", 30000) + "))",
		"sed":           "sed '" + strings.Repeat("s[a[b[;", 9000) + "'",
		"awk":           "awk '" + strings.Repeat("/a/{print}", 6000) + "'",
		"words":         strings.Repeat("rm ", 20000),
		"git":           strings.Repeat("git -c a=b x;", 5000),
		"wrappers":      strings.Repeat("wrap ", 13000),
		"strings":       "python3 - <<'E'\n" + strings.Repeat("print(\"a b\", 'c d e')\n", 2500) + "E\n",
		"quoted":        quoted(12),
	}
}

// quoted is a line in quotes in a line in quotes.
func quoted(depth int) string {
	line := "git push"
	for range depth {
		line = "w " + strconv.Quote(line)
	}
	return line
}

func names(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("v" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + "=1;")
	}
	return b.String()
}

// functions each call the one before twice.
func functions(n int) string {
	b := strings.Builder{}
	b.WriteString("f0() { :; };")
	for i := 1; i < n; i++ {
		last, name := "f"+strings.Repeat("x", i-1), "f"+strings.Repeat("x", i)
		b.WriteString(name + "() { " + last + "; " + last + "; };")
	}
	return b.String() + "f" + strings.Repeat("x", n-1)
}

// mostWork is how many allocations a line of any kind costs at most. They stand for time, of which a busy machine
// takes more than a quiet one.
const mostWork = 2_000_000

// No line costs much, whatever is in it.
func TestHostile(t *testing.T) {
	for name, line := range hostile() {
		if n := testing.AllocsPerRun(1, func() { parse(line, Options{}) }); n > mostWork {
			t.Errorf("%s: %d bytes cost %.0f allocations", name, len(line), n)
		}
	}
}

// What a line costs grows with its length, and no faster.
func TestCostIsLinear(t *testing.T) {
	cost := func(n int) float64 { return testing.AllocsPerRun(1, func() { Parse(sample(n), Options{}) }) }
	if one, four := cost(4<<10), cost(16<<10); four > 5*one {
		t.Errorf("4 KB cost %.0f allocations, 16 KB %.0f", one, four)
	}
}
