package fsm

// CanonicalTool gives the name that a tool has in the current client to the names it had or has elsewhere.
func CanonicalTool(tool string) string {
	switch tool {
	case "Task", "SubagentTask", "AgentTask":
		return "Agent"
	case "SlashCommand":
		return "Skill"
	case "KillShell", "KillBash":
		return "TaskStop"
	}
	return tool
}

// formerly lists what else rules may call a tool: two tools of which the client offers one or the other.
func formerly(tool string) []string {
	switch tool {
	case "TaskCreate", "TaskUpdate", "TaskGet", "TaskList":
		return []string{"TodoWrite"}
	case "TodoWrite":
		return []string{"TaskCreate", "TaskUpdate"}
	}
	return nil
}
