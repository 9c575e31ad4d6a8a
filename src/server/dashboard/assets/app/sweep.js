// sweep.js: one sweep: what its goals came to, each below what it needs, what failed on top.

import { h, fill, said, Part } from './dom.js';
import { get, post, raw } from './api.js';
import { follow } from './events.js';
import { share, whisker } from './charts.js';
import { badge, button, facts, failed, head, kindOf, link, loading, save, sure, time } from './ui.js';
import { duration, money } from './format.js';
import { STATES, TURNS, redraw, runsOf, small, standing, tally, took } from './pipeline.js';

const REPORTS = { md: 'Markdown', json: 'JSON', junit: 'JUnit', ctrf: 'CTRF' };
/** Buttons that save the report of /runs/ID or /sweeps/ID. */
export const reports = (path) => Object.entries(REPORTS).map(([format, name]) => button(name, async () =>
  save(`${path.slice(-6)}.${format === 'junit' ? 'xml' : format === 'ctrf' ? 'ctrf.json' : format}`,
    await (await raw(`${path}/report`, { format })).blob()), { kind: 'small',
      'aria-label': `Save the report as ${name}` }));

const MARKS = { good: '✓', bad: '✗', warn: '!', live: '…' };
const stateOf = (g) => (g.expected ? 'expected' : g.state);
function rate(goals) {
  const of = goals.filter((g) => g.counts), passed = of.filter((g) => g.state === 'passed'
    || g.state === 'flaky').length;
  const s = share(passed, of.length);
  return of.length ? [whisker(s.rate, s), ` ${passed} of ${of.length} (${s.between})`] : null;
}

/** Goals by name, each under the first goal that it needs; the worst first. */
function tree(goals) {
  const nodes = new Map(), top = [];
  for (const [name, rows] of Map.groupBy(goals, (g) => g.name)) {
    const states = rows.map(stateOf), state = STATES.find((s) => states.includes(s));
    nodes.set(name, { name, rows, below: [], state });
  }
  for (const n of nodes.values()) (nodes.get(n.rows[0].needs[0])?.below ?? top).push(n);
  const own = (n) => STATES.indexOf(n.state);
  const sort = (list) => {
    for (const n of list) n.rank = Math.min(own(n), ...sort(n.below).map((b) => b.rank));
    return list.sort((a, b) => a.rank - b.rank || own(a) - own(b) || a.rows[0].no - b.rows[0].no);
  };
  return sort(top);
}

customElements.define('ia-sweep', class extends Part {
  begin() {
    this.append(loading());
    this.whenGone(follow(TURNS, () => this.load(), 500));
    const clock = setInterval(() => { if (this.took && !this.over) this.took.textContent = took(this.sum); },
      1000);
    this.whenGone(() => { clearInterval(clock); clearTimeout(this.again); });
  }

  async load() {
    clearTimeout(this.again);
    try {
      const [{ goals, sweep }, { runs }] = await Promise.all([get(`/sweeps/${this.sweep}`),
        runsOf({ sweep: this.sweep })]);
      this.sum = sweep;
      this.over = sweep.state !== 'running';
      redraw(this, [goals, sweep, runs.map(standing)], () => this.draw(goals, sweep, runs));
      // No event says that it is over: it is so soon after its last run.
      if (!this.over && !goals.some((g) => g.state === 'running')) this.again = setTimeout(() => this.load(),
        1000);
    } catch (e) {
      if (e.code !== 'OFFLINE' || !this.sign) { this.sign = null; fill(this, head('Sweep'), failed(e,
        () => this.load())); }
    }
  }

  draw(goals, s, runs) {
    const tries = Map.groupBy(runs.toReversed(), (r) => r.sweep_no), share = rate(goals);
    this.took = h('span', null, took(s));
    return [head(said(s.title), { over: link('Pipeline', '#/pipeline'), actions: [!this.over && small('Stop',
      'the sweep', () => this.stop(), 'danger'),
      reports(`/sweeps/${s.id}`)] }),
    h('section', { class: 'card' }, h('div', { class: 'row', role: 'status' }, badge(s.state), s.why
      && said(s.why)), tally(s),
      facts([['Goals', `${s.goals - s.waiting - s.running} of ${s.goals} done`], ['Pass rate', share
        && h('span', null, share)],
        ['Cost', s.demo ? null : money(s.cost_usd)], ['Time', this.took], ['Began', time(s.created)]])),
    h('section', { class: 'card' }, h('h2', null, 'Goals'), this.list(tree(goals), tries))];
  }

  async stop() {
    if (!await sure('Stop this sweep?',
      'Its runs stop at the next safe moment. ios-agent sweep --resume continues it.', 'Stop')) return;
    await post(`/sweeps/${this.sweep}/cancel`);
    await this.load();
  }

  list(nodes, tries) { return h('ul', { class: 'sweep-tree' }, nodes.map((n) => this.goal(n, tries))); }

  goal({ name, rows, below, state }, tries) {
    const shown = rows.find((g) => stateOf(g) === state), sum = (k) => rows.reduce((a, g) => a + g[k], 0),
      many = rows.length > 1, own = many && rate(rows);
    const chips = rows.flatMap((g) => (tries.get(g.no) ?? []).map((r, i) => {
      const how = standing(r), kind = kindOf(how);
      return link(`${many ? g.repeat : ''}${i || !many ? ` try ${i + 1}` : ''} ${MARKS[kind] ?? '·'}`,
        `#/run/${r.id}`,
        { class: `chip badge is-${kind}`, title: how,
          'aria-label': `${name}: run ${g.repeat}, try ${i + 1}: ${how}` });
    }));
    return h('li', null, h('div', { class: 'sweep-goal' }, h('div', null,
      h('div', { class: 'row' }, badge(state), h('strong', null, said(name)),
        shown.outcome === 'replayed' && h('span', { class: 'tag' }, 'replayed'),
        shown.needs.slice(1).map((n) => h('span', { class: 'tag' }, 'also needs ', said(n)))),
      state !== 'passed' && shown.reason && h('p', { class: `why is-${kindOf(state)}` }, said(shown.reason)),
      h('p', { class: 'help' }, said(`${shown.file.split('/').at(-1)}:${shown.line}`), sum('ms') > 0
        && ` · ${duration(sum('ms'))}`,
        !this.sum.demo && sum('cost_usd') > 0 && ` · ${money(sum('cost_usd'))}`, own && [' · ', own]), chips.length > 0
          && h('div', { class: 'row' }, chips)),
    state !== 'running' && state !== 'waiting' && small('Retry', name, () => this.retry(shown,
      tries.get(shown.no)?.at(-1)))),
    below.length > 0 && this.list(below, tries));
  }

  /** One goal again, by itself, on the device that it had. */
  async retry(g, last) {
    const { goal } = await get(`/sweeps/${this.sweep}/goals/${g.no}`);
    const { run } = await post('/runs', { device: last?.lane, ...goal.job });
    location.hash = `#/run/${run.id}`;
  }
});
