package hooks

import (
	"slices"
	"strings"
	"unicode"
)

// RuleOrder marks the answer to an order: the prompt that it came in goes no further.
const RuleOrder = "order"

// orderWords are what a person may order by typing it as a prompt: /pipeline WORD …
func orderWords() []string {
	return []string{"status", "reset", "to", "once", "bypass", "mode", "help"}
}

// Order reads a prompt that is an order to us: "/pipeline bypass 30m reason", also under our own plugin's prefix: a
// command of the same name by anybody else may be one that a model can call. Without a word it asks for the status.
func Order(prompt string) (words []string, ok bool) {
	prompt = strings.TrimSpace(prompt)
	first, rest := prompt, ""
	if i := strings.IndexFunc(prompt, unicode.IsSpace); i >= 0 {
		first, rest = prompt[:i], prompt[i:]
	}
	if first != "/pipeline" && first != "/pipeline:pipeline" {
		return nil, false
	}
	words = strings.Fields(rest)
	if len(words) == 0 {
		words = []string{"status"}
	}
	return words, true
}

// isOurs reports whether a command's or skill's name may be taken for the one that takes orders, whatever it comes with.
func isOurs(name string) bool {
	name = strings.TrimPrefix(name, "/")
	return name == "pipeline" || strings.HasSuffix(name, ":pipeline")
}

// Carries reports whether a text has an order in it, so that whoever is given it as a prompt would give that order.
func Carries(text string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], "pipeline")
		if i < 0 {
			return false
		}
		before := text[:at+i]
		at += i + len("pipeline")
		if called(before) && followed(text[at:]) {
			return true
		}
	}
}

// called reports whether a text ends in the slash of a command, or in a plugin's name behind one.
func called(before string) bool {
	if strings.HasSuffix(before, "/") {
		return starts(before[:len(before)-1])
	}
	plugin, ok := strings.CutSuffix(before, ":")
	if !ok {
		return false
	}
	i := strings.LastIndexByte(plugin, '/')
	return i >= 0 && !strings.ContainsAny(plugin[i:], " \t\n") && starts(plugin[:i])
}

// starts reports whether a word may begin after this: a path such as /usr/pipeline is none.
func starts(before string) bool {
	return before == "" || strings.ContainsAny(before[len(before)-1:], " \t\r\n'\"`;(=,")
}

func followed(after string) bool {
	trimmed := strings.TrimLeftFunc(after, unicode.IsSpace)
	if trimmed == after {
		return false
	}
	return slices.ContainsFunc(orderWords(), func(w string) bool { return strings.HasPrefix(trimmed, w) })
}

// The words in which an attempt to give us an order is refused.
const ordersOfPersons = "what the pipeline enforces (an order to it is typed by a person)"
