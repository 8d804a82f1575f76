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
	paths := rapid.SampledFrom([]string{".State", ".Agent", ".Session", ".Scratch", ".Left", ".Context.a",
		".Context.none",
		".Groups.g", ".Earlier.e", ".Earlier.e.Text", ".Earlier.none", ".Earlier.none.When", ".", ".Text", ".Changed", ".Nothing",
		".Context", ".State.More", ".Context.a.b", "$", ".1", "printf .State"})
	piece := rapid.Custom(func(t *rapid.T) string {
		path := paths.Draw(t, "path")
		return rapid.SampledFrom([]string{"text ", "{", "}}", "\n", "{{" + path + "}}", "{{ " + path + " }}",
			"{{\t" + path + " }}",
			"{{with " + path + "}}", "{{ if  " + path + " }}", "{{else}}", "{{ end }}", "{{ end }}", "{{- " + path + " -}}",
			"{{/* no */}}", "{{ else if " + path + " }}", "{{\n" + path + "}}", "{{}}", "{{", "{{ \"}}\" }}"}).Draw(t, "piece")
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
		data := TemplateData{State: rapid.SampledFrom([]string{"", "S"}).Draw(t, "state"), Agent: "agent",
			Session: "id",
			Context: map[string]string{"a": rapid.SampledFrom([]string{"", "<a>"}).Draw(t, "a")},
			Groups:  map[string]string{"g": "x, y"},
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

// TestFillsEachField without text/template, and as text/template does.
func TestFillsEachField(t *testing.T) {
	data := TemplateData{State: "S", Agent: "agent", Session: "id", Scratch: "/s", Left: "2 of 3",
		Context: map[string]string{"a": "found"},
		Groups:  map[string]string{"g": "x, y"}, Earlier: map[string]*Earlier{"e": {Text: "then", When: "at noon",
			Changed: "a.go"}}}
	for _, text := range []string{
		"{{ .State }}{{ .Agent }}{{.Session}}{{\t.Scratch }}{{ .Left }}", "{{ .Context.a }}{{ .Context.none }}{{ .Groups.g }}",
		"{{ with .Earlier.e }}{{ .Text }} {{ .When }} {{ .Changed }}{{ end }}", "{{ with .Earlier.none }}{{ .Text }}{{ else }}none{{ end }}",
		"{{ .Earlier.e.Text }}", "{{ if .Context.a }}{{ .State }}{{ else }}no{{ end }}", "{{ if .Context.none }}yes{{ else }}no{{ end }}",
		"{{ if .Context.none }}{{ with .State }}{{ . }}{{ end }}{{ end }}end", "{{ with .State }}{{ . }}{{ else }}{{ .Agent }}{{ end }}",
		"{{ with .Context.none }}{{ . }}{{ else }}{{ .Agent }}{{ end }}",
	} {
		var want strings.Builder
		if err := template.Must(template.New("").Option("missingkey=zero").Parse(text)).Execute(&want,
			data); err != nil {
			t.Fatal(err)
		}
		if got, ok := fillSimple(text, &data); !ok || got != want.String() {
			t.Errorf("%q: %q, %v; text/template says %q", text, got, ok, want.String())
		}
	}
	for _, text := range []string{"{{ .State", "{{ else }}", "{{ end }}", "{{ if .State }}", "{{ .Earlier.none.Text }}",
		"{{ .Context }}", "{{ .Nothing }}",
		"{{ .State.More }}", "{{ . }}", "{{ .1 }}", "{{ .a-b }}", "{{ printf .State }}", "{{ with .Earlier.e }}{{ .None }}{{ end }}", "{{ .Context. }}"} {
		if got, ok := fillSimple(text, &data); ok {
			t.Errorf("%q is said to be %q", text, got)
		}
	}
}
