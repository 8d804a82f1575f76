package shell

import "strings"

// sentence joins words to one text, as eval and ssh do.
func sentence(ws []field, between string) field {
	texts := make([]string, len(ws))
	known, tame := true, true
	for i, f := range ws {
		texts[i] = f.text
		known = known && f.known
		tame = tame && (f.known || f.tame)
	}
	return field{text: strings.Join(texts, between), known: known, tame: tame}
}

// listed is the command of xargs with the arguments that it reads from its input:
// behind it, or wherever mark stands.
func listed(mark string, ws []field) []field {
	if mark == "" {
		return append(append([]field(nil), ws...), field{text: blank, many: true})
	}
	out := make([]field, len(ws))
	for i, f := range ws {
		out[i] = filled(f, mark)
	}
	return out
}

// placeholder is what -I or -i of xargs replaces, "" if nothing.
func placeholder(o options) string {
	for _, f := range o.values("I replace") {
		return f.text
	}
	if o.has("i replace") {
		return "{}"
	}
	return ""
}

// filled is a word with every mark in it replaced by something unknown.
func filled(f field, mark string) field {
	if mark == "" || !strings.Contains(f.text, mark) {
		return f
	}
	f.text = strings.ReplaceAll(f.text, mark, blank)
	f.known = false
	return f
}

// parallel runs its words as code, once for every argument, which are unknown.
func (r *reader) parallel(ws []field) {
	for i, f := range ws {
		if strings.HasPrefix(f.text, ":::") {
			ws = ws[:i]
			break
		}
	}
	if len(ws) == 0 {
		r.emit(Call{Kind: Command, Words: []string{"parallel"}, Code: true})
		return
	}
	s := sentence(ws, " ")
	known := s.known
	for _, mark := range [...]string{"{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}"} {
		s = filled(s, mark)
	}
	if s.known {
		s.text += " " + blank
	}
	s.known = known
	r.inline(s)
}
