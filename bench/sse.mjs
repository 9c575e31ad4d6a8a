// node bench/sse.mjs BENCH_SSE WORKDIR: decoding with accumulation beside @anthropic-ai/sdk, on
// the same bytes, in one run. WORKDIR is where the SDK is installed; see bench/sse.sh.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [program, work] = process.argv.slice(2);
const Anthropic = createRequire(path.join(work, 'x.js'))('@anthropic-ai/sdk').default;
const data = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname),
  '../tests/data/claude');
const ROUNDS = 5;
const TARGET = 50e6;
const BLOCKS = 400; // of a long answer

function recorded() {
  const files = ['http-recorded/771c64ff.0.sse', 'http-recorded/771c64ff.1.sse',
    'http-recorded/555fb399.0.sse', 'http-recorded/555fb399.1.sse',
    'sse-sdk/typescript/stream-a-refusal.sse', 'sse-sdk/typescript/stream-b-fallback.sse'];
  return files.map((f) => fs.readFileSync(path.join(data, f), 'utf8'));
}

// The answers exactly as recorded, one after another.
function shortBody() {
  const parts = [];
  for (let n = 0, i = 0, all = recorded(); n < TARGET; i++) {
    parts.push(all[i % all.length]);
    n += all[i % all.length].length;
  }
  return parts;
}

// Answers of many blocks: the recorded blocks of all streams in turn, with their indexes counted on.
function longBody() {
  const all = recorded().map((s) => s.split('\n\n').filter(Boolean).map((e) => e + '\n\n'));
  const is = (e, name) => e.startsWith(`event: ${name}\n`);
  const blocks = all.flatMap((events) => {
    const out = [];
    for (const e of events) {
      if (is(e, 'content_block_start')) out.push([]);
      if (/^event: content_block_/.test(e) || is(e, 'ping')) out.at(-1)?.push(e);
    }
    return out;
  });
  const head = all[0].filter((e) => is(e, 'message_start'));
  const tail = all[0].filter((e) => is(e, 'message_delta') || is(e, 'message_stop'));
  const body = [];
  for (let i = 0; i < BLOCKS; i++)
    body.push(...blocks[i % blocks.length].map((e) => e.replace(/"index":\d+/, `"index":${i}`)));
  const message = [...head, ...body, ...tail].join('');
  return Array(Math.ceil(TARGET / message.length)).fill(message);
}

function pieces(bytes) {
  return new ReadableStream({
    start(c) {
      for (let i = 0; i < bytes.length; i += 16384) c.enqueue(bytes.subarray(i, i + 16384));
      c.close();
    },
  });
}

async function peer(messages) {
  const client = new Anthropic({
    apiKey: 'x', maxRetries: 0,
    fetch: async () => new Response(pieces(queue.pop()), { headers: { 'content-type': 'text/event-stream' } }),
  });
  const bytes = messages.map((m) => Buffer.from(m));
  let queue;
  let best = Infinity;
  let count;
  for (let r = 0; r < ROUNDS; r++) {
    queue = bytes.slice().reverse();
    count = { messages: 0, blocks: 0, inputs: 0, text_bytes: 0 };
    const t0 = process.hrtime.bigint();
    while (queue.length) {
      const m = await client.messages
        .stream({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] }).finalMessage();
      count.messages++;
      count.blocks += m.content.length;
      for (const b of m.content) {
        count.inputs += b.type === 'tool_use' && typeof b.input === 'object';
        count.text_bytes += b.type === 'text' ? Buffer.byteLength(b.text) : 0;
      }
    }
    best = Math.min(best, Number(process.hrtime.bigint() - t0) / 1e3);
  }
  return { us: best, ...count };
}

let ok = true;
for (const [name, messages] of [['as recorded', shortBody()], ['long answers', longBody()]]) {
  const file = path.join(work, 'body.sse');
  fs.writeFileSync(file, messages.join(''));
  const ours = JSON.parse(execFileSync(program, [file], { encoding: 'utf8' }));
  const sdk = await peer(messages);
  for (const k of ['messages', 'blocks', 'inputs', 'text_bytes'])
    if (ours[k] !== sdk[k]) throw new Error(`${name}: ${k} differ: ${ours[k]} and ${sdk[k]}`);
  const ratio = sdk.us / ours.us;
  ok &&= ratio >= 5;
  console.log(JSON.stringify({ body: name, mb: +(ours.bytes / 1e6).toFixed(1), messages: ours.messages,
    events: ours.events, ours_mb_s: Math.round(ours.bytes / ours.us),
    ours_ns_event: Math.round((ours.us * 1e3) / ours.events), sdk_mb_s: +(ours.bytes / sdk.us).toFixed(1),
    ratio: +ratio.toFixed(1) }));
}
process.exit(ok ? 0 : 1);
