// The official SDK drives mock-api: streamed tool use over several turns, counting, models,
// errors and retries.   usage: sdk_tools.mjs BINARY SCRIPTS_DIR
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { runCases, startDouble } from './double.mjs';

const [, , binary, scripts] = process.argv;
const model = 'claude-sonnet-5-5';
const tools = ['launch_app', 'tap', 'snapshot'].map((name) => ({
  name,
  description: `does ${name}`,
  input_schema: { type: 'object', properties: { ref: { type: 'integer' } } },
}));
const screen =
  'step 1 ok\n<screen ab12>\ncom.apple.Preferences 402x874 #3fa2: Settings\n' +
  '12 switch:off Dark\n13 row General\n</screen ab12>';

const client = (url, more = {}) => new Anthropic({ apiKey: 'peer-key', baseURL: url, ...more });

// Streams turn after turn, answering every tool call, until the model stops.
async function converse(api, more = {}) {
  const messages = [{ role: 'user', content: 'Turn on dark mode' }];
  const turns = [];
  for (let i = 0; i < 6; i++) {
    const deltas = { text: '', json: 0 };
    const stream = api.messages.stream({
      model, max_tokens: 1000, tools, messages,
      system: [{ type: 'text', text: 'x'.repeat(4096), cache_control: { type: 'ephemeral' } }],
      ...more,
    });
    stream.on('text', (t) => (deltas.text += t));
    stream.on('inputJson', () => deltas.json++);
    const message = await stream.finalMessage();
    turns.push({ message, deltas });
    messages.push({ role: 'assistant', content: message.content });
    const calls = message.content.filter((b) => b.type === 'tool_use');
    if (message.stop_reason !== 'tool_use') break;
    messages.push({
      role: 'user',
      content: calls.map((c) => ({ type: 'tool_result', tool_use_id: c.id, content: screen })),
    });
  }
  return turns;
}

const withScript = async (args, run) => {
  const double = await startDouble(binary, ['--script', `${scripts}/settings.json`, ...args]);
  let counters;
  try {
    await run(double.url);
  } finally {
    counters = await double.stop();
  }
  return counters;
};

await runCases({
  'streamed tool use over three turns': async () => {
    const counters = await withScript([], async (url) => {
      const turns = await converse(client(url));
      assert.equal(turns.length, 3);
      const [first, second, third] = turns.map((t) => t.message);
      assert.deepEqual(first.content.map((b) => b.type), ['thinking', 'text', 'tool_use']);
      assert.equal(first.content[0].thinking, 'The switch is in Display & Brightness — 設定.');
      assert.ok(first.content[0].signature.length > 20);
      assert.equal(turns[0].deltas.text, 'Opening Settings 🍎 — Schalter für „Dunkel“.');
      assert.deepEqual(first.content[2].input, { bundle_id: 'com.apple.Preferences' });
      assert.deepEqual(second.content.map((b) => b.type), ['text', 'tool_use', 'tool_use']);
      assert.deepEqual(second.content[1].input, { ref: 12, why: '画面の「ダーク」を押す 🍎' });
      assert.deepEqual(second.content[2].input, {});
      assert.equal(third.stop_reason, 'end_turn');
      assert.equal(first.usage.cache_creation_input_tokens > 1024, true);
      assert.equal(second.usage.cache_read_input_tokens, first.usage.cache_creation_input_tokens);
    });
    assert.deepEqual(counters.rejected, {});
    assert.equal(counters.streams, 3);
  },
  'a summary on demand, and the conversation that goes on from it': async () => {
    const counters = await withScript([], async (url) => {
      const api = client(url).beta.messages;
      const betas = ['compact-2026-09-04'];
      const talk = [{ role: 'user', content: 'Turn on dark mode' }, { role: 'assistant', content: 'It is on.' }];
      const summary = await api.create({
        model, max_tokens: 4096, betas, tools, messages: talk, compaction: { type: 'summarize' },
      });
      assert.equal(summary.stop_reason, 'compaction');
      assert.deepEqual(Object.keys(summary.content[0]).sort(), ['content', 'encrypted_content', 'signature', 'type']);
      assert.match(summary.content[0].content, /dark mode/);
      assert.equal(summary.usage.output_tokens, 0);
      assert.ok(summary.usage.iterations[0].output_tokens > 0);
      const messages = [{ role: 'assistant', content: summary.content }, { role: 'user', content: 'And now?' }];
      const next = await api.create({ model, max_tokens: 1000, betas, tools, messages });
      assert.ok(next.content.length > 0);
      await assert.rejects(api.create({ model, max_tokens: 1000, tools, messages }), /compaction/);
    });
    assert.deepEqual(counters.rejected, { compaction_block: 1 });
  },
  'the same without streaming': async () => {
    await withScript([], async (url) => {
      const m = await client(url).messages.create({
        model, max_tokens: 1000, tools, messages: [{ role: 'user', content: 'Turn on dark mode' }],
      });
      assert.equal(m.stop_reason, 'tool_use');
      assert.equal(m.content.at(-1).name, 'launch_app');
      assert.match(m._request_id, /^req_/);
    });
  },
  'a tool runner drives the loop by itself': async () => {
    const counters = await withScript([], async (url) => {
      const runnable = tools.map((t) => ({ ...t, run: async () => screen, parse: (x) => x }));
      const runner = client(url).beta.messages.toolRunner({
        model, max_tokens: 1000, tools: runnable, stream: true,
        messages: [{ role: 'user', content: 'Turn on dark mode' }],
      });
      const last = await runner.runUntilDone();
      assert.equal(last.stop_reason, 'end_turn');
      assert.equal(last.content[0].text, 'Dark mode is on.');
    });
    assert.equal(counters.answered, 3);
  },
  'tokens are counted and models listed': async () => {
    await withScript([], async (url) => {
      const api = client(url);
      const n = await api.messages.countTokens({ model, messages: [{ role: 'user', content: 'x'.repeat(400) }] });
      assert.equal(n.input_tokens, 100);
      const ids = [];
      for await (const m of api.models.list()) ids.push(m.id);
      assert.ok(ids.includes(model));
      assert.equal((await api.models.retrieve(model)).max_input_tokens, 1000000);
    });
  },
  'errors arrive as their own classes': async () => {
    await withScript([], async (url) => {
      const api = client(url, { maxRetries: 0 });
      const ask = (more) => api.messages.create({ model, max_tokens: 10, messages: [{ role: 'user', content: 'x' }], ...more });
      await assert.rejects(ask({ model: 'claude-9' }), Anthropic.NotFoundError);
      await assert.rejects(ask({ max_tokens: -1 }), (e) => {
        assert.ok(e instanceof Anthropic.BadRequestError);
        assert.equal(e.error.error.type, 'invalid_request_error');
        assert.match(e.requestID, /^req_/);
        return true;
      });
      await assert.rejects(client(url, { apiKey: null, authToken: null, maxRetries: 0,
        defaultHeaders: { 'x-api-key': null, authorization: 'Basic eA==' } }).messages.create(
        { model, max_tokens: 10, messages: [{ role: 'user', content: 'x' }] }), Anthropic.AuthenticationError);
    });
  },
  '429 and 529 are retried': async () => {
    const counters = await withScript(['--fault', '429@1:retry-after-ms=20,529@2:retry-after-ms=20'],
      async (url) => assert.equal((await converse(client(url))).length, 3));
    assert.deepEqual(counters.faults, { 429: 1, 529: 1 });
    assert.equal(counters.messages, 5);
  },
  'a cut or reset stream is an error, never a message': async () => {
    for (const fault of ['cut:4', 'reset:4', 'garbage:4']) {
      await withScript(['--fault', fault], async (url) => {
        await assert.rejects(converse(client(url, { maxRetries: 0 })), undefined, fault);
      });
    }
  },
  'an error event is an error': async () => {
    await withScript(['--fault', 'error-event:3'], async (url) => {
      await assert.rejects(converse(client(url, { maxRetries: 0 })), (e) => {
        assert.equal(e.error?.error?.type ?? e.type, 'overloaded_error');
        return true;
      });
    });
  },
});
