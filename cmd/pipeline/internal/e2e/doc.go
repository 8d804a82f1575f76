// Package e2e drives the real Claude Code client, without an account and
// without a network: a scripted model server on loopback takes the place of
// the model, and a test asserts on what that model was told.
//
// A scenario is a Project (a temporary directory with its own home), a Model
// (what each agent says, turn by turn) and one or more runs of the client:
//
//	p := e2e.NewProject(t)
//	p.Agent("context-gatherer", "[[gatherer]]")
//	m := e2e.NewModel(t)
//	m.Say("main", e2e.Start("context-gatherer", "go"), e2e.Text("done"))
//	m.Say("gatherer", e2e.Text("gathered 42"))
//	run := p.Claude(t, e2e.Latest, m, "build me a thing", e2e.Allow("Agent"))
//	run.ToldTo("main") // has "gathered 42"
//
// Claude is the print mode. Open is the interactive client, in a terminal (tmux)
// where the test is the person:
//
//	w := p.Open(t, e2e.Latest, m)
//	w.Say("build me a thing")
//	w.Wait("done")
//
// Nothing here is skipped when the client is missing: Install fetches it from
// npm, and fails the test where it cannot. Without tmux Open fails in CI
// (CI=true), and skips the test elsewhere.
package e2e
