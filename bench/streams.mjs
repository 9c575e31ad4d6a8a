// node bench/streams.mjs BIN_DIR WORKDIR: many streams at once through the client and through
// @anthropic-ai/sdk, in turn, against bench/load_server.c. See bench/streams.sh.
import { execFileSync, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const N = 1000;
const RATE = 20;
const SECONDS = 10;
const MB = 100;
const P99_MS = 20;

async function peer(base, work) {
  const Anthropic = createRequire(path.join(work, 'x.js'))('@anthropic-ai/sdk').default;
  const client = new Anthropic({ apiKey: 'x', baseURL: base, maxRetries: 0 });
  const delays = [];
  const cpu0 = process.cpuUsage();
  const t0 = process.hrtime.bigint();
  await Promise.all(Array.from({ length: N }, async () => {
    const s = client.messages.stream({ model: 'claude-sonnet-5-5', max_tokens: 1024,
      messages: [{ role: 'user', content: 'x' }] });
    s.on('text', (t) => delays.push(Number(process.hrtime.bigint() / 1000n) - Number(t.slice(0, 16))));
    await s.finalMessage();
  }));
  const wall = Number(process.hrtime.bigint() - t0) / 1e9;
  const cpu = process.cpuUsage(cpu0);
  delays.sort((a, b) => a - b);
  const at = (q) => +(delays[Math.min(delays.length - 1, Math.floor(delays.length * q))] / 1e3).toFixed(2);
  console.log(JSON.stringify({ streams: N, events: delays.length, wall_s: +wall.toFixed(2),
    cpu_s: +((cpu.user + cpu.system) / 1e6).toFixed(2),
    rss_mb: +(process.resourceUsage().maxRSS / 1e3).toFixed(1), p50_ms: at(0.5), p99_ms: at(0.99),
    max_ms: at(1) }));
}

async function withServer(bin, run) {
  const server = spawn(path.join(bin, 'load_server'), [String(RATE * SECONDS), String(RATE)],
    { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise((done) => server.stdout.once('data', (d) => done(String(d).trim())));
  const out = run(`http://127.0.0.1:${port}`);
  server.stdin.end();
  return JSON.parse(out);
}

async function main([bin, work, base]) {
  if (base) return peer(base, work);
  const opt = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const ours = await withServer(bin, (url) =>
    execFileSync(path.join(bin, 'bench_streams'), [url, String(N)], opt));
  const sdk = await withServer(bin, (url) =>
    execFileSync(process.execPath, [fileURLToPath(import.meta.url), bin, work, url], opt));
  console.log(JSON.stringify({ client: 'ours', ...ours }));
  console.log(JSON.stringify({ client: 'sdk', ...sdk }));
  const ok = ours.done === N && ours.events === N * RATE * SECONDS && ours.rss_mb <= MB &&
    ours.p99_ms <= P99_MS && ours.cpu_s * 2 < sdk.cpu_s;
  console.log(JSON.stringify({ cpu_share: +(ours.cpu_s / sdk.cpu_s).toFixed(2), ok }));
  process.exitCode = ok ? 0 : 1;
}
await main(process.argv.slice(2));
