package main

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
)

func newCompletionCommand(p *program) *cli.Command {
	script := func(shell, file, text string) *cli.Command {
		return &cli.Command{
			Name:      shell,
			Usage:     "Print the completion for " + shell,
			UsageText: "pipeline completion " + shell + " > " + file,
			Action:    func(*cli.Context) error { return p.printWhole(text) },
		}
	}
	return &cli.Command{
		Usage: "Print a script that completes command lines in your shell",
		Description: `The script asks pipeline itself, which knows the project's sessions, states and rules. To try
it in this shell: source <(pipeline completion bash)`,
		UsageText: "pipeline completion bash > ~/.local/share/bash-completion/completions/pipeline",
		Subcommands: []*cli.Command{
			script("bash", "~/.local/share/bash-completion/completions/pipeline", bashCompletion),
			script("zsh", `"${fpath[1]}/_pipeline"`, zshCompletion),
			script("fish", "~/.config/fish/completions/pipeline.fish", fishCompletion),
			{
				Name:        "candidates",
				Usage:       "Print what the last word of a command line may be, for the scripts",
				ArgsUsage:   "-- WORD…",
				Description: "Each line is a word, a tab and what it means.",
				UsageText:   "pipeline completion candidates -- status --s",
				Hidden:      true,
				Action: func(c *cli.Context) error {
					quiet := *p
					quiet.err = io.Discard
					for _, r := range listCandidates(&quiet, c, c.Args().Slice()) {
						p.printf("%s\t%s\n", r.name, r.text)
					}
					return nil
				},
			},
		},
	}
}

const bashCompletion = `_pipeline() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <(pipeline completion candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _pipeline pipeline
`

const zshCompletion = `#compdef pipeline
_pipeline() {
    local line
    local -a found
    for line in "${(@f)$(pipeline completion candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if (( $#found )); then _describe pipeline found; else _files; fi
}
if [[ $funcstack[1] == _pipeline ]]; then _pipeline "$@"; else compdef _pipeline pipeline; fi
`

const fishCompletion = `function __pipeline_candidates
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l found (pipeline completion candidates -- $before[2..-1] "$current" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c pipeline -f -a '(__pipeline_candidates)'
`

// listCandidates lists what the last of the words may be; nothing where it is a file.
func listCandidates(p *program, c *cli.Context, words []string) []helpRow {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	l := readCommandLine(c.App, before)
	command := l.last()
	var all []helpRow
	if f := awaitsValue(command.Flags, strings.Join(before[max(0, len(before)-1):], "")); f != nil {
		all = listValues(p, c, f.GetUsage())
	} else if strings.HasPrefix(last, "-") {
		for _, r := range describeFlags(command.Flags) {
			name, _, _ := strings.Cut(r.name, " ")
			all = append(all, helpRow{strings.TrimSuffix(name, ","), r.text})
		}
	} else if len(l.args) == 0 {
		all = listValues(p, c, command.ArgsUsage)
		for _, sub := range command.Subcommands {
			if !sub.Hidden {
				all = append(all, helpRow{sub.Name, sub.Usage})
			}
		}
	}
	return slices.DeleteFunc(all, func(r helpRow) bool { return !strings.HasPrefix(r.name, last) })
}

// listValues lists what the word in capital letters of a text of usage can be, and the
// words that stand beside it as alternatives.
func listValues(p *program, c *cli.Context, usage string) []helpRow {
	word := regexp.MustCompile(`[A-Z]{2,}`).FindString(usage)
	var names []string
	if word == "FORMAT" { // each command has its own, and lists them
		_, list, _ := strings.Cut(usage, ":")
		list, _, _ = strings.Cut(list, "(")
		names = strings.Fields(strings.NewReplacer(",", " ", " or ", " ").Replace(list))
	} else {
		names = listNames(p, c, word)
	}
	for _, m := range regexp.MustCompile(`\| ([a-z]+)`).FindAllStringSubmatch(usage, -1) {
		names = append(names, m[1])
	}
	var out []helpRow
	for _, n := range names {
		out = append(out, helpRow{n, strings.ToLower(word)})
	}
	return out
}

// listNames lists what a word of the help stands for, as far as it is known.
func listNames(p *program, c *cli.Context, word string) (out []string) {
	fixed := map[string][]string{"LEVEL": fsm.LevelNames(), "VERDICT": fsm.VerdictNames(), "KIND": recordKinds(),
		"SCOPE": {"project", "user", "local"}, "PRESET": configs.Presets()}
	if names, ok := fixed[word]; ok || !slices.Contains([]string{"ID", "STATE", "RULE", "TYPE"}, word) {
		return names
	}
	o, err := p.openProject(c)
	if err != nil {
		return nil
	}
	switch word {
	case "ID":
		items, _ := store(o, 0).List() // unreadable: none is proposed
		for _, i := range items {
			out = append(out, i.ID)
		}
	case "STATE":
		return stateNames(o.Policy)
	case "RULE":
		return ruleNames(o.Policy)
	case "TYPE":
		for _, a := range o.Policy.Agents {
			out = append(out, a.Name)
		}
	}
	return out
}
