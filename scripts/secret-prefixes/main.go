// Command secret-prefixes writes fsm/redact/prefixes.txt: how well-known tokens begin.
//
// It takes the facts from a public set of rules for secrets, the TOML file of gitleaks, which
// the Go proxy has. It copies no expression: from each it works out the literal text that a
// token begins with, and the least length of what follows.
//
//	go mod download -json github.com/zricethezav/gitleaks/v8@v8.30.1   # in a throw-away module
//	go run ./scripts/secret-prefixes -rules DIR/config/gitleaks.toml > fsm/redact/prefixes.txt
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp/syntax"
	"slices"
	"strings"
)

func main() {
	rules := flag.String("rules", "", "gitleaks.toml to read")
	flag.Parse()
	if err := run(*rules, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "secret-prefixes:", err)
		os.Exit(1)
	}
}

func run(file string, out io.Writer) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	expressions, err := readExpressions(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if len(expressions) < 100 {
		return fmt.Errorf("%s has %d rules: this is not the file that was expected", file, len(expressions))
	}
	found := map[string]int{}
	for prefix, rest := range handMade() {
		found[prefix] = rest
	}
	for _, e := range expressions {
		collectPrefixes(e, found)
	}
	return writeTable(out, found)
}

// handMade are tokens whose form their makers document and that the rules lack.
func handMade() map[string]int {
	return map[string]int{
		"sk-": 12, "sk_live_": 8, "rk_live_": 8, "whsec_": 12, "hf_": 12, "gsk_": 12, "xai-": 12,
		"xoxp-": 12, "xoxs-": 12, "sk_test_": 8, "npm_": 12, "dapi": 16, "pypi-AgE": 12,
		"glrt-": 12, "xoxe-": 12, "xapp-": 12, "ya29.": 12, "GOCSPX-": 12, "SG.": 40, "NRAK-": 12, "r8_": 24,
		"ops_": 24, "dckr_pat_": 12, "dckr_oat_": 12, "sbp_": 24, "nfp_": 24, "figd_": 24, "tvly-": 24, "re_": 24,
		"pcsk_": 24, "lsv2_": 24, "tskey-": 16, "phx_": 24, "ATBB": 24, "ATCTT3": 24, "squ_": 24, "sqp_": 24,
		"sqa_": 24, "bkua_": 24, "sk.eyJ": 24, "key-": 32, "pat": 78, "sq0csp-": 12, "xoxc-": 12, "xoxd-": 12,
	}
}

// readExpressions returns the expressions of the rules' secrets: lines `regex = ”'…”'`.
func readExpressions(r io.Reader) (out []string, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if e, ok := strings.CutPrefix(in.Text(), "regex = '''"); ok {
			out = append(out, strings.TrimSuffix(e, "'''"))
		}
	}
	return out, in.Err()
}

const (
	leastPrefix = 4  // characters: a shorter beginning says too little
	mostRest    = 12 // characters that are asked for behind a prefix, at most
	mostForms   = 40 // prefixes of one expression
)

// collectPrefixes adds the literal beginnings of an expression's matches.
func collectPrefixes(expression string, found map[string]int) {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return
	}
	length := leastLength(re)
	prefixes, _ := expandPrefixes(re)
	if len(prefixes) > mostForms {
		return
	}
	for _, p := range prefixes {
		if len(p) < leastPrefix || strings.ContainsAny(p, " :=\t\"'") || strings.HasPrefix(p, "--") || isOrdinary(p) {
			continue
		}
		rest := min(mostRest, length-len(p))
		if old, ok := found[p]; rest >= 8 && (!ok || rest < old) {
			found[p] = rest
		}
	}
}

// isOrdinary reports whether ordinary text begins like this too: plain words, versions.
func isOrdinary(p string) bool {
	switch p {
	case "API-", "v1.0-", "ico-", "pul-", "HTTP", "NPM_", "4b1d": // the last begins hashes too
		return true
	}
	return strings.IndexFunc(p, func(r rune) bool { return !('a' <= r && r <= 'z') }) < 0
}

// expandPrefixes lists the literal texts that a match begins with. Done: nothing literal can follow.
func expandPrefixes(re *syntax.Regexp) (prefixes []string, done bool) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 && strings.ToLower(string(re.Rune)) != strings.ToUpper(string(re.Rune)) {
			return []string{strings.ToLower(string(re.Rune)), strings.ToUpper(string(re.Rune))}, false
		}
		return []string{string(re.Rune)}, false
	case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpBeginLine, syntax.OpWordBoundary:
		return []string{""}, false
	case syntax.OpCapture:
		return expandPrefixes(re.Sub[0])
	case syntax.OpCharClass:
		if n := classSize(re); n > 0 && n <= 6 {
			for i := 0; i < len(re.Rune); i += 2 {
				for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
					prefixes = append(prefixes, string(r))
				}
			}
			return prefixes, false
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			p, _ := expandPrefixes(sub)
			prefixes = append(prefixes, p...)
		}
		return prefixes, true
	case syntax.OpConcat:
		prefixes = []string{""}
		for _, sub := range re.Sub {
			next, stop := expandPrefixes(sub)
			if len(next) == 0 || len(prefixes)*len(next) > mostForms {
				return prefixes, true
			}
			var all []string
			for _, a := range prefixes {
				for _, b := range next {
					all = append(all, a+b)
				}
			}
			prefixes = all
			if stop {
				return prefixes, true
			}
		}
		return prefixes, false
	}
	return []string{""}, true
}

func classSize(re *syntax.Regexp) (n int) {
	for i := 0; i < len(re.Rune); i += 2 {
		n += int(re.Rune[i+1]-re.Rune[i]) + 1
	}
	return n
}

// leastLength is the length of the shortest match, in characters.
func leastLength(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return leastLength(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min * leastLength(re.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n += leastLength(sub)
		}
		return n
	case syntax.OpAlternate:
		n := leastLength(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			n = min(n, leastLength(sub))
		}
		return n
	}
	return 0
}

func writeTable(out io.Writer, found map[string]int) error {
	names := slices.Sorted(maps.Keys(found))
	names = slices.DeleteFunc(names, func(p string) bool { // a shorter one finds it too
		return slices.ContainsFunc(names, func(q string) bool {
			return q != p && strings.HasPrefix(p, q) && found[q] <= found[p]+len(p)-len(q)
		})
	})
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, "# Made by scripts/secret-prefixes: how a token begins, and how many characters follow at least.")
	for _, p := range names {
		fmt.Fprintln(w, p, found[p])
	}
	return w.Flush()
}
