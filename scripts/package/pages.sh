#!/bin/sh
# Writes the man pages and the completion of each shell into a folder, with a date: pages.sh DIR DATE
set -eu
pipeline() { go run -tags urfave_cli_no_docs,urfave_cli_no_suggest ./cmd/pipeline "$@"; }
rm -rf "$1/man" "$1/completions"
mkdir -p "$1/completions"
pipeline man --output "$1/man/man1"
pipeline completion bash >"$1/completions/pipeline.bash"
pipeline completion zsh >"$1/completions/_pipeline"
pipeline completion fish >"$1/completions/pipeline.fish"
find "$1/man" "$1/completions" -exec touch -d "$2" {} +
