package main

func newCompletionCommand(p *program) command {
	script := func(shell, file, text string) *command {
		return &command{
			Name:      shell,
			Usage:     "Print the completion for " + shell,
			UsageText: "pipeline completion " + shell + " > " + file,
			Action: p.action(func(c invocation) error {
				if shell == "fish" {
					text, _ = c.app().ToFishCompletion() // by a template of the library
				}
				return c.printWhole(text)
			}),
		}
	}
	return command{
		Usage:       "Print a script that completes command lines in your shell",
		Description: "To try it in this shell: source <(pipeline completion bash)",
		UsageText:   "pipeline completion bash > ~/.local/share/bash-completion/completions/pipeline",
		Subcommands: []*command{
			script("bash", "~/.local/share/bash-completion/completions/pipeline", bashCompletion),
			script("zsh", `"${fpath[1]}/_pipeline"`, zshCompletion),
			script("fish", "~/.config/fish/completions/pipeline.fish", ""),
		},
	}
}

// askCompletion, as the last word of a command line, has the library print what the word before it may be.
const askCompletion = "--generate-bash-completion"

// bashCompletion and zshCompletion leave the last word out where it is no flag, and choose themselves from what is
// printed. Where nothing is, the shell completes files.
const bashCompletion = `_pipeline() {
    local current=${COMP_WORDS[COMP_CWORD]}
    local -a line=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
    [[ $current == -* ]] && line+=("$current")
    COMPREPLY=($(compgen -W "$(pipeline "${line[@]}" ` + askCompletion + ` 2>/dev/null)" -- "$current"))
}
complete -o default -F _pipeline pipeline
`

const zshCompletion = `#compdef pipeline
_pipeline() {
    local -a line found
    line=("${(@)words[2,CURRENT-1]}")
    [[ $words[CURRENT] == -* ]] && line+=("$words[CURRENT]")
    found=("${(@f)$(pipeline "${(@)line}" ` + askCompletion + ` 2>/dev/null)}")
    if [[ -n $found ]]; then compadd -a found; else _files; fi
}
if [[ $funcstack[1] == _pipeline ]]; then _pipeline "$@"; else compdef _pipeline pipeline; fi
`
