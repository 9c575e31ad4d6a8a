// aimock.mjs CLIENT FIXTURES: the client against the program aimock, which nobody here wrote: a
// conversation with tools, its faults, and each of its chaos modes.
import { spawn, spawnSync } from 'node:child_process';

const [client, fixtures] = process.argv.slice(2);
const server = spawn(process.execPath, ['node_modules/.bin/llmock', '-p', '0',
  '-h', '127.0.0.1', '-f', fixtures, '--strict', '--validate-on-load'],
{ env: { ...process.env, AIMOCK_STRICT_TURN_INDEX: '1' }, stdio: ['ignore', 'pipe', 'inherit'] });

const base = await new Promise((done, fail) => {
  let out = '';
  server.on('exit', (code) => fail(new Error(`aimock ended with ${code}: ${out}`)));
  server.stdout.on('data', (d) => {
    out += d;
    const url = /listening on (http:\S+)/.exec(out);
    if (url) done(url[1]);
  });
});

function run(...args) {
  const r = spawnSync(client, [base, ...args], { stdio: 'inherit' });
  if (r.status !== 0) {
    console.error(`failed: ${args.join(' ')}`);
    process.exitCode = 1;
  }
}

async function chaos(config) {
  const r = await fetch(`${base}/__aimock/chaos`, {
    method: config ? 'POST' : 'DELETE', headers: { 'content-type': 'application/json' },
    body: config ? JSON.stringify(config) : undefined });
  if (!r.ok) throw new Error(`chaos: ${r.status} ${await r.text()}`);
}

run('tools');
run('faults');
for (const [config, code] of [
  [{ dropRate: 1 }, 'API_SERVER'],
  [{ malformedRate: 1 }, 'API_PROTOCOL'],
  [{ disconnectRate: 1 }, 'API_NETWORK'],
  [{ rateLimitRate: 1 }, 'API_RATE_LIMIT'],
  [{ latencyMs: 300 }, 'OK'],
]) {
  await chaos(config);
  run('ask', code);
  await chaos(null);
}
run('ask', 'OK');
server.removeAllListeners('exit');
server.kill();
