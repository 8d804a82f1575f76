package shell

import (
	"bufio"
	"fmt"
	"os"
	"testing"
)

func TestTry(t *testing.T) {
	f, err := os.Open(os.Getenv("TRY"))
	if err != nil {
		t.Skip()
	}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		fmt.Println("$", sc.Text())
		for _, c := range Parse(sc.Text()) {
			fmt.Printf("    %s dir=%q via=%q\n", c, c.Dir, c.Via)
		}
	}
}
