package configs

import _ "embed" // the schema is text

//go:embed tasks.schema.json
var taskSchema string

// TaskSchema returns the JSON Schema of a task graph.
func TaskSchema() string { return taskSchema }
