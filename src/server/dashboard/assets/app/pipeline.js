// pipeline.js: the queue, the lanes as a timeline, schedules and sweeps (sweep.js shows one of these).

import { h, fill, keyed, refill, said, Part } from './dom.js';
import { get, post, act } from './api.js';
import { MOVES, follow, listen } from './events.js';
import { timeline } from './charts.js';
import { ask, badge, button, failed, field, head, link, loading, sure, time, toast } from './ui.js';
import { called, count, duration, money, moment, plural } from './format.js';

/** After these, runs stand in another way. Sweeps and schedules have no events: "now" comes each 30 s. */
export const TURNS = [...MOVES, 'now'];
const PAGE = 200, RUNS_MAX = 1000, SHOWN = 5, HOUR = 3600e3, SPANS = { hour: HOUR, day: 24 * HOUR };
const KIND = { passed: 'good', replayed: 'good', healed: 'warn', failed: 'bad', error: 'bad', blocked: 'warn', cancelled: 'calm' };
const LEGEND = [['passed', 'good'], ['failed, error', 'bad'], ['blocked, healed', 'warn'], ['cancelled', 'calm'],
  ['running', 'live']].map(([name, kind]) => ({ name, kind }));

/** Runs, the newest first, at most RUNS_MAX, and how many there are; enough(oldest) ends it before. */
export async function runsOf(query, enough = () => false) {
  const runs = [];
  for (;;) {
    const page = await get('/runs', { ...query, limit: PAGE, before: runs.at(-1)?.id });
    runs.push(...page.runs);
    if (page.runs.length < PAGE || runs.length >= RUNS_MAX || enough(runs.at(-1))) return { runs,
      total: page.total };
  }
}
/** How a run stands: one that was begun and waits again was interrupted. */
export const standing = (r) => (r.stuck ? 'stuck' : r.orphaned ? 'orphaned'
  : r.state === 'queued' && r.started ? 'interrupted' : r.outcome ?? r.state);
export const small = (text, what, fn, kind = '') =>
  button(text, fn, { acts: true, kind: `small ${kind}`, 'aria-label': `${text} ${what}` });

/** Draws an element anew where what it shows has changed. */
export function redraw(node, what, make) {
  const sign = JSON.stringify(what);
  if (node.sign === sign) return;
  node.sign = sign;
  refill(node, make());
}
const li = () => h('li');
const row = (...what) => h('div', { class: 'row' }, what);
const help = (...what) => h('p', { class: 'help' }, what);

// ---- the queue -----------------------------------------------------------------------------------------

const inHand = (r) => r.state === 'claimed' || r.state === 'running';
/** The order of a lane: in hand, a retry, what was interrupted, what is scheduled, then by age. */
const rank = (r) => (inHand(r) ? 0 : r.state === 'retry_wait' ? 1 : r.started ? 2 : r.kind === 'scheduled' ? 3
  : 4);

function why(r, i, first) {
  if (r.cancel_requested) return 'is being cancelled';
  if (inHand(r)) return `step ${r.steps} of ${r.budget.max_steps}`;
  if (r.state === 'retry_wait') return [r.code, ': retries ', time(r.retry_at)];
  if (r.lane.startsWith('sweep:')) return 'waiting for a free phone of its sweep';
  return (i > 1 ? `${i} runs ahead of it` : i === 0 ? 'next'
    : `next, after the ${inHand(first) ? 'run in hand' : 'one ahead'}`)
    + (r.started ? '; was interrupted, so it goes before new runs' : r.kind === 'scheduled'
      ? '; scheduled runs go first' : '');
}

const drawQueued = (node, [r, i, first]) => redraw(node, [r, i, first.state], () => [h('div', null,
  row(i && r.state === 'queued' && !r.started ? h('span', { class: 'tag num' }, i) : badge(standing(r)),
    link(said(called(r)), `#/run/${r.id}`)),
  help(why(r, i, first), r.schedule && ` · schedule ${r.schedule}`, r.sweep && [' · ', link('sweep',
    `#/pipeline/${r.sweep}`)],
    inHand(r) ? ' · began ' : ' · queued ', time((inHand(r) && r.started) || r.created))),
!r.cancel_requested && h('div', { class: 'actions' },
  r.state === 'retry_wait' && small('Retry now', called(r), () => post(`/runs/${r.id}/resume`)),
  small('Cancel', called(r), () => post(`/runs/${r.id}/cancel`)))]);

function drawLane(node, [lane, runs]) {
  const [title, list, more] = node.children, all = more.ariaExpanded === 'true',
    waiting = runs.filter((r) => !inHand(r)).length;
  runs.sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
  fill(title, lane.startsWith('sweep:') ? 'Phones of a sweep' : said(lane), h('span', { class: 'dim' },
    ` ${runs.length > waiting ? 'busy' : 'free'}, ${count(waiting)} waiting`));
  keyed(list, runs.slice(0, all ? PAGE : SHOWN).map((r, i) => [r, i, runs[0]]), ([r]) => r.id, li,
    drawQueued);
  more.hidden = runs.length <= SHOWN;
  more.textContent = all ? 'Show fewer' : `Show ${count(runs.length - SHOWN)} more`;
}

// ---- forms ---------------------------------------------------------------------------------------------

const lines = (s) => s.split('\n').map((l) => l.trim()).filter(Boolean);
const text = (v) => h('input', { value: v ?? '', autocomplete: 'off' });
const MAKE = { text, words: text, number: (v) => h('input', { type: 'number', min: 0, step: 'any',
  value: v ?? '' }),
  area: (v) => h('textarea', { value: v ?? '', rows: 2 }), lines: (v) => h('textarea',
    { value: (v ?? []).join('\n'), rows: 2, class: 'mono' }),
  tick: (v) => h('input', { type: 'checkbox', checked: v }) };
const READ = { number: Number, lines, words: (s) => s.split(/\s+/) };

/** A form of rows [key, label, kind or {value: text}, value, help]. values() leaves out what is empty. */
function form(rows) {
  const input = {};
  const node = h('div', { class: 'form work-form' }, rows.map(([key, label, kind, value, more]) => {
    const i = input[key] = MAKE[kind]?.(value) ?? h('select', null, Object.entries(kind).map(([k, t]) =>
      h('option', { value: k, selected: k === value }, t)));
    return kind === 'tick' ? h('label', { class: 'check wide' }, i, label) : field(label, i, more);
  }));
  return { node, input, values() {
    const v = {};
    for (const [key, , kind] of rows) {
      const value = kind === 'tick' ? input[key].checked : input[key].value.trim();
      if (value) v[key] = READ[kind]?.(value) ?? value;
    }
    return v;
  } };
}
const demo = async (on) => ['demo', 'Use the demo brain: it follows literal steps and does not reason',
  'tick',
  on ?? (await get('/key').catch(() => ({}))).in_use === 'none'];
const required = (...inputs) => inputs.forEach((i) => { i.required = true; });

// ---- schedules -----------------------------------------------------------------------------------------

const UNITS = [[86400, 'd'], [3600, 'h'], [60, 'm'], [1, 's']];
/** 5400 → "1h30m" */
const every = (s) => UNITS.map(([n, unit], i) => [Math.floor((i ? s % UNITS[i - 1][0] : s) / n),
  unit]).filter(([n]) => n).flat().join('');
const spec = (s) => (s.kind === 'every' ? every(s.spec) : s.spec);
const WHEN = { cron: ['0 3 * * 1-5', 'Minute, hour, day, month, weekday'], every: ['6h', '30m, 6h, 1d12h'],
  at: ['', ''] };

/** s is null for a new one. */
async function editSchedule(s) {
  const run = s?.run ?? {};
  const f = form([['name', 'Name', 'text', s?.name, 'Letters, digits, . _ -'], ['goal', 'Goal', 'area',
    run.goal],
    ['expect', 'Expectations', 'lines', run.expect,
      'Code checks them at the end. One per line: visible "Done"'],
    ['kind', 'Runs', { cron: 'by the clock (cron)', every: 'every (interval)', at: 'once, at' }, s?.kind],
    ['when', 'When', 'text', '', ' '],
    ['tz', 'Time zone', 'text', s?.tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone], ['device',
      'Device', 'text', run.device, 'Empty: a phone of its own.'],
    ['missed', 'Missed times', { latest: 'run the newest one', all: 'run all of them',
      skip: 'skip them' }, s?.missed],
    ['overlap', 'While its last run is going', { skip: 'skip the next one',
      queue: 'queue the next one' }, s?.overlap],
    ['grace', 'Late by at most', 'text', every(s?.grace_s ?? 300), 'Later than that counts as missed.'],
      await demo(s && Boolean(run.demo))]);
  const { name, goal, kind, when, tz, missed, grace } = f.input;
  required(name, goal, when);
  name.disabled = Boolean(s);
  tz.setAttribute('list', 'zones');
  const late = () => { grace.parentNode.hidden = missed.value !== 'skip'; };
  const adapt = () => {
    when.type = kind.value === 'at' ? 'datetime-local' : 'text';
    when.value = s?.kind === kind.value ? spec(s) : WHEN[kind.value][0];
    when.nextSibling.textContent = WHEN[kind.value][1];
  };
  kind.onchange = adapt;
  missed.onchange = late;
  adapt();
  late();
  const read = () => {
    const v = f.values(), input = { missed: v.missed, overlap: v.overlap, run: { ...run, goal: v.goal } };
    for (const k of ['expect', 'device', 'demo']) input.run[k] = v[k];
    if (v.missed === 'skip') input.grace = v.grace;
    if (!s || v.kind !== s.kind || v.when !== spec(s) || v.tz !== s.tz) Object.assign(input,
      { [v.kind]: v.when, tz: v.tz });
    return s ? act('PATCH', `/schedules/${s.name}`, input) : post('/schedules', { name: v.name, ...input });
  };
  return ask({ title: s ? `Schedule ${s.name}` : 'New schedule', ok: s ? 'Save' : 'Create', read,
    body: [f.node,
    h('datalist', { id: 'zones' }, Intl.supportedValuesOf('timeZone').map((z) => h('option',
      { value: z })))] });
}

const deleteSchedule = async (s) => await sure(`Delete ${s.name}?`,
  'Its queued runs are cancelled. Finished runs stay.', 'Delete')
  && act('DELETE', `/schedules/${s.name}`);

/** The last times of a schedule, when they are asked for. */
const fires = (s) => h('details', { ontoggle: async ({ target }) => {
  const { fires: all } = target.open ? await get(`/schedules/${s.name}`).catch(() => ({})) : {};
  if (!all) return;
  fill(target.lastChild, all.slice(0, 10).map((f) => h('li', { class: 'row' }, badge(f.state),
    f.run ? link(moment(f.scheduled), `#/run/${f.run}`) : [moment(f.scheduled), ': ', said(f.reason)])),
      !all.length && h('li', null, 'It has not run yet.'));
} }, h('summary', null, 'Recent times'), h('ul'));

function drawSchedule(node, [s, reload]) {
  const does = (text, fn) => small(text, s.name, async () => { await fn(s); await reload(); });
  const to = (text, path = text.toLowerCase()) => does(text, () => post(`/schedules/${s.name}/${path}`));
  redraw(node, s, () => [h('div', null, row(h('strong', null, said(s.name)), s.state !== 'active'
    && badge(s.state), s.last_verdict && badge(s.last_verdict)),
    h('p', null, said(s.run.goal)), s.problem && h('p', { class: 'error' }, said(s.problem)),
    help(h('code', null, s.kind === 'cron' ? s.spec : `${s.kind} ${spec(s)}`), ` ${s.tz}`, s.next && !s.paused
      && [' · next ', time(s.next)]), fires(s)),
  h('div', { class: 'actions' }, to('Run now', 'run-now'), to(s.paused ? 'Resume' : 'Pause'), does('Edit',
    editSchedule), does('Delete', deleteSchedule))]);
}

// ---- sweeps --------------------------------------------------------------------------------------------

export const STATES = ['failed', 'error', 'blocked', 'cancelled', 'healed', 'flaky', 'running', 'waiting', 'expected',
  'skipped', 'passed'];
/** What the goals of a sweep came to: as a bar, and in words. */
export function tally(s) {
  const has = STATES.filter((k) => s[k] > 0);
  return h('div', { class: 'tally' }, h('div', { 'aria-hidden': 'true' }, has.map((k) => h('span',
    { class: `t-${k}`, style: { 'flex-grow': s[k] } }))),
    help(has.map((k) => `${count(s[k])} ${k}`).join(', ')));
}
export const took = (s) => duration((s.finished ? new Date(s.finished) : Date.now()) - new Date(s.created));

const drawSweep = (node, s) => redraw(node, s, () => h('div', null, row(badge(s.state), link(said(s.title),
  `#/pipeline/${s.id}`)), tally(s),
  help(plural(s.goals, 'goal'), ' · ', time(s.created), s.finished && ` · took ${took(s)}`, s.cost_usd > 0
    && ` · ${money(s.cost_usd)}`)));

async function startSweep() {
  const f = form([['files', 'Goal files or folders', 'lines', [],
    'Absolute paths on the daemon’s machine, one per line.'], ['tag', 'Only goals with these tags', 'words'],
    ['device', 'Devices', 'words', '', 'Empty: phones of its own.'], ['jobs', 'Phones', 'number'], ['repeat',
      'Runs of each goal', 'number'],
    ['retries', 'Retries of a failed goal', 'number'], ['max-usd', 'Maximum $', 'number'], ['fail-fast',
      'Stop at the first goal that does not pass', 'tick'],
    ['last-failed', 'Only goals that did not pass last time', 'tick'], await demo()]);
  required(f.input.files);
  const done = await ask({ title: 'Start a sweep', ok: 'Start', body: f.node, read: () => {
    const input = f.values(), bad = input.files.find((l) => !l.startsWith('/'));
    if (bad) throw new Error(`${bad} is not an absolute path: it must begin with /.`);
    return post('/sweeps', input);
  } });
  if (done) location.hash = `#/pipeline/${done.sweep}`;
}

// ---- the page ------------------------------------------------------------------------------------------

customElements.define('ia-pipeline', class extends Part {
  known = new Map(); // runs of the timeline, by id

  async begin() {
    if (this.place[0]) {
      await import('./sweep.js');
      this.append(Object.assign(document.createElement('ia-sweep'), { sweep: this.place[0] }));
      return;
    }
    this.append(head('Pipeline'), this.body = h('div', { class: 'work' }, loading()));
    this.whenGone(follow(TURNS, () => this.load(), 700));
    // A schedule has its verdict, and a sweep its end, a little later than the run.
    let late = 0;
    this.whenGone(listen(['run.finished'], () => {
      clearTimeout(late);
      late = setTimeout(() => this.load(), 1500);
    }));
    const clock = setInterval(() => this.draw(), 15000);
    this.whenGone(() => { clearInterval(clock); clearTimeout(late); });
  }

  frame() {
    const part = (title, side, list, none) => {
      const node = h(list, { class: 'work-list' });
      this.body.append(h('section', { class: 'card' }, h('div', { class: 'head' }, h('h2', null, title),
        side), h('p', { class: 'dim' }, none), node));
      return node;
    };
    const adds = (name, fn) => button(name, async () => { await fn(); await this.load(); }, { acts: true,
      kind: 'small' });
    this.chart = timeline({ title: 'Lanes', lanes: [], spans: [], from: 0, to: 1 });
    this.span = h('select', { 'aria-label': 'Time shown',
      onchange: () => { this.known.clear(); return this.load(); } },
      Object.keys(SPANS).map((k) => h('option', { value: k }, `Last ${k}`)));
    this.waits = h('span', { class: 'dim', role: 'status' });
    fill(this.body);
    this.lanes = part('Queue', this.waits, 'div',
      'Nothing is waiting. Runs on one device go one at a time; devices work in parallel.');
    this.body.append(h('div', { class: 'work-chart' }, this.span, this.chart));
    this.schedules = part('Schedules', adds('New schedule', () => editSchedule(null)), 'ul',
      'A schedule runs a goal again and again: each night, each hour, once.');
    this.sweeps = part('Sweeps', adds('Start a sweep', startSweep), 'ul',
      'A sweep runs the goals of files on several phones at once.');
  }

  async load() {
    try {
      const from = Date.now() - SPANS[this.span?.value ?? 'hour'];
      const [open, recent, { schedules }, { sweeps }] = await Promise.all([runsOf({ state: 'unfinished' }),
        this.known.size ? get('/runs', { limit: PAGE }) : runsOf({}, (r) => new Date(r.created) < from),
          get('/schedules'), get('/sweeps', { limit: 20 })]);
      const now = new Map([...recent.runs, ...open.runs].map((r) => [r.id, r]));
      // What ended since then, and is on neither list.
      const ended = [...this.known.values()].filter((r) => !r.finished && !now.has(r.id)).slice(0, 50);
      for (const { run } of await Promise.all(ended.map((r) => get(`/runs/${r.id}`)))) now.set(run.id, run);
      for (const [id, r] of now) this.known.set(id, r);
      if (!this.chart) this.frame();
      const lanes = Object.entries(Object.groupBy(open.runs, (r) => r.lane)).sort(),
        busy = open.runs.filter(inHand).length;
      const reload = () => this.load();
      this.waits.textContent = `${count(busy)} in hand, ${count(open.total - busy)} waiting`;
      keyed(this.lanes, lanes, ([lane]) => lane, () => h('div', null, h('h3'),
        h('ol', { class: 'work-list' }), button('', ({ target }) => {
        target.ariaExpanded = String(target.ariaExpanded !== 'true');
        return reload();
      }, { kind: 'small', 'aria-expanded': 'false' })), drawLane);
      keyed(this.schedules, schedules.map((s) => [s, reload]), ([s]) => s.name, li, drawSchedule);
      keyed(this.sweeps, sweeps, (s) => s.id, li, drawSweep);
      this.draw();
    } catch (e) {
      // What was known stays while the daemon is away.
      if (e.code === 'OFFLINE' && this.chart) return;
      this.chart = null;
      fill(this.body, failed(e, () => this.load()));
    }
  }

  draw() {
    if (!this.chart) return;
    const to = Date.now(), from = to - SPANS[this.span.value];
    for (const [id, r] of this.known) if (r.finished && new Date(r.finished) < from) this.known.delete(id);
    const spans = [...this.known.values()].filter((r) => r.started && (r.finished
      || inHand(r))).map((r) => ({ lane: r.lane, from: Math.max(from, new Date(r.started)),
      to: r.finished && +new Date(r.finished), kind: KIND[r.outcome ?? r.state] ?? 'live',
        text: `${called(r)}: ${standing(r)}`, href: `#/run/${r.id}` }));
    this.chart.update({ title: 'Lanes', series: LEGEND, lanes: [...new Set(spans.map((s) => s.lane))].sort(),
      spans, from, to, now: to,
      note: spans.length ? `${plural(spans.length, 'run')} in this time` : 'No run in this time.' });
  }
});
