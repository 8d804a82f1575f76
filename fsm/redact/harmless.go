package redact

import "strings"

// isHarmless reports whether a value is no secret but says where it comes from, of which type
// it is, or that there is none.
func isHarmless(v string) bool {
	switch strings.ToLower(v) {
	case "", "0", "true", "false", "null", "none", "nil", "undefined", "required", "optional", "expired", "invalid", "missing":
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
