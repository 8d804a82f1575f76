// Package redact takes secrets out of texts: of journals, debug logs, reports, exports and
// reasons. It is pure and works without regular expressions, because it runs in every hook
// call.
//
// It knows secrets by three signs: how a token begins (prefixes.go, generated), the name
// that a value is given (password, token, cookie …), and the place where it stands (a URL's
// user, a webhook's address, curl's -u, a PEM block, a JWT). A secret without any of these signs is not found.
package redact

import "strings"

// Hidden stands where a secret stood.
const Hidden = "[secret]"

// A prefix is how a well-known token begins, and the least number of characters behind it.
type prefix struct {
	text string
	rest int
}

// Text takes the secrets out of a text. It reports whether there were any.
func Text(text string) (string, bool) {
	if !strings.ContainsAny(text, "=:-_.~/@ ") && !mayBeToken(text) {
		return text, false
	}
	s := scanner{text: text}
	s.scan()
	if !s.found {
		return text, false
	}
	s.out.WriteString(text[s.done:])
	return s.out.String(), true
}

// Value takes the secret out of a value that has a name.
func Value(name, value string) (string, bool) {
	if value != "" && isSecretName(name) && !isHarmless(value) {
		return Hidden, true
	}
	return Text(value)
}
