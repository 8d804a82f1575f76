package shell
func (r *reader) effects(c command) {}
func (r *reader) hidden(c command) bool { return false }
