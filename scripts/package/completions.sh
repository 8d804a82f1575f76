#!/bin/sh
# Writes the completion of each shell into a folder.
set -eu
mkdir -p "$1"
pipeline() { go run -tags urfave_cli_no_docs,urfave_cli_no_suggest ./cmd/pipeline "$@"; }
pipeline completion bash >"$1/pipeline.bash"
pipeline completion zsh >"$1/_pipeline"
pipeline completion fish >"$1/pipeline.fish"
