package kernel

// engines lists those of this system, the best first.
func engines() []Engine { return []Engine{bubblewrap(), landlockEngine()} }
