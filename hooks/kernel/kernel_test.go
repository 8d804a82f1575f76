package kernel

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestMain: the engines run this very program, as hook calls run ours.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "confine" {
		if err := Try(os.Args[3], os.Args[4], os.Args[5], os.Args[6:]...); err != nil {
			os.Stderr.WriteString(err.Error())
		}
		os.Exit(126)
	}
	os.Exit(m.Run())
}

func eachEngine(t *testing.T, f func(t *testing.T, e Engine)) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux's engines can be tried here")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines() {
		t.Run(e.Name, func(t *testing.T) {
			if err := e.try(self); err != nil {
				if os.Getenv("CI") != "" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			f(t, e)
		})
	}
}

// runConfined runs a shell line, and says what it printed.
func runConfined(t *testing.T, e Engine, l Limits, dir, line string) (string, error) {
	t.Helper()
	self, _ := os.Executable()
	body, _ := json.Marshal(l)
	cmd := exec.Command(self, "confine", "--try", e.Name, string(body), line)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestLimits: what lies in no writable place is read-only, and the deeper place counts.
func TestLimits(t *testing.T) {
	eachEngine(t, func(t *testing.T, e Engine) {
		dir := t.TempDir()
		project, scratch := filepath.Join(dir, "project"), filepath.Join(dir, "scratch")
		for _, d := range []string{project + "/build", project + "/src", scratch} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		l := Limits{Writable: []string{dir, project + "/build"}, ReadOnly: []string{project}}
		if !e.Keeps {
			l.Writable = []string{scratch, project + "/build"}
		}
		for line, may := range map[string]bool{
			"echo > src/a":                         false,
			"echo > a":                             false,
			"mv src moved":                         false,
			"python3 -c 'open(\"a\",\"w\")'":       false,
			"ln ../scratch/x src/x":                false,
			"(cd ..; mv project p2)":               false,
			"echo > ../scratch/x":                  true,
			"mkdir -p build/x && echo > build/x/y": true,
			"cat < /dev/null > /dev/null":          true,
			"ls src > /dev/null":                   true,
		} {
			if out, err := runConfined(t, e, l, project, line); (err == nil) != may {
				t.Errorf("%s: %v %s", line, err, out)
			}
		}
	})
}

// TestLimitsOfLinks: a link in a writable folder leads into no read-only one.
func TestLimitsOfLinks(t *testing.T) {
	eachEngine(t, func(t *testing.T, e Engine) {
		dir := t.TempDir()
		kept := filepath.Join(dir, "ro")
		if err := os.Mkdir(kept, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("ro", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		l := Limits{Writable: []string{dir}, ReadOnly: []string{kept}}
		if out, err := runConfined(t, e, l, dir, "echo > ro/x"); err == nil {
			t.Errorf("what is read-only was changed: %s", out)
		}
	})
}

// TestKeeps: a program that may write everywhere else cannot change what is kept, nor put
// another file in its place.
func TestKeeps(t *testing.T) {
	eachEngine(t, func(t *testing.T, e Engine) {
		if !e.Keeps {
			t.Skip("it keeps no single files")
		}
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(dir, "configs", "pipeline.yaml")
		if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(config, []byte("version: 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		l := Limits{Writable: []string{"/"}, ReadOnly: []string{config}}
		for _, line := range []string{
			"echo > configs/pipeline.yaml", "rm -f configs/pipeline.yaml", "mv configs c2", "rm -rf configs",
			"mv ../$(basename $PWD) ../x", "ln -f configs/pipeline.yaml y && echo > y",
			"umount configs/pipeline.yaml && echo > configs/pipeline.yaml",
			"mount -o remount,rw,bind configs/pipeline.yaml && echo > configs/pipeline.yaml",
			"unshare -Urm sh -c 'umount configs/pipeline.yaml; echo > configs/pipeline.yaml'",
			"nsenter -t 1 -m sh -c \"echo > $PWD/configs/pipeline.yaml\"",
			"echo > /proc/1/root$PWD/configs/pipeline.yaml",
			"echo > /proc/$PPID/root$PWD/configs/pipeline.yaml",
			"chmod 000 configs/pipeline.yaml; chmod 0600 configs/pipeline.yaml",
			"touch -d @0 configs/pipeline.yaml",
			"(setsid sh -c 'sleep 0.1; echo > configs/pipeline.yaml' &) ; sleep 0.3",
			"python3 -c 'import os; os.rename(\"x\", \"configs/pipeline.yaml\")'",
		} {
			_ = os.WriteFile(filepath.Join(dir, "x"), []byte("x"), 0o644)
			out, _ := runConfined(t, e, l, dir, line)
			body, err := os.ReadFile(config)
			if err != nil || string(body) != "version: 1\n" {
				t.Fatalf("%s: %q %v %s", line, body, err, out)
			}
			if info, _ := os.Stat(config); info.Mode() != 0o644 || info.ModTime().Unix() == 0 {
				t.Errorf("%s: mode or time changed", line)
			}
		}
		if out, err := runConfined(t, e, l, dir,
			"touch new && mkdir d && echo > src.go && echo > configs/other && mv configs/other ."); err != nil {
			t.Errorf("ordinary work: %v %s", err, out)
		}
	})
}

// TestFind: a line runs under its own ticket, the strictest of several, and a line without one as
// ever.
func TestFind(t *testing.T) {
	tickets := OpenTickets(t.TempDir(), "s")
	if _, found := tickets.Find("ls", true, "x"); found {
		t.Error("found one where none was left")
	}
	wide := Ticket{Engine: "e", Limits: Limits{Writable: []string{"/"}}}
	narrow := Ticket{Engine: "e", Limits: Limits{Writable: []string{"/tmp"}}}
	for use, ticket := range map[string]Ticket{"1": wide, "2": narrow} {
		if err := tickets.Leave("make", use, ticket); err != nil {
			t.Fatal(err)
		}
	}
	if _, found := tickets.Find("ls", true, "x"); found {
		t.Error("another line's ticket counts")
	}
	if got, found := tickets.Find("make", true, "x"); !found || got.AnyPlace() {
		t.Errorf("%v %v", got, found)
	}
	if got, found := tickets.Find("", false, "x"); !found || got.AnyPlace() {
		t.Errorf("%v %v", got, found)
	}
	if ticket, used := tickets.Collect("make", "2"); ticket == nil || !used {
		t.Error(ticket, used)
	}
	if ticket, _ := tickets.Collect("make", "2"); ticket != nil {
		t.Error("collected twice")
	}
	if err := tickets.Leave("sleep 9 &", "3", narrow); err != nil {
		t.Fatal(err)
	}
	if ticket, used := tickets.Collect("sleep 9 &", "3"); ticket == nil || used {
		t.Error("a line that never ran:", ticket, used)
	}
	for use := range 8 { // the name of the file decides nothing
		ticket := Ticket{Engine: "e", Confined: use == 4, Limits: Limits{Writable: []string{"/"}}}
		if use != 5 {
			ticket.ReadOnly = []string{"/proj"}
		}
		if err := tickets.Leave("two", strconv.Itoa(use), ticket); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := tickets.Find("two", true, "x"); !got.Confined {
		t.Errorf("the ticket of a confined agent does not win: %v", got)
	}
	tickets.Collect("two", "4")
	if got, _ := tickets.Find("two", true, "x"); len(got.ReadOnly) != 1 {
		t.Errorf("the ticket that keeps more does not win: %v", got)
	}
	if err := os.WriteFile(tickets.fileOf("make", "1"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, found := tickets.Find("make", true, "fallback"); !found || got.Engine != "fallback" ||
		len(got.Writable) > 0 {
		t.Errorf("a damaged ticket: %v %v", got, found)
	}
}

func TestIgnored(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", "-c", "cd "+dir+` && git init -q && mkdir -p build src vendor web/node_modules &&
		touch build/a src/a vendor/a && echo 'build/
vendor/
node_modules/' > .gitignore && git add -f vendor/a src`).CombinedOutput()
	if err != nil {
		t.Fatalf("%v %s", err, out)
	}
	got := strings.Join(listIgnored([]string{dir}), " ")
	if want := dir + "/build " + dir + "/web/node_modules"; got != want {
		t.Errorf("ignored are %s\nexpected %s", got, want)
	}
}

// TestSeatbelt: the profile that macOS's sandbox is given, before the line.
func TestSeatbelt(t *testing.T) {
	got, err := seatbelt(Limits{Writable: []string{"/tmp", `/a "b"`}, ReadOnly: []string{"/tmp/p"}}, []string{"sh"})
	want := `(version 1)(allow default)(deny file-write*)(allow file-write* (subpath "/dev"))` +
		`(allow file-write* (subpath "/tmp"))(allow file-write* (subpath "/a \"b\""))(deny file-write* (subpath "/tmp/p"))`
	if err != nil || !slices.Equal(got, []string{"/usr/bin/sandbox-exec", "-p", want, "sh"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestDescription: what the kernel holds depends on the policy, too.
func TestDescription(t *testing.T) {
	const files, project = "pipeline's files", "before a plan"
	for _, c := range []struct {
		keeps, confines bool
		want            string
	}{
		{true, true, "kernel: x: agents' commands cannot change " + files + ", nor the project's " + project},
		{true, false, "kernel: x: agents' commands cannot change " + files},
		{false, true, "kernel: x: agents' commands cannot change the project's files " + project},
		{false, false, "kernel: x: no rule of the config confines commands"},
	} {
		if got := (Capability{Engine: "x", Keeps: c.keeps}).Describe(c.confines); got != c.want {
			t.Errorf("keeps %v, confines %v: %s", c.keeps, c.confines, got)
		}
	}
}
