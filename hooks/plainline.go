package hooks

import "strings"

// ownCommands are PowerShell's own commands and keywords that have the name of another program,
// or of none: what such a line does in a POSIX shell says nothing.
const ownCommands = "" +
	" ac asnp begin break catch class clc cli clp clv compare configuration continue copy cpi cpp cvpa" +
	" data dbp define del diff do dynamicparam ebp else elseif end enum epal epcsv erase etsn exsn fc fhx" +
	" filter fimo finally fl for foreach from ft function fw gal gbp gc gci gcm gcs gdr gerr ghy gi gin" +
	" gjb gl gm gmo gp gps gpv group gsn gsv gtz gu gv gwmi h hidden history icm iex if ihy ii in" +
	" inlinescript inmo ipal ipcsv ipmo irm ise iwmi iwr lp measure mi move nal ndr ni nmo nsn nv ogv oh" +
	" parallel param pause process pumo r rbp rcjb rcsn rd rdr ren return ri rjb rmo rni rnp rp rsn rsnp" +
	" rujb rv rvpa rwmi sajb sal saps sasv sbp sc select sequence set shcm si sl sls sort sp spjb spps" +
	" spsv start static stz sujb sv swmi switch throw trap trcm try type until using var where while wjb" +
	" workflow write "

// isSameInPowerShell reports whether PowerShell does with a line what a POSIX shell does: plain
// words and whole quoted ones, of which none that begins a command is PowerShell's own.
func isSameInPowerShell(text string) bool {
	isFirst := true
	for rest := text; rest != ""; {
		c, n := rest[0], 1
		switch {
		case strings.IndexByte(";|&\n", c) >= 0:
			isFirst = true
		case c == ' ', c == '>' && !isFirst:
		case c == '"' || c == '\'':
			n = strings.IndexByte(rest[1:], c) + 2
			if n < 2 || isFirst || n < len(rest) && strings.IndexByte(" ;|&>\n", rest[n]) < 0 ||
				strings.ContainsFunc(rest[1:n], func(r rune) bool {
					return r < ' ' || r > '~' || c == '"' && strings.ContainsRune("$`\\!", r)
				}) {
				return false
			}
		case isPlainByte(c):
			for n < len(rest) && isPlainByte(rest[n]) {
				n++
			}
			word := strings.ToLower(rest[:n])
			isOption := word[0] == '-' && strings.ContainsAny(word, ".:") // PowerShell parts it there
			if isOption || n < len(rest) && strings.IndexByte("\"'", rest[n]) >= 0 ||
				isFirst && (strings.Contains(word, "-") || hasWord(ownCommands, word)) {
				return false
			}
			isFirst = false
		default:
			return false
		}
		rest = rest[n:]
	}
	return true
}

func isPlainByte(c byte) bool { return isWordByte(c) || strings.IndexByte("-./:=+", c) >= 0 }
