// A hook of the older design, in Node: reads the state file, decides, notes the call, writes the file again.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const stateFile = process.env.STATE_FILE;
const startable = {
  IDLE: ['context-gatherer'],
  GATHERING: ['context-refiner'],
  REFINING: ['strategic-orchestrator'],
  EXECUTING: ['bash-developer', 'nix-developer', 'c-developer'],
};

let state = { version: '1.0', state: 'IDLE', context: {}, history: [] };
try {
  if (existsSync(stateFile)) state = JSON.parse(readFileSync(stateFile, 'utf8'));
} catch {
  // a broken file is taken for a new session
}
const input = JSON.parse(readFileSync(0, 'utf8'));
const agent = input.tool_input?.subagent_type ?? '';
const approved = input.tool_name !== 'Agent' || (startable[state.state] ?? []).includes(agent);
state.history.push({ tool: input.tool_name, agent, timestamp: new Date().toISOString(), approved });
writeFileSync(stateFile, JSON.stringify(state, null, 2));
const reason = `${agent} may not run in ${state.state}`;
console.log(JSON.stringify(approved ? { decision: 'approve' } : { decision: 'block', reason }));
