package session

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// TestMain makes this binary the child processes of the tests too: what is tested must
// hold between processes.
func TestMain(m *testing.M) {
	if role := os.Getenv("SESSION_TEST_ROLE"); role != "" {
		roles[role](Store{Dir: os.Getenv("SESSION_TEST_DIR"), Wait: time.Minute}, os.Getenv("SESSION_TEST_NAME"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var roles = map[string]func(st Store, name string){"few": few, "endless": endless, "hold": hold, "order": order,
	"compact": compact}

// perChild is how many updates a child makes in the role of few.
const perChild = 5

// few waits for the start, then makes some updates.
func few(st Store, name string) {
	_, _ = io.Copy(io.Discard, os.Stdin)
	for i := range perChild {
		if err := st.Update(note(fmt.Sprint(name, ".", i)), count); err != nil {
			fail(err)
		}
	}
}

// endless makes updates until it is killed, and says the count after each.
func endless(st Store, name string) {
	for i := 0; ; i++ {
		var n int
		err := st.Update(note(name), func(s session, e event) (Outcome, error) {
			out := moving(s, e, strconv.Itoa(i%2))
			n = out.Session.Machine.Visit
			return out, nil
		})
		if err != nil {
			fail(err)
		}
		fmt.Println(n)
	}
}

// hold keeps the lock until its input ends.
func hold(st Store, name string) {
	dir := st.Path(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		fail(err)
	}
	unlock, err := lock(dir+"/lock", time.Minute)
	if err != nil {
		fail(err)
	}
	defer unlock()
	fmt.Println("held")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func fail(err error) {
	fmt.Println(err)
	os.Exit(1)
}

// A child is this binary in a role.
type child struct {
	*exec.Cmd
	out *bufio.Scanner
}

// start starts a child. It reads from in.
func start(t testing.TB, st Store, role, name string, in io.Reader) child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := child{Cmd: exec.Command(exe)}
	c.Env = append(os.Environ(), "SESSION_TEST_ROLE="+role, "SESSION_TEST_DIR="+st.Dir, "SESSION_TEST_NAME="+name)
	c.Stdin = in
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// ends waits for a child that should be content, and returns what it said.
func (c child) ends(t testing.TB) string {
	t.Helper()
	var said []string
	for c.out.Scan() {
		said = append(said, c.out.Text())
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return strings.Join(said, "\n")
}

// pipe is an input of children that ends when the returned function is called.
func pipe(t testing.TB) (io.Reader, func()) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, func() { w.Close() }
}

// records are all of a session's.
func records(t testing.TB, st Store, id string) []journal.Record {
	t.Helper()
	var out []journal.Record
	if _, err := journal.Read(st.Path(id), func(r journal.Record) bool {
		out = append(out, r)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return out
}
