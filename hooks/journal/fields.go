package journal

import _ "embed" // for Fields

// Fields is the documentation of a record, one member a line, in the order in which they are written.
// Tests hold it to the types, and to what is recorded.
func Fields() string { return fields }

//go:embed fields.txt
var fields string
