// run-model.js: what the events of a run add up to. No browser is needed: a page that loads what happened,
// one that watches, and a test in node use the same functions.

const ENDED = new Set(['passed', 'failed', 'blocked', 'error', 'cancelled']);
export const ended = (run) => ENDED.has(run.state);
/** Time that nobody worked counts as this much on the time bar. */
const IDLE_MS = 1500;

/** A run of which nothing is known. `clock`: milliseconds of work; `saying`: what the model says now. */
export const fresh = (id) => ({
  id,
  seq: 0,
  state: 'queued',
  goal: '',
  name: null,
  app: null,
  device: null,
  model: '',
  demo: false,
  budget: null,
  attempt: 1,
  steps: [],
  marks: [],
  messages: [],
  spent: null,
  turn: 0,
  ask: null,
  saying: null,
  end: null,
  clock: 0,
  last: 0,
  idle: true,
  started: null,
  finished: null,
  expectsHeld: false,
  from: null,
  healing: false,
});

const blank = (n) => ({
  n,
  tool: '',
  element: '',
  input: null,
  id: '',
  at: null,
  to: null,
  ok: null,
  code: '',
  outcome: '',
  changed: false,
  changes: '',
  ms: null,
  box: null,
  picture: null,
  size: null,
  ask: null,
  checks: [],
  missing: null,
  verifier: null,
  relaunch: null,
  said: null,
  from: null,
  screen: null,
  rev: 0,
});

function stepOf(run, n) {
  while (run.steps.length <= n) run.steps.push(blank(run.steps.length));
  const s = run.steps[n];
  s.rev++;
  return s;
}
const newest = (run) => stepOf(run, Math.max(0, run.steps.length - 1));
function mark(run, kind, title, text = '') {
  run.marks.push({ kind, title, text, at: run.clock, step: Math.max(0, run.steps.length - 1), ts: run.last });
}

function begin(run, e) {
  for (const k of ['goal', 'name', 'app', 'device', 'model', 'demo', 'budget']) run[k] = e[k];
  run.state = 'running';
  run.started ??= e.ts;
}

function put(run, e) {
  // a tool call, from its start or its end
  const s = stepOf(run, e.step);
  Object.assign(s, { tool: e.tool, id: e.id, element: e.element || s.element });
  s.at ??= run.clock;
  if (run.early?.step === s.n) TAKE.picture(run, run.early);
  return s;
}

const TAKE = {
  'run.queued': (run, e) => {
    run.goal = e.goal;
    run.created = e.ts;
  },
  'run.claimed': (run, e) => {
    run.attempt = e.attempt;
    run.state = 'claimed';
  },
  'run.state': (run, e) => {
    run.state = e.to;
  },
  'run.started': begin,
  'run.resumed': (run, e) => {
    begin(run, e);
    run.attempt = e.attempt;
    mark(run, 'calm', `Continues as attempt ${e.attempt}`);
  },
  'run.looked': (run, e) => {
    const s = run.steps[0]?.screen ? null : stepOf(run, 0); // a later attempt looks again
    if (s) Object.assign(s, { screen: e.screen, at: run.clock, to: run.clock, ok: true, setup: e.setup });
    run.expectsHeld = e.expects_held;
    run.continues = e.continues;
  },
  'request.retry': (run, e) => {
    if (e.text_discarded && run.saying) run.saying.text = '';
    mark(
      run,
      'warn',
      `A request failed: ${e.code}`,
      [e.message, `retried after ${e.wait_ms} ms`].filter(Boolean).join(' · '),
    );
  },
  'request.finished': (run, e) => {
    const ask = { turn: e.turn, ms: e.ms, usage: e.usage, cost: e.cost_usd, stop: e.stop_reason };
    run.spent = e.spent;
    // The verifier is asked within a call of finish; any other answer belongs to the first call after it.
    if (e.purpose === 'verify') newest(run).checks.push(ask);
    else {
      run.turn = e.turn;
      run.ask = ask;
    }
  },
  // Where the next call comes from: a step of the recording, or a model, and why.
  'step.replayed': (run, e) => {
    run.from = e.step > e.of ? null : { step: e.step, differs: e.differs ?? '' };
  },
  'replay.strayed': (run, e) => {
    Object.assign(run, { from: { step: e.step, why: e.why }, healing: true });
  },
  'replay.rejoined': (run) => {
    Object.assign(run, { from: null, healing: false });
  },
  'tool.started': (run, e) => {
    const s = put(run, e);
    s.from = run.from;
    if (!run.healing) run.from = null;
    Object.assign(s, {
      input: e.input,
      left: e.input_left_out_bytes ?? 0,
      ask: run.ask ?? s.ask,
      ok: null,
      to: null,
    });
    if (run.ask && run.saying) s.said = run.saying.text;
    run.ask = run.saying = null;
  },
  'tool.finished': (run, e) => {
    const s = put(run, e);
    for (const k of ['ok', 'code', 'outcome', 'changed', 'changes', 'ms', 'box']) s[k] = e[k];
    s.to = run.clock;
    s.picture = e.image ?? s.picture;
  },
  picture: (run, e) => {
    Object.assign(stepOf(run, e.step), { picture: e.image, size: [e.width, e.height] });
  },
  'message.queued': (run, e) => {
    run.messages.push({ ...e, taken: null });
  },
  'message.taken': (run, e) => {
    const taken = new Set(e.messages.map((m) => m.id));
    for (const m of run.messages) if (taken.has(m.id)) m.taken = run.steps.length;
  },
  'finish.refused': (run, e) => {
    newest(run).missing = e.missing;
  },
  'finish.checked': (run, e) => {
    Object.assign(newest(run), { unproven: e.unproven, relaunch: e.relaunch });
  },
  'verifier.result': (run, e) => {
    newest(run).verifier = { agrees: e.agrees, reason: e.reason };
  },
  'run.retry_wait': (run, e) => {
    run.state = 'retry_wait';
    run.spent = e.spent;
    run.retryAt = e.retry_at;
    mark(run, 'warn', `Attempt ${e.attempt} of ${e.tries} ended: ${e.code}`, e.message);
  },
  'run.planned': (run, e) => {
    mark(run, 'calm', 'A plan was made', e.plan.map((s, i) => `${i + 1}. ${s.do} (check: ${s.check})`).join('\n'));
  },
  'run.asked': (run, e) => {
    run.state = 'asking';
    run.spent = e.spent;
    mark(run, 'warn', `A person has to decide (${e.rule})`, e.text);
  },
  'run.answered': (run, e) => {
    run.state = 'queued';
    mark(run, e.answer === 'approved' ? 'good' : 'bad', `${e.answer} by ${e.by}`, e.note ?? '');
  },
  'screen.suspicious': (run, e) => {
    mark(run, 'warn', 'The screen tries to give orders', e.texts.join('; '));
  },
  'run.rolled_back': (run, e) => {
    const gone = Math.max(0, run.steps.length - 1);
    run.steps.length = 0;
    mark(
      run,
      'warn',
      `Attempt ${e.attempt} was rolled back`,
      `It had no effect${gone ? `; its ${gone} ${gone === 1 ? 'step was' : 'steps were'} dropped` : ''}.`,
    );
  },
  'run.interrupted': (run, e) => {
    run.state = 'queued';
    run.spent = e.spent ?? run.spent;
    mark(
      run,
      'warn',
      'Interrupted',
      e.owner_pid ? `Process ${e.owner_pid} was found dead.` : 'It was put back in the queue.',
    );
  },
  'run.refused': (run, e) => {
    run.state = e.state;
    mark(run, 'bad', `Could not start: ${e.code}`, `${e.message} ${e.hint}`.trim());
  },
  'run.finished': (run, e) => {
    Object.assign(run, { state: e.state, end: e, finished: e.ts, saying: null });
  },
};

/** Takes a stored event; false for one that is known already. Events come in order of their seq. */
export function take(run, e) {
  if (e.seq <= run.seq) return false;
  const at = Date.parse(e.ts) || run.last;
  const gone = Math.max(0, run.last ? at - run.last : 0);
  run.clock += run.idle ? Math.min(gone, IDLE_MS) : gone;
  run.seq = e.seq;
  run.last = at;
  if (Object.hasOwn(TAKE, e.event)) TAKE[e.event](run, e);
  run.idle = run.state === 'queued' || run.state === 'retry_wait';
  return true;
}

/** Takes a transient event: they are not stored, and who was not there has them not. */
export function hear(run, type, data) {
  if (type === 'request.started') run.saying = { turn: data.turn, text: '' };
  else if (type === 'text.delta') {
    run.saying ??= { turn: run.turn + 1, text: '… ' }; // its beginning was missed
    run.saying.text = (run.saying.text + data.text).slice(-20000);
  } else if (type === 'picture.taken') {
    if (run.steps[data.step]) TAKE.picture(run, data);
    else run.early = data;
  }
}

/** The call that a person has to decide on: nothing of it was done. */
const asks = (run, s) => s.ok === null && run.state === 'asking' && s.n === run.steps.length - 1;
/** good: it changed something; calm: it did not; bad: it failed; warn: nobody knows; live: it is being done. */
export function kind(run, s) {
  if (s.n === 0) return 'calm';
  if (asks(run, s)) return 'live';
  if (s.ok === null)
    return ended(run) || run.state !== 'running' || s.n < run.steps.length - 1 ? 'warn' : 'live';
  if (s.outcome === 'unknown') return 'warn';
  if (!s.ok || s.missing?.length) return 'bad';
  return s.changed || s.tool === 'finish' ? 'good' : 'calm';
}
/** What the end of a run rests on. */
export const BASIS = {
  expectations: 'Every expectation holds, checked by code.',
  verifier: 'The quoted evidence holds, and the verifier agrees.',
  both: 'Every expectation holds, and the verifier agrees.',
  unverified: 'Unverified: no expectation and no verifier shows what was done.',
  disputed: 'Disputed: every expectation holds, but the verifier disagrees.',
  expectations_hold: 'Only the model’s word, although the expectations hold.',
};
const KIND_WORDS = {
  good: 'done',
  calm: 'looked',
  bad: 'failed',
  warn: 'outcome not known',
  live: 'under way',
};
export const kindWord = (run, s) => (asks(run, s) ? 'waits for an answer' : KIND_WORDS[kind(run, s)]);

/** The picture of a step, or of the nearest before it: {sha, size, from}, or null. */
export function pictureAt(run, n) {
  for (let i = Math.min(n, run.steps.length - 1); i >= 0; i--) {
    const s = run.steps[i];
    if (s.picture) return { sha: s.picture, size: s.size, from: i };
  }
  return null;
}

/** Where somebody who opens the run should look: at what went wrong, else at the end, or at the start of one that passed. */
export function firstLook(run) {
  const last = Math.max(0, run.steps.length - 1);
  if (run.state === 'passed') return Math.min(1, last);
  if (!ended(run)) return last;
  const refused = run.steps.findLastIndex((s) => s.missing?.length);
  if (run.end?.expects?.some((x) => !x.held)) return refused > 0 ? refused : last;
  for (let i = last; i > 0; i--) if (['bad', 'warn'].includes(kind(run, run.steps[i]))) return i;
  return last;
}

/** The step whose screen shows a quote. */
export const stepOfEvidence = (run, evidence) =>
  Math.min(evidence.step ?? Infinity, Math.max(0, run.steps.length - 1));

/** "7 button:disabled Done = x" → "button Done": what the same element is called in another run. */
export const nameOf = (element) =>
  element
    .replace(/^\d+ /, '')
    .replace(/^(\w+):\S*/, '$1')
    .replace(/ = .*$/s, '');
const input = (s) => JSON.stringify(Object.entries(s.input ?? {}).filter(([k]) => k !== 'ref'));
const key = (s) => `${s.tool} ${nameOf(s.element) || (s.tool === 'finish' ? '' : input(s))}`;
const plain = (changes) => changes.replace(/^([-+~] )?\d+ /gm, '$1').replace(/ #\w+/g, '');

/** What differs between two steps that do the same: '' for nothing. */
export function differs(a, b) {
  if (!a || !b) return 'only in one';
  if (a.ok === null || b.ok === null) return '';
  if (a.code !== b.code) return 'other result';
  if (input(a) !== input(b)) return 'other input';
  return plain(a.changes) === plain(b.changes) ? '' : 'other screen';
}

/** Two lists of keys side by side: [[i, j], …], their longest common order; null for what only one has. */
export function pairs(ka, kb) {
  const wide = kb.length + 1,
    best = new Uint16Array((ka.length + 1) * wide),
    rows = [];
  for (let i = ka.length - 1; i >= 0; i--) {
    for (let j = kb.length - 1; j >= 0; j--) {
      best[i * wide + j] =
        ka[i] === kb[j]
          ? best[(i + 1) * wide + j + 1] + 1
          : Math.max(best[(i + 1) * wide + j], best[i * wide + j + 1]);
    }
  }
  let i = 0,
    j = 0;
  while (i < ka.length || j < kb.length) {
    if (i < ka.length && j < kb.length && ka[i] === kb[j]) rows.push([i++, j++]);
    else if (j >= kb.length || (i < ka.length && best[(i + 1) * wide + j] >= best[i * wide + j + 1]))
      rows.push([i++, null]);
    else rows.push([null, j++]);
  }
  return rows;
}

/** Two runs side by side: [{a, b, why}], the longest common order of the same tool on the same element. */
export function align(one, two) {
  const a = one.steps.slice(1),
    b = two.steps.slice(1);
  const rows = pairs(a.map(key), b.map(key)).map(([i, j]) => {
    const x = i === null ? null : a[i],
      y = j === null ? null : b[j];
    return { a: x, b: y, why: differs(x, y) };
  });
  for (const [side, run] of [
    ['a', one],
    ['b', two],
  ]) {
    // what one that goes on has not done yet is no difference
    for (let k = rows.length; !ended(run) && k-- > 0 && !rows[k][side];) rows[k].why = '';
  }
  return rows;
}
