package claude

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// A Status is what the client gives to the command of its status line, as far as we look at
// it. The client runs the command when it starts and after each message, and shows what it
// prints (by experiment with 2.1.197 and 2.1.329).
type Status struct {
	Session string
	Version string   // the client's
	Dir     string   // where the client is now
	Project string   // where it was started
	Cost    *float64 // dollars, of the session; nil where it is not known
	Used    *float64 // percent of the context window; nil before the first answer of the model
}

// maxStatus bounds what is read of a payload, which has a kilobyte or two.
const maxStatus = 1 << 20

// ReadStatus takes the payload of a status line.
func ReadStatus(r io.Reader) (Status, error) {
	root, err := dialect.ReadJSON(r, maxStatus)
	if err != nil {
		return Status{}, fmt.Errorf("read the client's payload: %w", err)
	}
	get := func(path string) string { return root.Get(path).String() }
	s := Status{Session: get("session_id"), Version: get("version"), Project: get("workspace.project_dir"),
		Dir:  cmp.Or(get("workspace.current_dir"), get("cwd")),
		Cost: numberAt(root, "cost.total_cost_usd"), Used: numberAt(root, "context_window.used_percentage")}
	if s.Session == "" {
		return s, errors.New("the client's payload has no session_id")
	}
	return s, nil
}

func numberAt(root gjson.Result, path string) *float64 {
	v := root.Get(path)
	if v.Type != gjson.Number {
		return nil
	}
	return &v.Num
}
