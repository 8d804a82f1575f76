package settings

import "strings"

// quoteWord writes a word for a shell.
func quoteWord(word string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:@%"
	if word == "" || strings.Trim(word, safe) != "" {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// Line is an entry as a shell reads it.
func (e Entry) Line() string {
	return strings.Join(append([]string{quoteWord(e.Command)}, e.Args...), " ")
}

// splitLine reads what Line writes. Of another line the program may be cut short.
func splitLine(line string) (program string, args []string) {
	program, rest, _ := strings.Cut(line, " ")
	if strings.HasPrefix(line, "'") {
		const quoted = "\x00"
		program, rest, _ = strings.Cut(strings.ReplaceAll(line[1:], `'\''`, quoted), "'")
		program, rest = strings.ReplaceAll(program, quoted, "'"), strings.ReplaceAll(rest, quoted, `'\''`)
	}
	return program, strings.Fields(rest)
}
