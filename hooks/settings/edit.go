package settings

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// set puts a value under the last of some names, with the objects that are missing on the way there.
func (d *document) set(v any, path ...string) error {
	if d.root == nil {
		d.root = &hujson.Value{BeforeExtra: d.text, Value: &hujson.Object{}, AfterExtra: hujson.Extra(d.eol)}
	}
	at, depth := d.root, 0
	for ; depth < len(path)-1 && value(at, path[depth]) != nil; depth++ {
		at = value(at, path[depth])
	}
	for _, name := range slices.Backward(path[depth+1:]) {
		v = map[string]any{name: v}
	}
	if err := d.checkKind(strings.Join(path[:depth], "."), at, '{'); err != nil {
		return err
	}
	d.insert(at, path[depth], v)
	return nil
}

// append puts a value behind the elements of the array at a path of names.
func (d *document) append(v any, path ...string) error {
	list := value(d.root, path...)
	if list == nil {
		return d.set([]any{v}, path...)
	}
	if err := d.checkKind(strings.Join(path, "."), list, '['); err != nil {
		return err
	}
	d.insert(list, "", v)
	return nil
}

// insert puts a value behind the others of a container: of an object under a name. A trailing comma
// stays one, and a comment stays with what it is about.
func (d *document) insert(into *hujson.Value, name string, v any) {
	last, before, end := lastOf(into)
	comments := lastComment(*end)
	lead, rest := slices.Clone((*end)[:comments]), (*end)[comments:]
	isInline := isOneLine(into) || isOneLine(d.root)
	outer := lineIndent(d.text, min(into.StartOffset, len(d.text))) // one that we made holds something
	indent := outer + d.unit
	if at := bytes.LastIndexByte(before, '\n') + 1; at > 0 && isBlank(before[at:]) {
		indent = string(before[at:])
	}
	switch {
	case !isInline:
		lead = append(lead, d.eol+indent...)
		if !bytes.Contains(rest, []byte("\n")) {
			rest = hujson.Extra(d.eol + outer)
		}
	case last != nil:
		lead = append(lead, d.gap...)
	}
	*end = rest
	fresh := hujson.Value{BeforeExtra: lead, Value: d.render(v, indent, isInline)}
	if last != nil && last.AfterExtra != nil {
		fresh.AfterExtra = hujson.Extra{}
	}
	switch c := into.Value.(type) {
	case *hujson.Object:
		fresh.BeforeExtra = hujson.Extra(d.gap)
		c.Members = append(c.Members, hujson.ObjectMember{
			Name: hujson.Value{BeforeExtra: lead, Value: hujson.String(name)}, Value: fresh})
	case *hujson.Array:
		c.Elements = append(c.Elements, fresh)
	}
}

// replace writes another value in place of one, on one line if that was.
func (d *document) replace(there *hujson.Value, v any) {
	there.Value = d.render(v, lineIndent(d.text, there.StartOffset), isOneLine(there))
}

// render is a value as the file is laid out. Only what JSON makes us is escaped: a path stays readable.
func (d *document) render(v any, indent string, isInline bool) hujson.ValueTrimmed {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if !isInline {
		encoder.SetIndent(indent, d.unit)
	}
	_ = encoder.Encode(v) // texts and numbers can always be encoded
	value, _ := hujson.Parse(bytes.ReplaceAll(bytes.TrimSpace(text.Bytes()), []byte("\n"), []byte(d.eol)))
	return value.Value
}

// lastOf is the last value of a container, nil if it is empty, the text before it, and the text before
// the closing bracket.
func lastOf(container *hujson.Value) (last *hujson.Value, before []byte, end *hujson.Extra) {
	if container == nil {
		return nil, nil, nil
	}
	switch c := container.Value.(type) {
	case *hujson.Object:
		end = &c.AfterExtra
		if n := len(c.Members); n > 0 {
			last, before = &c.Members[n-1].Value, c.Members[n-1].Name.BeforeExtra
		}
	case *hujson.Array:
		end = &c.AfterExtra
		if n := len(c.Elements); n > 0 {
			last, before = &c.Elements[n-1], c.Elements[n-1].BeforeExtra
		}
	}
	return last, before, end
}

// prune takes out of a container what drop selects, which gets the name of a member, and "" for an element.
// Comments stay. It reports whether that left nothing in the container.
func prune(container *hujson.Value, drop func(name string, v *hujson.Value) bool) (isEmpty bool) {
	last, _, end := lastOf(container)
	if last == nil {
		return false
	}
	hadComma := last.AfterExtra != nil
	var comments hujson.Extra // around what is gone, since the last value that stays
	dropped := false
	stays := func(name string, v *hujson.Value, before *hujson.Extra, inside ...hujson.Extra) bool {
		if !drop(name, v) {
			*before, comments = joinComments(comments, *before), nil
			return true
		}
		for _, text := range slices.Concat([]hujson.Extra{*before}, inside, []hujson.Extra{v.AfterExtra}) {
			if n := lastComment(text); n > 0 {
				comments = joinComments(comments, text[:n])
			}
		}
		dropped = true
		return false
	}
	switch c := container.Value.(type) {
	case *hujson.Object:
		var kept []hujson.ObjectMember
		for _, m := range c.Members {
			if stays(nameOf(m), &m.Value, &m.Name.BeforeExtra, m.Name.AfterExtra, m.Value.BeforeExtra) {
				kept = append(kept, m)
			}
		}
		c.Members = kept
	case *hujson.Array:
		var kept []hujson.Value
		for _, e := range c.Elements {
			if stays("", &e, &e.BeforeExtra) {
				kept = append(kept, e)
			}
		}
		c.Elements = kept
	}
	switch last, _, _ = lastOf(container); {
	case last == nil:
	case hadComma && last.AfterExtra == nil:
		last.AfterExtra = hujson.Extra{}
	case !hadComma && last.AfterExtra != nil:
		comments, last.AfterExtra = joinComments(last.AfterExtra, comments), nil
	}
	*end = joinComments(comments, *end)
	return dropped && last == nil && lastComment(*end) == 0
}

// joinComments puts comments before other text between two values: on a line of their own, since they may be
// line comments.
func joinComments(comments, text hujson.Extra) hujson.Extra {
	if len(comments) > 0 && !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r"), []byte("\n")) {
		text = slices.Concat([]byte("\n"), text)
	}
	return slices.Concat(comments, text)
}
