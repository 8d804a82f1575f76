package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"

	"github.com/agent-pipeline/pipeline/config/system"
)

// A cursor is the last record that a collector has taken, and what went on then. The zero
// cursor is before the first record.
type cursor struct {
	Segments int    `json:"segments,omitempty"` // of the journal, before the file that has the record
	Offset   int64  `json:"offset"`             // where the record begins in that file
	Hash     string `json:"hash"`               // of the record
	Open     spans  `json:"open"`
}

func (c cursor) clone() cursor {
	if c.Open = maps.Clone(c.Open); c.Open == nil {
		c.Open = spans{}
	}
	return c
}

// readCursor reads a cursor. One that is damaged is none: what was sent is sent again.
func readCursor(path string) (c cursor, err error) {
	body, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return cursor{}, nil
	}
	if err != nil {
		return cursor{}, fmt.Errorf("read cursor: %w", err)
	}
	if json.Unmarshal(body, &c) != nil || c.Offset < 0 || c.Segments < 0 {
		return cursor{}, nil
	}
	return c, nil
}

func (c cursor) write(path string) error {
	body, err := json.Marshal(c)
	if err == nil {
		err = system.WriteFile(path, body)
	}
	if err != nil { // not wrapped: a folder that is missing here is no session that is gone
		return fmt.Errorf("write cursor: %v", err)
	}
	return nil
}
