package report

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
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
	return of(t, store, "s1", utc)
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
	for _, want := range []string{"Timeline", "Objections by rule", "Objections per day", "Time per state",
		"How long agents took", "&lt;script&gt;", "default-src"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestEmpty: a report of nothing is still a page and a text.
func TestEmpty(t *testing.T) {
	r := newCollector(utc).makeReport()
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
		for _, c := range strings.Fields("ink/bg/4.5 ink/card/4.5 soft/bg/4.5 soft/card/4.5 bad/bg/4.5 " +
			"bad/card/4.5 good/card/4.5 ink/s0/4.5 ink/s1/4.5 ink/s2/4.5 " +
			"ink/s3/4.5 ink/s4/4.5 ink/s5/4.5 ink/s6/4.5 ink/s7/4.5 r/card/3 o/card/3 y/card/3 g/card/3 " +
			"b/card/3 w/card/3") {
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

// TestBrowser opens the page in a real browser, by day and by night.
func TestBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no chromium: apt-get install -y chromium")
		}
		t.Skip("no chromium: apt-get install -y chromium")
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(page1(t, rich(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	dom := browse(t, chromium, "--dump-dom", file)
	if strings.Contains(dom, "<script") || !strings.Contains(dom, "<title>pipeline report: s1</title>") ||
		strings.Count(dom, "</svg>") != 5 {
		t.Errorf("the browser made of it: %s", dom)
	}
	for scheme, want := range map[string]color.RGBA{"1": {0xff, 0xff, 0xff, 0xff}, "0": {0x0f, 0x13, 0x18, 0xff}} {
		shot := filepath.Join(t.TempDir(), "shot.png")
		browse(t, chromium, "--blink-settings=preferredColorScheme="+scheme, "--screenshot="+shot,
			"--window-size=1080,2400", "--hide-scrollbars", file)
		looksLike(t, shot, want)
	}
}

func browse(t *testing.T, chromium string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + t.TempDir()}, args...)
	args[len(args)-1] = "file://" + args[len(args)-1]
	out, err := exec.CommandContext(ctx, chromium, args...).Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}

// looksLike checks the background of a picture, and that something is drawn on it.
func looksLike(t *testing.T, path string, background color.RGBA) {
	t.Helper()
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
	if dir := os.Getenv("PIPELINE_SHOTS"); dir != "" { // to be looked at
		body, _ := os.ReadFile(path)
		_ = os.WriteFile(filepath.Join(dir, "report-"+strconv.Itoa(int(background.R))+".png"), body, 0o644)
	}
}

func at(img image.Image, x, y int) color.RGBA {
	return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
}
