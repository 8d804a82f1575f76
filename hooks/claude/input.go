package claude

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// maxInput is the longest input that a rule can ask for, in bytes: names and switches, not texts.
const maxInput = 256

// Input is what the tool was given, as far as a rule may ask for it.
func (c *call) Input() map[string]string {
	out := map[string]string{}
	in := gjson.ParseBytes(c.ToolInput)
	if !in.IsObject() {
		return out
	}
	in.ForEach(func(k, v gjson.Result) bool {
		switch v.Type {
		case gjson.String:
			if len(v.Str) <= maxInput {
				out[k.Str] = v.Str
			}
		case gjson.True, gjson.False:
			out[k.Str] = strconv.FormatBool(v.Bool())
		case gjson.Number:
			out[k.Str] = v.Raw
		}
		return true
	})
	return out
}
