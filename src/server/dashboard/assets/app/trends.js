// trends.js: how runs went over days: pass and flake rate, cost, duration, and each goal by itself.

import { h, fill, refill, said, Part } from './dom.js';
import { get } from './api.js';
import { follow } from './events.js';
import { badge, empty, failed, head, link, loading, time } from './ui.js';
import { count, day, duration, money, percent, plural } from './format.js';
import { bars, line, ranks, share, whisker } from './charts.js';

const RANGES = [7, 30, 90];
/** Days are the reader's own. */
export const stats = (days, more, options) => get('/stats',
  { days, offset_min: -new Date().getTimezoneOffset(), ...more }, options);
export const verdicts = (x) => share(x.passed, x.passed + x.failed);
export const flakes = (x) => share(x.flaky, x.executions);
const SUMS = ['runs', 'passed', 'failed', 'healed', 'other', 'executions', 'flaky', 'cost_usd'];
const dated = (d) => day(`${d}T12:00:00`);

/** A rate of a single day says little where there are many: those are taken by the week, the newest whole. */
export function parts(days, size) {
  const all = [];
  for (let end = days.length; end > 0; end -= size) {
    const some = days.slice(Math.max(0, end - size), end), sum = { from: some[0].day, to: some.at(-1).day };
    for (const k of SUMS) sum[k] = some.reduce((a, d) => a + (d[k] ?? 0), 0);
    all.unshift(sum);
  }
  return all;
}

const rated = (list, of, name, kind, n) => {
  const all = list.map(of);
  return { name, kind, values: all.map((r) => r.rate), low: all.map((r) => r.low),
    high: all.map((r) => r.high),
    text: all.map((r, i) => (r.rate === null ? r.between
      : `${r.text} (${r.between}) of ${count(n(list[i]))}`)) };
};

function charts({ days, goals, total }) {
  const by = parts(days, days.length > 31 ? 7 : 1), labels = days.map((d) => dated(d.day));
  const rates = { labels: by.map((p) => dated(p.to)), format: percent,
    tick: (v) => `${+(v * 100).toFixed(1)} %`, axis: by.length < days.length ? 'Week' : 'Day',
    full: by.map((p) => (p.from === p.to ? dated(p.to) : `${dated(p.from)} – ${dated(p.to)}`)) };
  const pass = verdicts(total), flake = flakes(total), past = `in the last ${days.length} days`;
  const one = (name, kind, key) => ({ name, kind, values: days.map((d) => d[key]) });
  const dear = goals.filter((g) => g.cost_usd > 0).sort((a, b) => b.cost_usd - a.cost_usd).slice(0, 6);
  return [
    [line, { ...rates, title: 'Pass rate', value: pass.text,
      note: `${pass.between}, 95 % interval, of ${plural(total.passed + total.failed, 'verdict')}`,
      max: 1, series: [rated(by, verdicts, 'Passed', 'good', (p) => p.passed + p.failed)] }],
    [line, { ...rates, title: 'Flake rate', value: flake.text,
      note: `${flake.between} of ${plural(total.executions, 'execution')} passed only after another try`,
      series: [rated(by, flakes, 'Flaky', 'warn', (p) => p.executions)] }],
    [bars, { title: 'Runs per day', labels, format: count, value: count(total.runs), note: past,
      series: [one('Passed', 'good', 'passed'), one('Failed', 'bad', 'failed'),
        one('Healed', 'warn', 'healed'), one('Other', 'calm', 'other')] }],
    [bars, { title: 'Cost per day', labels, format: money, value: money(total.cost_usd), note: past,
      series: [one('Cost', 'live', 'cost_usd')] }],
    [line, { title: 'Duration', labels, format: duration, value: duration(total.ms_median),
      note: 'median of a run',
      series: [one('Median', 'live', 'ms_median')] }],
    [ranks, { title: 'Cost by goal', unit: 'Cost', format: money, note: 'the most expensive goals',
      rows: dear.map((g) => ({ name: g.goal, value: g.cost_usd,
        href: `#/trends?${new URLSearchParams({ goal: g.goal, days: days.length })}` })) }],
  ].filter(([make]) => make !== ranks || (dear.length > 0 && goals.length > 1));
}

const COLUMNS = [['Goal'], ['Last', (g) => Date.parse(g.last_finished)], ['Runs', (g) => g.runs],
  ['Pass rate', (g) => verdicts(g).rate ?? -1],
  ['Flaky', (g) => flakes(g).rate ?? -1], ['Cost', (g) => g.cost_usd ?? 0],
    ['Per run', (g) => g.usd_median ?? 0], ['Median time', (g) => g.ms_median ?? 0]];

function row(g, days) {
  const pass = verdicts(g), flake = flakes(g);
  return h('tr', null, h('th', { scope: 'row' },
    link(said(g.goal), `#/trends?${new URLSearchParams({ goal: g.goal, days })}`)),
    h('td', null, link(badge(g.last_outcome ?? g.last_state), `#/run/${g.last_run}`), ' ', time(g.last_finished)),
    h('td', { class: 'num' }, count(g.runs), g.healed > 0 && h('div', { class: 'dim' }, `${count(g.healed)} healed`)),
    h('td', { class: 'num' }, pass.rate !== null && whisker(pass.rate, pass), h('span', { class: 'rated' },
      pass.text), h('div', { class: 'dim' }, pass.between)),
    h('td', { class: 'num' }, flake.text, h('div', { class: 'dim' }, flake.between)),
    h('td', { class: 'num' }, money(g.cost_usd)), h('td', { class: 'num' }, money(g.usd_median)),
      h('td', { class: 'num' }, duration(g.ms_median)));
}

customElements.define('ia-trends', class extends Part {
  #charts = []; #sort = 1; #down = true; #goals = []; #turn = 0;
  begin() {
    this.ranges = h('div', { class: 'actions', role: 'group', 'aria-label': 'Range' },
      RANGES.map((r) => link(`${r} days`, '', { class: 'button' })));
    this.only = h('span');
    this.body = h('div', { class: 'trends' }, loading());
    this.grid = h('div', { class: 'columns even' });
    this.tbody = h('tbody');
    const sort = (i) => () => {
      this.#down = this.#sort === i ? !this.#down : true;
      this.#sort = i;
      this.rows();
    };
    this.heads = COLUMNS.map(([name, by], i) => h('th', { scope: 'col', class: i > 1 ? 'num' : null },
      by ? h('button', { type: 'button', class: 'sort', onclick: sort(i) }, name) : name));
    this.table = h('section', { class: 'card' }, h('h2', null, 'Goals'),
      h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Goals' },
      h('table', { class: 'goals' }, h('thead', null, h('tr', null, this.heads)), this.tbody)));
    this.append(head('Trends', { over: this.only, actions: this.ranges }), this.body);
    this.queryChanged(this.query);
    this.whenGone(follow(['run.finished'], () => this.load(), 5000));
  }
  queryChanged(query) {
    const again = this.query !== query;
    this.query = query;
    this.days = RANGES.find((r) => r === +query.get('days')) ?? 30;
    const to = (more) => `#/trends?${new URLSearchParams({ ...Object.fromEntries(query), ...more })}`;
    // Kept, as one of them may have the focus.
    for (const a of this.ranges.children) {
      a.href = to({ days: a.textContent.split(' ')[0] });
      if (a.textContent === `${this.days} days`) a.setAttribute('aria-current', 'true');
      else a.removeAttribute('aria-current');
    }
    const only = ['goal', 'agent'].filter((k) => query.get(k)), runs = new URLSearchParams(query);
    runs.delete('days');
    fill(this.only, only.map((k) => [`${k} `, said(query.get(k)), ' · ']), only.length > 0 && [
      link('its runs', `#/runs?${runs}`), ' · ', link('all', `#/trends?days=${this.days}`)]);
    if (again) this.load();
  }
  async load() {
    const mine = ++this.#turn;
    try {
      const s = await stats(this.days, { goal: this.query.get('goal'), agent: this.query.get('agent') },
        { signal: this.signal });
      if (mine === this.#turn) this.paint(s);
    } catch (e) {
      if (e.name !== 'AbortError' && mine === this.#turn && !this.#charts.length) fill(this.body,
        failed(e, () => this.load()));
    }
  }
  paint(s) {
    if (!s.total.runs) {
      this.#charts = [];
      fill(this.body, empty(`No runs in the last ${this.days} days`,
        'Pass rate, cost and duration appear here after the first run.',
        link('Start a run', '#/', { class: 'button primary' })));
      return;
    }
    const specs = charts(s);
    if (this.#charts.length === specs.length) specs.forEach(([, spec], i) => this.#charts[i].update(spec));
    else {
      this.#charts = specs.map(([make, spec]) => make(spec));
      fill(this.grid, this.#charts);
      fill(this.body, this.grid, this.table);
    }
    this.#goals = s.goals;
    this.rows();
  }
  rows() {
    const by = COLUMNS[this.#sort][1];
    this.heads.forEach((th, i) => th.setAttribute('aria-sort', i !== this.#sort ? 'none' : this.#down
      ? 'descending' : 'ascending'));
    refill(this.tbody, [...this.#goals].sort((a, b) => (by(b) - by(a)) * (this.#down ? 1 : -1)).map((g) =>
      row(g, this.days)));
  }
});
