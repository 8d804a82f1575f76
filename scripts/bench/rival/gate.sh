#!/usr/bin/env bash
# The first part of the older design: runs before an agent starts, reads the state with jq, approves or blocks.
# Rewritten for the benchmark: one state file for all sessions, no lock.
set -uo pipefail

state_file=${STATE_FILE:?}

log() { printf '[%s] gate: %s\n' "$(date -u +%FT%TZ)" "$*" >&2; }

approve() {
  log "$1"
  printf '{"decision":"approve"}\n'
  exit 0
}

input=$(cat)
jq empty <<<"$input" 2>/dev/null || approve "the input is not JSON"
agent=$(jq -r '.tool_input.subagent_type // empty' <<<"$input")

state=IDLE
if [[ -f $state_file ]] && jq empty "$state_file" 2>/dev/null; then
  state=$(jq -r '.state // "IDLE"' "$state_file")
fi

case $state:$agent in
  IDLE:context-gatherer | COMPLETE:context-gatherer) approve "$agent in $state" ;;
  GATHERING:context-refiner | REFINING:strategic-orchestrator) approve "$agent in $state" ;;
  EXECUTING:bash-* | EXECUTING:nix-* | EXECUTING:c-*) approve "$agent in $state" ;;
  IDLE:*) ;;
  *:Explore | *:Plan | *:general-purpose) approve "$agent in $state" ;;
esac

log "$agent refused in $state"
jq -cn --arg agent "$agent" --arg state "$state" '{decision: "block", reason: "\($agent) may not run in \($state)"}'
exit 2
