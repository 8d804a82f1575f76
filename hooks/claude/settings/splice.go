package settings

// An edit puts text in the place of what is from start to end.
type edit struct {
	start, end int
	text       string
}

func put(at int, text string) edit { return edit{at, at, text} }

// splice makes a new text; edits are in order and do not overlap.
func splice(text []byte, edits ...edit) []byte {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.start]...)
		out = append(out, e.text...)
		at = e.end
	}
	return append(out, text[at:]...)
}
