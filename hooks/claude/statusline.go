package claude

import (
	"errors"
	"fmt"
	"io"

	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// A Status is what the client gives to the command of its status line, as far as we look at
// it. The client runs the command when it starts and after each message, and shows what it
// prints (by experiment with 2.1.197 and 2.1.329).
type Status struct {
	Session string
	Project string // where the client was started
}

// maxStatus bounds what is read of a payload, which has a kilobyte or two.
const maxStatus = 1 << 20

// ReadStatus takes the payload of a status line.
func ReadStatus(r io.Reader) (Status, error) {
	root, err := dialect.ReadJSON(r, maxStatus)
	if err != nil {
		return Status{}, fmt.Errorf("read the client's payload: %w", err)
	}
	s := Status{root.Get("session_id").String(), root.Get("workspace.project_dir").String()}
	if s.Session == "" {
		return s, errors.New("the client's payload has no session_id")
	}
	return s, nil
}
