package claude

// Transcribed is the client's transcript of the session, which is the main agent's in its agents' calls too; empty where
// the payload names none.
func (c *call) Transcribed() string { return c.Transcript }
