package redact

import "strings"

// A scanner goes through a text once and replaces secrets.
type scanner struct {
	text  string
	out   strings.Builder
	done  int // what stands before is in out
	found bool
}

// hide replaces text[from:to].
func (s *scanner) hide(from, to int) {
	if from < s.done || to <= from || s.text[from:to] == Hidden {
		return
	}
	s.out.WriteString(s.text[s.done:from])
	s.out.WriteString(Hidden)
	s.done, s.found = to, true
}

func (s *scanner) scan() {
	for at := 0; at < len(s.text); {
		switch {
		case at < s.done:
			at = s.done
		case s.text[at] == '-' && strings.HasPrefix(s.text[at:], "-----BEGIN "):
			at = s.hideBlock(at)
		case s.text[at] == ':' && strings.HasPrefix(s.text[at:], "://"):
			at = s.hideUser(at + 3)
		case s.text[at] == ':' && strings.HasPrefix(s.text[at:], ":/"): // an address that was taken for a path
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
	end := strings.Index(s.text[from:], "-----END")
	if end < 0 {
		s.hide(from, len(s.text))
		return len(s.text)
	}
	s.hide(from, from+end)
	return from + end
}

// hideUser hides the password, or the token, in a URL's user info.
func (s *scanner) hideUser(from int) int {
	end := from
	for end < len(s.text) && !strings.ContainsRune("/?# \t\n\"'`<>", rune(s.text[end])) {
		end++
	}
	at := strings.LastIndexByte(s.text[from:end], '@')
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

// readName reads a run of the characters that names and tokens are made of: a token, or the
// name of a value.
func (s *scanner) readName(from int) int {
	end := from
	for end < len(s.text) && isNameByte(s.text[end]) {
		end++
	}
	run := s.text[from:end]
	if start := strings.IndexFunc(run, func(r rune) bool { return r != '-' && r != '.' }); start > 0 &&
		hasTokenPrefix(run[start:]) {
		from, run = from+start, run[start:]
	}
	if hasTokenPrefix(run) || isJWT(run) {
		s.hide(from, end)
		return end
	}
	if isScheme(run) {
		return s.hideCredentials(end)
	}
	if !mayHaveValue(s.text, end) && !strings.HasPrefix(run, "--") && run != "password" || !isSecretName(run) {
		return end
	}
	if run == "password" && strings.Contains(s.text[max(0, from-100):from], "login ") { // .netrc
		if next := skipBlanks(s.text, end); next > end && separatorLength(s.text, next) == 0 {
			to := valueEnd(s.text, next, false)
			s.hide(next, to)
			return to
		}
	}
	return s.hideValue(run, end)
}

// mayHaveValue reports whether a separator can follow a name.
func mayHaveValue(text string, at int) bool {
	for ; at < len(text); at++ {
		switch text[at] {
		case '=', ':':
			return true
		case ' ', '\t', '"', '\'', '`', '\\':
		default:
			return false
		}
	}
	return false
}

// isScheme reports whether a word announces credentials, as in "Bearer abc".
func isScheme(word string) bool {
	return strings.EqualFold(word, "Bearer") || word == "Basic" || word == "Digest" || word == "Negotiate"
}

// hideCredentials hides what stands behind an authentication scheme.
func (s *scanner) hideCredentials(at int) int {
	from := at
	for from < len(s.text) && s.text[from] == ' ' {
		from++
	}
	end := valueEnd(s.text, from, false)
	if from == at || end-from < 3 {
		return at
	}
	if v := s.text[from:end]; len(v) < 8 && strings.ToLower(v) == v && strings.IndexFunc(v, isDigit) < 0 &&
		v != "abc" {
		return at // "Basic idea"
	}
	s.hide(from, end)
	return end
}

// hideValue hides the value that a name is given: name=value, name: value, "name": "value".
func (s *scanner) hideValue(name string, at int) int {
	from := at
	from = skipQuote(s.text, from)
	quotedName := from > at
	from = skipBlanks(s.text, from)
	sep := separatorLength(s.text, from)
	if sep == 0 {
		// --password VALUE
		if !strings.HasPrefix(name, "--") || from == at || from < len(s.text) && s.text[from] == '-' {
			return at
		}
	}
	isColon := from < len(s.text) && s.text[from] == ':'
	if isColon && name == "PASS" { // what tests print
		return at
	}
	from = skipBlanks(s.text, from+sep)
	if isColon && strings.HasPrefix(s.text[from:], "//") { // the scheme of an address
		return at
	}
	if quotedName && isColon && from < len(s.text) && (s.text[from] == '{' || s.text[from] == '[') &&
		!strings.HasPrefix(s.text[from:], "[]") {
		end := closingBracket(s.text, from)
		s.hide(from+1, end)
		return end
	}
	if end := s.hideLiterals(from); end > from {
		return end
	}
	from = skipQuote(s.text, from)
	whole := isColon && !quotedName && isHeaderName(name)
	from = s.skipScheme(from)
	end := valueEnd(s.text, from, whole)
	v := s.text[from:end]
	if v == "" {
		return at
	}
	if !isHarmless(v) {
		s.hide(from, end)
	}
	return end
}

// skipScheme returns where the credentials of a value begin: of "Bearer abc" the scheme
// stays.
func (s *scanner) skipScheme(from int) int {
	for {
		end := valueEnd(s.text, from, false)
		if !isScheme(s.text[from:end]) && !strings.EqualFold(s.text[from:end], "token") {
			return from
		}
		next := skipBlanks(s.text, end)
		if next == end {
			return from
		}
		from = next
	}
}

// closingBracket is where the object or the list ends that begins at a place of a text, or
// where the text ends.
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
	for at < len(s.text) && (isNameByte(s.text[at]) || strings.IndexByte("[]{}(*&", s.text[at]) >= 0) {
		opened = opened || strings.IndexByte("[{(", s.text[at]) >= 0
		at++
	}
	if !opened {
		return from
	}
	for next := skipQuote(s.text, at); next > at; next = skipQuote(s.text, at) {
		end := valueEnd(s.text, next, false)
		s.hide(next, end)
		from = min(max(end+1, skipQuote(s.text, end)), len(s.text))
		at = from
		for at < len(s.text) && (s.text[at] == ',' || s.text[at] == ' ') {
			at++
		}
	}
	return from
}

// skipQuote skips a quote, however often it is escaped.
func skipQuote(text string, at int) int {
	to := at
	for to < len(text) && text[to] == '\\' {
		to++
	}
	if to < len(text) && isQuote(text[to]) {
		return to + 1
	}
	return at
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// countEscapes counts the backslashes before a place of a text.
func countEscapes(text string, from, at int) int {
	n := 0
	for at-n-1 >= from && text[at-n-1] == '\\' {
		n++
	}
	return n
}

func skipBlanks(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// separatorLength is the length of what stands between a name and its value: 0 for none.
func separatorLength(text string, at int) int {
	for _, sep := range [...]string{":=", "=>", `=\u003e`, "==", "=", ":"} {
		if strings.HasPrefix(text[at:], sep) {
			if sep == "==" { // a comparison
				return 0
			}
			return len(sep)
		}
	}
	return 0
}

// valueEnd is where a value ends. A header's value goes to the end of its line or quote. A
// quoted one ends at a quote that is escaped as often as the first.
func valueEnd(text string, from int, header bool) int {
	quote, escapes := byte(0), 0
	if from > 0 && isQuote(text[from-1]) {
		quote, escapes = text[from-1], countEscapes(text, 0, from-1)
	}
	for at := from; at < len(text); at++ {
		switch c := text[at]; {
		case c == '\n' || c == '\r':
			return at
		case quote != 0 && c == quote:
			if n := countEscapes(text, from, at); n <= escapes {
				return at - n
			}
		case quote != 0:
		case isQuote(c):
			return at - countEscapes(text, from, at)
		case header:
		case strings.IndexByte(" \t&;,<>)]}", c) >= 0:
			return at
		}
	}
	return len(text)
}

// isHarmless reports whether a value is no secret but says where it comes from, or that there
// is none.
func isHarmless(v string) bool {
	switch strings.ToLower(v) {
	case "true", "false", "null", "none", "nil", "string", "required", "optional", "<token>", "***":
		return true
	}
	return strings.HasPrefix(v, "$") && !strings.HasPrefix(v, "$2") ||
		strings.HasPrefix(v, "<") && strings.HasSuffix(v, ">") ||
		strings.HasPrefix(v, "os.") || strings.HasPrefix(v, "process.env") || strings.HasPrefix(v, Hidden)
}

// isHeaderName reports whether the value of a name goes on to the end of the line.
func isHeaderName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "cookie") || strings.HasSuffix(name, "authorization") || name == "auth"
}

// secretEnds are how the names of secrets end.
var secretEnds = [...]string{
	"password", "passwd", "passphrase", "pwd", "pass", "secret", "secrets", "token", "key", "apikey", "cookie",
	"authorization", "auth", "credential", "credentials", "jwt", "bearer", "otp", "pin", "signature", "sig",
	"psk", "authtoken", "sessionid",
}

// hasSecretEnd reports whether a name can be that of a secret, however it is written.
func hasSecretEnd(name string) bool {
	for _, s := range secretEnds {
		if n := len(name) - len(s); n >= 0 && strings.EqualFold(name[n:], s) {
			return true
		}
	}
	if last := name[len(name)-1] | 0x20; last != 'd' && last != 'g' { // token_id, connection_string
		return false
	}
	for _, s := range [...]string{"token-id", "connection-string"} {
		if n := len(name) - len(s); n >= 0 && strings.EqualFold(strings.ReplaceAll(name[n:], "_", "-"), s) {
			return true
		}
	}
	return false
}

// isSecretName reports whether a name says that its value is a secret.
func isSecretName(name string) bool {
	name = strings.Trim(name, "-.")
	if len(name) < 3 || len(name) > 80 || name == "PWD" { // the working directory
		return false
	}
	if !hasSecretEnd(name) { // most names: no memory is used for them
		return false
	}
	name = strings.ReplaceAll(strings.ToLower(splitCamel(name)), "_", "-")
	name = strings.ReplaceAll(name, ".", "-")
	for _, s := range secretEnds {
		last, ok := strings.CutSuffix(name, s)
		if !ok {
			continue
		}
		switch s {
		case "key":
			return isKeyName(last)
		case "pin", "sig", "signature":
			return last == ""
		case "pass", "auth", "pwd", "secrets", "bearer", "otp", "psk":
			return last == "" || strings.HasSuffix(last, "-")
		}
		return last == "" || strings.HasSuffix(last, "-") || len(last) < 12 && s != "cookie"
	}
	return strings.HasSuffix(name, "-token-id") || name == "connection-string"
}

// isKeyName reports whether a key of this kind is a secret: primary keys and cache keys are none.
func isKeyName(kind string) bool {
	for _, s := range [...]string{"api-", "apikey", "api", "access-", "private-", "secret-",
		"secret", "encryption-", "signing-", "master-", "account-", "auth-",
		"service-", "shared-", "subscription-", "license-", "deploy-", "session-", "app-",
		"client-", "x-api-", "storage-", "access", "private"} {
		if strings.HasSuffix(kind, s) {
			return true
		}
	}
	return false
}

// splitCamel writes camelCase as words: apiKey is api-Key.
func splitCamel(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if i > 0 && 'A' <= c && c <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z' {
			b.WriteByte('-')
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' ||
		c == '.' || c == '~'
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// mayBeToken reports whether a text without any separator may be a token.
func mayBeToken(text string) bool { return len(text) >= 16 && hasTokenPrefix(text) }

// hasTokenPrefix reports whether a word begins as a well-known token does, and is long enough.
func hasTokenPrefix(word string) bool {
	if len(word) < 12 {
		return false
	}
	lo, hi := 0, len(prefixes)
	for lo < hi { // the last prefix that does not sort behind the word
		if m := (lo + hi) / 2; prefixes[m].text <= word {
			lo = m + 1
		} else {
			hi = m
		}
	}
	for i := lo - 1; i >= 0 && prefixes[i].text[0] == word[0]; i-- {
		p := prefixes[i]
		if strings.HasPrefix(word, p.text) && len(word) >= len(p.text)+p.rest && isRandom(word[len(p.text):]) {
			return true
		}
	}
	return false
}

// isRandom reports whether what stands behind a prefix is not made of plain words.
func isRandom(rest string) bool {
	return strings.ContainsAny(rest, "0123456789") || strings.ToLower(rest) != rest && strings.ToUpper(rest) != rest
}

// isJWT reports whether a word is a JSON web token: three parts of base64url.
func isJWT(word string) bool {
	return strings.HasPrefix(word, "eyJ") && len(word) >= 20 &&
		(strings.Count(word, ".") >= 1 || strings.HasPrefix(word, "eyJhbGciOi"))
}
