package fsm

import (
	"strings"
	"testing"
	"text/template"

	"pgregory.net/rapid"
)

// TestFillSimple: a template that is filled in without text/template comes out as
// text/template fills it in.
func TestFillSimple(t *testing.T) {
	paths := rapid.SampledFrom([]string{".State", ".Agent", ".Session", ".Scratch", ".Left", ".Context.a", ".Context.none",
		".Groups.g", ".Earlier.e", ".Earlier.e.Text", ".Earlier.none", ".Earlier.none.When", ".", ".Text", ".Changed", ".Nothing",
		".Context", ".State.More", ".Context.a.b", "$", ".1", "printf .State"})
	piece := rapid.Custom(func(t *rapid.T) string {
		path := paths.Draw(t, "path")
		return rapid.SampledFrom([]string{"text ", "{", "}}", "\n", "{{" + path + "}}", "{{ " + path + " }}", "{{\t" + path + " }}",
			"{{with " + path + "}}", "{{ if  " + path + " }}", "{{else}}", "{{ end }}", "{{ end }}", "{{- " + path + " -}}",
			"{{/* no */}}", "{{ else if " + path + " }}", "{{\n" + path + "}}", "{{}}", "{{", "{{ \"}}\" }}"}).Draw(t, "piece")
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
		data := TemplateData{State: rapid.SampledFrom([]string{"", "S"}).Draw(t, "state"), Agent: "agent", Session: "id",
			Context: map[string]string{"a": rapid.SampledFrom([]string{"", "<a>"}).Draw(t, "a")}, Groups: map[string]string{"g": "x, y"},
			Earlier: map[string]*Earlier{"e": {Text: "found", When: "then"}}}
		got, ok := fillSimple(text, &data)
		if !ok {
			return
		}
		var want strings.Builder
		parsed, err := template.New("").Option("missingkey=zero").Parse(text)
		if err == nil {
			err = parsed.Execute(&want, data)
		}
		if err != nil || got != want.String() {
			t.Fatalf("%q: %q; text/template says %q, %v", text, got, want.String(), err)
		}
	})
	for _, text := range []string{"a {{ .State }}", "{{ .Groups.g }}", "{{ with .Context.a }}found: {{ . }}{{ end }}"} {
		if _, ok := fillSimple(text, &TemplateData{}); !ok {
			t.Errorf("%q is not simple", text)
		}
	}
}
