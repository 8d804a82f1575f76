package shell

import "testing"

// Code in Perl and Python on the line is known where it cannot act.
func TestCodeOnTheLine(t *testing.T) {
	for line, unknown := range map[string]bool{
		`perl -ne 'print if /x/' f`:                          false,
		`perl -pe 's/a/b/g' f`:                               false,
		`perl -lane 'print $F[0] if $F[1] eq "x" && $. > 1'`: false,
		`perl -e 'print 1+1'`:                                false,
		`perl -F: -lane 'print $F[0]' f`:                     false,
		`perl -ne 'unlink $_' f`:                             true,
		`perl -ne 'system $_' f`:                             true,
		`perl -e 'open F, ">x"'`:                             true,
		"perl -e 'print `x`'":                                true,
		`perl -e '&$x'`:                                      true,
		`perl -e '"x"->($y)'`:                                true,
		`perl -pe 's/a/unlink/e' f`:                          true,
		`perl -pe 's/a/$x/ee' f`:                             true,
		`perl -pe 's/a/$x/gee' f`:                            true,
		`perl -ne 'print' 'touch x|'`:                        true,
		`perl -ne 'print' '>x'`:                              true,
		`perl -e 'BEGIN{@ARGV=("touch x|")} print <>'`:       true,
		`perl -e 'BEGIN{$^I=""} print' f`:                    true,
		`perl -MFoo -ne 'print' f`:                           true,
		`perl -e "$X"`:                                       true,
		`perl x.pl`:                                          true,
		`perl -ne 'print' "$f"`:                              true,
		`perl -e 'print' -e 'unlink x'`:                      true,
		`python3 -c 'print(1)'`:                              false,
		`python3 -c 'print("a b", 2**10, len([1,2]))'`:       false,
		`python3 -c 'import sys; print(sys.version)'`:        false,
		`python3 -c 'print(sum(x for x in range(3)))'`:       false,
		`python3 -c 'print("a".upper())'`:                    false,
		`python3 -c 'open("x","w")'`:                         true,
		`python3 -c 'import os; os.remove("x")'`:             true,
		`python3 -c 'exec("x")'`:                             true,
		`python3 -c 'list(map(exec, ["x"]))'`:                true,
		`python3 -c 'sys.modules["os"].system("x")'`:         true,
		`python3 -c '"".__class__'`:                          true,
		`python3 -c 'print(f"{open(1)}")'`:                   true,
		`python3 -c 'x=print; x(1)'`:                         true,
		`python3 -c "$X"`:                                    true,
		`python3 -c 'print(1)' x`:                            false,
		`python3 -i -c 'print(1)'`:                           true,
	} {
		calls := Parse(line, Options{})
		if len(calls) == 0 || calls[0].Code != unknown {
			t.Errorf("%s: unknown %v, want %v", line, !unknown, unknown)
		} else if !unknown && !calls[0].Shows {
			t.Errorf("%s: does not only show", line)
		}
	}
}
