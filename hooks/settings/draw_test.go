package settings

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

var (
	eventNames = []string{"SessionStart", "PreToolUse", "SubagentStop", "Stop", "Mine"}
	gaps       = []string{"", "", "", " ", "  ", "\t", "\n", "\n  ", "\n\n    ", "\r\n\t", "\r", "\n ", "/*c*/",
		" /* \"[{ */ ", "// l\n", " // ]}\r\n  ", "//\r\r\n", "/**/ \n"}
	plainGaps = []string{"", " ", "\n", "\n  ", "\n    ", "\n\n", "\r\n"}
)

// A writer draws a settings file, laid out in any way that the grammar knows.
type writer struct {
	t    *rapid.T
	gaps []string
	free bool // comments and trailing commas too
}

func (w writer) gap() string { return rapid.SampledFrom(w.gaps).Draw(w.t, "gap") }

func (w writer) list(open, end string, items []string) string {
	var b strings.Builder
	b.WriteString(open + w.gap())
	for i, it := range items {
		b.WriteString(it + w.gap())
		if i < len(items)-1 || w.free && rapid.IntRange(0, 3).Draw(w.t, "trailing") == 0 {
			b.WriteString("," + w.gap())
		}
	}
	return b.String() + end
}

func (w writer) pair(name, value string) string {
	return fmt.Sprintf("%q%s:%s%s", name, w.gap(), w.gap(), value)
}

func (w writer) value(depth int) string {
	kind := rapid.IntRange(0, 7).Draw(w.t, "kind")
	if depth <= 0 || kind < 4 {
		return rapid.SampledFrom([]string{`"s"`, `"//"`, `"\"]"`, "1", "-1.5e3", "true", "null", "{}",
			"[]"}).Draw(w.t, "leaf")
	}
	var items []string
	for i := range rapid.IntRange(0, 3).Draw(w.t, "n") {
		item := w.value(depth - 1)
		if kind < 6 {
			item = w.pair(fmt.Sprintf("k%d", i), item)
		}
		items = append(items, item)
	}
	if kind < 6 {
		return w.list("{", "}", items)
	}
	return w.list("[", "]", items)
}

func (w writer) group() string {
	hook := w.list("{", "}", []string{w.pair("type", `"command"`), w.pair("command", `"lint"`)})
	return w.list("{", "}", []string{w.pair("hooks", w.list("[", "]", []string{hook}))})
}

// status is a person's own status line.
func (w writer) status() string {
	return w.list("{", "}", []string{w.pair("type", `"command"`), w.pair("command", `"~/line.sh"`)})
}

func (w writer) hooks() string {
	var events []string
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(eventNames), 0, 3, rapid.ID).Draw(w.t, "events") {
		var groups []string
		for range rapid.IntRange(0, 2).Draw(w.t, "groups") {
			groups = append(groups, w.group())
		}
		events = append(events, w.pair(name, w.list("[", "]", groups)))
	}
	return w.list("{", "}", events)
}

func (w writer) file() string {
	var items []string
	for i := range rapid.IntRange(0, 2).Draw(w.t, "before") {
		items = append(items, w.pair(fmt.Sprintf("a%d", i), w.value(2)))
	}
	if rapid.Bool().Draw(w.t, "hooks") {
		items = append(items, w.pair("hooks", w.hooks()))
	}
	if rapid.IntRange(0, 3).Draw(w.t, "status line") == 0 {
		items = append(items, w.pair("statusLine", w.status()))
	}
	for i := range rapid.IntRange(0, 1).Draw(w.t, "after") {
		items = append(items, w.pair(fmt.Sprintf("z%d", i), w.value(2)))
	}
	bom := rapid.SampledFrom([]string{"", "", "\ufeff"}).Draw(w.t, "bom")
	return bom + w.gap() + w.list("{", "}", items) + w.gap()
}

func drawFile(t *rapid.T) []byte {
	if rapid.IntRange(0, 20).Draw(t, "blank") == 0 {
		return []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{" ", "\n", "\r\n", "\t"})).Draw(t,
			"blank text"), ""))
	}
	w := writer{t: t, gaps: gaps, free: true}
	if rapid.Bool().Draw(t, "plain") {
		w.gaps, w.free = plainGaps, false
	}
	return []byte(w.file())
}

func drawEntries(t *rapid.T, label string) []Entry {
	entries := ours(rapid.SliceOfN(rapid.SampledFrom(eventNames), 0, 5).Draw(t, label)...)
	for i := range entries {
		entries[i].Timeout = rapid.IntRange(0, 2).Draw(t, "timeout")
		entries[i].Command = rapid.SampledFrom([]string{"/a/pipeline", `C:\b & "c"\pipeline.exe`}).Draw(t, "command")
	}
	return entries
}
