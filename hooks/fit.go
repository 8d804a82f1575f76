package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

// limit is how much is injected at once, in UTF-16 units: the client (2.1.197 and 2.1.329, by experiment) replaces
// strings of more than 10,000 by a preview of two kilobytes.
const limit = 9500

// fit cuts a text that is too long at a word, and says where the whole text lies.
// With a room it is cut to that, if that is less.
func (h *Handler) fit(text string, room int) string {
	limit := limit
	if room > 0 {
		limit = min(limit, room)
	}
	if len(text) <= limit || len(utf16.Encode([]rune(text))) <= limit {
		return text
	}
	path, err := h.spill(text)
	where := "The whole text is in " + path + "; read it before you begin."
	if err != nil {
		where = "The rest could not be kept: " + err.Error() + "."
	}
	end := fmt.Sprintf("\n\n[cut here, of %d characters. %s]", len([]rune(text)), where)
	return head(text, limit-len(utf16.Encode([]rune(end)))) + end
}

// head is the longest beginning of whole words within n UTF-16 units.
func head(text string, n int) string {
	units, cut := 0, 0
	for i, r := range text {
		if units += utf16.RuneLen(r); units > n {
			break
		}
		if r == ' ' || r == '\n' {
			cut = i
		}
	}
	if cut < n/2 { // one endless word
		return string([]rune(text)[:n/2])
	}
	return text[:cut]
}

// spill keeps a whole text where the agents can read it.
func (h *Handler) spill(text string) (string, error) {
	dir := filepath.Join(h.Root, ".pipeline", "context")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("keep a long text: %w", err)
	}
	ignore := filepath.Join(h.Root, ".pipeline", ".gitignore")
	if _, err := os.Stat(ignore); err != nil {
		if err := os.WriteFile(ignore, []byte("*\n"), 0o644); err != nil {
			return "", fmt.Errorf("keep a long text: %w", err)
		}
	}
	sum := sha256.Sum256([]byte(text))
	path := filepath.Join(dir, hex.EncodeToString(sum[:6])+".md")
	if err := os.WriteFile(path, []byte(strings.TrimRight(text, "\n")+"\n"), 0o644); err != nil {
		return "", fmt.Errorf("keep a long text: %w", err)
	}
	return path, nil
}
