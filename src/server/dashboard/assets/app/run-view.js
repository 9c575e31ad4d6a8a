// run-view.js: the parts in which a run is shown: the phone, what changed, the screen's lines, words of steps.

import { h, svg, fill, said } from './dom.js';
import { show } from './api.js';
import { count, money, plural, tokens } from './format.js';
import { nameOf } from './run-model.js';

/** The address of a run, and of a step of it. */
export const place = (id, step) => `#/run/${id}${step === undefined ? '' : `?step=${step}`}`;

const LINES = 400,
  LONG = 2000;

/** A text that may be endless: its beginning, and how much is left out. */
export function long(text, max = LONG) {
  const t = text ?? '';
  return t.length <= max
    ? said(t)
    : [said(t.slice(0, max)), h('span', { class: 'dim' }, ` … (${count(t.length - max)} more characters)`)];
}

/** What a step was for, without its tool: 'field First name · Ada'. */
export function about(s) {
  if (s.n === 0) return 'The first screen';
  if (s.tool === 'finish') return String(s.input?.verdict ?? '');
  const rest = Object.entries(s.input ?? {})
    .filter(([k]) => k !== 'ref')
    .map(([, v]) => (typeof v === 'string' ? v : JSON.stringify(v)));
  return [nameOf(s.element.slice(0, LONG)), ...rest].filter(Boolean).join(' · ');
}

/** "com.apple.Preferences 393x852 #b738: Settings" */
export function headOf(screen) {
  const m = /^(?:new screen\n)?(\S+) (\d+)x(\d+)(?: #\w+)?(?:: ([^\n]*))?/.exec(screen ?? '');
  return m && { app: m[1], size: [+m[2], +m[3]], title: m[4] ?? '' };
}

/** A phone: picture, box of what was acted on, and the frame of a line. */
export class Phone {
  img = h('img', { alt: '', draggable: 'false' });
  over = svg('svg', { 'aria-hidden': 'true' });
  none = h('p', { class: 'run-none' });
  cap = h('figcaption');
  node = h(
    'figure',
    { class: 'run-phone' },
    h('div', { class: 'run-glass' }, this.img, this.none, this.over),
    this.cap,
  );

  /** {picture: {sha, size, from}|null, size, box, lit, alt, caption, none} */
  set({ picture, size, box, lit, alt, caption, none }) {
    const [w, h_] = picture?.size ?? size ?? [393, 852];
    this.img.alt = picture ? alt : '';
    this.img.hidden = !picture;
    this.none.textContent = picture ? '' : none;
    show(this.img, picture?.sha);
    this.node.style.setProperty('--shape', `${w} / ${h_}`);
    this.over.setAttribute('viewBox', `0 0 ${w} ${h_}`);
    const rect = (b, cls) =>
      b &&
      svg('rect', {
        class: cls,
        x: b.x - 2,
        y: b.y - 2,
        width: Math.max(4, b.w + 4),
        height: Math.max(4, b.h + 4),
        rx: 7,
      });
    fill(
      this.over,
      rect(box, 'run-box'),
      box && svg('circle', { class: 'run-dot', cx: box.x + box.w / 2, cy: box.y + box.h / 2, r: 11 }),
      rect(lit, 'run-lit'),
    );
    fill(this.cap, caption);
  }
}

const screenName = (top) => [
  h('span', { class: 'dim' }, said(top.app)),
  ' ',
  h('strong', null, long(top.title, 200)),
];
const SIGNS = { '+': ['add', 'new'], '-': ['del', 'gone'], '~': ['alt', 'changed'] };

/** What changed, line by line. */
export function diff(changes) {
  const all = (changes ?? '').split('\n').filter(Boolean);
  if (!all.length) return h('p', { class: 'dim' }, 'The screen did not change.');
  const fresh = all[0] === 'new screen';
  const top = fresh && headOf(changes),
    lines = all.slice(top ? 2 : fresh ? 1 : 0, LINES);
  return [
    fresh && h('p', { class: 'run-new' }, 'A new screen: ', top && screenName(top)),
    h(
      'ul',
      { class: 'run-diff mono' },
      lines.map((l) => {
        const [cls, word] = fresh ? SIGNS['+'] : (SIGNS[l[0]] ?? ['ctx', '']);
        return h(
          'li',
          { class: `is-${cls}` },
          h(
            'span',
            { class: 'sign' },
            fresh ? '+' : word ? l[0] : '',
            word && h('span', { class: 'sr' }, ` ${word} `),
          ),
          h('span', null, long(fresh || !word ? l : l.slice(2))),
        );
      }),
    ),
    all.length > LINES && h('p', { class: 'dim' }, `… and ${plural(all.length - LINES, 'line')}`),
  ];
}

/** The screen as the model saw it: an outline with refs. frames: ref → box; light(box|null) shows one on the phone. */
export function outline(screen, { frames, touched, light }) {
  const all = (screen ?? '').split('\n').filter(Boolean),
    top = headOf(screen);
  const lines = all.slice(top ? 1 : 0, LINES);
  return [
    top && h('p', { class: 'run-new' }, screenName(top)),
    h(
      'ol',
      { class: 'run-tree mono' },
      lines.map((l) => {
        const [, ref, role, rest] = /^(?:(\d+) )?(\S*) ?(.*)$/s.exec(l.slice(0, 100000));
        const box = ref && frames.get(ref);
        const on = box && {
          tabindex: 0,
          onpointerenter: () => light(box),
          onpointerleave: () => light(null),
          onfocus: () => light(box),
          onblur: () => light(null),
        };
        return h(
          'li',
          {
            class: [touched.has(ref) && 'is-touched', box && 'has-frame'].filter(Boolean).join(' ') || null,
            ...on,
          },
          h('span', { class: 'ref' }, ref ? `@${ref}` : ''),
          h('span', null, h('span', { class: 'role' }, said(role.slice(0, 200))), ' ', long(rest)),
        );
      }),
    ),
    all.length > LINES + 1 && h('p', { class: 'dim' }, `… and ${plural(all.length - LINES - 1, 'line')}`),
  ];
}

/** Where elements of the screen after step n are known to be: those that the next step acts on. */
export function framesAfter(run, n) {
  const frames = new Map(),
    next = run.steps[n + 1],
    ref = next && /^(\d+) /.exec(next.element)?.[1];
  if (ref && next.box) frames.set(ref, next.box);
  return frames;
}

/** What a run has used, so far or in the end. */
export const costOf = (run) =>
  run.demo
    ? 'nothing billed'
    : money(run.end ? run.end.cost_usd : run.spent?.cost_known === false ? null : run.spent?.usd);
export const spentTokens = (run) => (run.end?.tokens ? tokens(run.end.tokens) : run.spent?.tokens);
export const ranMs = (run) => (run.end?.seconds !== undefined ? run.end.seconds * 1000 : run.spent?.ran_ms);
