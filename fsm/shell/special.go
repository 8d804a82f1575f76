package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// substitution runs $(…).  Of its output only that of pwd is known.
func (e *expansion) substitution(p *syntax.CmdSubst, quoted bool) {
	r := e.r
	at := len(r.calls)
	r.subshell(func() {
		r.errexit = false
		r.stmts(p.Stmts)
	})
	if e.whole && len(p.Stmts) == 0 {
		return
	}
	switch e.produced(r.calls[min(at, len(r.calls)):]) {
	case "pwd":
		e.working()
	case "mktemp":
		e.text("/tmp/tmp.XXXXXXXXXX")
	case "nproc", "date", "whoami", "id", "uname", "hostname", "wc":
		e.number(blank)
		e.cur.many = e.cur.many || !quoted && !e.whole
	default:
		e.missing(quoted)
	}
}

// produced is the command of a substitution whose output is of a known form, if
// the calls are those of such a command alone.
func (e *expansion) produced(calls []Call) string {
	if len(calls) == 0 || calls[0].Code || len(calls[0].Words) == 0 {
		return ""
	}
	ws := calls[0].Words
	switch {
	case len(calls) == 2 && len(ws) <= 2 && ws[0] == "mktemp" && calls[1].Path == "/tmp/tmp.XXXXXXXXXX" && e.cur.text == "":
		if _, bound := e.r.value("TMPDIR"); !bound && !e.r.lost {
			return "mktemp"
		}
	case len(calls) == 1:
		return base(ws[0])
	}
	return ""
}

// working adds the working directory: as a name that is right only here.
func (e *expansion) working() {
	if e.whole || e.cur.text != "" || e.r.lost {
		e.number("${PWD}")
		return
	}
	e.text(".")
}

// home handles a tilde at the start of a word, and returns what is left of s.
func (e *expansion) home(s string) string {
	user, rest, _ := strings.Cut(s[1:], "/")
	if len(rest) > 0 || len(user)+1 < len(s) {
		rest = s[len(user)+1:]
	}
	switch {
	case user == "":
		e.homedir()
	case user == "+":
		e.text(".")
	default: // another user's, or the last directory
		e.missing(true)
	}
	return rest
}

// homedir adds the home directory, which the line may have set.
func (e *expansion) homedir() {
	if b, ok := e.r.value("HOME"); ok {
		e.values(b.value, true)
		return
	}
	if e.r.lost {
		e.missing(true)
		return
	}
	e.cur.tilde = true
	e.text("~")
}
