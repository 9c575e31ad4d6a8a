// node bench/demo_tokens.mjs IOS_AGENT WORKDIR: tokens of the screens in the run of script/demo; see
// bench/demo_tokens.sh. Tokens are those of Anthropic's published tokenizer, good as a ratio.
//
// What was sent is read from the run's transcript. The same states again: a run of k steps leaves
// the simulated phone as the demo run had it after step k, and `ios-agent snapshot` shows it, as
// whole text and as JSON, which has every element with its type, texts, frame and actions.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [program, work] = process.argv.slice(2);
const { countTokens } = createRequire(path.join(work, 'x.js'))('@anthropic-ai/tokenizer');
const demo = fs.readFileSync(path.join(path.dirname(new URL(import.meta.url).pathname), '../script/demo'), 'utf8');
const goal = [...demo.matchAll(/^goal="(?:\$goal )?(.*)"$/gm)].map((m) => m[1]).join(' ');
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'ia-demo-tokens-'));
const env = Object.fromEntries(Object.entries(process.env).filter(([k]) => !/^(ANTHROPIC|IOS_AGENT)_/.test(k)));

// The envelope of a command; a run that used up its steps ends with an error and is one too.
function ask(...args) {
  try {
    const out = execFileSync(program, [...args, '--json'], {
      encoding: 'utf8', env: { ...env, IOS_AGENT_HOME: home, IOS_AGENT_CONFIG: '/dev/null' },
      stdio: ['ignore', 'pipe', 'ignore'] });
    return JSON.parse(out);
  } catch (e) {
    return JSON.parse(e.stdout);
  }
}

function screenNow() {
  const { stdout, result } = ask('snapshot');
  return { text: stdout.trimEnd(), json: JSON.stringify(result) };
}

// The screens of each message between the model that acts and the program, one entry a message:
// "  < <screen B>" … "  < </screen B>". What the verifier reads is not counted.
function screensSent(transcript) {
  const messages = transcript.split(/^(?=\d+ (?:user|assistant))/m).slice(1);
  return messages.filter((m) => !/^\d+ \w+, verifier/.test(m)).map((message) => ({
    user: /^\d+ user/.test(message),
    screens: [...message.matchAll(/<screen \w+>\n([\s\S]*?)\n[ <]*<\/screen \w+>/g)]
      .map((m) => m[1].split('\n').map((line) => line.replace(/^ {2}(?:< )?/, '')).join('\n')),
  }));
}

const states = [screenNow()]; // before the first step
const { result } = ask('run', goal, '--demo', '--fresh');
if (result.state !== 'passed') throw new Error(`the demo run ended as ${result.state}`);
const messages = screensSent(ask('show', '--transcript', result.run).stdout);
const sent = messages.flatMap((m) => m.screens);
for (let k = 1; k < sent.length; k++) {
  ask('run', goal, '--demo', '--fresh', '--max-steps', String(k));
  states.push(screenNow());
}
fs.rmSync(home, { recursive: true });

// A screen is in every request after it: how often depends on the message that it is in.
const requests = messages.filter((m) => !m.user).length;
const resent = messages.flatMap((m, i) =>
  m.screens.map(() => requests - messages.slice(0, i).filter((x) => !x.user).length));
const sum = (list, weight = () => 1) => list.reduce((n, t, k) => n + t * weight(k), 0);
const forms = {
  'as sent': sent.map((t) => countTokens(t)),
  'whole text': states.map((s) => countTokens(s.text)),
  'whole JSON': states.map((s) => countTokens(s.json)),
};
console.log(`${sent.length} screens in ${requests} requests`);
for (const [name, tokens] of Object.entries(forms)) {
  console.log(`${name}: ${sum(tokens)} tokens once, ${sum(tokens, (k) => resent[k])} over all requests;`,
    `each ${tokens.join(' ')}`);
}
const held = sum(forms['as sent']) * 4 < sum(forms['whole JSON']);
console.log(held ? 'held  ' : 'BROKEN', 'less than a quarter of whole trees');
process.exit(held ? 0 : 1);
