package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/survey"
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

func newInitCommand(p *program) command {
	return command{
		Usage: "Write a config that fits the project, and the agents it needs",
		Description: `It looks at the project's languages and agents, and writes
configs/pipeline.yaml. Agents that can edit change files in EXECUTING, and
the others help. Agents are written only where the project has none that fit:
for each client that the project or you have, or that --host names, in its
form (.claude/agents/NAME.md, .codex/agents/NAME.toml). In a terminal it
offers the presets and shows what it would write. It overwrites no file.
--replace is for a person: it switches to another preset, or fits the same
one again. It keeps the old config as a backup, and removes unchanged shipped
agents in .claude/agents that no state admits now.
It writes into the working directory, also in a subfolder of a repository,
unless a config above is in force there. It is in force for clients that are
started in its folder or below.`,
		UsageText: `pipeline init
pipeline init --yes --install
pipeline init --yes --install --host codex
pipeline init --preset default --yes
pipeline init --preset orchestrating --replace`,
		Flags: flags{
			valueFlag("preset", "everyday", "the `PRESET`, one of "+strings.Join(configs.Presets(), ", ")),
			valueFlag("format", "yaml", "the `LANGUAGE` of the config: yaml or toml"),
			boolFlag("yes", "ask nothing", "y"),
			listFlag("host",
				"write agents, commands and skills for this `CLIENT`, repeated for several: "+
					strings.Join(hostNames(), ", ")),
			boolFlag("install", "then register the hooks, as pipeline install does"),
			boolFlag("replace", "write over another preset, and keep it as a backup")},
		Action: p.action(runInit),
	}
}

// An initialization is one run of init.
type initialization struct {
	invocation
	dir      string // where it writes
	there    string // the config that is there, "" for none
	is       string // the preset of that config, "" for one of the user's own
	preset   string
	format   string
	hosts    []hooks.Installer // the clients for which agents are written
	project  survey.Project
	isPlugin bool // Claude Code has our plugin, which registers the hooks

	err      error // of the first file that could not be written: no other is then
	replaced bool  // the config that is written takes the place of another
}

func runInit(c invocation) error {
	i := &initialization{invocation: c, preset: c.String("preset"), format: c.String("format")}
	if _, ok := configs.Preset(i.preset); !ok {
		return expectOneOf("no preset", i.preset, configs.Presets())
	}
	if err := checkWord("unknown format", i.format, "yaml", "toml"); err != nil {
		return err
	}
	w := c.here()
	err := i.findPlace(w)
	if err != nil {
		return err
	}
	here := config.Opened{Project: config.Project{Root: i.dir}}
	if i.hosts, err = c.hostsFor(c.StringSlice("host"), here); err != nil {
		return err
	}
	i.lookAround(here)
	write := i.there == "" || c.Bool("replace")
	if err := i.choosePreset(c.IsSet("preset"), write); err != nil {
		return err
	}
	if !write {
		c.printf("kept     %s\n", showPath(i.there))
	} else if err := i.writeConfig(); err != nil {
		return err
	}
	if err := i.writeAgents(c.world(i.dir, w.Config)); err != nil {
		return err
	}
	return i.registerHooks()
}

// registerHooks registers the hooks of the clients that are named, else of the first one that
// is there, and says how to do it for the others.
func (i *initialization) registerHooks() error {
	hasPlugin := func(h hooks.Host) bool { return i.isPlugin && h.Name() == "claude" }
	if first := i.hosts[0]; !i.Bool("install") && !hasPlugin(first) {
		i.hint("look into %s, then: %s", showPath(i.there), installLine(first))
		return nil
	}
	for n, h := range i.hosts {
		if hasPlugin(h) {
			i.hint("look into %s; the plugin calls the hooks of %s already", showPath(i.there), h.Name())
		} else if n > 0 && !i.IsSet("host") || !i.Bool("install") {
			i.hint("to have the calls of %s judged too: %s", h.Name(), installLine(h))
		} else if err := runInstall(i.invocation, h.Name()); err != nil {
			return err
		}
	}
	return nil
}

// installLine is the command that registers the hooks of a client.
func installLine(h hooks.Host) string {
	if h.Name() == "claude" {
		return "pipeline install"
	}
	return "pipeline install --host " + h.Name()
}

// findPlace finds the config that is there, and the folder to write into: that of the
// config, else the working directory.
func (i *initialization) findPlace(w config.World) error {
	proj, _, err := config.Find(w)
	if err != nil {
		return err
	}
	for _, f := range proj.Files {
		if rel, err := system.Rel(proj.Root, f); err == nil && !strings.HasPrefix(rel, "..") {
			i.dir, i.there = proj.Root, f
			i.is, err = recognizePreset(f)
			return err
		}
	}
	const hint = "cd to the project in which you start the client, and run it there"
	i.dir = w.Dir
	top := config.Top(w.Dir)
	switch {
	case top == w.Dir && w.Dir == system.Dir(w.Dir):
		return hinted{fmt.Errorf("%s is the root of the file system, not a project: nothing was written", w.Dir), hint}
	case top == w.Dir && w.Dir == w.Home:
		i.printf("folder   %s, your home folder\n", w.Dir)
		i.hint("the pipeline is in force for clients that are started in this folder, not in projects below it; " +
			"for a project: cd PROJECT && pipeline init")
	}
	if top != w.Dir {
		i.printf("folder   %s, part of the repository %s\n", w.Dir, top)
		i.hint("the pipeline is in force for clients that are started in this folder; for all of the repository: "+
			"cd %s && pipeline init", top)
	}
	return nil
}

// lookAround looks at the project, and says what it has found. An agent that pipeline ships,
// unchanged, is not the project's own: a switch to another preset would make it one of its workers.
func (i *initialization) lookAround(here config.Opened) {
	i.project.CountFiles(i.dir)
	for _, d := range claude.New(i.surroundings(here)).FindAgents(i.report) {
		a := survey.Agent{Name: d.Name, Description: d.Description, File: d.File, Tools: d.Tools, Without: d.Without}
		if strings.HasPrefix(a.Name, "pipeline:") || strings.HasPrefix(a.Name, "pipeline-") {
			i.isPlugin = i.isPlugin || strings.HasPrefix(a.Name, "pipeline:")
			continue // those of our own plugins
		}
		shipped, ok := configs.Agent(d.Name)
		if text, err := os.ReadFile(d.File); ok && err == nil && bytes.Equal(withoutCR(text), shipped) {
			if !d.Shared {
				i.project.Shipped = append(i.project.Shipped, a)
			}
			continue
		}
		if !slices.ContainsFunc(i.project.Agents, func(b survey.Agent) bool { return a.Name == b.Name }) {
			i.project.Agents = append(i.project.Agents, a)
		}
	}
	i.printf("project  %s\n", i.project.Describe())
}

// withoutCR is a text with the line ends of a file that git has not converted for Windows.
func withoutCR(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// choosePreset settles the preset to write. Over another config it refuses
// one that is asked for: its agents alone would be half of it.
func (i *initialization) choosePreset(asked, write bool) error {
	switch {
	case i.there != "" && !write && asked && i.is != i.preset:
		what := "a config of your own"
		if i.is != "" {
			what = "the preset " + i.is
		}
		return hinted{fmt.Errorf("%s is %s: preset %s was not installed, nothing was written", i.there, what, i.preset),
			"to switch, and keep a backup: pipeline init --preset " + i.preset + " --replace"}
	case i.there != "" && !asked && i.is == "" && write:
		return usagef("%s is a config of your own: name the preset that replaces it (--preset)", i.there)
	case i.there != "" && !asked && i.is != "":
		i.preset = i.is
	case write && !asked && i.isAttended() && !i.Bool("yes"):
		return i.offerPresets()
	}
	return nil
}

// offerPresets shows the presets, and what the chosen one would write, until the person
// agrees to one.
func (i *initialization) offerPresets() error {
	var lines []string
	for _, name := range configs.Presets() {
		lines = append(lines, fmt.Sprintf("%-14s %s", name, configs.Summary(name)))
	}
	for {
		n, err := i.choose("The presets:", lines...)
		if err != nil {
			return err
		}
		if n == 0 {
			return errStopped
		}
		i.preset = configs.Presets()[n-1]
		i.printf("\n%s\n\n", survey.Preview(string(i.fittedPreset("yaml"))))
		yes, err := i.confirm(fmt.Sprintf("Write %s and its agents?", i.configFile()))
		if yes || err != nil {
			return err
		}
	}
}

func (i *initialization) fittedPreset(format string) []byte {
	read := configs.Preset
	if format == "toml" {
		read = configs.TOMLPreset
	}
	text, _ := read(i.preset)
	return []byte(i.project.Fit(string(text), format))
}

func (i *initialization) configFile() string {
	return system.Join(i.dir, "configs", "pipeline."+i.format)
}

// writeConfig writes the config and its schema. The config that was there stays beside it.
func (i *initialization) writeConfig() error {
	if i.there != "" {
		backup := i.there + ".old"
		for n := 2; ; n++ { // to a name that is free: pipeline.yaml.old, pipeline.yaml.old2
			if _, err := os.Lstat(backup); errors.Is(err, fs.ErrNotExist) {
				break
			}
			backup = fmt.Sprintf("%s.old%d", i.there, n)
		}
		if err := os.Rename(i.there, backup); err != nil {
			return fmt.Errorf("keep the config that is there: %w", err)
		}
		i.printf("kept     %s as %s\n", showPath(i.there), filepath.Base(backup))
		i.replaced = true
	}
	i.there = i.configFile()
	i.place(i.there, i.fittedPreset(i.format))
	i.place(system.Join(i.dir, "configs", "pipeline.schema.json"), configs.Schema())
	return i.err
}

// place writes a file that does not exist yet.
func (i *initialization) place(path string, text []byte) {
	if i.err != nil {
		return
	}
	switch i.err = shareFile(path, text, os.O_EXCL); {
	case i.err == nil:
		i.printf("written  %s\n", showPath(path))
	case errors.Is(i.err, fs.ErrExist):
		i.err = nil
		i.printf("kept     %s\n", showPath(path))
	}
}

// writeAgents writes what belongs to the config in force: the agents that it names and
// the project lacks, and the commands and skills of its preset. It removes the agents of a replaced preset that no
// state admits now.
func (i *initialization) writeAgents(w config.World) error {
	o, err := config.Open(w)
	if err == nil && len(o.Problems) > 0 {
		i.printProblems(o.Problems)
		err = hinted{errors.New("the config has problems"), "pipeline check"}
	}
	if err != nil {
		return fmt.Errorf("write agents: %w", err)
	}
	for _, h := range i.hosts {
		i.defineAgents(h, o.Policy)
		i.defineSkills(h)
	}
	if i.err != nil || !i.replaced || len(o.Policy.States) == 0 {
		return i.err
	}
	table := o.Policy.NewTable()
	for _, agent := range i.project.Shipped {
		admits := func(st fsm.State) bool { return table.Admits(st.Name, agent.Name) != nil }
		if slices.ContainsFunc(o.Policy.States, admits) {
			continue
		}
		if err := os.Remove(agent.File); err != nil { // it is as it was shipped: a switch back writes it again
			return fmt.Errorf("remove an agent that no state admits: %w", err)
		}
		i.printf("removed  %s\n", showPath(agent.File))
	}
	return nil
}

// defineSkills writes the commands and skills of the preset in a client's form.
func (i *initialization) defineSkills(h hooks.Installer) {
	commands, skills := configs.Beside(i.preset)
	var typed []string
	for n, name := range slices.Concat(commands, skills) {
		isCommand := n < len(commands)
		source, _ := configs.Skill(name)
		if isCommand {
			source, _ = configs.Command(name)
		}
		if !hasStatusLine(h) && name == "add-statusline" {
			i.printf("left out %s: %s has no status line that pipeline could fill\n", name, h.Name())
			continue
		}
		i.place(h.DefineSkill(name, source, isCommand))
		if isCommand {
			typed = append(typed, h.Places().Typed(name))
		}
	}
	if typed != nil && h.Places().Commands == "" {
		i.printf("%s has no commands in a project: they are skills there, which you call by %s\n", h.Name(),
			strings.Join(typed, ", "))
	}
}

// defineAgents writes the agents that a client does not have, and that the policy proposes or describes or that
// some state admits by more than admitting all. Some that Claude Code brings along are among them.
func (i *initialization) defineAgents(h hooks.Installer, policy *fsm.Policy) {
	there, builtin := h.DefinedAgents()
	there = append(there, builtin...)
	named := namedAgents(policy)
	for _, agent := range configs.Agents() {
		isAdmitted := slices.ContainsFunc(policy.States, func(st fsm.State) bool {
			return slices.ContainsFunc(st.Triggers, func(t fsm.Trigger) bool {
				return !slices.Equal(t.Agents, []string{"*"}) && fsm.MatchAgent(t.Agents, agent)
			})
		})
		if !slices.Contains(there, agent) && (isAdmitted || slices.Contains(named, agent)) {
			text, _ := configs.Agent(agent)
			i.place(h.Places().AgentFile(agent), h.DefineAgent(text))
		}
	}
}

// recognizePreset returns the preset that a config was written from, "" for one of the
// user's own: init changes nothing above the first key.
func recognizePreset(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the config: %w", err)
	}
	text = withoutCR(text)
	for _, name := range configs.Presets() {
		for _, read := range []func(string) ([]byte, bool){configs.Preset, configs.TOMLPreset} {
			form, _ := read(name)
			head, _, _ := bytes.Cut(form, []byte("\nversion"))
			if bytes.Equal(form, text) || bytes.HasPrefix(head, []byte("#")) && bytes.HasPrefix(text, head) {
				return name, nil
			}
		}
	}
	return "", nil
}

// namedAgents are those that the policy proposes or describes. Without states any of
// them may start.
func namedAgents(policy *fsm.Policy) []string {
	out := slices.Concat(policy.Tasks.Agents, policy.Main.Default.DelegateTo, policy.Subagents.Default.DelegateTo)
	for _, a := range policy.Agents {
		out = append(out, a.Name)
	}
	for _, r := range policy.AllRules() {
		out = append(out, r.DelegateTo...)
	}
	return out
}

// shareFile writes a file that others may read, and makes its folder.
func shareFile(path string, text []byte, flags int) error {
	err := os.MkdirAll(system.Dir(path), 0o755)
	if err == nil {
		err = system.WriteShared(path, text, flags)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
