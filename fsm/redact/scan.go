package redact

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

// prefixes are the beginnings of well-known tokens, sorted, a line each, with the least number of characters that
// follow. The first line is a comment.
//
//go:embed prefixes.txt
var prefixes string

// A scanner goes through a text once and replaces secrets.
type scanner struct {
	text   string
	out    strings.Builder
	done   int // what stands before is in out; 0 where nothing is hidden
	hidden []string

	operands []span // secrets ahead, of the commands
	line     int    // where the line ends whose commands were read
	address  int    // where the latest address ends
	userless int    // what stands before has no user, where another address begins in a password's place
}

// hide replaces text[from:to].
func (s *scanner) hide(from, to int) {
	if from < s.done || to <= from || s.text[from:to] == Hidden {
		return
	}
	s.out.WriteString(s.text[s.done:from])
	s.out.WriteString(Hidden)
	s.done, s.hidden = to, append(s.hidden, s.text[from:to])
}

// startsAt reports whether the text goes on so from a place.
func (s *scanner) startsAt(at int, with string) bool { return strings.HasPrefix(s.text[at:], with) }

func (s *scanner) scan() {
	for at := 0; at < len(s.text); {
		if len(s.operands) > 0 && at >= s.operands[0].from {
			s.hide(max(s.operands[0].from, s.done), s.operands[0].to)
			s.operands = s.operands[1:]
			continue
		}
		switch {
		case at < s.done:
			at = s.done
		case s.text[at] == '-' && s.startsAt(at, "-----BEGIN "):
			at = s.hideBlock(at)
		case s.text[at] == ':' && s.startsAt(at, "://"):
			at = s.hideUser(at + 3)
		case s.text[at] == ':' && s.startsAt(at, ":/"): // an address that was taken for a path
			at = s.hideUser(at + 2)
		case isNameByte(s.text[at]):
			at = s.readName(at)
		default:
			at++
		}
	}
}

// hideBlock hides a private key in PEM form, also one whose end was cut off.
func (s *scanner) hideBlock(at int) int {
	line := at + len("-----BEGIN ")
	head, _, ok := strings.Cut(s.text[line:], "-----")
	if !ok || !strings.Contains(head, "PRIVATE KEY") {
		return line
	}
	from := line + len(head) + len("-----")
	block, _, _ := strings.Cut(s.text[from:], "-----END")
	s.hide(from, from+len(block))
	return from + len(block)
}

// hideUser hides the password, or the token, in a URL's user info.
func (s *scanner) hideUser(from int) int {
	host := cutAt(s.text[from:], "/?# \t\n\"'`<>")
	at := strings.LastIndexByte(host, '@')
	_, port, _ := strings.Cut(host, ":")
	if at < 0 && from >= s.userless && strings.Trim(port, "0123456789") != "" { // a password with a slash
		word := cutAt(s.text[from:], " \t\n\"'`<>")
		if at = strings.LastIndexByte(word, '@'); at < 0 {
			s.userless = from + len(word)
		}
	}
	if at < 0 {
		return from
	}
	user := s.text[from : from+at]
	if name, _, ok := strings.Cut(user, ":"); ok {
		s.hide(from+len(name)+1, from+at)
	} else if len(user) >= 20 || hasTokenPrefix(user) {
		s.hide(from, from+at)
	}
	return from + at
}

// readName reads a run of the characters that names and tokens are made of: a token, or the name of a value.
func (s *scanner) readName(from int) int {
	end := from
	for end < len(s.text) && isNameByte(s.text[end]) {
		end++
	}
	run := s.text[from:end]
	if from >= s.line && end < len(s.text) && s.text[end] == ' ' && findOptions(run) != "" &&
		(from == 0 || strings.IndexByte(" \t\n/(\"'`", s.text[from-1]) >= 0) {
		s.line = s.findOperands(from)
	}
	if next := s.hideAddress(run, end); next > end {
		return next
	}
	if start := strings.IndexFunc(run, func(r rune) bool { return r != '-' && r != '.' }); start > 0 &&
		hasTokenPrefix(run[start:]) {
		from, run = from+start, run[start:]
	}
	isJSON := strings.HasPrefix(run, "eyJ") && len(run) >= 20 && // a JSON web token: three parts of base64url
		(strings.Contains(run, ".") || strings.HasPrefix(run, "eyJhbGciOi"))
	if hasTokenPrefix(run) || isJSON || strings.Contains(run, ".atlasv1.") || strings.Contains(run, "8Q~") {
		s.hide(from, end)
		return end
	}
	if isScheme(run) {
		return s.hideCredentials(end)
	}
	if next := s.findPlain(run, from, end); next > end {
		to := s.valueEnd(next, false)
		s.hide(next, to)
		return to
	}
	rest := strings.TrimLeft(s.text[end:], " \t\"'`\\")
	mayHaveValue := strings.HasPrefix(run, "--") || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":")
	if !mayHaveValue || !isSecretName(run) {
		return end
	}
	return s.hideValue(run, end)
}

// findPlain returns where a password begins that follows its name without a separator, in a .netrc file or in SQL;
// 0: there is none.
func (s *scanner) findPlain(name string, from, end int) int {
	before := s.text[max(0, from-100):from]
	next := s.skipBlanks(end)
	isPassword := strings.EqualFold(name, "password")
	switch {
	case !isPassword && !strings.EqualFold(name, "by") || next == end || s.separatorLength(next) > 0:
		return 0
	case isPassword && strings.Contains(before, "login "):
		return next
	case isPassword && strings.EqualFold(s.text[next:min(len(s.text), next+4)], "for "): // SET PASSWORD FOR x = 'y'
		line, _, _ := strings.Cut(s.text[next:], "\n")
		next = s.skipBlanks(next + strings.IndexByte(line, '=') + 1)
	case !isPassword && !strings.Contains(strings.ToLower(before), "identified "):
		return 0
	}
	if open := s.skipQuote(next); open > next {
		return open
	}
	return 0
}

// addresses are hosts whose addresses let anybody post who knows what follows a folder of them.
var addresses = [...][2]string{
	{"api.telegram.org", "/bot"}, {"discord.com", "/webhooks/"}, {"discordapp.com", "/webhooks/"},
	{"hooks.slack.com", "s/"}, {"hooks.zapier.com", "/catch/"}, {"outlook.office.com", "/webhook/"},
	{"webhook.office.com", "/webhookb2/"},
}

// hideAddress hides the secret part of an address whose host ends at a place, and of a Telegram bot's token, whose
// number ends there. It returns where it ends.
func (s *scanner) hideAddress(run string, end int) int {
	if end == len(s.text) || s.text[end] != '/' && s.text[end] != ':' {
		return end
	}
	if s.address <= end {
		s.address = end + len(cutAt(s.text[end:], " \t\r\n\"'`<>)\\"))
	}
	to := s.address
	for _, a := range addresses {
		if !strings.HasSuffix(run, a[0]) {
			continue
		}
		if _, secret, _ := strings.Cut(s.text[end:to], a[1]); secret != "" {
			s.hide(to-len(secret), to)
			return to
		}
	}
	if s.startsAt(end, ":AA") && to-end > 33 && strings.Trim(run, "0123456789") == "" {
		s.hide(end-len(run), to)
		return to
	}
	return end
}

// isScheme reports whether a word announces credentials, as in "Bearer abc".
func isScheme(word string) bool {
	return strings.EqualFold(word, "Bearer") || word == "Basic" || word == "Digest" || word == "Negotiate"
}

// hideCredentials hides what stands behind an authentication scheme.
func (s *scanner) hideCredentials(at int) int {
	from := s.skipBlanks(at)
	end := s.valueEnd(from, false)
	if from == at || end-from < 3 {
		return at
	}
	if v := s.text[from:end]; isWord(v) && strings.ToLower(v) == v && len(v) > 3 || isHarmless(v) {
		return at // "Basic idea"
	}
	s.hide(from, end)
	return end
}

// hideValue hides the value that a name is given: name=value, name: value, "name": "value".
func (s *scanner) hideValue(name string, at int) int {
	from := s.skipQuote(at)
	quotedName := from > at
	from = s.skipBlanks(from)
	sep := s.separatorLength(from)
	isOption := strings.HasPrefix(name, "--") && from > at && !s.startsAt(from, "-") // --password VALUE
	if sep == 0 && !isOption {
		return at
	}
	isColon := s.startsAt(from, ":")
	behind := from + sep
	from = s.skipBlanks(behind)
	if isColon && (name == "PASS" || s.startsAt(from, "//")) { // what tests print, or the scheme of an address
		return at
	}
	begin, quoted := at-len(name), s.skipQuote(from)
	if !quotedName && from == behind && quoted > from && begin > 0 && isQuote(s.text[begin-1]) &&
		quoted-1-from == s.countEscapes(0, begin-1) { // grep "token:" x
		return at
	}
	isBrace := s.startsAt(from, "{")
	isList := s.startsAt(from, "[") && !s.startsAt(from, "[]")
	isSchema := isBrace && s.startsAt(from+1, `"type":`)
	if quotedName && isColon && !isSchema && (isBrace || isList) || isBrace && strings.EqualFold(name, "pwd") { // ODBC
		end := closingBracket(s.text, from)
		s.hide(from+1, end)
		return end
	}
	if end := s.hideLiterals(from); end > from {
		return end
	}
	isPlain := from > behind && s.skipQuote(from) == from
	from = s.skipQuote(from)
	lower := strings.ToLower(name) // the value of a header goes on to the end of the line
	whole := isColon && !quotedName && (strings.HasSuffix(lower, "cookie") || strings.HasSuffix(lower, "authorization"))
	for { // of "Bearer abc" the scheme stays
		word := s.text[from:s.valueEnd(from, false)]
		next := s.skipBlanks(from + len(word))
		if next == from+len(word) || !isScheme(word) && !strings.EqualFold(word, "token") {
			break
		}
		from = next
	}
	end := s.valueEnd(from, whole)
	v := s.text[from:end]
	if v == "" {
		return at
	}
	switch {
	case isType(v) && s.separatorLength(s.skipBlanks(end)) > 0: // token: str = "x"
		return s.hideValue(name, end)
	case !whole && isPlain && (isExpression(v, s.text[end:]) || isColon && isProse(v, s.text[end:])):
	case !isHarmless(v) && !isState(name, v):
		s.hide(from, end)
	}
	return end
}

// closingBracket is where the object or the list ends that begins at a place of a text, or where the text ends.
func closingBracket(text string, at int) int {
	depth := 0
	for ; at < len(text); at++ {
		switch text[at] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at
			}
		case '"':
			for at++; at < len(text) && text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		}
	}
	return len(text)
}

// hideLiterals hides the quoted texts of a value that is a call or a list: f("x"), {"x", "y"}.
// It returns where they end, or from if the value is of another form.
func (s *scanner) hideLiterals(from int) int {
	at, opened := from, false
	for at < len(s.text) && (isNameByte(s.text[at]) || strings.IndexByte("[]{}(*&:", s.text[at]) >= 0) {
		opened = opened || strings.IndexByte("[{(", s.text[at]) >= 0
		at++
	}
	if !opened {
		return from
	}
	list := at > from && s.text[at-1] == '['
	for next := s.skipQuote(at); next > at; next = s.skipQuote(at) {
		end := s.valueEnd(next, false)
		v := s.text[next:end]
		if !isSecretName(v) && !(list && at > from+1 && isWord(v)) { // not getenv("API_TOKEN"), row["id"]
			s.hide(next, end)
		}
		from = min(max(end+1, s.skipQuote(end)), len(s.text))
		at = s.skip(from, ", ")
	}
	return from
}

// skipQuote skips a quote, however often it is escaped.
func (s *scanner) skipQuote(at int) int {
	to := s.skip(at, `\`)
	if to < len(s.text) && isQuote(s.text[to]) {
		return to + 1
	}
	return at
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// countEscapes counts the backslashes before a place of a text.
func (s *scanner) countEscapes(from, at int) int {
	return at - from - len(strings.TrimRight(s.text[from:at], `\`))
}

func (s *scanner) skipBlanks(at int) int { return s.skip(at, " \t") }

// skip skips all of some characters.
func (s *scanner) skip(at int, chars string) int {
	return len(s.text) - len(strings.TrimLeft(s.text[at:], chars))
}

// cutAt is a text up to the first of some characters.
func cutAt(text, chars string) string {
	if end := strings.IndexAny(text, chars); end >= 0 {
		return text[:end]
	}
	return text
}

// separatorLength is the length of what stands between a name and its value: 0 for none.
func (s *scanner) separatorLength(at int) int {
	for _, sep := range [...]string{":=", "=>", `=\u003e`, "==", "=", ":"} {
		if s.startsAt(at, sep) {
			if sep == "==" { // a comparison
				return 0
			}
			return len(sep)
		}
	}
	return 0
}

// valueEnd is where a value ends. A header's value goes to the end of its line or quote. A quoted one ends at a quote
// that is escaped as often as the first.
func (s *scanner) valueEnd(from int, header bool) int {
	quote, escapes := byte(0), 0
	if from > 0 && isQuote(s.text[from-1]) {
		quote, escapes = s.text[from-1], s.countEscapes(0, from-1)
	}
	for at := from; at < len(s.text); at++ {
		switch c := s.text[at]; {
		case c == '\n' || c == '\r':
			return at
		case quote != 0 && c == quote:
			if n := s.countEscapes(from, at); n <= escapes {
				return at - n
			}
		case quote != 0:
		case isQuote(c):
			return at - s.countEscapes(from, at)
		case header:
		case strings.IndexByte(" \t&;,<>)]}", c) >= 0:
			return at
		}
	}
	return len(s.text)
}

// secretEnds are how the names of secrets end.
var secretEnds = [...]string{
	"password", "passwd", "passphrase", "pwd", "pass", "secret", "secrets", "token", "key", "cookie",
	"authorization", "auth", "credential", "credentials", "jwt", "bearer", "otp", "pin", "signature", "sig",
	"psk", "sessionid",
}

// isSecretName reports whether a name says that its value is a secret. It uses no memory for most names.
func isSecretName(name string) bool {
	name = strings.Trim(name, "-.")
	if len(name) < 3 || len(name) > 80 {
		return false
	}
	for _, s := range secretEnds {
		n := len(name) - len(s)
		if n < 0 || !strings.EqualFold(name[n:], s) || hasHump(name[n:]) {
			continue
		}
		isApart := n == 0 || strings.IndexByte("_-.", name[n-1]) >= 0 || hasHump(name[n-1:n+1])
		switch s {
		case "key":
			return isSecretKey(name[:n], isApart)
		case "pin", "sig", "signature":
			return n == 0
		case "pass", "auth", "pwd", "secrets", "bearer", "otp", "psk":
			return isApart
		}
		return isApart || n < 12 && s != "cookie"
	}
	if last := name[len(name)-1] | 0x20; last != 'd' && last != 'g' {
		return false
	}
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	kind, isID := strings.CutSuffix(name, "token-id")
	return isID && kind != "" || name == "private-key-id" || name == "connection-string"
}

// hasHump reports whether a word begins within a text in camelCase.
func hasHump(text string) bool {
	for i := 1; i < len(text); i++ {
		if 'A' <= text[i] && text[i] <= 'Z' && 'a' <= text[i-1] && text[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// isSecretKey reports whether a key of this kind is a secret: primary keys and cache keys are none.
func isSecretKey(kind string, isApart bool) bool {
	kind = strings.ToLower(strings.TrimRight(kind, "_-."))
	ends := func(kinds ...string) bool {
		return slices.ContainsFunc(kinds, func(k string) bool { return strings.HasSuffix(kind, k) })
	}
	return ends("api", "apikey", "access", "private", "secret") || isApart && ends("encryption", "signing",
		"master", "account", "auth", "service", "shared", "subscription", "license", "deploy", "session", "app",
		"client", "storage")
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' ||
		c == '.' || c == '~'
}

// hasTokenPrefix reports whether a word begins as a well-known token does, and is long enough.
func hasTokenPrefix(word string) bool {
	if len(word) < 12 {
		return false
	}
	at := strings.Index(prefixes, "\n"+word[:1]) + 1
	for line := range strings.Lines(prefixes[at:]) {
		if line[0] != word[0] {
			break
		}
		begins, least, _ := strings.Cut(line, " ")
		behind, ok := strings.CutPrefix(word, begins)
		isPlain := strings.ToLower(behind) == behind || strings.ToUpper(behind) == behind // it may be made of words
		if n, _ := strconv.Atoi(strings.TrimSpace(least)); ok && len(behind) >= n &&
			(!isPlain || strings.ContainsAny(behind, "0123456789")) {
			return true
		}
	}
	return false
}

// findOperands looks for secrets in the commands of a line of a text, of which the first begins at a place. It returns
// where the line ends.
func (s *scanner) findOperands(from int) int {
	line, at := [][]string{nil}, [][]int{nil}
	for from < len(s.text) && s.text[from] != '\n' && s.text[from] != '\r' {
		last := len(line) - 1
		switch c := s.text[from]; {
		case c == '|' || c == ';':
			line, at = append(line, nil), append(at, nil)
			from++
		case c == ' ' || c == '\t' || c == '&' || c == '(' || c == ')':
			from++
		default:
			begin, end, next := s.nextWord(from)
			line[last], at[last] = append(line[last], s.text[begin:end]), append(at[last], begin)
			from = next
		}
	}
	line = append(line, nil)
	for i, words := range line[:len(line)-1] {
		for k, secret := range findSecrets(words, line[i+1]) {
			if secret.from < secret.to {
				s.operands = append(s.operands, span{at[i][k] + secret.from, at[i][k] + secret.to})
			}
		}
	}
	return from
}

// nextWord returns a word of a command in a text, without its quotes, and where the next one is looked for.
func (s *scanner) nextWord(at int) (from, to, next int) {
	if s.startsAt(at, "<<<") {
		return at, at + 3, at + 3
	}
	if from = s.skipQuote(at); from > at {
		to = s.valueEnd(from, false)
		return from, to, max(s.skipQuote(to), from)
	}
	for to = at; to < len(s.text) && strings.IndexByte(" \t\r\n|;&()`", s.text[to]) < 0; to++ {
		if isQuote(s.text[to]) { // within a word: -p'a b'
			to = max(to, min(s.valueEnd(to+1, false), len(s.text)-1))
		}
	}
	return at, to, max(to, at+1)
}
