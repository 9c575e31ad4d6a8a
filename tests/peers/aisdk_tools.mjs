// An independent client (its own SSE parser, every chunk checked against a schema) drives
// mock-api through streamed tool use.   usage: aisdk_tools.mjs BINARY SCRIPTS_DIR
import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { runCases, startDouble } from './double.mjs';

const [, , binary, scripts] = process.argv;
const tools = ['launch_app', 'tap', 'snapshot'].map((name) => ({
  type: 'function', name, description: `does ${name}`,
  inputSchema: { type: 'object', properties: { ref: { type: 'integer' } } },
}));
const screen =
  'step 1 ok\n<screen ab12>\ncom.apple.Preferences 402x874 #3fa2: Settings\n' +
  '12 switch:off Dark\n</screen ab12>';

// One streamed turn: what came, put together.
async function turn(model, prompt) {
  const { stream } = await model.doStream({ prompt, maxOutputTokens: 1000, tools });
  const got = { text: '', reasoning: '', calls: [], finish: null, signature: null };
  for await (const p of stream) {
    if (p.type === 'error') throw p.error;
    if (p.type === 'text-delta') got.text += p.delta;
    if (p.type === 'reasoning-delta') {
      got.reasoning += p.delta;
      got.signature = p.providerMetadata?.anthropic?.signature ?? got.signature;
    }
    if (p.type === 'tool-call') got.calls.push({ id: p.toolCallId, name: p.toolName, input: JSON.parse(p.input) });
    if (p.type === 'finish') got.finish = p;
  }
  return got;
}

function assistantMessage(got) {
  const content = [];
  if (got.signature) {
    content.push({ type: 'reasoning', text: got.reasoning,
      providerOptions: { anthropic: { signature: got.signature } } });
  }
  if (got.text) content.push({ type: 'text', text: got.text });
  for (const c of got.calls) {
    content.push({ type: 'tool-call', toolCallId: c.id, toolName: c.name, input: c.input });
  }
  return { role: 'assistant', content };
}

const toolMessage = (got) => ({
  role: 'tool',
  content: got.calls.map((c) => ({ type: 'tool-result', toolCallId: c.id, toolName: c.name,
    output: { type: 'text', value: screen } })),
});

await runCases({
  'streamed tool use over three turns, thinking sent back': async () => {
    const double = await startDouble(binary, ['--script', `${scripts}/settings.json`]);
    let counters;
    try {
      const model = createAnthropic({ apiKey: 'peer-key', baseURL: `${double.url}/v1` })
        .languageModel('claude-sonnet-5-5');
      const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Turn on dark mode' }] }];
      const turns = [];
      for (let i = 0; i < 6; i++) {
        const got = await turn(model, prompt);
        turns.push(got);
        if (!got.calls.length) break;
        prompt.push(assistantMessage(got), toolMessage(got));
      }
      assert.equal(turns.length, 3);
      assert.equal(turns[0].reasoning, 'The switch is in Display & Brightness — 設定.');
      assert.equal(turns[0].text, 'Opening Settings 🍎 — Schalter für „Dunkel“.');
      assert.deepEqual(turns[0].calls[0].input, { bundle_id: 'com.apple.Preferences' });
      assert.deepEqual(turns[1].calls.map((c) => c.name), ['tap', 'snapshot']);
      assert.deepEqual(turns[1].calls[0].input, { ref: 12, why: '画面の「ダーク」を押す 🍎' });
      assert.equal(turns[2].text, 'Dark mode is on.');
      assert.equal(turns[2].finish.finishReason.unified ?? turns[2].finish.finishReason, 'stop');
    } finally {
      counters = await double.stop();
    }
    assert.deepEqual(counters.rejected, {});
    assert.equal(counters.streams, 3);
  },
  'the demo brain is a model like any other': async () => {
    const double = await startDouble(binary, []);
    try {
      const model = createAnthropic({ apiKey: 'peer-key', baseURL: `${double.url}/v1` })
        .languageModel('claude-sonnet-5-5');
      const got = await turn(model, [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]);
      assert.match(got.text, /do not reason/);
    } finally {
      await double.stop();
    }
  },
});
