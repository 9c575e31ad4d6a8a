// ui.js: what all pages are made of: badges, buttons, states, dialogs, notes to the user.

import { h, fill, said } from './dom.js';
import { ago, moment } from './format.js';
import { session } from './api.js';

/** The words and the class of a run's or a goal's state. */
const KINDS = { passed: 'good', failed: 'bad', error: 'bad', blocked: 'warn', flaky: 'warn', stuck: 'warn',
  healed: 'warn', replayed: 'good', quarantined: 'warn', trusted: 'good', orphaned: 'warn', interrupted: 'warn', running: 'live', claimed: 'live', retry_wait: 'warn' };
export const kindOf = (state) => KINDS[state] ?? 'calm';
export const badge = (state) => h('span', { class: `badge is-${kindOf(state)}` }, state.replaceAll('_', ' '));

/** A time that shows its age; the page's clock keeps it true. */
export const time = (iso) => h('time', { datetime: iso, title: moment(iso), class: 'age' }, ago(iso));
setInterval(() => {
  for (const t of document.querySelectorAll('time.age')) {
    const text = ago(t.dateTime);
    if (t.textContent !== text) t.textContent = text;
  }
}, 1000);

/** A button that is off while what it does is under way, and says why when that fails. `acts`: not for
 *  those who may only look. */
export function button(text, onclick, { kind = '', acts = false, ...props } = {}) {
  const b = h('button', { type: 'button', class: `button ${kind}`, ...props,
    disabled: (acts && !session.canAct) || props.disabled,
    title: acts && !session.canAct ? 'This page is view-only.' : props.title,
    onclick: async (e) => {
      if (b.getAttribute('aria-busy')) return;
      b.setAttribute('aria-busy', 'true');
      try { await onclick(e); } catch (x) { complain(x); } finally { b.removeAttribute('aria-busy'); }
    } }, text);
  return b;
}
export const link = (text, href, props) => h('a', { href, ...props }, text);

/** A labelled field. input: an element; help stands below it. */
let fields = 0;
export function field(label, input, help) {
  const id = input.id || `field-${++fields}`;
  input.id = id;
  if (help) input.setAttribute('aria-describedby', `${id}-help`);
  return h('div', { class: 'field' }, h('label', { for: id }, label), input,
    help && h('p', { class: 'help', id: `${id}-help` }, help));
}

/** What stands where there is nothing yet: says what this place is for, and what to do. */
export const empty = (title, text, ...actions) =>
  h('div', { class: 'state' }, h('h2', null, title), h('p', null, text), actions.length > 0 && h('p', null, actions));
export const loading = () => h('div', { class: 'state loading', role: 'status' }, h('span', { class: 'spin' }), 'Loading…');
/** What could not be shown, why, and a way on. */
export const failed = (e, again) => h('div', { class: 'state is-bad', role: 'alert' },
  h('h2', null, e.code === 'NOT_FOUND' ? 'Not found' : 'This could not be loaded'),
  h('p', null, said(e.message)), e.hint && h('p', { class: 'dim' }, said(e.hint)), again && h('p', null, button('Try again', again)));

/** A note that goes by itself; of a failure it stays until it is closed. */
export function toast(text, { bad = false, hint } = {}) {
  const t = h('div', { class: `toast ${bad ? 'is-bad' : ''}`, role: bad ? 'alert' : undefined }, h('div', null, said(text),
    hint && h('p', { class: 'dim' }, said(hint))), h('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: () => t.remove() }, '×'));
  const all = document.getElementById('toasts');
  all.append(t);
  while (all.children.length > 4) all.firstElementChild.remove();
  if (!bad) setTimeout(() => t.remove(), 5000);
  return t;
}
const DONE = { not_sent: 'Nothing was done.', unknown: 'It is not known whether it was done: look before you repeat it.' };
export const complain = (e) => {
  if (e.name !== 'AbortError') toast(e.message, { bad: true, hint: [DONE[e.outcome], e.hint].filter(Boolean).join(' ') });
};

/** A dialog with a form; content may be functions' results. Resolves with what `read` returns on OK, else
 *  with null. `read` may throw: its message is shown and the dialog stays. */
export function ask({ title, body, ok = 'OK', kind = 'primary', read = () => true }) {
  return new Promise((done) => {
    const error = h('p', { class: 'error', role: 'alert' });
    let busy = false;
    const d = h('dialog', { 'aria-label': title, class: 'dialog', onclose: () => { d.remove(); done(d.result ?? null); } },
      h('form', { method: 'dialog', onsubmit: async (e) => {
        e.preventDefault();
        if (busy) return; // Return pressed twice is one act
        busy = true;
        try { d.result = await read(); d.close(); } catch (x) {
          fill(error, said(x.message), x.hint && [h('br'), said(x.hint)]);
        } finally { busy = false; }
      } },
      h('h2', null, title), body, error,
      h('div', { class: 'actions' }, h('button', { type: 'button', class: 'button', onclick: () => d.close() }, 'Cancel'),
        h('button', { type: 'submit', class: `button ${kind}` }, ok))));
    document.body.append(d);
    d.showModal();
  });
}
export const sure = (title, text, ok, kind = 'danger') => ask({ title, body: h('p', null, said(text)), ok, kind });

/** A button that copies a text. */
export const copy = (text, label = 'Copy') => {
  // Which of many it is, for who hears only its name.
  const named = label === 'Copy' && typeof text === 'string' ? `Copy ${text}` : null;
  const b = button(label, async () => {
    await navigator.clipboard.writeText(typeof text === 'function' ? text() : text);
    b.textContent = 'Copied';
    b.removeAttribute('aria-label');
    setTimeout(() => { b.textContent = label; if (named) b.ariaLabel = named; }, 1500);
  }, { kind: 'small', 'aria-label': named });
  return b;
};

/** <dl> of facts: [[name, value], …]; without a value a row is left out. */
export const facts = (rows, props) => h('dl', { class: 'facts', ...props }, rows.filter(([, v]) => v !== null && v !== undefined && v !== '')
  .map(([k, v]) => h('div', null, h('dt', null, k), h('dd', null, v))));

/** The head of a page: its title, what stands above it, and what can be done. */
export const head = (title, { over, actions } = {}) => h('div', { class: 'head' },
  h('div', null, over && h('p', { class: 'eyebrow' }, over), h('h1', null, title)), actions && h('div', { class: 'actions' }, actions));
export const card = (title, ...children) => h('section', { class: 'card' }, title && h('h2', null, title), children);

/** Saves a text or a Blob as a file of the user's. */
export function save(name, content, type = 'text/plain') {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
