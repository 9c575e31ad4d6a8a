// run-film.js: the steps of a run as a film: a bar of its time, and a strip of which only what is seen exists.

import { h, svg, fill, keyed, said } from './dom.js';
import { show } from './api.js';
import { button } from './ui.js';
import { duration } from './format.js';
import { ended, kind, kindWord, pictureAt } from './run-model.js';
import { about } from './run-view.js';

const CELL = 84,
  SIGNS = { good: '✓', calm: '·', bad: '✕', warn: '?', live: '…' },
  SPEEDS = [0.5, 1, 2, 4, 8];

export class Film {
  #run = null;
  #at = 0;
  #timer = 0;
  #drawn = '';
  /** pick(n, {by}) when somebody goes to a step; tail() when he wants to follow the run again. */
  constructor(pick, tail) {
    this.pick = (n) => {
      const to = Math.min(Math.max(0, n), this.#run.steps.length - 1);
      if (to !== this.#at) pick(to);
    };
    this.speed = h(
      'select',
      { 'aria-label': 'Speed' },
      SPEEDS.map((s) => h('option', { value: s, selected: s === 1 }, `${s}×`)),
    );
    const step = (text, label, to) =>
      button(
        text,
        () => {
          this.stop();
          this.pick(to());
        },
        { kind: 'small', 'aria-label': label, title: label },
      );
    this.play = button('▶ Play', () => this.toggle(), { kind: 'small' });
    this.live = button(
      '● Live',
      () => {
        this.stop();
        tail();
      },
      { kind: 'small', title: 'Follow the run as it goes on' },
    );
    this.where = h('span', { class: 'run-at num' });
    this.time = svg('svg', { class: 'run-time', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
    this.reel = h('div', { class: 'run-reel', role: 'presentation' });
    this.strip = h(
      'div',
      {
        class: 'run-strip',
        role: 'listbox',
        tabindex: 0,
        'aria-label': 'Steps',
        'aria-orientation': 'horizontal',
      },
      this.reel,
    );
    this.node = h(
      'section',
      { class: 'card run-film', 'aria-label': 'Film' },
      h(
        'div',
        { class: 'run-controls' },
        step('|◀', 'First step', () => 0),
        step('◀', 'Previous step', () => this.#at - 1),
        this.play,
        step('▶', 'Next step', () => this.#at + 1),
        step('▶|', 'Last step', () => Infinity),
        this.speed,
        this.live,
        this.where,
      ),
      this.time,
      this.strip,
    );
    this.strip.addEventListener('scroll', () => this.#window(), { passive: true });
    this.strip.addEventListener('keydown', (e) => this.key(e, true));
    const scrub = (e) => {
      if (e.buttons & 1) {
        this.stop();
        this.pick(this.#stepAt(e));
      }
    };
    this.time.addEventListener('pointerdown', (e) => {
      this.time.setPointerCapture(e.pointerId);
      scrub(e);
    });
    this.time.addEventListener('pointermove', scrub);
    new ResizeObserver(() => {
      if (this.#run) {
        this.#reveal();
        this.#window();
      }
    }).observe(this.strip);
  }

  /** What a key does; inside: the focus is in the film, so also keys that do other things elsewhere. */
  key(e, inside) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || !this.#run) return;
    const by = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ...(inside && { PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }),
    }[e.key];
    if (by) {
      this.stop();
      this.pick(this.#at + by);
    } else if (inside && (e.key === ' ' || e.key === 'Enter')) this.toggle();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  toggle() {
    if (this.#timer) {
      this.stop();
      return;
    }
    if (this.#at >= this.#run.steps.length - 1) this.pick(0);
    this.#next();
  }
  #next() {
    const { steps } = this.#run,
      here = steps[this.#at],
      next = steps[this.#at + 1];
    this.#timer = next
      ? setTimeout(
          () => {
            this.pick(this.#at + 1);
            this.#next();
          },
          Math.min(2000, Math.max(300, (next.at ?? 0) - (here.at ?? 0))) / this.speed.value,
        )
      : 0;
    this.play.textContent = this.#timer ? '‖ Pause' : '▶ Play';
  }
  stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.play.textContent = '▶ Play';
  }

  set(run, at, follows) {
    const moved = at !== this.#at || run !== this.#run;
    this.#run = run;
    this.#at = at;
    this.live.hidden = ended(run);
    this.live.setAttribute('aria-pressed', String(follows));
    const last = Math.max(0, run.steps.length - 1),
      s = run.steps[at];
    this.where.textContent = `step ${at} of ${last} · ${duration(s?.at ?? 0)} of ${duration(run.clock)}`;
    this.strip.classList.toggle('is-plain', !run.steps.some((x) => x.picture));
    this.reel.style.width = `${run.steps.length * CELL}px`;
    this.#draw();
    if (moved) this.#reveal();
    this.#window();
  }

  #draw() {
    const run = this.#run,
      all = Math.max(1, run.clock),
      now = run.steps[this.#at]?.at ?? 0,
      key = `${run.id} ${run.seq}`;
    if (key !== this.#drawn) {
      this.#drawn = key;
      const lines = { model: '', good: '', calm: '', bad: '', warn: '', live: '', mark: '' };
      for (const s of run.steps) {
        if (s.at === null) continue;
        if (s.ask) lines.model += `M${Math.max(0, s.at - s.ask.ms)} 13H${s.at}`;
        lines[kind(run, s)] += `M${s.at} 13H${Math.max(s.to ?? all, s.at + all / 500)}`;
      }
      for (const m of run.marks) lines.mark += `M${m.at} 0V26`;
      this.time.setAttribute('viewBox', `0 0 ${all * 1.004} 26`);
      fill(
        this.time,
        Object.entries(lines).map(([k, d]) => d && svg('path', { class: `is-${k}`, d })),
        (this.head = svg('line', { y1: 0, y2: 26 })),
      );
    }
    this.head.setAttribute('x1', now);
    this.head.setAttribute('x2', now);
  }
  #stepAt(e) {
    const r = this.time.getBoundingClientRect(),
      t = ((e.clientX - r.x) / r.width) * Math.max(1, this.#run.clock) * 1.004;
    const { steps } = this.#run;
    let n = 0;
    while (n + 1 < steps.length && (steps[n + 1].at ?? 0) <= t) n++;
    return n;
  }

  #reveal() {
    const left = this.#at * CELL,
      s = this.strip;
    if (left < s.scrollLeft + CELL || left > s.scrollLeft + s.clientWidth - 2 * CELL)
      s.scrollLeft = left - s.clientWidth / 2;
  }
  #window() {
    const run = this.#run,
      s = this.strip;
    if (!run) return;
    const from = Math.max(0, Math.floor(s.scrollLeft / CELL) - 2),
      to = Math.ceil((s.scrollLeft + s.clientWidth) / CELL) + 2;
    keyed(
      this.reel,
      run.steps.slice(from, to),
      (x) => x.n,
      (x) => this.#cell(x.n),
      (cell, x) => this.#fill(cell, x),
    );
    if (this.reel.querySelector(`#run-cell-${this.#at}`))
      s.setAttribute('aria-activedescendant', `run-cell-${this.#at}`);
    else s.removeAttribute('aria-activedescendant');
  }
  #cell(n) {
    const cell = h(
      'div',
      {
        class: 'run-cell',
        role: 'option',
        id: `run-cell-${n}`,
        style: { left: `${n * CELL}px` },
        onclick: () => {
          this.stop();
          this.pick(n);
        },
      },
      h('div', { class: 'thumb' }, h('img', { alt: '', draggable: 'false' }), h('span'), h('p')),
      h('div', { class: 'tool', 'aria-hidden': 'true' }),
    );
    return cell;
  }
  #fill(cell, s) {
    const run = this.#run,
      k = kind(run, s),
      p = pictureAt(run, s.n),
      [thumb, tool] = cell.children,
      [img, sign, words] = thumb.children;
    cell.setAttribute('aria-selected', s.n === this.#at);
    cell.setAttribute('aria-setsize', run.steps.length);
    cell.setAttribute('aria-posinset', s.n + 1);
    img.hidden = !p;
    words.hidden = !!p;
    show(img, p?.sha);
    cell.classList.toggle('is-old', p?.from !== s.n);
    const key = `${k} ${s.rev}`;
    if (cell.dataset.is === key) return;
    cell.dataset.is = key;
    const text = about(s).slice(0, 120);
    cell.setAttribute('aria-label', `${s.n} ${s.tool || 'start'}: ${text}, ${kindWord(run, s)}`);
    cell.title = text;
    sign.className = `sign is-${k}`;
    sign.dataset.sign = SIGNS[k];
    words.dataset.words = text.slice(0, 60);
    fill(tool, `${s.n} `, said(s.n ? s.tool : 'start'));
  }
}
