package shell

import (
	"strings"
	"testing"
)

func TestMayName(t *testing.T) {
	for _, tt := range []struct {
		pattern, glob string
		want          bool
	}{
		{"/p/main*", "/p/main.go", true}, // a dot within a name
		{"/p/.e*", "/p/**/.env", true},
		{"/p/.e*", "/p/.env", true},
		{"/p/.*", "/p/**/.env", true},
		{"/p/*", "/p/**/.env", false}, // the shell's * leaves dots out
		{"/p/*env", "/p/**/.env", false},
		{"/p/?env", "/p/.env", false},
		{"/p/*", "/p/**/env", true},
		{"/p/*/x", "/p/**/env", false},
		{"/p/a/*.go", "/p/**/*_test.go", false},
		{"/p/a/**", "/p/**/*_test.go", true},
		{"/p/a/x_test.go", "/p/**/*_test.go", true},
		{"/p/x*", "/p/*", true},
		{"/p/a/*.go", "/p/**/*.c", false},
		{"/p/[.]env", "/p/.env", false},
		{"/p/.en[v]", "/p/.env", true},
		{"/p/.env" + Unknown, "/p/**/.env", true},
		{"/p/" + Unknown + "/.env", "/p/**/.env", true},
		{"/p/" + Unknown, "/p/**/.env", false},
		{"/p/**/.env", "/p/a/.env", true},
		{"/p/**/*.md", "/p/**/.env", false},
		{"/tmp/x*", "/p/**", false},
		{"/p/x*", "/p/**", true},
		{"/p/c*x", "/p/{a,{b,c}}x", true},
		{"/p/d*x", "/p/{a,{b,c}}x", false},
		{"/p/a*", "/p/{" + strings.Repeat("b,", maxWays) + "c}", true}, // too many to tell
		{"/p/a*", "/p/a", true},
		{"/p/a?", "/p/a", false},
		{"/p/x*", "/p/x/y", false},
		{`/p/\*`, "/p/a", false},
	} {
		if got := MayName(tt.pattern, tt.glob); got != tt.want {
			t.Errorf("MayName(%q, %q) = %v", tt.pattern, tt.glob, got)
		}
	}
}
