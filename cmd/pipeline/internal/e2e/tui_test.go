package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWindow(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		m.Say("main", Text("I have built it"), Text("glad to hear it"))

		w := p.Open(t, v, m)
		w.Say("build me a thing")
		w.Wait("I have built it")
		w.Until("end its turn", log.Has("Stop")) // the answer is on the screen before
		w.Say("it is fine")
		w.Wait("glad to hear it")
		w.Until("end its second turn", func() bool { return len(log.Payloads("Stop")) > 1 })
		if client, err := os.FindProcess(w.PID()); err != nil || client.Signal(syscall.Signal(0)) != nil {
			t.Errorf("process %d is not the client: %v", w.PID(), err)
		}
		w.Close()

		if first := log.Payloads("UserPromptSubmit")[0].Prompt; first != "build me a thing" {
			t.Errorf("the first prompt is %q", first)
		}
		log.WantTrace(t, `
			main SessionStart
			main UserPromptSubmit
			main Stop
			main UserPromptSubmit
			main Stop
			main SessionEnd`)
	})
}

// What a person types while a turn runs is shown, and waits for its end.
func TestWindowWhileATurnRuns(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		p.Write(".claude/commands/note.md", "---\ndisable-model-invocation: true\n---\nnoted: $ARGUMENTS\n")
		typed := filepath.Join(p.Home, "typed")
		m.Say("main", Text("first answer").Until(FileHas(typed, "yes")), Text("second answer"))

		w := p.Open(t, v, m)
		w.Say("build me a thing")
		w.Until("ask the model", log.Has("UserPromptSubmit"))
		w.Say("/note and quickly")
		w.Wait("Press up to edit queued messages")
		writeFile(t, typed, "yes")
		w.Wait("first answer", "second answer")
		w.Until("end its second turn", func() bool { return len(log.Payloads("Stop")) > 1 })
		w.Close()

		trace := strings.Join(log.Trace("Stop", "UserPromptExpansion"), ", ")
		if want := "main Stop, main UserPromptExpansion, main Stop"; trace != want {
			t.Errorf("trace is %s, want %s", trace, want)
		}
	})
}
