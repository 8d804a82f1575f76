package kernel

// engines lists those of this system.
func engines() []Engine { return []Engine{seatbelt()} }
