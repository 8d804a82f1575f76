package e2e

import _ "embed"

// serverScript is a server of tools (MCP) with the tools ping and pong, each of which answers
// with its name.
//
//go:embed testdata/server.sh
var serverScript string
