"""A hook of the older design, in Python: reads the state file, decides, notes the call, writes the file again."""

import json
import os
import re
import sys
from datetime import datetime, timezone
from pathlib import Path

STARTABLE = {
    "IDLE": [r"context-gatherer"],
    "GATHERING": [r"context-refiner"],
    "REFINING": [r"strategic-orchestrator"],
    "EXECUTING": [r"bash-.*", r"nix-.*", r"c-.*"],
}

state_file = Path(os.environ["STATE_FILE"])
state = {"version": "1.0", "state": "IDLE", "context": {}, "history": []}
try:
    if state_file.exists():
        state = json.loads(state_file.read_text())
except ValueError:
    pass  # a broken file is taken for a new session
call = json.load(sys.stdin)
agent = call.get("tool_input", {}).get("subagent_type", "")
patterns = STARTABLE.get(state["state"], [])
approved = call.get("tool_name") != "Agent" or any(re.fullmatch(p, agent) for p in patterns)
now = datetime.now(timezone.utc).isoformat()
state["history"].append({"tool": call.get("tool_name"), "agent": agent, "timestamp": now, "approved": approved})
state_file.write_text(json.dumps(state, indent=2))
reason = f"{agent} may not run in {state['state']}"
print(json.dumps({"decision": "approve"} if approved else {"decision": "block", "reason": reason}))
