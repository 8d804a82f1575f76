// Package redact takes secrets out of texts: of journals, debug logs, reports, exports and
// reasons. It is pure and works without regular expressions, because it runs in every hook
// call.
//
// It knows secrets by three signs: how a token begins (prefixes.txt, generated), the name
// that a value is given (password, token, cookie …), and the place where it stands (a URL's
// user, a webhook's address, curl's -u, a PEM block, a JWT). A secret without any of these signs is not found.
package redact

import (
	"slices"
	"strings"
)

// Hidden stands where a secret stood.
const Hidden = "[secret]"

// Text takes the secrets out of a text.
func Text(text string) string {
	if !strings.ContainsAny(text, "=:-_.~/@ ") && (len(text) < 16 || !hasTokenPrefix(text)) {
		return text
	}
	s := scanner{text: text}
	s.scan()
	if s.done == 0 {
		return text
	}
	s.out.WriteString(text[s.done:])
	return s.out.String()
}

// Value takes the secret out of a value that has a name.
func Value(name, value string) string {
	if value != "" && isSecretName(name) && !isHarmless(value) {
		return Hidden
	}
	return Text(value)
}

// findOptions returns the options of a program that are given secrets, with blanks around them, or "" for other
// programs. " -p " means that the next word is a secret, " -p* " that the rest of the word is, " -u: " that what stands
// behind the next word's colon is. Login and secret are subcommands, whatever the program: docker login, gh secret set.
func findOptions(word string) string {
	switch word[strings.LastIndexByte(word, '/')+1:] {
	case "7z", "7za", "7zr", "7zz", "mariadb", "mysql", "mysqladmin", "mysqldump":
		return " -p* "
	case "aws":
		return " aws_secret_access_key aws_session_token "
	case "chpasswd", "echo", "printf", "sudo":
		return " " // these are given, or print, what is read as a password
	case "curl":
		return " -u: -u* --user: --user=* -U: --proxy-user: "
	case "http", "https", "xh":
		return " -a -u: "
	case "jarsigner", "keytool":
		return " -storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass -new "
	case "ldapmodify", "ldapsearch":
		return " -w "
	case "login":
		return " -p -u: --user: "
	case "openssl":
		return " -passin -passout -pass -k -K "
	case "rar":
		return " -p* -hp* "
	case "redis-cli":
		return " -a --pass "
	case "secret":
		return " -b -b* --body --body=* "
	case "smbclient":
		return " -P -U% "
	case "snmpget":
		return " -P -A -X "
	case "sqlcmd", "unzip", "zip":
		return " -P "
	case "sshpass":
		return " -p -p* "
	case "svn", "twine":
		return " -p "
	case "wget":
		return " -u: --user: "
	}
	return ""
}

// Line takes the secrets out of the commands of one line, given as their words, and reports whether there were any. A
// command without words is none. What a command prints into another one that reads a password from its input is a
// secret too. Written is the line as it was written, which shows what stood beside a word that is no operand:
// "x" | sudo -S, or "" if it is not known.
func Line(commands [][]string, written string) ([][]string, bool) {
	out, found, next := make([][]string, len(commands)), false, []string(nil)
	s := scanner{text: written}
	if strings.ContainsAny(written, "|<\"'=:") { // else its words say as much
		s.scan()
	}
	for i, words := range slices.Backward(commands) {
		if len(words) == 0 {
			continue
		}
		for k, at := range findSecrets(words, next) {
			w := Text(words[k])
			if at.from < at.to {
				w = words[k][:at.from] + Hidden + words[k][at.to:]
			}
			for _, secret := range s.hidden {
				if w == secret || len(secret) > 5 && strings.Contains(w, secret) {
					w = strings.ReplaceAll(w, secret, Hidden)
				}
			}
			out[i], found = append(out[i], w), found || w != words[k]
		}
		next = words
	}
	return out, found
}

// A span is a stretch of a text.
type span struct{ from, to int }

// findSecrets returns where in each word of a line's command, before the next one, a secret stands.
func findSecrets(words, next []string) []span {
	found, piped := make([]span, len(words)), next != nil && readsPassword(next)
	options, prev, prints := "", "", false
	for k, w := range words {
		at := findSecret(options, prev, w)
		if prev == "<<<" && readsPassword(words) || prints && piped && w != "<<<" {
			at = span{0, len(w)}
		}
		if at.from < at.to && !isHarmless(strings.Trim(w[at.from:at.to], "\"'")) {
			found[k] = at
		} else if next := findOptions(w); next != "" {
			options, prints = next, strings.HasSuffix(w, "echo") || strings.HasSuffix(w, "printf")
		}
		prev = w
	}
	return found
}

// findSecret returns where a secret stands in a word that follows another one, by a program's options.
func findSecret(options, prev, w string) span {
	if prev == "Bearer" || prev == "Basic" ||
		strings.HasPrefix(prev, "--") && isSecretName(prev) && !strings.HasPrefix(w, "-") {
		return span{0, len(w)}
	}
	for option := range strings.FieldsSeq(options) {
		name, last := option[:len(option)-1], option[len(option)-1]
		switch {
		case last == '*' && len(w) > len(name) && strings.HasPrefix(w, name):
			return span{len(name), len(w)}
		case (last == ':' || last == '%') && name == prev && strings.IndexByte(w, last) >= 0:
			return span{strings.IndexByte(w, last) + 1, len(w)}
		case option == prev:
			return span{0, len(w)}
		}
	}
	return span{}
}

// readsPassword reports whether a command reads a password from its standard input.
func readsPassword(words []string) bool {
	sudo := false
	for _, w := range words {
		switch w {
		case "--password-stdin", "--with-token", "--token-stdin", "--passphrase-fd", "-pass=stdin", "chpasswd":
			return true
		}
		if sudo && strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "S") {
			return true
		}
		sudo = sudo || strings.HasSuffix(w, "sudo")
	}
	return false
}

// isHarmless reports whether a value is no secret but says where it comes from, of which type
// it is, or that there is none.
func isHarmless(v string) bool {
	switch strings.ToLower(v) {
	case "", "0", "true", "false", "null", "none", "nil", "undefined", "required", "optional", "expired",
		"invalid", "missing":
		return true
	}
	return isType(v) || strings.Trim(v, v[:1]) == "" && len(v) > 2 || strings.HasPrefix(strings.ToLower(v), "your") ||
		strings.HasPrefix(v, "$") && !strings.HasPrefix(v, "$2") || strings.IndexByte("<([{", v[0]) >= 0 ||
		v[0] == '%' && (len(v) == 2 || len(v) > 2 && v[2] == '\\') || v[0] == '!' && isWord(v[1:]) ||
		strings.HasPrefix(v, "os.") || strings.HasPrefix(v, "process.env") || strings.HasPrefix(v, Hidden)
}

// isType reports whether a value is the name of a type.
func isType(v string) bool {
	switch strings.ToLower(strings.TrimLeft(v, "*[]")) {
	case "str", "string", "bytes", "byte", "buffer", "secretstr", "int", "number", "bool", "boolean", "any", "object":
		return true
	}
	return false
}

// isState reports whether a value says how something stands where a name has two meanings: pass: 12, auth: basic.
func isState(name, v string) bool {
	name = strings.ToLower(name)
	isNumber := strings.Trim(v, "0123456789") == ""
	switch {
	case name == "pwd": // the working directory
		return v[0] == '/'
	case name == "pass":
		return isNumber && len(v) < 6
	case name == "auth" || name == "credentials":
		return isWord(v)
	}
	return isNumber && strings.HasSuffix(name, "_id")
}

// isExpression reports whether a value that has no quotes and stands apart from its name is code: a call, a
// variable, a keyword. Rest is what follows it.
func isExpression(v, rest string) bool {
	switch v {
	case "await", "match", "new", "yield", "async", "function", "not":
		return strings.HasPrefix(rest, " ")
	}
	if at := strings.IndexAny(v, "[<("); at > 0 && isWord(strings.ReplaceAll(v[:at], ".", "")) {
		return true
	}
	return isSecretName(v[strings.LastIndexByte(v, '.')+1:])
}

// isProse reports whether a value begins a sentence: "password: must be …".
func isProse(v, rest string) bool {
	return isWord(v) && strings.ToLower(v) == v && len(rest) > 1 && rest[0] == ' ' &&
		('a' <= rest[1] && rest[1] <= 'z' || isQuote(rest[1]))
}

// isWord reports whether a text has letters, hyphens and underscores only.
func isWord(v string) bool {
	return v != "" && strings.IndexFunc(v, func(r rune) bool {
		return r != '-' && r != '_' && (r|0x20 < 'a' || r|0x20 > 'z')
	}) < 0
}
