// node bench/agents/tokens.mjs WORKDIR REPOSITORY: what agents read and wrote for the same ten goals: with the shell
// commands alone, with MCP alone, and `ios-agent run` with the demo brain; see harness.py. Tokens are those of
// Anthropic's published tokenizer, good as a ratio.
//
// once: every text counted one time. billed: the input of all requests, where each holds everything before it, as the
// API counts it before its cache. fixed: what is there before the first goal: tools and instructions.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [work, root] = process.argv.slice(2);
const { countTokens } = createRequire(path.join(work, 'x.js'))('@anthropic-ai/tokenizer');
const read = (name) => fs.readFileSync(name, 'utf8');

function fixedOfRun() {
  const tools = fs.readdirSync(path.join(root, 'prompts/tools')).sort()
    .map((name) => read(path.join(root, 'prompts/tools', name)));
  return countTokens(read(path.join(root, 'prompts/system.md')) + tools.join(''));
}

// The turns of one goal: what the model wrote, and what it read then.
function turnsOf(entries) {
  const messages = entries.filter((e) => e.kind === 'message' && e.purpose === 'act');
  if (messages.length) {
    const first = countTokens(messages[0].text);
    const turns = [];
    for (let i = 1; i < messages.length; i++) {
      const tokens = countTokens(messages[i].text);
      if (messages[i].role === 'assistant') turns.push({ wrote: tokens, read: 0 });
      else turns[turns.length - 1].read += tokens;
    }
    return { first, turns };
  }
  const goal = entries.find((e) => e.kind === 'goal');
  return {
    first: countTokens(goal ? goal.text : ''),
    turns: entries.filter((e) => e.kind === 'call')
      .map((e) => ({ wrote: countTokens(e.input), read: countTokens(e.output) })),
  };
}

const rows = ['shell', 'mcp', 'run'].map((who) => {
  const entries = read(path.join(work, `${who}.jsonl`)).trim().split('\n').map((line) => JSON.parse(line));
  const before = entries.filter((e) => e.goal === 0).map((e) => e.text ?? e.input + e.output).join('\n');
  const fixed = who === 'run' ? fixedOfRun() : countTokens(before);
  const row = { who, fixed, turns: 0, once: 0, billed: 0, right: 0 };
  for (let n = 1; n <= 10; n++) {
    const mine = entries.filter((e) => e.goal === n);
    const { first, turns } = turnsOf(mine);
    const judge = mine.find((e) => e.kind === 'judge');
    const passed = /^passed/.test(judge.said);
    row.right += judge.broken_build ? !passed : passed && judge.failed.length === 0;
    let held = fixed + first;
    for (const turn of turns) {
      row.billed += held;
      held += turn.wrote + turn.read;
      row.once += turn.wrote + turn.read;
    }
    row.once += first;
    row.turns += turns.length;
  }
  return row;
});
console.log('agent   right  turns  fixed    once   billed');
for (const r of rows) {
  console.log(r.who.padEnd(6), String(r.right).padStart(6), String(r.turns).padStart(6),
    String(r.fixed).padStart(6), String(r.once).padStart(7), String(r.billed).padStart(8));
}
