// Package redact takes secrets out of texts: of journals, debug logs, reports, exports and
// reasons. It is pure and works without regular expressions, because it runs in every hook
// call.
//
// It knows secrets by three signs: how a token begins (prefixes.go, generated), the name
// that a value is given (password, token, cookie …), and the place where it stands (a URL's
// user, curl's -u, a PEM block, a JWT). A secret without any of these signs is not found.
package redact

import (
	"slices"
	"strings"
)

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

// Words takes the secrets out of the words of one command. It knows which options of which
// programs are given secrets. It reports whether there were any.
func Words(words []string) ([]string, bool) {
	var out []string
	found := false
	program := programOf(words)
	if slices.Contains(words, "login") { // docker login -u joe -p …, whatever the program
		program = "login"
	}
	for i, w := range words {
		prev := ""
		if i > 0 {
			prev = words[i-1]
		}
		shown, secret := word(program, prev, w)
		if i == 0 {
			shown, secret = Text(w)
		}
		out, found = append(out, shown), found || secret
	}
	return out, found
}

// Line takes the secrets out of the commands of one line, given as their words. What a
// command prints into another one that reads a password from its input is a secret too.
func Line(commands [][]string) ([][]string, bool) {
	var out [][]string
	found := false
	for i, words := range commands {
		shown, secret := Words(words)
		if i+1 < len(commands) && printsText(words) && readsPassword(commands[i+1]) {
			shown, secret = append([]string{words[0]}, Hidden), true
		}
		out, found = append(out, shown), found || secret
	}
	return out, found
}

func printsText(words []string) bool {
	p := programOf(words)
	return len(words) > 1 && (p == "echo" || p == "printf")
}

// readsPassword reports whether a command reads a password from its standard input.
func readsPassword(words []string) bool {
	for _, w := range words {
		switch w {
		case "--password-stdin", "--with-token", "--token-stdin", "--passphrase-fd", "-pass=stdin", "chpasswd":
			return true
		}
	}
	p := programOf(words)
	return p == "chpasswd" || p == "sudo" && len(words) > 1 && words[1] == "-S"
}

// programOf is the name of the program that a command runs, without its folder.
func programOf(words []string) string {
	for _, w := range words {
		if !strings.Contains(w, "=") || strings.HasPrefix(w, "-") {
			return w[strings.LastIndexByte(w, '/')+1:]
		}
	}
	return ""
}

// word takes the secret out of one word of a command.
func word(program, prev, w string) (string, bool) {
	if takesSecret(program, prev) && w != "" {
		return secretOperand(program, prev, w), true
	}
	if strings.HasPrefix(prev, "--") && isSecretName(prev) && !strings.HasPrefix(w, "-") {
		return Hidden, true
	}
	if (prev == "Bearer" || prev == "Basic") && w != "" {
		return Hidden, true
	}
	if program == "mysql" || program == "mysqldump" || program == "mysqladmin" || program == "mariadb" ||
		program == "sshpass" {
		if strings.HasPrefix(w, "-p") && len(w) > 2 {
			return "-p" + Hidden, true
		}
	}
	if program == "curl" && strings.HasPrefix(w, "-u") && len(w) > 2 {
		return "-u" + Hidden, true
	}
	return Text(w)
}

// takesSecret reports whether an option of a program is followed by a secret.
func takesSecret(program, option string) bool {
	switch option {
	case "-u", "--user", "--proxy-user", "-U":
		switch program {
		case "curl", "wget", "http", "https", "xh", "login":
			return option != "-U" || program == "curl"
		}
	case "-p":
		switch program {
		case "sshpass", "az", "oc", "svn", "twine":
			return true
		}
		return program == "login"
	case "-a", "--pass":
		return program == "redis-cli" || program == "http" && option == "-a"
	case "-w":
		return program == "ldapsearch" || program == "ldapmodify" || program == "htdigest"
	case "-passin", "-passout", "-k", "--passphrase":
		return program == "openssl" || option == "--passphrase"
	case "-P":
		return program == "zip" || program == "unzip" || program == "smbclient" || program == "snmpget"
	case "-H", "--header": // judged as a text, with its name
		return false
	case "aws_secret_access_key", "aws_session_token":
		return program == "aws"
	}
	return false
}

// secretOperand hides what an option is given. Of user:password the user stays.
func secretOperand(program, option, w string) string {
	if option == "-u" || option == "--user" || option == "--proxy-user" || option == "-U" {
		user, _, ok := strings.Cut(w, ":")
		if ok {
			return user + ":" + Hidden
		}
		if program != "curl" {
			return w
		}
	}
	return Hidden
}
