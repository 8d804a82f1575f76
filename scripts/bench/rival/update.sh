#!/usr/bin/env bash
# The second part of the older design: runs when an agent has completed, changes the state with jq, and
# replaces the file. Changes by others in between are lost.
set -uo pipefail

state_file=${STATE_FILE:?}

log() { printf '[%s] update: %s\n' "$(date -u +%FT%TZ)" "$*" >&2; }

input=$(cat)
if ! jq empty <<<"$input" 2>/dev/null; then
  log "the input is not JSON"
  exit 0
fi
agent=$(jq -r '.agent_type // empty' <<<"$input")

if ! jq empty "$state_file" 2>/dev/null; then
  printf '{"version":"1.0","state":"IDLE","context":{},"history":[]}\n' >"$state_file"
fi
before=$(jq -r '.state' "$state_file")

case $agent in
  context-gatherer) after=GATHERING key=gathered ;;
  context-refiner) after=REFINING key=refined ;;
  strategic-orchestrator) after=EXECUTING key=orchestration ;;
  *) after=$before key=last ;;
esac

next=$(mktemp "$state_file.XXXXXX")
jq --arg agent "$agent" --arg before "$before" --arg after "$after" --arg key "$key" \
  --arg now "$(date -u +%FT%TZ)" --argjson input "$input" '
    .state = $after | .timestamp = $now
    | .context[$key] = ($input.last_assistant_message // "")
    | .history += [{agent: $agent, timestamp: $now, state_before: $before, state_after: $after}]
  ' "$state_file" >"$next"
mv "$next" "$state_file"
log "$agent: $before -> $after"
