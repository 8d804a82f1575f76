package tasks

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Find returns the graph in a message: of the fenced code blocks that say json, the first that holds an object with the
// key "phases". If none is sound, it is the first that was meant to be one, so that its writer can be told what is wrong.
// Fences are those of CommonMark 0.31, section 4.5: three or more backticks or tildes, at most three spaces from the
// margin, closed by as many of the same or by the end of the text. A block within a longer fence is a quotation and does
// not count.
func Find(text string) (graph string, ok bool) {
	meant := ""
	for _, b := range codeBlocks(text) {
		if words := strings.Fields(b.info); len(words) == 0 || !strings.EqualFold(words[0], "json") {
			continue
		}
		if gjson.Valid(b.body) {
			if gjson.Get(b.body, "phases").Exists() {
				return b.body, true
			}
		} else if meant == "" && strings.Contains(b.body, `"phases"`) {
			meant = b.body
		}
	}
	return meant, meant != ""
}

// Read reads a graph from a text that is one, or from a message that has one in it. Not found: there is none.
func Read(text string) (g Graph, mistakes []Mistake, found bool) {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n\ufeff"), "{") {
		text = strings.TrimLeft(text, " \t\r\n\ufeff")
	} else if text, found = Find(text); !found {
		return Graph{}, nil, false
	}
	g, mistakes = Parse([]byte(text))
	return g, mistakes, true
}

// A block is a fenced code block.
type block struct{ info, body string }

func codeBlocks(text string) []block {
	var out []block
	var open fence
	var body strings.Builder
	for line := range strings.Lines(text) {
		f, isFence := parseFence(line)
		switch {
		case open.run == 0 && isFence:
			open = f
		case open.run == 0:
		case isFence && open.isClosedBy(f):
			out = append(out, block{open.info, body.String()})
			open = fence{}
			body.Reset()
		default:
			body.WriteString(line) // the indentation means nothing to JSON
		}
	}
	if open.run > 0 {
		out = append(out, block{open.info, body.String()})
	}
	return out
}

// A fence is a line that opens or closes a block.
type fence struct {
	char byte
	run  int // how many of them; 0: no fence
	info string
}

func parseFence(line string) (fence, bool) {
	line = strings.TrimRight(line, "\r\n")
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || rest == "" || rest[0] != '`' && rest[0] != '~' {
		return fence{}, false
	}
	f := fence{char: rest[0], run: len(rest) - len(strings.TrimLeft(rest, rest[:1]))}
	f.info = strings.Trim(rest[f.run:], " \t")
	if f.run < 3 || f.char == '`' && strings.Contains(f.info, "`") {
		return fence{}, false
	}
	return f, true
}

func (f fence) isClosedBy(g fence) bool { return g.char == f.char && g.run >= f.run && g.info == "" }
