package doctor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// checkManaged says what the machine's administrator has set, and proves it: the client is
// started in each way that keeps other hooks from running.
func checkManaged(x *exam) {
	i := slices.IndexFunc(x.registered, source.isManaged)
	if i < 0 {
		x.pass("%s: no hook of ours there, so a user of this machine can switch the pipeline off", x.Managed)
		return
	}
	s := x.registered[i]
	ask := "ask who manages this machine: " + s.file
	if !x.managed.HooksOnly {
		x.warn(ask, "%s: allowManagedHooksOnly is not set: hooks of other files run beside ours", s)
	}
	if what, next := config.DescribeOpen(x.Opened.Policy); what != "" {
		x.warn("ask who manages this machine: "+next, "the hooks are managed, but %s", what)
	}
	if err := settings.CheckDropIns(s.file); err != nil {
		x.problem(ask, "%v", err)
	}
	dropIns := strings.TrimSuffix(s.file, ".json") + ".d"
	deciding := append([]string{system.Dir(s.file), s.file, dropIns}, system.Glob(dropIns, "*.json")...)
	if x.helper != "" {
		deciding = append(deciding, x.helper)
	}
	if org := x.Opened.Project.Org; org != "" {
		deciding = append(deciding, system.Dir(org), org)
	}
	for _, h := range s.ours {
		if file := h.Program(); system.IsAbs(file) && !slices.Contains(deciding, file) {
			deciding = append(deciding, system.Dir(file), file)
		}
	}
	for _, file := range slices.Compact(deciding) {
		if info, err := os.Stat(file); err == nil && !system.IsRootsAlone(info) {
			x.problem(ask, "%s can be changed by others than root, and decides what is enforced", file)
		}
	}
	proveManaged(x, ask)
}

// proveManaged starts the client on PATH in each way, without a prompt and so without its
// model, and looks whether our hooks have recorded that.
func proveManaged(x *exam, ask string) {
	found := x.lookPath("claude")
	switch {
	case found == nil:
		x.warn("put claude on PATH", "not proven: claude is not on PATH")
		return
	case x.Opened.Policy == nil:
		x.warn("pipeline check", "not proven: without a config there is nothing that our hooks would record")
		return
	}
	ways := []struct { // to start a client, most so that it runs no hooks
		name       string
		args       []string
		id, failed string // of the session, and why it was not kept
	}{
		{name: "as usual"},
		{name: "with disableAllHooks in its settings", args: []string{"--settings", `{"disableAllHooks": true}`}},
		{name: "with --setting-sources user", args: []string{"--setting-sources", "user"}},
		{name: "with --safe-mode", args: []string{"--safe-mode"}},
		{name: "with --bare", args: []string{"--bare"}},
	}
	env := append(slices.Clone(x.Shell), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
	var group sync.WaitGroup
	for i := range ways {
		way := &ways[i]
		way.id = fmt.Sprintf("%08x-0000-4000-8000-%012x", rand.Uint32(), rand.Uint64()>>16) // the client wants a UUID
		group.Go(func() {
			r := runLimited(10*x.Patience, x.Dir, env, "",
				append([]string{found[0], "--init-only", "--session-id", way.id}, way.args...)...)
			_, err := os.Stat(x.Store.Path(way.id))
			switch {
			case err == nil, r.exit != 0 && !r.late && strings.Contains(r.err, "policyHelper"):
				return // our hooks ran, or the client refused to start
			case r.failed != nil:
				way.failed = "cannot be tried: " + r.failed.Error()
			case r.late:
				way.failed = "did not end in time"
			default:
				way.failed = "runs no hook of ours: " + oneLine(r.err+r.out)
			}
		})
	}
	group.Wait()
	var held []string
	for _, way := range ways { // not before: another start may be making the folder of sessions
		x.forgetSession(way.id)
		if way.failed == "" {
			held = append(held, way.name)
		} else {
			x.problem("update the client, or "+ask, "a client that is started %s %s", way.name, way.failed)
		}
	}
	if len(held) > 0 {
		x.pass("%s runs our hooks, or does not start: %s", found[0], strings.Join(held, ", "))
	}
}
