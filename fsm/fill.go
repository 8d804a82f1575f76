package fsm

import "strings"

// fillSimple fills in a template of fields, with, if, else and end: nearly all there are.
// What it does not know is left to text/template, which takes longer to learn its own
// functions than a call takes otherwise.
func fillSimple(text string, data *TemplateData) (string, bool) {
	f := filler{rest: text}
	ended, ok := f.fill(data, true)
	return f.out.String(), ok && ended == ""
}

// A filler is the result so far, and what of the template is left.
type filler struct {
	out  strings.Builder
	rest string
}

// fill goes on until the template ends, or the part of it that this is: with "else" or
// "end". Of a part that does not count nothing is written. Not ok: it is not simple.
func (f *filler) fill(dot any, counts bool) (ended string, ok bool) {
	for {
		text, rest, found := strings.Cut(f.rest, "{{")
		if counts {
			f.out.WriteString(text)
		}
		if !found {
			return "", true
		}
		action, rest, closed := strings.Cut(rest, "}}")
		if !closed {
			return "", false
		}
		f.rest = rest
		action = strings.Trim(action, " \t")
		if action == "else" || action == "end" {
			return action, true
		}
		word, path, isBlock := strings.Cut(action, " ")
		if isBlock && (word == "with" || word == "if") {
			ok = f.fillBlock(word == "with", strings.TrimLeft(path, " \t"), dot, counts)
		} else {
			ok = f.fillField(action, dot, counts)
		}
		if !ok {
			return "", false
		}
	}
}

// fillBlock fills in one of two parts, by whether a field is empty.
func (f *filler) fillBlock(moves bool, path string, dot any, counts bool) bool {
	value, ok := any(nil), isPath(path)
	if counts && ok {
		value, ok = resolveField(dot, path)
	}
	if !ok {
		return false
	}
	isFull := value != any("") && value != any((*Earlier)(nil))
	inner := dot
	if moves {
		inner = value
	}
	ended, ok := f.fill(inner, counts && isFull)
	if ok && ended == "else" {
		ended, ok = f.fill(dot, counts && !isFull)
	}
	return ok && ended == "end"
}

func (f *filler) fillField(path string, dot any, counts bool) bool {
	if !isPath(path) || !counts {
		return isPath(path)
	}
	value, ok := resolveField(dot, path)
	text, isText := value.(string)
	f.out.WriteString(text)
	return ok && isText
}

// isPath reports whether an action is a dot, or names with a dot before each.
func isPath(action string) bool {
	names, ok := strings.CutPrefix(action, ".")
	if names == "" {
		return ok
	}
	for name := range strings.SplitSeq(names, ".") {
		ok = ok && name != "" && (name[0] < '0' || name[0] > '9')
		for _, r := range name {
			ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
		}
	}
	return ok
}

// resolveField returns a text, or what was captured earlier. Not ok: text/template must
// say what is wrong.
func resolveField(dot any, path string) (value any, ok bool) {
	if path == "." {
		return dot, true
	}
	name, rest, _ := strings.Cut(path[1:], ".")
	switch d := dot.(type) {
	case *TemplateData:
		switch name {
		case "State":
			value = d.State
		case "Agent":
			value = d.Agent
		case "Session":
			value = d.Session
		case "Scratch":
			value = d.Scratch
		case "Left":
			value = d.Left
		case "Context", "Groups", "Earlier":
			name, rest, _ = strings.Cut(rest, ".")
			if name == "" {
				return nil, false
			}
			switch path[1] {
			case 'C':
				value = d.Context[name]
			case 'G':
				value = d.Groups[name]
			default:
				value = d.Earlier[name]
			}
		default:
			return nil, false
		}
	case *Earlier:
		if d == nil {
			return nil, false
		}
		switch name {
		case "Text":
			value = d.Text
		case "When":
			value = d.When
		case "Changed":
			value = d.Changed
		default:
			return nil, false
		}
	default:
		return nil, false
	}
	if rest != "" {
		return resolveField(value, "."+rest)
	}
	return value, true
}
