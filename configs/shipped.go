package configs

import "path"

// Beside lists what belongs to a preset beside its agents and its config cannot name: slash commands that a person types,
// and skills. The agents are those that the config names.
func Beside(preset string) (commands, skills []string) {
	switch preset {
	case "guided":
		return nil, []string{"orchestrator"}
	case "delegation":
		return []string{"add-statusline", "ask", "bypass", "delegate"}, []string{"breadth-reader", "task-planner"}
	}
	return nil, nil
}

// Skill returns the text of a skill that a preset comes with.
func Skill(name string) ([]byte, bool) {
	text, err := files.ReadFile(path.Join("skills", path.Base(name), "SKILL.md"))
	return text, err == nil
}
