// dom.js: elements from code. Text is only ever text: nothing here, or in any other file of the page,
// makes markup out of a string, so whatever a phone or a model says stays what it is.

const SVG = 'http://www.w3.org/2000/svg';
/** What an <img> without a picture has, as each must have some; it is not shown. */
export const BLANK = '/app/blank.svg';

function put(node, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
  else if (key === 'dataset') Object.assign(node.dataset, value);
  else if (key === 'style') for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
  else if (key === 'value' || key === 'checked' || key === 'selected') node[key] = value;
  else node.setAttribute(key, value === true ? '' : value);
}

function build(node, props, children) {
  for (const [k, v] of Object.entries(props ?? {})) put(node, k, v);
  add(node, children);
  return node;
}

/** Appends texts, nodes and (nested) arrays of them; what is null, undefined or false is left out. */
export function add(node, ...children) {
  for (const c of children.flat(Infinity)) if (c !== null && c !== undefined && c !== false) node.append(c);
  return node;
}

/** h('button', {class: 'x', onclick: f}, 'text', child …): an element. */
export const h = (tag, props, ...children) => build(document.createElement(tag),
  tag === 'img' && !props?.src ? { src: BLANK, ...props } : props, children);
/** The same within a picture. */
export const svg = (tag, props, ...children) => build(document.createElementNS(SVG, tag), props, children);

/** Replaces what is in a node. */
export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

/** What a text may not bring along: controls of direction, of which an open or a surplus one ends the isolation
 *  of <bdi>, and piles of accents, which cover what stands above. */
export const tame = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd').replace(/(\p{M}{6})\p{M}+/gu, '$1');
/** A text from elsewhere (a screen, a model, a name), which may be in any direction. */
export const said = (text, props) => h('bdi', props, typeof text === 'string' ? tame(text) : text ?? '');

const HANDLES = 'a, button, input, select, textarea, summary';
/** fill, where somebody may be at work: the focus stays on what is called the same, or else on the node: never on
 *  another button, where a second Return would do what nobody meant. What was unfolded stays so. */
export function refill(node, ...children) {
  const all = () => [...node.querySelectorAll(HANDLES)], at = all().indexOf(document.activeElement);
  const name = (e) => e.getAttribute('aria-label') ?? e.getAttribute('href') ?? (e.textContent || e.tagName);
  const was = at < 0 ? '' : name(document.activeElement);
  const open = [...node.querySelectorAll('details')].map((d) => d.open);
  fill(node, children);
  [...node.querySelectorAll('details')].forEach((d, i) => { if (open[i]) d.open = true; });
  if (at < 0) return;
  const has = all().filter((e, i) => { e.at = i; return name(e) === was; });
  const to = has.find((e) => e.at === at) ?? has[0] ?? node;
  if (to === node) node.tabIndex = -1;
  to.focus({ preventScroll: true });
}

/** Makes the children of a node those of the items, in their order, and keeps those whose key stays.
 *  make(item) → element; update(element, item) is called for kept and new ones. */
export function keyed(node, items, key, make, update) {
  const old = new Map(), kept = new Set(items.map((i) => String(key(i))));
  // What went goes first: what stays is then in its place, and is not moved, which would end its focus.
  for (const c of [...node.children]) {
    if (kept.has(c.dataset.key)) old.set(c.dataset.key, c); else c.remove();
  }
  let at = node.firstElementChild;
  for (const item of items) {
    const k = String(key(item));
    let c = old.get(k);
    old.delete(k);
    if (!c) { c = make(item); c.dataset.key = k; }
    if (c === at) at = at.nextElementSibling;
    else node.insertBefore(c, at);
    update?.(c, item);
  }
  for (const c of old.values()) c.remove();
}

/** A custom element that ends what it began: while(fn) runs fn when it leaves the page. `signal` aborts
 *  then, for fetches and listeners. */
export class Part extends HTMLElement {
  #ends = [];
  #abort = new AbortController();
  get signal() { return this.#abort.signal; }
  whenGone(fn) { if (fn) this.#ends.push(fn); }
  on(target, type, fn, options) { target.addEventListener(type, fn, { signal: this.signal, ...options }); }
  connectedCallback() { this.begin?.(); }
  disconnectedCallback() {
    this.#abort.abort();
    for (const fn of this.#ends.splice(0)) fn();
  }
}
