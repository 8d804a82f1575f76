package e2e

import (
	"bytes"
	"testing"
)

// An order is a command that a hook answers instead of the model. These are the
// client's ways that the answer relies on.

const orderFile = "---\ndescription: orders\ndisable-model-invocation: true\n---\nThe order was: $ARGUMENTS\n"

// blockHook is settings in which the expansion of the command is answered.
func blockHook(command, answer string) map[string]any {
	hook := map[string]any{"type": "command", "command": `printf %s '{"decision":"block","reason":"` + answer + `"}'`}
	entry := map[string]any{"matcher": command, "hooks": []any{hook}}
	return map[string]any{"hooks": map[string]any{"UserPromptExpansion": []any{entry}}}
}

// The first event of a typed command is the prompt with the newer client, the
// expansion with the older. A block at the first leaves out the second.
func orderEvents(v Version) string {
	if v == Older {
		return "main SessionStart\nmain UserPromptExpansion\nmain SessionEnd"
	}
	return "main SessionStart\nmain UserPromptSubmit\nmain UserPromptExpansion\nmain SessionEnd"
}

func TestOrder(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		p.Write(".claude/commands/order.md", orderFile)
		p.Settings(blockHook("order", `one\n  two`))

		w := p.Open(t, v, m)
		w.Say(`/order do "it  now"`)
		w.Wait("UserPromptExpansion operation blocked by hook:\n  one\n    two\n", "Original prompt: /order do")
		w.Close()

		if asked := m.Requests(); len(asked) != 0 {
			t.Errorf("the model was asked: %s", asked[0].New)
		}
		log.WantTrace(t, orderEvents(v))
		var order struct {
			Name   string `json:"command_name"`
			Args   string `json:"command_args"`
			Source string `json:"command_source"`
		}
		log.Payloads("UserPromptExpansion")[0].Decode(t, &order)
		if order.Name != "order" || order.Args != `do "it  now"` || order.Source != "projectSettings" {
			t.Errorf("the order is %+v", order)
		}
	})
}

// The model does not learn of an order that was answered.
func TestOrderIsForgotten(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, _ := scene(t)
		p.Write(".claude/commands/order.md", orderFile)
		p.Settings(blockHook("order", "a word to the person"))
		m.Say("main", Text("built"), Text("and more"))

		w := p.Open(t, v, m)
		w.Say("/order now")
		w.Wait("a word to the person")
		w.Say("build me a thing")
		w.Wait("● built")
		w.Close()
		p.Claude(t, v, m, "go on", Continue()).WantResults(t, "and more")

		for _, asked := range m.Requests() {
			if bytes.Contains(asked.Body, []byte("a word to the person")) || bytes.Contains(asked.Body,
				[]byte("/order now")) {
				t.Errorf("the model was told: %s", asked.New)
			}
		}
	})
}

// A model's call of such a command reaches no hook but the batch's.
func TestOrderIsNoSkill(t *testing.T) {
	EachVersion(t, func(t *testing.T, v Version) {
		p, m, log := scene(t)
		p.Write(".claude/commands/order.md", orderFile)
		m.Say("main", Call("Skill", Input{"skill": "order", "args": "now"}), Text("done"))

		run := p.Claude(t, v, m, "build me a thing", Allow("Skill"))

		run.WantTold(t, "main", "due to disable-model-invocation")
		run.WantNotTold(t, "main", "The order was")
		log.WantTrace(t, `
			main SessionStart
			main UserPromptSubmit
			main PostToolBatch
			main Stop
			main SessionEnd`)
	})
}
