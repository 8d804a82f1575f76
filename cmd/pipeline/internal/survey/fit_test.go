package survey

import "testing"

func TestAdd(t *testing.T) {
	mason := Agent{Name: "mason", Description: "Builds walls. Slowly."}
	reader := Agent{Name: "Kaffee Maschine", Tools: []string{"Read"}}
	const listed = "groups:\n  utility: [Explore]  # they read\n  languages: [\n    a,\n    b\n  ]\nagents:\n  a: {keywords: [x]}\n\n# the end\n"
	for _, c := range []struct{ name, text, format, want, failed string }{
		{"both lists and an entry", listed, "yaml",
			"groups:\n  utility: [Explore, \"Kaffee Maschine\"]  # they read\n  languages: [\n    a,\n    b, mason\n  ]\nagents:\n" +
				"  mason: {description: \"Builds walls\"}\n  a: {keywords: [x]}\n\n# the end\n", ""},
		{"an empty list, and no entries", "groups:\n  utility: []\n  workers: [a]\n", "yaml",
			"groups:\n  utility: [\"Kaffee Maschine\"]\n  workers: [a, mason]\n", ""},
		{"no list for one of them", "groups:\n  languages:\n    - a\n  utility: [b]\n", "yaml",
			"groups:\n  languages:\n    - a\n  utility: [b, \"Kaffee Maschine\"]\n", "mason"},
		{"TOML", "[groups]\nutility = [\"b\"]\nlanguages = [\"a\"] # they\n\n[agents]\na = { keywords = [\"x\"] }\n", "toml",
			"[groups]\nutility = [\"b\", \"Kaffee Maschine\"]\nlanguages = [\"a\", \"mason\"] # they\n\n[agents]\n" +
				"mason = { description = \"Builds walls\" }\na = { keywords = [\"x\"] }\n", ""},
	} {
		got, failed := Project{Agents: []Agent{mason, reader}}.Add(c.text, c.format)
		names := ""
		for _, a := range failed {
			names += a.Name
		}
		if got != c.want || names != c.failed {
			t.Errorf("%s: %q\nwant %q\nfailed %q, want %q", c.name, got, c.want, names, c.failed)
		}
	}
}
