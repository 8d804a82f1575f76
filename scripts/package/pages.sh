#!/bin/sh
# Writes the man pages and the completion of each shell into a folder, with a date: pages.sh DIR DATE
set -eu
rm -rf "$1/man" "$1/completions" "$1/bin"
mkdir -p "$1/completions"
go build -tags urfave_cli_no_docs,urfave_cli_no_suggest -o "$1/bin/pipeline" ./cmd/pipeline
go run ./scripts/pages -binary "$1/bin/pipeline" man "$1/man/man1"
"$1/bin/pipeline" completion bash >"$1/completions/pipeline.bash"
"$1/bin/pipeline" completion zsh >"$1/completions/_pipeline"
"$1/bin/pipeline" completion fish >"$1/completions/pipeline.fish"
rm -r "$1/bin"
find "$1/man" "$1/completions" -exec touch -d "$2" {} +
