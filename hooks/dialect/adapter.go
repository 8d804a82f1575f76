package dialect

import (
	"cmp"
	"errors"
	"io"
	"os"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// An Adapter is what the adapters of hosts have in common. A host's own adapter embeds it,
// and shows only what is different.
type Adapter struct {
	hooks.Surroundings
	Dialect *Dialect
}

// Name is how --host names the host.
func (a Adapter) Name() string { return a.Dialect.Host }

// Can is what was seen to work.
func (a Adapter) Can() hooks.Set { return a.Dialect.Can }

// Root takes the project from the host's variable. Without one it is where the host was started.
func (a Adapter) Root(dir string) string { return cmp.Or(a.Env(a.Dialect.RootEnv), dir) }

// CheckAttended refuses: of no host but Claude Code is it known that a person typed a prompt.
func (a Adapter) CheckAttended() error { return errors.New(a.Dialect.Unattended) }

// Places are the folders of the project and of the user.
func (a Adapter) Places() hooks.Places {
	d, p := a.Dialect, a.Dialect.Folders
	p.Default, p.Project = "user", system.Join(a.Project, p.Project)
	p.User = cmp.Or(a.Env(d.UserEnv), system.Join(a.Home, p.User))
	p.Settings = []hooks.SettingsFile{{Scope: "user", Path: system.Join(p.User, d.Settings)},
		{Scope: "project", Path: system.Join(p.Project, d.Settings)}}
	return p
}

// Read takes one payload.
func (a Adapter) Read(r io.Reader) (hooks.Call, error) {
	p, err := Decode(r)
	if err != nil {
		return nil, err
	}
	if a.Dialect.Native != nil {
		a.Dialect.Native(&p)
	}
	if p.Event == "" && p.SessionID != "" {
		p.Event = EventName(a.Can(), a.Event)
	}
	if err := p.CheckNamed(a.Can(), a.Event); err != nil {
		return nil, err
	}
	return &Call{Payload: p, dialect: a.Dialect}, nil
}

// Bare is a call whose payload could not be read.
func (a Adapter) Bare(event string) hooks.Call {
	return &Call{Payload: Payload{Event: EventName(a.Can(), event)}, dialect: a.Dialect}
}

// Entries are the hooks to register.
func (a Adapter) Entries(binary string, _ bool) (out []hooks.Entry) {
	for _, e := range a.Dialect.Events() {
		out = append(out, hooks.Entry{Event: e.Name, Command: binary, Timeout: e.Timeout,
			Args: []string{"hook", "--host", a.Name(), e.Called}})
	}
	return out
}

func (a Adapter) format() settings.Format {
	return settings.Format{Host: a.Name(), Shell: true, Millis: a.Dialect.Millis, Comments: a.Dialect.Comments}
}

// Edit leaves the wanted hooks of ours in a settings file.
func (a Adapter) Edit(src []byte, want []hooks.Entry) ([]byte, bool, error) {
	return a.format().Edit(src, want)
}

// Blocks says why the hooks would not run with a settings file.
func (a Adapter) Blocks(src []byte, want []hooks.Entry) string { return a.format().Blocks(src, want) }

// Probe looks at the program.
func (a Adapter) Probe(string) []hooks.Finding {
	return []hooks.Finding{hooks.ProbeVersion(a.Name())}
}

// ProbeSwitches looks at a settings file in which disableAllHooks switches off our hooks too.
func (a Adapter) ProbeSwitches(file string) []hooks.Finding {
	body, err := os.ReadFile(file)
	why := a.format().Blocks(body, nil)
	if err != nil || why == "" { // without a file there is none, or the client cannot read it either
		return nil
	}
	return []hooks.Finding{{Status: hooks.Problem, Remedy: "take disableAllHooks out of " + file,
		What: a.Name() + " runs no hooks here: " + file + ": " + why}}
}

// DefineAgent writes a definition in Markdown, with the host's own names of tools.
func (a Adapter) DefineAgent(source []byte) []byte {
	return a.Dialect.markdown(a.ParseAgent(source))
}

// ParseAgent reads a definition, with the host's names of tools in its text.
func (a Adapter) ParseAgent(source []byte) Definition {
	d := ParseDefinition(source)
	d.Text = a.Dialect.words().Translate(d.Text)
	return d
}

// DefinedAgents are those of the project and the user, and the host's own.
func (a Adapter) DefinedAgents() (defined, builtin []string) {
	return ListDefined(a.Places()), a.Dialect.Agents
}
