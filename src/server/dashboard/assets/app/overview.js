// overview.js: how everything stands: what fails first, then what runs, what waits, who has which device.

import { h, fill, keyed, refill, said, Part } from './dom.js';
import { get, post, show } from './api.js';
import { MOVES, follow, listen, stream } from './events.js';
import { badge, button, card, failed, head, kindOf, link, loading, sure, time } from './ui.js';
import { NONE, called, count, duration, money, plural, stateOf } from './format.js';
import { card as asks, open as openQuestions } from './questions.js';
import { begin, newRun, runForm } from './newrun.js';

const LIVE = ['tool.started', 'tool.finished', 'request.finished', 'picture', 'command'];
const OPEN = ['queued', 'claimed', 'running', 'retry_wait'], BAD = ['failed', 'error', 'blocked'];
const LAST = 20, SIGN = { good: '✓', bad: '✕', warn: '!' };
let doctor = null; // asked for once

const href = (run) => `#/run/${run.id}`;
const name = (run) => link(said(called(run)), href(run));
const more = (n, shown, to) => n > shown && h('p', null, link(`${count(n - shown)} more`, to));
const list = (items) => h('ul', { class: 'plain' }, items.map((i) => h('li', null, i)));
const screen = (lane) => `#/screen/${encodeURIComponent(lane)}`;

/** Marks what ended in sweeps: `expected` to fail, as the file of its goal says, or `early`: it may get
 *  another try. A sweep that is over is asked for once. */
const known = new Map();
async function judge(ended, options) {
  const odd = ended.filter((r) => r.sweep && BAD.includes(r.state));
  await Promise.all([...new Set(odd.map((r) => r.sweep))].map(async (id) => {
    let all = known.get(id);
    if (!all) {
      const { goals = [], sweep } = await get(`/sweeps/${id}`, null, options).catch(() => ({}));
      all = new Map(goals.map((g) => [g.no, g.state === 'running' ? 'early' : g.expected && 'expected']));
      if (sweep?.finished) known.set(id, all);
    }
    for (const r of odd) if (r.sweep === id) r.judged = all.get(r.sweep_no);
  }));
}

/** The newest run of each goal that ended otherwise than it should; the newest first. */
function failing(ended) {
  const seen = new Set();
  return ended.filter((r) => r.state !== 'cancelled' && !seen.has(called(r)) && seen.add(called(r)) &&
    BAD.includes(r.state) && !r.judged);
}

/** What a model healed, until somebody decides on it. */
const decide = (all) => all.length > 0 && h('section', { class: 'card', 'aria-labelledby': 'decide' },
  h('h2', { id: 'decide' }, 'Healed, and waiting for a decision'),
  list(all.map((r) => [h('div', { class: 'row tight' }, link(said(r.goal), `#/recordings/${r.id}`)),
    h('div', { class: 'row dim' }, time(r.created_at))])));

const again = (r) => button('Run again', () => newRun({ goal: r.goal, name: r.name, expect: r.expect,
  app: r.app,
  device: r.lane, agent: r.agent, model: r.demo ? '' : r.model, demo: r.demo }),
    { kind: 'small', acts: true });
const alarmed = (r) => [h('div', { class: 'row tight' }, badge(r.state), h('strong', null, name(r))),
  h('p', null, said(r.summary || r.code)),
  h('div', { class: 'row dim' }, said(r.lane), plural(r.steps, 'step'), time(r.finished), again(r))];
const alarm = (all) => all.length > 0 && h('section', { class: 'card alarm', 'aria-labelledby': 'alarm' },
  h('h2', { id: 'alarm' }, `${plural(all.length, 'goal')} ${all.length === 1 ? 'does' : 'do'} not pass`),
  list(all.slice(0, 3).map(alarmed)), all.length > 3 && h('details', null,
    h('summary', null, `${count(all.length - 3)} more`), list(all.slice(3).map(alarmed))));

function inHand(run) {
  const e = h('li', { class: 'in-hand' }), p = e.parts = { img: h('img', { alt: '', hidden: true }),
    state: h('span'),
    meter: h('progress', { 'aria-label': 'Steps' }), steps: h('span', { class: 'num' }),
    what: h('p', { class: 'dim what' }), cost: h('span', { class: 'num' }), since: h('span') };
  const cancel = async () => {
    if (await sure('Cancel this run?', called(run), 'Cancel the run')) await post(`/runs/${run.id}/cancel`);
  };
  return fill(e, p.img, h('div', { class: 'in-hand-text' },
    h('div', { class: 'row tight' }, p.state, h('strong', null, name(run))),
    h('div', { class: 'row steps' }, p.meter, p.steps), p.what,
    h('div', { class: 'row dim' }, link(said(run.lane), screen(run.lane)), p.cost, p.since)),
  h('div', { class: 'actions' }, link('Watch', href(run), { class: 'button small primary' }),
    button('Cancel', cancel, { kind: 'small', acts: true })));
}

function paintInHand(e, run, live = {}) {
  const p = e.parts, step = Math.max(run.steps, live.step ?? 0), most = run.budget.max_steps;
  fill(p.state, badge(stateOf(run)));
  Object.assign(p.meter, { max: most || 1, value: Math.min(step, most) });
  fill(p.steps, `step ${count(step)} of ${count(most)}`);
  fill(p.what, said(live.what ?? ''));
  fill(p.cost, run.demo ? 'demo brain' : money(live.usd ?? run.cost_usd));
  if (e.since !== run.started) fill(p.since, run.started ? time(run.started) : 'starting');
  e.since = run.started;
  p.img.hidden = !live.image;
  if (live.image) show(p.img, live.image);
}

const HEADS = ['State', 'Goal', 'Device', 'Time', 'Cost', 'Ended'];
const verdict = (r) => h('tr', null, h('td', null, badge(r.judged === 'expected' ? r.judged : stateOf(r))),
  h('td', { class: 'wide' }, name(r), r.state !== 'passed' && r.summary && h('div', { class: 'dim clip' },
    said(r.summary))),
  h('td', { class: 'maybe' }, said(r.lane)),
  h('td', { class: 'num maybe' }, r.seconds === null ? NONE : duration(r.seconds * 1000)),
  h('td', { class: 'num maybe' }, money(r.cost_usd)), h('td', { class: 'num' }, time(r.finished)));
const sign = (r) => {
  const kind = r.judged === 'expected' ? 'calm' : kindOf(stateOf(r));
  return h('span', { class: `is-${kind}` }, SIGN[kind] ?? '–');
};
const inUse = (r) => ['claimed', 'running'].includes(r.state);

customElements.define('ia-overview', class extends Part {
  #live = new Map(); #open = []; #devices = null; #any = null;

  begin() {
    this.alarm = h('div', { class: 'none', role: 'status' });
    this.decide = h('div', { class: 'none' });
    this.asks = h('div', { class: 'none', role: 'status' });
    this.runs = h('ul', { class: 'plain hands' });
    this.hand = card('In hand', this.runs);
    this.waits = card('Waiting');
    this.next = card('Next');
    this.lanes = card('Devices');
    this.figures = h('section', { class: 'figures', 'aria-label': 'Figures' });
    this.last = card('Recent verdicts');
    this.doctor = h('details', { class: 'card doctor' }, h('summary', null, 'Doctor'),
      h('p', { class: 'dim' }, 'Not checked yet.'));
    this.top = head('Overview',
      { actions: button('New run', () => newRun(), { kind: 'primary', acts: true }) });
    this.append(this.top, this.body = h('div', { class: 'overview' }, loading()));
    this.whenGone(follow(MOVES, () => this.load()));
    this.whenGone(follow(['run.finished'], () => this.stats(), 5000));
    this.whenGone(follow(['run.queued', 'run.finished', 'now'], () => this.around(), 3000));
    this.whenGone(listen(LIVE, (batch) => this.happened(batch)));
    this.on(stream, 'state', () => { if (stream.state === 'live') this.load(); });
    // A sweep knows a little later than the run what came of a goal.
    let late = 0;
    this.whenGone(listen(['run.finished'], () => {
      clearTimeout(late);
      late = setTimeout(() => this.load(), 1500);
    }));
    const idle = setTimeout(() => this.check(), 1500);
    this.whenGone(() => { clearTimeout(idle); clearTimeout(late); });
  }

  async load() {
    const runs = (query) => get('/runs', query, { signal: this.signal });
    const ended = (p) => p.runs.filter((r) => !OPEN.includes(r.state) && r.finished).sort((a, b) => (a.finished < b.finished
      ? 1 : -1));
    try {
      const [open, page] = await Promise.all([runs({ state: 'unfinished', limit: 50 }), runs({ limit: 40 })]);
      let last = ended(page);
      if (last.length < LAST && page.total > 40) last = ended(await runs({ limit: 200 }));
      const [{ recordings }, questions] = await Promise.all([get('/recordings',
        { state: 'quarantined', limit: 5 }, { signal: this.signal }),
      openQuestions(undefined, { signal: this.signal }), judge(last, { signal: this.signal })]);
      refill(this.decide, decide(recordings));
      refill(this.asks, asks(questions));
      this.paint(open, last, page.total);
    } catch (e) {
      if (e.name !== 'AbortError' && this.#any === null) fill(this.body, failed(e, () => this.load()));
    }
  }

  paint(open, last, total) {
    if (this.#any !== total > 0) {
      this.#any = total > 0;
      fill(this.body, this.#any
        ? [this.asks, this.alarm, this.decide, this.hand, this.figures, h('div', { class: 'columns even' }, this.waits, this.next,
          this.lanes),
          this.last, this.doctor]
        : h('div', { class: 'columns' }, this.first(), h('div', { class: 'overview' }, this.lanes,
          this.doctor)));
    }
    this.#open = open.runs.filter((r) => r.state !== 'blocked'); // those are on the card of questions
    const hands = this.#open.filter(inUse), waits = this.#open.filter((r) => !inUse(r)).reverse();
    const asking = open.runs.length - this.#open.length;
    const bad = failing(last), key = bad.map((r) => r.id).join();
    if (this.alarm.dataset.key !== key) { this.alarm.dataset.key = key; refill(this.alarm, alarm(bad)); }
    for (const id of this.#live.keys()) if (!hands.some((r) => r.id === id)) this.#live.delete(id);
    keyed(this.runs, hands, (r) => r.id, inHand, (e, r) => { e.run = r;
      paintInHand(e, r, this.#live.get(r.id)); });
    this.hand.hidden = !hands.length;
    refill(this.waits, h('h2', null, 'Waiting'), waits.length ? list(waits.slice(0, 6).map((r) => [
      h('div', { class: 'row tight' }, badge(stateOf(r)), name(r)),
      h('div', { class: 'dim' }, said(r.lane), ' · ', r.retry_at ? ['again ', time(r.retry_at)]
        : time(r.created))]))
      : h('p', { class: 'dim' }, 'Nothing is waiting.'), more(open.total - hands.length - asking, 6,
        '#/runs?state=queued'));
    const shown = last.slice(0, LAST);
    refill(this.last, h('div', { class: 'row between' }, h('h2', null, 'Recent verdicts'),
      h('span', { class: 'strip', 'aria-hidden': 'true' }, [...shown].reverse().map(sign)),
        link('All runs', '#/runs')),
    shown.length ? h('table', { class: 'verdicts' },
      h('thead', { class: 'sr' }, h('tr', null, HEADS.map((c) => h('th', { scope: 'col' }, c)))),
      h('tbody', null, shown.map(verdict))) : h('p', { class: 'dim' }, 'No run has ended yet.'));
    this.paintLanes();
  }

  /** The empty state: the first goal, here and now. */
  first() {
    const form = runForm({}, { short: true }), go = () => form.goal.reportValidity() && begin(form.read());
    return h('section', { class: 'card first' }, h('h2', null, 'Your first goal'),
      h('p', null, 'Say what should happen on the phone and what must be true at its end. The agent looks, ',
        'taps and types like a person; what it claims is checked on a fresh screen. The simulated iPhone ',
        'is always there, so this works without Xcode.'), form.node, h('div', { class: 'actions' },
        button('Run it', go, { kind: 'primary', acts: true }),
          button('More options', () => newRun(form.read()), { acts: true })));
  }

  happened(batch) {
    const touched = new Set();
    let commands = false;
    for (const { type, data } of batch) {
      if (type === 'reset') { this.load(); return; }
      if (type === 'command') {
        const lane = this.#devices?.lanes.find((l) => l.lane === data.device);
        if (lane) lane.holder = data.state === 'started' ? `${data.actor}: ${data.verb}` : null;
        else this.#devices?.lanes.push({ lane: data.device, holder: null, waiting: 0 });
        commands = true;
        continue;
      }
      const run = data.run, l = this.#live.get(run) ?? {};
      if (data.step !== undefined) l.step = data.step;
      if (type === 'tool.started') l.what = `${data.tool.replaceAll('_', ' ')} ${data.element}`;
      if (data.spent?.cost_known) l.usd = data.spent.usd;
      if (data.image) l.image = data.image;
      this.#live.set(run, l);
      touched.add(run);
    }
    for (const e of this.runs.children) if (touched.has(e.run.id)) paintInHand(e, e.run,
      this.#live.get(e.run.id));
    if (commands) this.paintLanes();
  }

  /** Schedules and devices; either may be slow or fail by itself. */
  around() {
    const options = { signal: this.signal };
    get('/schedules', null, options).then(({ schedules }) => this.paintNext(schedules), () => {});
    get('/devices', null, options).then((d) => { this.#devices = d; this.paintLanes(); }, () => {});
  }

  paintNext(schedules) {
    const due = schedules.filter((s) => s.next).sort((a, b) => (a.next < b.next ? -1 : 1)),
      off = schedules.length - due.length;
    refill(this.next, h('h2', null, 'Next'), due.length ? list(due.slice(0, 6).map((s) => [
      h('div', { class: 'row between' }, link(said(s.name), '#/pipeline'), time(s.next)),
      h('div', { class: 'row dim' }, h('code', null, s.spec),
        s.problem ? h('span', { class: 'error' }, said(s.problem)) : s.last_verdict &&
          badge(s.last_verdict))]))
      : h('p', { class: 'dim' }, 'No schedule is due.'),
    off > 0 && h('p', { class: 'dim' }, `${plural(off, 'schedule')} paused or over`),
      more(due.length, 6, '#/pipeline'));
  }

  paintLanes() {
    const d = this.#devices ?? { embedded: [], lanes: [], simulators: [] }, lanes = new Map();
    const at = (lane) => lanes.get(lane) ?? lanes.set(lane, { lane, waiting: 0 }).get(lane);
    for (const r of this.#open) { const l = at(r.lane); if (inUse(r)) l.run = r; else l.waiting++; }
    for (const l of d.lanes) { Object.assign(at(l.lane), { holder: l.holder }).waiting += l.waiting; }
    for (const n of d.embedded) at(n);
    for (const s of d.simulators) if (s.state === 'Booted') at(`bridge:${s.udid}`).text = s.name;
    if (!lanes.size) at('embedded:default');
    const used = (l) => !!(l.run || l.holder), all = [...lanes.values()].sort((a, b) => used(b) - used(a));
    refill(this.lanes, h('h2', null, 'Devices'), list(all.slice(0, 8).map((l) => [
      h('div', { class: 'row between' }, link(said(l.text ?? l.lane), screen(l.lane)),
        h('span', { class: `badge ${used(l) ? 'is-live' : ''}` }, used(l) ? 'in use' : 'free')),
      (used(l) || l.waiting > 0) && h('div', { class: 'dim' }, l.run ? name(l.run) : said(l.holder),
        l.waiting > 0 && ` · ${count(l.waiting)} waiting`)])), more(all.length, 8, '#/screen'));
  }

  async stats() {
    try {
      const [{ flakes, parts, stats, verdicts }, { spark }] = await Promise.all([import('./trends.js'),
        import('./charts.js')]);
      const s = await stats(30, null, { signal: this.signal }), by = parts(s.days, 3),
        week = (new Date().getDay() + 6) % 7 + 1;
      const figure = (title, value, note, line) => h('a', { class: 'card figure', href: '#/trends' },
        h('span', { class: 'dim' }, title), h('strong', { class: 'chart-value num' }, value),
          h('span', { class: 'dim' }, note), line);
      const rate = (title, of, kind, what) => {
        const t = of(s.total), all = by.map(of), each = (k) => all.map((r) => r[k]);
        return figure(title, t.text, t.rate === null ? what : `${t.between} · ${what}`,
          spark(each('rate'), { low: each('low'), high: each('high'), kind }));
      };
      const sum = (days, k) => days.reduce((a, d) => a + (d[k] ?? 0), 0);
      const spent = (days) => (days.some((d) => d.runs) && days.every((d) => d.cost_usd === null) ? null : sum(days, 'cost_usd'));
      const cost = (title, days, all) => figure(title, money(spent(days)),
        plural(sum(days, 'runs'), 'run'),
        all.some((d) => d.cost_usd) && spark(all.map((d) => d.cost_usd ?? 0), { kind: 'live' }));
      refill(this.figures, rate('Pass rate, 30 days', verdicts, 'good',
        plural(s.total.passed + s.total.failed, 'verdict')),
        rate('Flake rate, 30 days', flakes, 'warn', plural(s.total.executions, 'execution')),
        cost('Cost today', s.days.slice(-1), s.days.slice(-14)),
        cost('Cost this week', s.days.slice(-week), parts(s.days.slice(-28), 7)));
    } catch { this.figures.replaceChildren(); }
  }

  async check() {
    try {
      doctor ??= get('/doctor');
      const { checks } = await doctor, bad = checks.filter((c) => c.status !== 'ok');
      const kind = bad.some((c) => c.status !== 'warn') ? 'bad' : 'warn';
      fill(this.doctor, h('summary', null, 'Doctor ', bad.length
        ? h('span', { class: `badge is-${kind}` }, plural(bad.length, 'warning')) : badge('passed')),
      bad.length ? list(bad.map((c) => [h('strong', null, c.name), ' ', said(c.detail),
        (c.fix ?? c.mend) && h('p', null, h('code', null, said(c.fix ?? c.mend)))])) : h('p', null,
          'Everything needed works.'));
    } catch { doctor = null; }
  }
});
