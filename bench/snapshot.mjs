// node bench/snapshot.mjs BENCH_SNAPSHOT WORKDIR: tokens, controls, states, phantoms and time of
// snapshots on the trees under tests/data/trees, beside the peers; see bench/snapshot.sh.
//
// Controls, states and what lies behind come from tests/data/trees/seen, which people made by
// reading the trees. Tokens are those of Anthropic's published tokenizer, an older vocabulary:
// good as a ratio.
import { execFileSync, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';
import { agentDevice } from './agent_device.mjs';

const [program, work] = process.argv.slice(2);
const here = path.dirname(new URL(import.meta.url).pathname);
const data = path.join(here, '../tests/data/trees');
const { countTokens } = createRequire(path.join(work, 'x.js'))('@anthropic-ai/tokenizer');
const SPEC_UDID = '12345678-1234-4234-8234-123456789012'; // the cheapest to tokenize

const files = ['axe', 'wda'].flatMap((d) =>
  fs.readdirSync(path.join(data, d)).sort().map((f) => path.join(data, d, f)));
const nameOf = (file) => path.basename(file).replace(/\.(json|xml)$/, '');

// A row: "kind x,y name", then " : state" where one must be readable.
function seen(name) {
  const lines = fs.readFileSync(path.join(data, 'seen', `${name}.txt`), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const cut = line.indexOf(' : ');
    const [, kind, x, y, label] = /^(\w+) ([\d.-]+),([\d.-]+) ?(.*)$/.exec(cut < 0 ? line : line.slice(0, cut));
    return { kind, x: +x, y: +y, label, state: cut < 0 ? '' : line.slice(cut + 3) };
  });
}

// ---- ours ------------------------------------------------------------------------------------

function ours() {
  const out = execFileSync(program, [path.join(data, 'axe/offsider-menu.json'), ...files], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const lines = out.trim().split('\n').map((l) => JSON.parse(l));
  return { trees: lines.slice(0, -1), growth: lines.at(-1) };
}

function scoreOurs(tree, rows) {
  const textLine = new Map(tree.text.split('\n').map((l) => [l.split(' ')[0], l]));
  const keyboard = tree.text.split('\n').find((l) => /^\d+ keyboard/.test(l)) ?? '';
  const at = (row) => tree.snapshot.elements.find((e) => (!row.label || [e.label, e.identifier,
    e.placeholder].includes(row.label)) && textLine.has(e.ref.slice(2)) &&
    row.x >= e.frame.x && row.y >= e.frame.y && row.x < e.frame.x + e.frame.w &&
    row.y < e.frame.y + e.frame.h && e.role !== 'scroll' && e.role !== 'list');
  const score = { controls: 0, states: 0, phantoms: 0 };
  for (const row of rows) {
    const e = at(row);
    if (row.kind === 'control') score.controls += !!(e && e.hittable);
    if (row.kind === 'key') {
      const letter = [...row.label].length <= 2;
      score.controls += letter ? keyboard !== '' : keyboard.includes(row.label);
    }
    if (row.state && e) {
      const line = textLine.get(e.ref.slice(2));
      score.states += row.state.startsWith('=') ? line.endsWith(row.state)
        : new RegExp(`^\\d+ \\S+[:,]${row.state}( |,|$)`).test(line);
    }
    score.phantoms += row.kind === 'behind' && !!e;
  }
  return score;
}

// ---- XcodeBuildMCP ---------------------------------------------------------------------------

class XcodeBuildMcp {
  async start() {
    this.tree = path.join(work, 'current.json');
    fs.writeFileSync(this.tree, '[]');
    this.process = spawn('node', [path.join(work, 'node_modules/xcodebuildmcp/build/cli.js'), 'mcp'], {
      cwd: work, stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, XCODEBUILDMCP_AXE_PATH: path.join(here, 'fake_axe'),
        FAKE_AXE_TREE: this.tree, XCODEBUILDMCP_SENTRY_DISABLED: 'true',
        XCODEBUILDMCP_ENABLED_WORKFLOWS: 'ui-automation' },
    });
    this.waiting = new Map();
    this.id = 0;
    readline.createInterface({ input: this.process.stdout }).on('line', (line) => {
      const reply = JSON.parse(line);
      this.waiting.get(reply.id)?.(reply.result);
      this.waiting.delete(reply.id);
    });
    await this.call('initialize', { protocolVersion: '2025-06-18', capabilities: {},
      clientInfo: { name: 'bench', version: '0' } });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await this.tool('session_set_defaults', { simulatorId: SPEC_UDID });
  }

  send(message) {
    this.process.stdin.write(JSON.stringify(message) + '\n');
  }

  call(method, params) {
    const id = ++this.id;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.send({ jsonrpc: '2.0', id, method, params });
    });
  }

  tool(name, args) {
    return this.call('tools/call', { name, arguments: args });
  }

  async snapshot(file) {
    fs.writeFileSync(this.tree, JSON.stringify(JSON.parse(fs.readFileSync(file, 'utf8'))));
    return this.tool('snapshot_ui', {});
  }
}

function scorePeer(result, rows) {
  const capture = result.structuredContent.data.capture;
  const left = (capture.targets ?? []).map((t) => t.split('|'));
  const take = (row) => {
    const i = left.findIndex(([, , , label, value, id]) => (row.label
      ? [label, id].includes(row.label) : !label || `= ${value}` === row.state));
    return i < 0 ? null : left.splice(i, 1)[0];
  };
  const score = { controls: 0, states: 0, phantoms: 0 };
  for (const row of rows) {
    if (row.kind !== 'control' && row.kind !== 'key' && row.kind !== 'behind') continue;
    const found = take({ ...row, label: row.label.replaceAll('|', '/') });
    score.controls += !!found && row.kind !== 'behind';
    score.phantoms += !!found && row.kind === 'behind';
    score.states += !!(found && row.state && found[4]);
  }
  return score;
}

// Median microseconds of the peer's own snapshot module on a parsed tree; it makes no text yet.
async function peerModule(uiHierarchy, rounds = 60) {
  const url = pathToFileURL(path.join(work,
    'node_modules/xcodebuildmcp/build/mcp/tools/ui-automation/shared/runtime-snapshot.js'));
  const { createRuntimeSnapshotRecord } = await import(url);
  const took = [];
  for (let i = 0; i < rounds; i++) {
    const start = process.hrtime.bigint();
    createRuntimeSnapshotRecord({ simulatorId: SPEC_UDID, uiHierarchy });
    took.push(Number(process.hrtime.bigint() - start) / 1e3);
  }
  return took.sort((a, b) => a - b)[rounds >> 1];
}

// ---- agent-device ----------------------------------------------------------------------------

// A line: `@e3 [role] "label" [state]`; a field's value stands in place of its label.
function scoreLines(text, rows) {
  const left = text.split('\n').map((line) => /^ *@e\d+ \[([^\]]+)\](?: "(.*)")?((?: \[[^\]]*\])*)$/.exec(line))
    .filter(Boolean);
  const take = (row) => {
    const i = left.findIndex(([, role, label]) => !/^(text|application|scroll-area|image)$/.test(role) &&
      (label === undefined ? !row.label : label === row.label || row.state === `= ${label}`));
    return i < 0 ? null : left.splice(i, 1)[0];
  };
  const score = { controls: 0, states: 0, phantoms: 0 };
  for (const row of rows.filter((r) => ['control', 'key', 'behind'].includes(r.kind))) {
    const found = take(row);
    score.controls += !!found && row.kind !== 'behind';
    score.phantoms += !!found && row.kind === 'behind';
    score.states += !!(found && row.state && (row.state === `= ${found[2]}` || found[3].includes(`[${row.state}]`)));
  }
  return score;
}

// ---- the table -------------------------------------------------------------------------------

const mine = ours();
const peer = new XcodeBuildMcp();
await peer.start();
const agentDeviceSnapshot = await agentDevice(work);
const sum = { axe: {}, wda: {} };
const add = (to, key, n) => { to[key] = (to[key] ?? 0) + n; };
console.log('tree | nodes | controls | ours tok/ctl/states/behind/us | XcodeBuildMCP tok/ctl/states/behind/us | agent-device tok/ctl/states/behind/us');
for (const tree of mine.trees) {
  const name = nameOf(tree.tree);
  const kind = tree.tree.endsWith('.json') ? 'axe' : 'wda';
  const rows = seen(name);
  const live = rows.filter((r) => r.kind === 'control' || r.kind === 'key').length;
  const states = rows.filter((r) => r.state).length;
  const a = { tok: countTokens(tree.text), ...scoreOurs(tree, rows), us: tree.us };
  const device = await agentDeviceSnapshot(tree.tree);
  const c = { tok: countTokens(device.text), ...scoreLines(device.text, rows), us: device.us };
  let b = null;
  if (kind === 'axe') {
    const result = await peer.snapshot(tree.tree);
    b = { tok: countTokens(result.content[0].text), ...scorePeer(result, rows), us: await peerModule(JSON.parse(fs.readFileSync(tree.tree, 'utf8'))) };
    for (const k of ['tok', 'controls', 'states', 'phantoms']) add(sum[kind], `peer_${k}`, b[k]);
  }
  for (const k of ['tok', 'controls', 'states', 'phantoms']) {
    add(sum[kind], k, a[k]);
    add(sum[kind], `agent_device_${k}`, c[k]);
  }
  add(sum[kind], 'live', live);
  add(sum[kind], 'all_states', states);
  add(sum[kind], 'all_behind', rows.filter((r) => r.kind === 'behind').length);
  const cell = (s) => (s ? `${s.tok}/${s.controls}/${s.states}/${s.phantoms}/${s.us.toFixed(0)}` : '-');
  console.log(`${name} | ${tree.nodes} | ${live} | ${cell(a)} | ${cell(b)} | ${cell(c)}`);
  if (tree.nodes === 102) [sum.us102, sum.wall102] = [a.us, tree.wall_us];
}
peer.process.stdin.end();
for (const kind of ['axe', 'wda']) console.log(kind, JSON.stringify(sum[kind]));
console.log('growth', JSON.stringify(mine.growth));
const [menu] = JSON.parse(fs.readFileSync(path.join(data, 'axe/offsider-menu.json'), 'utf8'));
menu.children = Array(9).fill(menu.children).flat();
console.log(`XcodeBuildMCP's module at 613 nodes: ${(await peerModule([menu], 7)).toFixed(0)} us`);

console.log(`102 nodes: ${sum.us102} us of CPU time, ${sum.wall102} us by the clock`);
const large = mine.growth.long.at(-1);
const perNode = (k) => mine.growth.long.at(k).us / mine.growth.long.at(k).nodes;
const checks = {
  'half of agent-device on AXe trees': sum.axe.tok * 2 <= sum.axe.agent_device_tok,
  '60 % of agent-device on WebDriverAgent trees': sum.wda.tok <= 0.6 * sum.wda.agent_device_tok,
  'every control': sum.axe.controls === sum.axe.live && sum.wda.controls === sum.wda.live,
  'every state': sum.axe.states === sum.axe.all_states && sum.wda.states === sum.wda.all_states,
  'nothing behind': sum.axe.phantoms === 0,
  '102 nodes under 100 us': sum.us102 < 100,
  'linear: a node of 5,000 costs at most twice one of 600': perNode(-1) <= 2 * perNode(1),
  '5,000 nodes under 5 ms': large.nodes >= 5000 && large.us < 5000,
};
for (const [what, held] of Object.entries(checks)) console.log(held ? 'held  ' : 'BROKEN', what);
process.exit(Object.values(checks).every(Boolean) ? 0 : 1);
