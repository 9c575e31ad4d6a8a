// inspector.js: what a screen is made of, and the words by which its elements are named: selectors that
// count as `ios-agent get count` does, commands and expectations to copy.

import { h, fill, refill, said, Part } from './dom.js';
import { session } from './api.js';
import { button, copy, facts } from './ui.js';

const CONTAINERS = new Set(['list', 'scroll', 'web']), FIELDS = new Set(['field', 'search', 'password']);
const EXPECT_BYTES = 200; // of one expectation

const overlap = (a, b) => {
  const x = Math.max(a.x, b.x), y = Math.max(a.y, b.y);
  return { x, y, w: Math.min(a.x + a.w, b.x + b.w) - x, h: Math.min(a.y + a.h, b.y + b.h) - y };
};
const holds = (r, p) => p.x >= r.x && p.y >= r.y && p.x < r.x + r.w && p.y < r.y + r.h;
export const isField = (e) => FIELDS.has(e.role);
export const number = (e) => e.ref.slice(2);

/** The screen of a frame: its elements in reading order, each with what it can (`can`), what stands around
 *  it (`up`), the part of it that is seen (`seen`) and whether a selector finds it (`listed`). */
export class Screen {
  constructor({ snapshot, lines }) {
    this.app = snapshot.app;
    this.title = snapshot.screen;
    this.all = snapshot.elements;
    this.by = new Map(this.all.map((e) => [e.ref, e]));
    for (const e of this.all) Object.assign(e, { can: [], depth: 0, seen: e.frame, line: lines?.[e.ref] });
    for (const { name, target } of snapshot.actions_available) this.by.get(target)?.can.push(name);
    for (const e of this.all) for (const c of e.children) if (this.by.has(c)) this.by.get(c).up = e;
    for (const e of this.all) {
      for (let u = e.up; u; u = u.up) {
        e.depth++;
        if (CONTAINERS.has(u.role)) e.seen = overlap(e.seen, u.frame);
      }
      e.listed = lines ? e.line !== undefined : !CONTAINERS.has(e.role) && e.role !== 'key';
    }
    // The title stands in the header of the text, not in a line.
    const title = lines && this.all.find((e) => !e.listed && e.label && e.label === this.title
      && e.role === 'heading');
    if (title) title.listed = true;
  }

  /** The smallest element at a point, of those that can be tapped or of all. */
  at(point, tappable) {
    let best = null;
    for (const e of this.all) {
      if ((e.hittable || !tappable) && e.seen.w > 0 && e.seen.h > 0 && holds(e.seen, point) &&
        (!best || e.frame.w * e.frame.h <= best.frame.w * best.frame.h)) best = e;
    }
    return best;
  }

  /** The innermost list under a point. */
  list(point) {
    return this.all.findLast((e) => CONTAINERS.has(e.role) && e.can.includes('swipe') && holds(e.seen, point));
  }

  focused() { return this.all.find((e) => e.focused && isField(e)); }
  alert() { return this.all.find((e) => e.role === 'alert' || e.role === 'sheet'); }
  within(e, up) { for (let u = e.up; u; u = u.up) if (u === up) return true; return false; }
  path(e) { const way = []; for (let u = e; u; u = u.up) way.unshift(u.label ? `${u.role} "${u.label}"`
    : u.role); return way.join(' › '); }
  matches(sel) { return this.all.filter((e) => e.listed && matches(sel, e)); }
}

// ---- selectors: driver/snapshot/select.c ----------------------------------------------------------------

const ROLES = new Set(('other button link text heading field password search switch checkbox radio slider '
  + 'stepper picker segment tab menu-item row image icon list scroll alert sheet keyboard key '
  + 'progress web').split(' '));
const HIDDEN =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
const BLANK = /[\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;
const fold = (s) => s.replace(HIDDEN, '').replace(BLANK, ' ').replace(/^ | $/g, '');
export const quoted = (s) => `"${s.replace(/["\\]/g, '\\$&')}"`;

/** #identifier, "label", role "label" or role; words that are none of these are a label, as for a command.
 *  Throws what is wrong. */
export function selector(text) {
  const t = text.replace(/^[ \t]+|[ \t]+$/g, '');
  if (!t) throw new Error('The selector is empty.');
  if (t[0] === '#') {
    if (!/[^ \t]/.test(t.slice(1))) throw new Error('An identifier is missing after #.');
    return { identifier: fold(t.slice(1)) };
  }
  const [, role, rest] = /^([^ \t"]*)[ \t]*([^]*)$/.exec(t);
  if (role && !ROLES.has(role) && !/["#]/.test(t)) return { label: fold(t) };
  if (role && !ROLES.has(role)) throw new Error(`${role} is not a role.`);
  if (!rest) return { role };
  if (rest[0] !== '"' && !/["#]/.test(t)) return { label: fold(t) };
  const label = /^"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"([^]*)$/.exec(rest);
  if (rest[0] !== '"' || (label && label[2])) throw new Error('Nothing may follow here.');
  if (!label) throw new Error('The label’s closing quote is missing.');
  const folded = fold(label[1].replace(/\\(["\\])/g, '$1'));
  if (!folded) throw new Error('The label is empty.');
  return { role: role || undefined, label: folded };
}

export const matches = (sel, e) => (!sel.role || sel.role === e.role) && (!sel.identifier
  || sel.identifier === e.identifier) &&
  (!sel.label || sel.label === e.label || (!e.label && sel.label === e.placeholder));

/** What names an element, the best first: [{text, count}]. */
export function selectors(screen, e) {
  const label = e.label ?? e.placeholder, texts = [];
  if (e.identifier) texts.push(`#${e.identifier}`);
  if (label) texts.push(`${e.role} ${quoted(label)}`, quoted(label));
  if (!texts.length) texts.push(e.role);
  return texts.map((text) => ({ text, count: screen.matches(selector(text)).length }));
}

/** What an element has as its value: that of a switch is its state. */
export const valueOf = (e) => (e.state && e.state !== 'mixed' ? e.state : e.value ?? (e.selected ? 'selected'
  : e.enabled ? null : 'disabled'));

export function expectations(e, sel) {
  const value = valueOf(e), equals = sel[0] === '#' && sel.includes('=');
  return [value !== null && !equals && e.role !== 'password' && `value ${sel} = ${quoted(value)}`,
    `visible ${sel}`, `gone ${sel}`, `changes ${sel}`]
    .filter((t) => t && new TextEncoder().encode(t).length <= EXPECT_BYTES);
}

const shell = (s) => (/^[\w#.:@/-]+$/.test(s) && s[0] !== '#' ? s : `'${s.replaceAll("'", "'\\''")}'`);
export function commands(e, sel) {
  const s = shell(sel);
  return [e.can.includes('tap') && `ios-agent tap ${s}`, e.can.includes('type') && `ios-agent type ${s} TEXT`,
    e.can.includes('long_press') && `ios-agent long-press ${s}`, `ios-agent get text ${s}`].filter(Boolean);
}

// ---- the panel ------------------------------------------------------------------------------------------

const line = (text, ...more) =>
  h('div', { class: 'screen-copy' }, said(text, { class: 'mono' }), copy(text), more);

/** Properties: act(verb, args, element), expect(text, element), mark(elements). show(screen, element) paints
 *  it. */
customElements.define('ia-inspector', class extends Part {
  begin() {
    this.found = h('span', { role: 'status' });
    this.search = h('input', { type: 'search', placeholder: 'button "Done", #id, Wi-Fi',
      'aria-label': 'Try a selector', spellcheck: 'false',
      autocapitalize: 'off', autocomplete: 'off', oninput: () => this.look() });
    this.body = h('div', { class: 'screen-facts' });
    this.doing = h('div', { class: 'form' });
    this.append(h('div', { class: 'screen-search' }, this.search, this.found), this.body, this.doing);
    this.show(null, null);
  }

  look() {
    let found = [];
    try {
      if (this.search.value.trim() && this.screen) {
        found = this.screen.matches(selector(this.search.value));
        fill(this.found, `${found.length} match${found.length === 1 ? '' : 'es'}`);
      } else fill(this.found);
    } catch (e) { fill(this.found, said(e.message, { class: 'error' })); }
    this.mark(found);
  }

  show(screen, e) {
    this.screen = screen;
    this.look();
    const key = e && JSON.stringify([e, e.up?.ref, e.can, selectors(screen, e)],
      (k, v) => (k === 'up' ? undefined : v));
    if (key === this.key) return;
    this.key = key;
    const other = e?.ref !== this.element?.ref;
    if (other) this.chosen = null;
    this.element = e;
    if (!e) {
      fill(this.body, h('p', { class: 'dim' }, 'Choose an element on the picture or in the list.'));
      fill(this.doing);
      return;
    }
    this.paint(screen, e);
    if (other) this.paintActions(e);
  }

  paint(screen, e) {
    const names = selectors(screen, e), best = names.find((n) => n.count === 1) ?? names[0];
    const sel = (names.find((n) => n.text === this.chosen) ?? best).text;
    const f = e.frame, mono = (t) => said(t, { class: 'mono' });
    const choose = (n) => {
      this.chosen = n.text;
      this.paint(screen, e);
      this.body.querySelector('[aria-pressed=true]').focus();
    };
    const expect = (t) => h('button', { type: 'button', class: 'button small', onclick: () => this.expect(t, e),
      'aria-label': `Expect this: ${t}` }, 'Expect this');
    refill(this.body,
      facts([['Ref', mono(number(e))], ['Role', e.role], ['Label', e.label && said(e.label)],
        ['Value', e.value && said(e.value)], ['Placeholder', e.placeholder && said(e.placeholder)],
        ['Identifier', e.identifier && mono(e.identifier)],
        ['State', [e.state, e.selected && 'selected', e.focused && 'focused'].filter(Boolean).join(', ')],
        ['Frame', mono(`${f.x}, ${f.y} · ${f.w} × ${f.h}`)], ['Enabled', e.enabled ? 'yes' : 'no'],
        ['Hittable', e.hittable ? 'yes' : 'no'],
        ['Actions', e.can.join(', ').replaceAll('_', ' ') || 'none'],
        ['Type', mono(e.type.replace('XCUIElementType', ''))]]),
      facts([['The model reads', e.line ? mono(e.line) : h('span', { class: 'dim' }, 'no line of its own')],
        ['Path', said(screen.path(e))]], { class: 'facts screen-long' }),
      h('h3', { id: 'selectors' }, 'Selectors'),
      h('div', { role: 'group', 'aria-labelledby': 'selectors', class: 'screen-names' },
        names.map((n) => h('div', { class: 'screen-copy' },
          h('button', { type: 'button', class: 'screen-name mono', 'aria-pressed': String(n.text === sel),
            onclick: () => choose(n) }, said(n.text)),
          h('span', { class: `badge is-${n.count === 1 ? 'good' : 'warn'}` },
            n.count === 1 ? 'unique' : n.count ? `${n.count} match` : 'no match'), copy(n.text)))),
      h('h3', null, 'Commands'), commands(e, sel).map((t) => line(t)),
      h('h3', null, 'Expectations'), expectations(e, sel).map((t) => line(t, expect(t))));
  }

  paintActions(e) {
    const can = new Set(e.can), small = { kind: 'small', acts: true };
    const acts = (text, verb, args, more) =>
      button(text, () => this.act(verb, { ref: e.ref, ...args }, e), { ...small, ...more });
    if (e.hittable) can.add('tap');
    const text = h('input', { 'aria-label': 'Text to type', autocomplete: 'off',
      type: e.role === 'password' ? 'password' : 'text' });
    const type = (more) => {
      const args = { ref: e.ref, text: text.value, ...more };
      text.value = '';
      return this.act('type', args, e);
    };
    const submit = (x) => { x.preventDefault(); if (session.canAct) type(); };
    fill(this.doing, h('div', { class: 'row' }, can.has('tap') && acts('Tap', 'tap'),
      can.has('long_press') && acts('Long press', 'long-press'),
      can.has('swipe') && Object.entries({ up: '↑', down: '↓', left: '←', right: '→' })
        .map(([direction, mark]) => acts(mark, 'swipe', { direction }, { 'aria-label': `Swipe ${direction}` }))),
    can.has('type') && h('form', { class: 'row', onsubmit: submit }, text,
      h('button', { type: 'submit', class: 'button small', disabled: !session.canAct }, 'Type'),
      button('Replace', () => type({ replace: true }), small),
      button('Type, return', () => type({ submit: true }), small), acts('Clear', 'clear')));
  }
});
