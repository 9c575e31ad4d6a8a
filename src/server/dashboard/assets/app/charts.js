// charts.js: charts as SVG, by hand. Behind each stands a table with the same numbers, which a screen reader
// finds at once and a button shows; its points can be walked with the arrow keys, and each says what it is.
//
//   line({title, labels, series: [{name, kind, values, low?, high?, text?}], format, tick?, max?, value?,
//         note?})
//   bars({title, labels, series: [{name, kind, values}], format, …})          stacked
//   ranks({title, rows: [{name, value, kind?, text?, href?}], format, …})     one bar a row, lying
//   timeline({title, lanes: [name], spans: [{lane, from, to|null, kind, text, href?}], from, to, now?, …})
//                                                       series: [{name, kind}] is its legend
//
// Each returns a figure with update(spec), which keeps the focus and whether the table is shown. `labels`
// are the texts below the points, `full` (or else `labels`) their whole names; null is a gap. kind: good,
// bad, warn, calm, live; each series also has a dash and a mark, or a pattern, of its own. value and note
// stand at the top.

import { h, svg, fill, said } from './dom.js';
import { NONE, duration, percent } from './format.js';

const TOP = 10, RIGHT = 14, FOOT = 24, LETTER = 7;
const DASH = ['', '6 4', '2 3', '8 3 2 3'];
const MARK = ['M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z', 'M-3.6-3.6h7.2v7.2h-7.2z', 'M0-5 5 0 0 5-5 0z',
  'M0-5 5 4H-5z'];
// What is hatched how: good is plain.
const HATCH = { bad: 'M0 6 6 0M-1 1 1-1M5 7 7 5', warn: 'M0 0 6 6M-1 5 1 7M5-1 7 1', calm: 'M1 1h2v2h-2z',
  live: 'M0 3h6' };
const MINUTE = 60000;
const TIMES = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080].map((m) => m * MINUTE);
let charts = 0;

/** Round numbers from 0 up to at least `most`, about `n` of them. */
export function ticks(most, n = 3) {
  if (!(most > 0)) return [0, 1];
  const raw = most / n, ten = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((s) => s * ten >= raw * 0.999) * ten;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => +(i * step).toPrecision(12));
}

/** `hits` of `n` as a rate with its 95 % score interval, as base/wilson.h has it; null without any. */
export function share(hits, n) {
  if (!(n > 0)) return { rate: null, low: null, high: null, text: NONE, between: 'nothing yet' };
  const z = 1.959963984540054, p = hits / n, d = 1 + z * z / n, c = (p + z * z / (2 * n)) / d;
  const half = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d;
  const low = hits <= 0 ? 0 : Math.max(0, c - half), high = hits >= n ? 1 : Math.min(1, c + half);
  return { rate: p, low, high, text: percent(p), between: `${percent(low)} to ${percent(high)}` };
}

const text = (x, y, anchor, s) => svg('text', { x, y, 'text-anchor': anchor }, s);
const path = (d, cls, more) => svg('path', { d, class: cls, ...more });
const patterns = (id) => svg('defs', null, Object.entries(HATCH).map(([kind, d]) =>
  svg('pattern', { id: `${id}-${kind}`, width: 6, height: 6, patternUnits: 'userSpaceOnUse',
    class: `k-${kind}` },
    svg('rect', { width: 6, height: 6, class: 'wash' }), path(d, 'hatch'))));
// One alone needs no pattern.
const filled = (id, kind, alone) => (HATCH[kind] && !alone ? `url(#${id}-${kind})` : 'var(--k)');
const all = (s) => [...s.values, ...(s.high ?? [])].filter((v) => v !== null && v !== undefined);

/** The lines behind points that stand in columns, and where things are. */
function grid(spec, w, height, top) {
  const marks = ticks(top), most = marks.at(-1), n = spec.labels.length;
  const names = marks.map((m) => (m ? (spec.tick ?? spec.format)(m) : '0'));
  const left = Math.max(...names.map((m) => m.length)) * LETTER + 12;
  const step = (w - left - RIGHT) / Math.max(1, n);
  const x = (i) => left + step * (i + 0.5), y = (v) => height - FOOT - v / most * (height - FOOT - TOP);
  const wide = Math.max(...spec.labels.map((l) => l.length)) * LETTER + 14,
    every = Math.max(1, Math.ceil(wide / step));
  const under = spec.labels.map((l, i) => ((n - 1 - i) % every === 0 && x(i) > left + wide / 3
    ? text(Math.min(x(i), w - wide / 2 + 6), height - 6, 'middle', l) : null));
  return { x, y, step, left, lines: svg('g', { class: 'axes', 'aria-hidden': 'true' },
    marks.map((m, i) => [path(`M${left} ${y(m)}H${w - RIGHT}`, m ? '' : 'base'),
      text(left - 8, y(m) + 4, 'end', names[i])]), under) };
}

/** One spot for each column: what all series have there. */
function columns(spec, g, height) {
  return spec.labels.map((_, i) => {
    const name = (spec.full ?? spec.labels)[i];
    const says = spec.series.map((s) => [s, s.text?.[i] ?? spec.format(s.values[i])]);
    return { x: g.x(i), y: TOP, title: name, says,
      label: `${name}: ${says.map(([s, t]) => `${s.name} ${t}`).join(', ')}`,
      node: [svg('rect', { x: g.x(i) - g.step / 2, y: TOP, width: g.step, height: height - TOP - FOOT,
        class: 'catch' }),
        path(`M${g.x(i)} ${TOP}V${height - FOOT}`, 'guide')] };
  });
}

const KINDS = {
  line(spec, w, height) {
    const g = grid(spec, w, height, spec.max ?? Math.max(...spec.series.flatMap(all)));
    const n = spec.labels.length, p = (i, v) => `${g.x(i).toFixed(1)} ${g.y(v).toFixed(1)}`;
    const has = (s, i) => s.values[i] !== null && s.values[i] !== undefined;
    const drawn = spec.series.map((s, k) => {
      const runs = [];
      for (let i = 0; i < n; i++) {
        if (has(s, i) && i && has(s, i - 1)) runs.at(-1).push(i);
        else if (has(s, i)) runs.push([i]);
      }
      const edge = (r, of) => r.map((i) => p(i, of[i])).join('L');
      const band = s.low && runs.filter((r) => r.length > 1)
        .map((r) => `M${edge(r, s.high)}L${edge([...r].reverse(), s.low)}Z`).join('');
      const alone = s.low && runs.filter((r) => r.length === 1).map(([i]) =>
        `M${p(i, s.low[i])}L${p(i, s.high[i])}`).join('');
      const marked = s.values.map((_, i) => i).filter((i) => has(s, i) &&
        (n <= 31 || !(has(s, i - 1) || has(s, i + 1))));
      return svg('g', { class: `k-${s.kind}`, 'aria-hidden': 'true' }, band && path(band, 'band'),
        alone && path(alone, 'whisker'),
        path(runs.map((r) => `M${edge(r, s.values)}`).join(''), 'stroke',
          { 'stroke-dasharray': DASH[k % 4] }),
        marked.map((i) => path(MARK[k % 4], 'mark', { transform: `translate(${p(i, s.values[i])})` })));
    });
    return { drawn: [g.lines, drawn], spots: columns(spec, g, height) };
  },

  bars(spec, w, height, id) {
    const sums = spec.labels.map((_, i) => spec.series.reduce((a, s) => a + (s.values[i] ?? 0), 0));
    const g = grid(spec, w, height, Math.max(...sums)), wide = Math.min(26, Math.max(1.5, g.step * 0.72));
    const base = spec.labels.map(() => 0);
    const drawn = spec.series.map((s) => svg('g', { class: `k-${s.kind}`, 'aria-hidden': 'true' },
      s.values.map((v, i) => {
      if (!v) return null;
      const y = g.y(base[i] += v);
      return svg('rect', { x: g.x(i) - wide / 2, y, width: wide, height: g.y(base[i] - v) - y,
        fill: filled(id, s.kind, spec.series.length === 1), class: 'bar' });
    })));
    return { drawn: [patterns(id), g.lines, drawn], spots: columns(spec, g, height) };
  },

  ranks(spec, w, _, id) {
    const most = Math.max(...spec.rows.map((r) => r.value ?? 0)) || 1, ROW = 38;
    const spots = spec.rows.map((r, i) => {
      const t = r.text ?? spec.format(r.value), room = Math.floor((w - t.length * LETTER - 16) / LETTER);
      const name = r.name.length > room ? `${r.name.slice(0, Math.max(1, room - 1))}…` : r.name;
      return { x: w / 2, y: i * ROW, title: r.name, says: [[{ name: '', kind: r.kind ?? 'live' }, t]],
        label: `${r.name}: ${t}`, href: r.href,
        node: [svg('rect', { x: 0, y: i * ROW, width: w, height: ROW, class: 'catch' }),
          svg('text', { x: 0, y: i * ROW + 15, class: 'name', direction: 'auto' }, name),
            text(w, i * ROW + 15, 'end', t),
          svg('rect', { x: 0, y: i * ROW + 22, width: Math.max(1, (r.value ?? 0) / most * w), height: 8,
            rx: 2,
            class: `bar k-${r.kind ?? 'live'}`, fill: filled(id, r.kind, !r.kind) })] };
    });
    return { height: spec.rows.length * ROW, drawn: [patterns(id)], spots };
  },

  timeline(spec, w, _, id) {
    const ROW = 44, height = TOP + spec.lanes.length * ROW + FOOT, span = Math.max(1, spec.to - spec.from);
    const x = (ms) => Math.min(w - RIGHT, Math.max(0, (ms - spec.from) / span * (w - RIGHT)));
    const week = TIMES.at(-1);
    const step = TIMES.find((t) => span / t * 84 <= w) ?? week * Math.ceil(span / week * 84 / w);
    const zone = new Date(spec.from).getTimezoneOffset() * MINUTE;
    const name = new Intl.DateTimeFormat(undefined, step < 1440 * MINUTE
      ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' });
    const axis = [];
    for (let t = Math.ceil((spec.from - zone) / step) * step + zone; t <= spec.to; t += step) {
      axis.push(path(`M${x(t)} ${TOP}V${height - FOOT}`),
        x(t) > 16 && x(t) < w - (spec.now ? 64 : 36) && text(x(t), height - 6, 'middle', name.format(t)));
    }
    if (spec.now) axis.push(path(`M${x(spec.now)} ${TOP - 6}V${height - FOOT + 4}`, 'now'),
      text(x(spec.now), height - 6, 'end', 'now'));
    const y = (lane) => TOP + spec.lanes.indexOf(lane) * ROW;
    const lanes = spec.lanes.map((l) => [path(`M0 ${y(l) + ROW - 0.5}H${w - RIGHT}`, 'base'),
      svg('text', { x: 0, y: y(l) + 14, class: 'name', direction: 'auto' }, l)]);
    const spots = spec.spans.map((s) => {
      const from = x(s.from), wide = Math.max(3, x(s.to ?? spec.to) - from);
      const took = duration((s.to ?? Date.now()) - s.from);
      return { x: from + wide / 2, y: y(s.lane) + 16, title: s.lane,
        says: [[{ name: s.text, kind: s.kind }, took]], href: s.href,
        label: `${s.lane}: ${s.text}, ${took}, ${new Date(s.from).toLocaleString()}`,
        node: svg('rect', { x: from, y: y(s.lane) + 19, width: wide, height: 18, rx: 3,
          class: `bar k-${s.kind}`, fill: filled(id, s.kind) }) };
    });
    return { height, drawn: [patterns(id), svg('g', { class: 'axes', 'aria-hidden': 'true' }, axis, lanes)],
      spots };
  },
};

/** The same numbers: [heads, rows]; the first column names the row. */
function numbers(kind, spec) {
  if (kind === 'ranks') return [['', spec.unit ?? spec.title],
    spec.rows.map((r) => [r.name, r.text ?? spec.format(r.value)])];
  if (kind === 'timeline') {
    return [['Lane', 'What', 'From', 'Took'], spec.spans.map((s) =>
      [s.lane, s.text, new Date(s.from).toLocaleString(), s.to ? duration(s.to - s.from) : 'goes on'])];
  }
  return [[spec.axis ?? 'Day', ...spec.series.map((s) => s.name)], spec.labels.map((_, i) =>
    [(spec.full ?? spec.labels)[i], ...spec.series.map((s) => s.text?.[i] ?? spec.format(s.values[i]))])];
}

const swatch = (kind, s, k, id, alone) => svg('svg', { width: 22, height: 12, 'aria-hidden': 'true',
  class: `k-${s.kind}` }, kind === 'line'
  ? [path('M0 6H22', 'stroke', { 'stroke-dasharray': DASH[k % 4] }),
    path(MARK[k % 4], 'mark', { transform: 'translate(11 6)' })]
  : svg('rect', { x: 4, width: 12, height: 12, rx: 2, class: 'bar', fill: filled(id, s.kind, alone) }));

function chart(kind, first) {
  const id = `chart-${++charts}`;
  let spec = first, width = 0, spots = [], at = -1;
  const heading = h('div'), legend = h('div', { class: 'chart-legend', 'aria-hidden': 'true' });
  const tip = h('div', { class: 'chart-tip', 'aria-hidden': 'true', hidden: true });
  const canvas = svg('svg', { role: 'group' }), box = h('div', { class: 'chart-box' }, canvas, tip);
  const table = h('div', { class: 'sr' });
  const toggle = h('button', { type: 'button', class: 'button small', 'aria-pressed': 'false',
    onclick: () => {
    const shown = table.className === 'sr';
    table.className = shown ? 'chart-table' : 'sr';
    toggle.setAttribute('aria-pressed', String(shown));
    if (shown) table.tabIndex = 0; else table.removeAttribute('tabindex');
  } }, 'Table');
  const figure = h('figure', { class: 'card chart' }, h('figcaption', null, heading, toggle), box, legend,
    table);

  function point(i) {
    for (const s of spots) s.group.classList.toggle('on', s === spots[i]);
    tip.hidden = !(i >= 0 && i < spots.length);
    if (tip.hidden) return;
    const s = spots[i];
    fill(tip, h('strong', null, said(s.title)), s.says.map(([series, t], k) => h('div', null,
      (spec.series || kind === 'timeline') && swatch(kind, series, k, id, spec.series?.length === 1),
        said(series.name), h('span', { class: 'num' }, t))));
    const half = tip.offsetWidth / 2;
    tip.style.left = `${Math.min(width - half, Math.max(half, s.x))}px`;
    tip.style.top = `${s.y}px`;
  }
  function nearest(e) {
    const r = canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
    if (!spec.labels) return spots.findIndex((s) => s.group.contains(e.target));
    return y < 0 || !spots.length ? -1
      : spots.reduce((best, s, i) => (Math.abs(s.x - x) < Math.abs(spots[best].x - x) ? i : best), 0);
  }
  canvas.addEventListener('pointermove', (e) => point(nearest(e)));
  canvas.addEventListener('pointerleave',
    () => point(spots.findIndex((s) => s.group === document.activeElement)));
  canvas.addEventListener('focusin', (e) => point(at = spots.findIndex((s) => s.group === e.target)));
  canvas.addEventListener('focusout', () => point(-1));
  canvas.addEventListener('keydown', (e) => {
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0,
      End: spots.length - 1 }[e.key];
    if (e.key === 'Escape') point(-1);
    if (to === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    if (!spots[to]) return;
    spots[at]?.group.setAttribute('tabindex', -1);
    spots[to].group.setAttribute('tabindex', 0);
    spots[to].group.focus();
  });

  function paint() {
    if (!width) return;
    const focused = canvas.contains(document.activeElement);
    const done = KINDS[kind](spec, width, spec.height ?? 190, id), height = done.height ?? spec.height ?? 190;
    spots = done.spots;
    if (!spots[at]) at = spots.length - 1;
    for (const [i, s] of spots.entries()) {
      s.group = svg(s.href ? 'a' : 'g', { class: 'spot', role: s.href ? null : 'img', href: s.href,
        tabindex: i === at ? 0 : -1,
        'aria-label': s.label }, s.node);
    }
    const size = { width, height, viewBox: `0 0 ${width} ${height}` };
    for (const k in size) canvas.setAttribute(k, size[k]);
    fill(canvas, done.drawn, spots.map((s) => s.group));
    if (focused) spots[at]?.group.focus(); else point(-1);
  }

  figure.update = (next) => {
    spec = next;
    fill(heading, h('h2', null, spec.title), spec.value && h('p', { class: 'chart-value num' }, spec.value),
      spec.note && h('p', { class: 'dim' }, spec.note));
    canvas.setAttribute('aria-label', `${spec.title}: chart; the arrow keys walk its points`);
    toggle.setAttribute('aria-label', `${spec.title} as a table`);
    legend.hidden = !(spec.series?.length > 1);
    if (spec.series) fill(legend, spec.series.map((s, k) => h('span', null, swatch(kind, s, k, id),
      said(s.name))));
    const [heads, rows] = numbers(kind, spec);
    fill(table, h('table', null, h('caption', { class: 'sr' }, spec.title),
      h('thead', null, h('tr', null, heads.map((c, i) =>
      h('th', { scope: 'col', class: i ? 'num' : null }, c || h('span', { class: 'sr' }, 'Name'))))),
    h('tbody', null, rows.map(([name, ...cells]) => h('tr', null, h('th', { scope: 'row' }, said(name)),
      cells.map((c) => h('td', { class: 'num' }, said(c))))))));
    paint();
    return figure;
  };
  new ResizeObserver(([e]) => {
    const w = Math.floor(e.contentRect.width);
    if (w && w !== width) { width = w; paint(); }
  }).observe(box);
  return figure.update(spec);
}
export const line = (spec) => chart('line', spec);
export const bars = (spec) => chart('bars', spec);
export const ranks = (spec) => chart('ranks', spec);
export const timeline = (spec) => chart('timeline', spec);

/** A small line without axes, as high as its values need. It says nothing by itself. */
export function spark(values, { low, high, kind = 'good', width = 220, height = 44 } = {}) {
  const at = values.map((v, i) => i).filter((i) => values[i] !== null && values[i] !== undefined);
  const every = at.flatMap((i) => [values[i], low?.[i] ?? values[i], high?.[i] ?? values[i]]);
  const least = Math.min(...every), range = Math.max(...every) - least || 1, step = (width - 6) / Math.max(1,
    values.length - 1);
  const y = (v) => height - 4 - (v - least) / range * (height - 8);
  const p = (i, v) => `${(3 + i * step).toFixed(1)} ${y(v).toFixed(1)}`;
  const drawn = (list, of) => list.map((i) => p(i, of[i])).join('L');
  return svg('svg', { class: `spark k-${kind}`, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true',
    preserveAspectRatio: 'none' },
    at.length > 1 && [low && path(`M${drawn(at, high)}L${drawn([...at].reverse(), low)}Z`, 'band'),
      path(`M${drawn(at, values)}`, 'stroke')]);
}

/** A share with its interval on a scale from 0 to 1, for a cell of a table. */
export const whisker = (rate, { low, high }, kind = 'good') => svg('svg', { class: `k-${kind} interval`,
  width: 84, height: 14, 'aria-hidden': 'true' },
  path('M2 7H82', 'rail'), path(`M${2 + low * 80} 7H${2 + high * 80}`, 'range'),
    svg('circle', { cx: 2 + rate * 80, cy: 7, r: 3.5, class: 'dotted' }));
