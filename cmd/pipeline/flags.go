package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// flagsFirst moves a command's flags before its arguments: the library stops reading flags at the first argument, and
// people write `pipeline reset "reason" --to IDLE`.
func flagsFirst(app *cli.App, args []string) []string {
	at, cmd := named(app, args)
	if cmd == nil {
		return args
	}
	var flags, rest []string
	for i := at + 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			rest = append(rest, args[i:]...)
			i = len(args)
		case !strings.HasPrefix(a, "-") || a == "-":
			rest = append(rest, a)
		case wantsValue(cmd, a) && i+1 < len(args):
			flags = append(flags, a, args[i+1])
			i++
		default:
			flags = append(flags, a)
		}
	}
	return slices.Concat(args[:at+1], flags, rest)
}

// named finds the command in the arguments.
func named(app *cli.App, args []string) (int, *cli.Command) {
	for i := 1; i < len(args); i++ {
		if args[i] == "--config" {
			i++
			continue
		}
		if strings.HasPrefix(args[i], "-") {
			continue
		}
		return i, app.Command(args[i])
	}
	return 0, nil
}

// wantsValue reports whether a flag takes the next argument.
func wantsValue(cmd *cli.Command, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range cmd.Flags {
		if _, isBool := f.(*cli.BoolFlag); !isBool && slices.Contains(f.Names(), name) {
			return true
		}
	}
	return false
}
