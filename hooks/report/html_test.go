package report

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/scripts/browsertest"
)

const nasty = `<script>document.title="owned"</script>`

// rich is a session with everything that a page shows, and with names that would like
// to be markup.
func rich(t *testing.T) Report {
	store, w := kept(t, "s1")
	life(w)
	life(w)
	w.begins("n", nasty).asks("", "Bash", denied(nasty), runs("echo", nasty)).asks("", "Read",
		denied("x\"'&\x00\x1b[31m"), reads("/p/"+nasty))
	w.asks("", "Agent", starts(nasty, ""), fsm.Part{Tool: "Agent"}).asks("", "Bash",
		journal.Record{Level: "guidance", Verdict: "warn", StrictVerdict: "deny", Rule: "no-building"}, runs("make"))
	w.now = w.now.AddDate(0, 0, 2)
	life(w)
	return of(t, store, "s1", always)
}

func page1(t *testing.T, r Report) string {
	var b bytes.Buffer
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHTML: one file that needs nothing else, in which all that others wrote is
// escaped.
func TestHTML(t *testing.T) {
	body := page1(t, rich(t))
	for _, no := range []string{"<script", "src=", "url(", "@import", "<link", "\x00", "\x1b", "%!"} {
		if strings.Contains(body, no) {
			t.Errorf("the page contains %q", no)
		}
	}
	if found := regexp.MustCompile(`https?:`).FindString(body); found != "" {
		t.Error("the page points elsewhere")
	}
	for _, want := range []string{"Objections by rule", "Objections per day",
		"Suggestions", "Time per state",
		"How long agents took", "&lt;script&gt;", "default-src"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestEscape: whatever an action of the template prints is escaped, wherever the action stands.
func TestEscape(t *testing.T) {
	page := parsePage(`{{define "x"}}{{.}}{{end}}{{$v := .}}{{.}}{{$v}}{{printf "%s" .}}{{template "x" .}}` +
		`{{if .}}{{.}}{{end}}{{if not .}}{{else}}{{.}}{{end}}{{with .}}{{.}}{{end}}{{with ""}}{{else}}{{$v}}{{end}}` +
		`{{range .}}{{.}}{{end}}{{range slice . 1}}{{else}}{{$v}}{{end}}`)
	var b bytes.Buffer
	if err := page.Execute(&b, []string{`<"&`}); err != nil || strings.ContainsAny(b.String(), `<"`) ||
		strings.Count(b.String(), "&lt;&#34;&amp;") != 10 {
		t.Errorf("%s, %v", &b, err)
	}
}

// TestEmpty: a report of nothing is still a page and a text.
func TestEmpty(t *testing.T) {
	r := newCollector(always).makeReport()
	var b bytes.Buffer
	if err := r.Text(&b); err != nil || !strings.Contains(b.String(), "nothing to judge") {
		t.Error(b.String(), err)
	}
	if body := page1(t, r); strings.Contains(body, "<figure") || !strings.Contains(body, "nothing to judge") {
		t.Error(body)
	}
}

// TestContrast: text of every colour can be read on what lies under it, by day and by
// night (WCAG: 4.5 for text, 3 for what is drawn).
func TestContrast(t *testing.T) {
	light, dark, _ := strings.Cut(style, "prefers-color-scheme")
	for name, sheet := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--(\w+):#(\w+)`).FindAllStringSubmatch(sheet, -1) {
			colours[m[1]] = luminance(t, m[2])
		}
		for c := range strings.FieldsSeq("ink/bg/4.5 ink/card/4.5 soft/bg/4.5 soft/card/4.5 bad/bg/4.5 " +
			"bad/card/4.5 good/card/4.5 r/card/3 o/card/3 y/card/3 g/card/3 b/card/3 w/card/3") {
			f := strings.Split(c, "/")
			least, _ := strconv.ParseFloat(f[2], 64)
			a, b := colours[f[0]], colours[f[1]]
			if got := (max(a, b) + 0.05) / (min(a, b) + 0.05); got < least {
				t.Errorf("%s: %s on %s: contrast %.2f, expected %.1f", name, f[0], f[1], got, least)
			}
		}
	}
}

func luminance(t *testing.T, hex string) (l float64) {
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		l += weight * linear(float64(v)/255)
	}
	return l
}

// linear is the usual approximation of sRGB's curve.
func linear(v float64) float64 { return v * (v*(v*0.305306011+0.682171111) + 0.012522878) }

// long is a report of a month of work in several sessions, with names as long as they come.
func long(t *testing.T) Report {
	store, w := kept(t, "4b1f6e0a-1111-4222-8333-444455556666")
	agents := []string{"context-gatherer", "strategic-orchestrator", "a-company-with-a-long-name:python-developer"}
	for day := range 24 {
		w.now = noon.AddDate(0, 0, day+day/5*2)
		life(w)
		for n := range 30 - day {
			w.asks("", "Bash", denied([]string{"no-building", "no-editing-of-files-that-are-generated"}[n%2]),
				runs("make"))
		}
		for n, agent := range agents {
			id := fmt.Sprint("x", day, "-", n)
			w.begins(id, agent).asks(id, "Read", journal.Record{}, reads("/p/a/rather/deep/folder/with/a-long-name.go"))
			w.now = w.now.Add(time.Duration(n*day) * time.Minute)
			w.stops(id, []fsm.Status{fsm.Done, fsm.Failed}[day%5/4], "EXECUTING")
		}
	}
	life(inside(t, store, "s2"))
	r, err := All(store, always)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBrowser opens the page in a real browser, by day and by night.
func TestBrowser(t *testing.T) {
	for name, page := range map[string]string{"session": page1(t, rich(t)), "month": page1(t, long(t))} {
		dom := browsertest.DOM(t, page)
		if strings.Contains(dom, "<script") || !strings.Contains(dom, "<title>pipeline report: ") ||
			strings.Count(dom, "</figure>") != strings.Count(page, "</figure>") {
			t.Errorf("the browser made of it: %s", dom)
		}
		for _, isDark := range []bool{false, true} {
			for _, size := range []string{"500,1800", "900,3400", "1400,2200"} {
				if os.Getenv("PIPELINE_SHOTS") == "" && size != "900,3400" {
					continue
				}
				shot := browsertest.Shot(t, page, size, isDark)
				looksLike(t, shot, isDark)
				keepShot(t, shot, fmt.Sprintf("report-%s-%s-%t.png", name, strings.Split(size, ",")[0], isDark))
			}
		}
	}
}

// TestNarrow: on a narrow screen nothing is cut off and nothing has to be scrolled
// sideways.
func TestNarrow(t *testing.T) {
	const script = `<script>
const bad=[];for(const e of document.querySelectorAll("body,body *")){
const box=e.getBoundingClientRect(),room=(e.closest("figure")||document.body).getBoundingClientRect();
if(e.matches("script,svg *")||box.width===0)continue;
if(e.scrollWidth>e.clientWidth+1&&getComputedStyle(e).overflowX!=="visible")bad.push("cut off: "+e.textContent);
if(box.right>room.right+1||box.left<room.left-1)bad.push("outside: "+e.tagName+" "+e.textContent)}
if(document.documentElement.scrollWidth>innerWidth)bad.push("the page");
document.title="found "+bad.length+" at "+innerWidth+": "+bad.slice(0,5).map(s=>s.slice(0,60)).join("; ")</script>`
	for i, r := range []Report{long(t), rich(t)} {
		page := regexp.MustCompile(`<meta http-equiv[^>]*>`).ReplaceAllString(page1(t, r), "") + script
		for _, size := range [][]string{{"500,900", "880,900", "881,900"}, {"500,900"}}[i] {
			dom := browsertest.DOM(t, page, "--window-size="+size)
			title := regexp.MustCompile(`(?s)<title>.*?</title>`).FindString(dom)
			if !strings.HasPrefix(title, "<title>found 0 at "+strings.Split(size, ",")[0]) {
				t.Errorf("%s: %s", size, title)
			}
		}
	}
}

func keepShot(t *testing.T, path, name string) {
	dir := os.Getenv("PIPELINE_SHOTS") // to be looked at
	if dir == "" {
		return
	}
	body, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), body, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}

// looksLike checks the background of a picture, and that something is drawn on it.
func looksLike(t *testing.T, path string, isDark bool) {
	t.Helper()
	background := color.RGBA{0xff, 0xff, 0xff, 0xff}
	if isDark {
		background = color.RGBA{0x0f, 0x13, 0x18, 0xff}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if got := at(img, 3, 3); got != background {
		t.Errorf("the background is %v, expected %v", got, background)
	}
	colours := map[color.RGBA]bool{}
	for y := 0; y < img.Bounds().Dy(); y += 3 {
		for x := 0; x < img.Bounds().Dx(); x += 3 {
			colours[at(img, x, y)] = true
		}
	}
	if len(colours) < 30 {
		t.Errorf("only %d colours: is anything drawn?", len(colours))
	}
}

func at(img image.Image, x, y int) color.RGBA {
	return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
}
