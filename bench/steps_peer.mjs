// One conversation of N tool turns through the official SDK's tool runner, streamed, with an
// instant tool. usage: PEER_DIR=folder-with-the-sdk node steps_peer.mjs BASE [CONVERSATIONS [AT_ONCE]]
// Prints {"turns","wall_ms":[per conversation],"all_ms"}. The server decides when to stop.
import { createRequire } from 'node:module';

const require = createRequire(process.env.PEER_DIR + '/x.js');
const Anthropic = require('@anthropic-ai/sdk').default;
const [, , base, conversations = '10', atOnce = '1'] = process.argv;
const client = new Anthropic({ apiKey: 'bench', baseURL: base, maxRetries: 0 });
const result = 'nothing changed\n'.repeat(4);

async function converse() {
  let turns = 0;
  const tool = {
    type: 'custom',
    name: 'snapshot',
    description: 'Read the screen as text.',
    input_schema: { type: 'object', properties: {} },
    parse: (input) => input,
    run: () => {
      turns++;
      return result;
    },
  };
  const started = process.hrtime.bigint();
  const runner = client.beta.messages.toolRunner({
    model: 'claude-sonnet-5-5',
    max_tokens: 1024,
    stream: true,
    thread: false,
    max_iterations: 1000,
    system: 'bench',
    messages: [{ role: 'user', content: 'go' }],
    tools: [tool],
  });
  for await (const stream of runner) await stream.finalMessage();
  return { turns, ms: Number(process.hrtime.bigint() - started) / 1e6 };
}

const walls = [];
let turns = 0;
let left = Number(conversations);
async function worker() {
  while (left-- > 0) {
    const one = await converse();
    turns = one.turns;
    walls.push(one.ms);
  }
}
const started = process.hrtime.bigint();
await Promise.all(Array.from({ length: Number(atOnce) }, worker));
const all_ms = Number(process.hrtime.bigint() - started) / 1e6;
console.log(JSON.stringify({ turns, wall_ms: walls, all_ms }));
