// runs.js: all runs. Only rows that can be seen exist; pages of them come as one scrolls, from any place.
// A row's number counts from the oldest run, so it stays when new runs come, and so does what one looks at.

import { h, fill, keyed, said, Part } from './dom.js';
import { get } from './api.js';
import { MOVES, listen, stream } from './events.js';
import { badge, button, empty, failed, head, link, loading, time } from './ui.js';
import { NONE, called, count, duration, money, plural, stateOf } from './format.js';
import { newRun } from './newrun.js';

const PAGE = 200, KEEP = 20, ABOVE = 6, ROWS_MAX = 500000; // a browser's elements end at some 33 million px
const STATES = ['unfinished', 'passed', 'replayed', 'healed', 'failed', 'blocked', 'error', 'cancelled', 'queued',
  'running', 'retry_wait'];
const TYPES = [...MOVES, 'request.finished', 'tool.finished'];
const NARROW = matchMedia('(max-width: 820px)');
const COLUMNS = ['Compare', 'State', 'Goal', 'Device', 'Agent', 'Steps', 'Time', 'Cost', 'When'];
let left = { query: '', top: 0 }; // where one was, for the way back

const took = (r) => (r.seconds !== null ? duration(r.seconds * 1000) : r.started
  ? duration(Date.now() - Date.parse(r.started)) : NONE);
const slim = ({ id, name, goal, agent, lane, steps, seconds, cost_usd, created, started, summary, ...r }) =>
  ({ id, name, goal, agent, lane, steps, seconds, cost_usd, created, started, state: stateOf(r),
    summary: r.state === 'passed' ? '' : summary });

customElements.define('ia-runs', class extends Part {
  #rows = new Map(); #where = new Map(); #fresh = new Set(); #asked = new Map(); #chosen = [];
  #total = -1; #active = -1; #turn = 0; #soon = 0; #dirty = 0;

  begin() {
    this.count = h('span', { role: 'status' });
    this.bar = h('div', { class: 'actions', hidden: true });
    this.space = h('div', { class: 'runs-space', role: 'rowgroup' });
    this.grid = h('div', { class: 'runs-grid', role: 'grid', tabindex: 0, 'aria-label': 'Runs',
      'aria-multiselectable': 'true', onscroll: () => this.paint(), onkeydown: (e) => this.key(e),
      onfocus: () => { if (this.#active < 0) this.go(this.at(this.grid.scrollTop)); } },
    h('div', { class: 'runs-head', role: 'rowgroup' },
      h('div', { class: 'runs-row', role: 'row', 'aria-rowindex': 1 },
      COLUMNS.map((c, i) => h('span', { role: 'columnheader', class: `c${i}` },
        i ? c : h('span', { class: 'sr' }, c))))),
    this.space);
    this.body = h('div', null, loading());
    const start = button('New run', () => newRun(), { kind: 'primary', acts: true });
    this.append(head('Runs', { over: this.count, actions: [this.bar, start] }), this.filters(), this.body);
    this.on(NARROW, 'change', () => { this.size(); this.paint(); });
    this.on(window, 'resize', () => this.paint());
    this.on(stream, 'state', () => { if (stream.state === 'live') this.refresh(); });
    this.whenGone(listen(TYPES, (batch) => this.happened(batch)));
    this.whenGone(() => {
      clearTimeout(this.#soon);
      clearTimeout(this.#dirty);
    });
    this.start(left.query === String(this.query) ? left.top : 0);
  }

  // ---- filters -----------------------------------------------------------------------------------------

  filters() {
    const q = this.query, devices = h('datalist', { id: 'runs-devices' });
    let wait = 0;
    const set = (name, value) => {
      const next = new URLSearchParams(this.query);
      if (value) next.set(name, value); else next.delete(name);
      history.replaceState(null, '', `#/runs${next.size ? `?${next}` : ''}`);
      sessionStorage.setItem('ios-agent-place', location.hash);
      this.query = next;
      this.start(0);
    };
    const later = (name) => ({ target }) => {
      clearTimeout(wait);
      wait = setTimeout(() => set(name, target.value.trim()), 250);
    };
    const agent = h('select', { 'aria-label': 'Agent', onchange: (e) => set('agent', e.target.value) },
      h('option', { value: '' }, 'any agent'),
      q.get('agent') && h('option', { value: q.get('agent'), selected: true }, q.get('agent')));
    const state = h('select', { 'aria-label': 'State', onchange: (e) => set('state', e.target.value) },
      h('option', { value: '' }, 'any state'),
      STATES.map((s) => h('option', { value: s, selected: s === q.get('state') }, s.replace('_', ' '))));
    get('/agents', null, { signal: this.signal }).then(({ agents }) => {
      agent.append(...agents.filter((a) => a.name !== q.get('agent')).map((a) => h('option',
        { value: a.name }, a.name)));
    }, () => {});
    get('/devices', null, { signal: this.signal }).then((d) => fill(devices,
      [...new Set([...d.embedded, ...d.lanes.map((l) => l.lane)])].map((value) => h('option', { value }))),
      () => {});
    return h('div', { class: 'runs-filters', role: 'search', 'aria-label': 'Runs' },
      h('input', { type: 'search', placeholder: 'Goal', 'aria-label': 'Text in the goal',
        value: q.get('text') ?? '', oninput: later('text') }), state,
      h('input', { type: 'search', placeholder: 'Device', 'aria-label': 'Device', list: 'runs-devices',
        value: q.get('device') ?? '', oninput: later('device') }), agent, devices,
      ['goal', 'sweep', 'schedule'].map((name) => q.get(name) && h('span', { class: 'tag' }, `${name}: `,
        said(q.get(name)), ' ',
        link('all', '#/runs', { 'aria-label': `Not only this ${name}` }))));
  }
  queryChanged(query) {
    this.query = query;
    this.children[1].replaceWith(this.filters());
    this.start(0);
  }

  // ---- rows --------------------------------------------------------------------------------------------

  get high() { return NARROW.matches ? 76 : 52; }
  at(top) { return this.#total - 1 - Math.floor(top / this.high); }

  async start(top) {
    this.#turn++;
    for (const abort of this.#asked.values()) abort.abort();
    for (const m of [this.#rows, this.#where, this.#fresh, this.#asked]) m.clear();
    this.#total = this.#active = -1;
    try {
      await this.ask('start', Math.floor(top / this.high / PAGE) * PAGE);
    } catch (e) {
      if (e.name !== 'AbortError') fill(this.body, failed(e, () => this.start(top)));
      return;
    }
    if (this.grid.isConnected) { this.grid.scrollTop = top; this.paint(); }
  }

  /** Asks for what stands at `skip`; key: whatever must not be asked for twice. */
  async ask(key, skip, limit = PAGE) {
    const turn = this.#turn, abort = new AbortController();
    const end = () => abort.abort();
    this.signal.addEventListener('abort', end);
    this.#asked.set(key, abort);
    try {
      const answer = await get('/runs', { ...Object.fromEntries(this.query), skip, limit },
        { signal: abort.signal });
      if (turn === this.#turn) this.take(answer, skip, limit);
    } finally {
      this.signal.removeEventListener('abort', end);
      if (this.#asked.get(key) === abort) this.#asked.delete(key);
    }
  }

  take({ runs, total }, skip, limit) {
    const grown = total - this.#total, first = this.#total < 0;
    this.#total = total;
    if (first || !total || !this.grid.isConnected) this.show();
    else if (grown) {
      // What went may have gone from anywhere.
      if (grown < 0) this.#fresh.clear();
      this.size();
      if (this.grid.scrollTop > this.high) this.grid.scrollTop += grown * this.high;
    }
    runs.forEach((r, k) => {
      const b = total - 1 - skip - k, old = this.#rows.get(b);
      if (old && this.#where.get(old.id) === b) this.#where.delete(old.id);
      this.#rows.set(b, slim(r));
      this.#where.set(r.id, b);
    });
    for (let p = Math.ceil((total - skip - limit) / PAGE); p * PAGE < total - skip; p++) {
      if (p >= 0 && Math.min(total, (p + 1) * PAGE) <= total - skip) this.#fresh.add(p);
    }
    this.forget();
    this.paint();
  }

  /** Rows of long ago, when there are many. */
  forget() {
    for (const p of this.#fresh) {
      if (this.#fresh.size <= KEEP) break;
      this.#fresh.delete(p);
      for (let b = p * PAGE; b < (p + 1) * PAGE; b++) {
        this.#where.delete(this.#rows.get(b)?.id);
        this.#rows.delete(b);
      }
    }
  }

  show() {
    fill(this.count, plural(this.#total, 'run'));
    if (this.#total) { fill(this.body, this.grid); this.size(); return; }
    fill(this.body, this.query.size ? empty('No run matches', 'Try fewer filters.',
      link('All runs', '#/runs', { class: 'button' }))
      : empty('No runs yet',
        'A run follows a goal on a device until what you expect is proven or ruled out.',
        button('New run', () => newRun(), { kind: 'primary', acts: true })));
  }
  size() {
    if (this.#total < 0) return; // not known yet
    fill(this.count, plural(this.#total, 'run'));
    this.space.style.height = `${Math.min(this.#total, ROWS_MAX) * this.high}px`;
    this.grid.setAttribute('aria-rowcount', this.#total + 1);
  }

  /** The rows that can be seen, and some around them: [newest, oldest] by their numbers. */
  seen(more) {
    const top = this.at(this.grid.scrollTop), n = Math.ceil(this.grid.clientHeight / this.high);
    return [Math.min(this.#total - 1, top + more), Math.max(0, top - n - more)];
  }

  paint() {
    if (!this.grid.isConnected || this.#total <= 0) return;
    left = { query: String(this.query), top: this.grid.scrollTop };
    const [from, to] = this.seen(ABOVE), list = [];
    for (let b = from; b >= to; b--) list.push(b);
    keyed(this.space, list, (b) => b, (b) => h('div', { class: 'runs-row', role: 'row', id: `run-row-${b}` }),
      (node, b) => this.row(node, b));
    this.mark();
    if (!this.#soon) this.#soon = setTimeout(() => { this.#soon = 0; this.fetch(); }, 60);
  }

  row(node, b) {
    const r = this.#rows.get(b), i = this.#total - 1 - b, chosen = !!r && this.#chosen.includes(r.id);
    if (node.at !== i || node.high !== this.high) {
      Object.assign(node, { at: i, high: this.high });
      node.style.transform = `translateY(${i * this.high}px)`;
      node.setAttribute('aria-rowindex', i + 2);
    }
    if (r?.id) node.setAttribute('aria-selected', chosen);
    if (node.run === r && node.chosen === chosen && node.childElementCount) return;
    Object.assign(node, { run: r, chosen });
    if (!r) { fill(node, h('span', { role: 'gridcell', class: 'c2 dim' }, '…')); return; }
    const cells = [h('input', { type: 'checkbox', tabindex: -1, checked: chosen, 'aria-label': 'Compare',
      onchange: () => this.choose(r.id) }), badge(r.state),
      [link(said(called(r)), `#/run/${r.id}`, { tabindex: -1 }), r.summary ? said(r.summary, { class: 'dim' })
        : h('span', { class: 'dim thin', 'aria-hidden': 'true' }, said(r.lane), ` · ${took(r)}`)],
      said(r.lane), said(r.agent), count(r.steps), took(r), money(r.cost_usd), time(r.created)];
    fill(node, cells.map((c, k) => h('span', { role: 'gridcell', class: `c${k}` }, c)));
  }

  fetch() {
    if (this.#total < 0) return;
    const [from, to] = this.seen(40), wanted = new Set();
    for (let p = Math.floor(to / PAGE); p <= Math.floor(from / PAGE);
      p++) if (!this.#fresh.has(p)) wanted.add(p);
    for (const [p, abort] of this.#asked) if (typeof p === 'number' && !wanted.has(p)) abort.abort();
    for (const p of wanted) {
      if (this.#asked.has(p)) continue;
      const skip = Math.max(0, this.#total - (p + 1) * PAGE);
      this.ask(p, skip, this.#total - p * PAGE - skip).catch(() => {}); // the stream says what is wrong
    }
  }

  // ---- what happens ------------------------------------------------------------------------------------

  happened(batch) {
    let seen = false;
    const [from, to] = this.#total > 0 ? this.seen(0) : [0, 0];
    for (const { type, data } of batch) {
      const b = this.#where.get(data?.run);
      if (type === 'reset') { this.start(0); return; }
      if (b === undefined) seen ||= type === 'run.queued' || this.query.size > 0;
      else { this.#fresh.delete(Math.floor(b / PAGE)); seen ||= b <= from && b >= to; }
    }
    if (seen && !this.#dirty) this.#dirty = setTimeout(() => { this.#dirty = 0; this.refresh(); }, 500);
  }
  /** Again what can be seen, and how many there are. */
  refresh() {
    if (this.#total < 0) return;
    const [from, to] = this.#total > 0 ? this.seen(2) : [-1, 0];
    this.ask('seen', Math.max(0, this.#total - 1 - from),
      Math.min(PAGE, Math.max(1, from - to + 1))).catch(() => {});
  }

  // ---- hands -------------------------------------------------------------------------------------------

  go(b) {
    this.#active = Math.max(0, Math.min(this.#total - 1, b));
    const top = (this.#total - 1 - this.#active) * this.high,
      room = this.grid.clientHeight - this.space.offsetTop;
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    else if (top + this.high > this.grid.scrollTop + room) this.grid.scrollTop = top + this.high - room;
    this.paint();
  }
  mark() {
    const id = `run-row-${this.#active}`;
    for (const n of this.space.children) n.classList.toggle('on', n.id === id);
    if (document.getElementById(id)) this.grid.setAttribute('aria-activedescendant', id);
    else this.grid.removeAttribute('aria-activedescendant');
  }
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(1, Math.floor(this.grid.clientHeight / this.high) - 2), a = this.#active;
    const to = { ArrowDown: a - 1, ArrowUp: a + 1, PageDown: a - page, PageUp: a + page,
      Home: this.#total - 1, End: 0 }[e.key];
    const run = this.#rows.get(a);
    if (to !== undefined) this.go(to);
    else if (e.key === 'Enter' && run) location.hash = `#/run/${run.id}`;
    else if (e.key === ' ' && run) this.choose(run.id);
    else return;
    e.preventDefault();
  }
  choose(id) {
    if (this.#chosen.includes(id)) this.#chosen = this.#chosen.filter((c) => c !== id);
    else this.#chosen = [...this.#chosen.slice(-1), id];
    const two = [...this.#chosen].sort(); // ids begin with the time
    this.bar.hidden = !two.length;
    fill(this.bar, h('span', { class: 'dim', role: 'status' }, two.length === 1 ? 'Select one more'
      : '2 selected'),
      two.length === 2 && link('Compare', `#/compare/${two.join('/')}`, { class: 'button' }),
      button('None', () => { this.#chosen = []; this.bar.hidden = true; this.paint(); this.grid.focus(); },
        { kind: 'small' }));
    this.paint();
  }
});
