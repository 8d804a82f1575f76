// Package docs embeds the page that the program prints.
package docs

import _ "embed"

// Reference is the page that describes every key of a config.
//
//go:embed config.md
var Reference string
