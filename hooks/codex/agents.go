package codex

import (
	"fmt"
	"strconv"
	"strings"
)

// DefineAgent writes a definition as TOML. Codex gives an agent all tools: which of them it
// may use is the policy's to say.
func (h Host) DefineAgent(source []byte) []byte {
	d := h.ParseAgent(source)
	text := "'''\n" + d.Text + "'''"
	if strings.Contains(d.Text, "'''") {
		text = strconv.Quote(d.Text)
	}
	return fmt.Appendf(nil, "name = %q\ndescription = %q\ndeveloper_instructions = %s\n", d.Name, d.Description, text)
}
