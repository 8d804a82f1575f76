package fsm

import "strings"

// hidden replaces a secret.
const hidden = "[secret]"

// RedactWord takes secrets out of a word of a command line: what has the form of a key,
// the value of a flag for secrets, and passwords in addresses and headers. It uses no
// regular expressions, which would cost every call.
func RedactWord(prev, word string) (string, bool) {
	if isSecretFlag(prev) && !strings.HasPrefix(word, "-") {
		return hidden, true
	}
	if name, value, ok := strings.Cut(word, "="); ok && value != "" && isSecretName(name) {
		return name + "=" + hidden, true
	}
	if name, value, ok := strings.Cut(word, ":"); ok && value != "" && isSecretName(name) {
		return name + ": " + hidden, true
	}
	if scheme, rest, ok := strings.Cut(word, "://"); ok {
		if user, host, ok := strings.Cut(rest, "@"); ok && strings.Contains(user, ":") && !strings.Contains(user, "/") {
			name, _, _ := strings.Cut(user, ":")
			return scheme + "://" + name + ":" + hidden + "@" + host, true
		}
	}
	if looksLikeKey(word) {
		return hidden, true
	}
	return word, false
}

// RedactText takes secrets out of a text, word by word.
func RedactText(text string) (string, bool) {
	if !strings.ContainsAny(text, "=:-_") {
		return text, false
	}
	found, prev := false, ""
	for _, w := range strings.Fields(text) {
		if short, secret := RedactWord(prev, w); secret {
			text, found = strings.ReplaceAll(text, w, short), true
		}
		prev = w
	}
	return text, found
}

func isSecretFlag(word string) bool {
	return strings.HasPrefix(word, "--") && !strings.Contains(word, "=") && isSecretName(word) || word == "Bearer" ||
		word == "Basic"
}

// isSecretName reports whether a name is that of a secret.
func isSecretName(name string) bool {
	name = strings.ToLower(strings.Trim(name, "-\"' "))
	name = strings.ReplaceAll(name, "_", "-")
	for _, s := range []string{"password", "passwd", "secret", "token", "api-key", "apikey", "access-key",
		"private-key", "authorization", "x-api-key"} {
		if name == s || strings.HasSuffix(name, "-"+s) || strings.HasSuffix(name, s) && len(name) < len(s)+12 {
			return true
		}
	}
	return false
}

// looksLikeKey reports whether a word has the form that services give their keys.
func looksLikeKey(word string) bool {
	word = strings.Trim(word, `"'`)
	for _, prefix := range []string{"sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-",
		"AKIA", "ASIA", "AIza", "eyJhbGciOi"} {
		if strings.HasPrefix(word, prefix) && len(word) >= len(prefix)+12 {
			return true
		}
	}
	return false
}
