// screen.js: a phone on the page. Its picture follows it; a person uses it by pointer on the picture, by
// keys, or by the list of its elements. All acts go by ref and by the frame that was seen, so what moved
// meanwhile is refused and never hit in its place; nothing is repeated.

import { h, svg, fill, add, said, keyed, Part } from './dom.js';
import { get, post, show, session } from './api.js';
import { listen, stream } from './events.js';
import { button, card, complain, failed, head, loading, sure, time } from './ui.js';
import { Screen, number, valueOf } from './inspector.js';
import { PHONE, devices } from './format.js';
import './recorder.js';

const WAIT_MS = 25000, SEE_MS = 600, SOON_MS = 60, HOLD_MS = 550, TYPE_MS = 150, WHEEL_MS = 90, MOVE_PT = 8,
  LOG = 60, ROWS = 400, QUEUE = 8;
const BUTTONS = [
  ['Back', 'back', {}], ['Home', 'press', { button: 'home' }], ['Lock', 'press', { button: 'lock' }],
  ['Vol −', 'press', { button: 'volume_down' }], ['Vol +', 'press', { button: 'volume_up' }]];
const ARROWS = { ArrowDown: 'up', PageDown: 'up', ArrowUp: 'down', PageUp: 'down', ArrowLeft: 'right',
  ArrowRight: 'left' };
const RELOADS = new Set(['STALE_REF', 'NOT_VISIBLE', 'COVERED', 'NOT_FOUND', 'BUSY', 'DISABLED', 'AMBIGUOUS',
  'NO_SNAPSHOT']);

customElements.define('ia-screen', class extends Part {
  async begin() {
    this.device = (this.place[0] || 'embedded').replace(/^embedded$/, PHONE);
    this.queue = Promise.resolve();
    this.waiting = 0;
    this.found = new Set();
    this.build();
    this.choose();
    this.log();
    this.on(document, 'visibilitychange', () => (document.hidden ? this.poll?.abort() : this.wake?.()));
    this.on(stream, 'state', () => { if (stream.state === 'live') this.wake?.(); });
    this.whenGone(() => { this.poll?.abort(); this.wake?.(); clearTimeout(this.typing);
      clearTimeout(this.wheeling); clearTimeout(this.holding); });
    this.watch();
  }

  // ---- what it is made of --------------------------------------------------------------------------------

  build() {
    const pick = this.pick = h('select', { 'aria-label': 'Device', class: 'screen-device', onchange: () => {
      location.hash = `#/screen/${encodeURIComponent(pick.value)}`; } });
    const toggle = (text, title, fn) => {
      const b = h('button', { type: 'button', class: 'button small', 'aria-pressed': 'false', title,
        onclick: () => {
        b.setAttribute('aria-pressed', String(b.getAttribute('aria-pressed') !== 'true'));
        fn?.();
      } }, text);
      return Object.defineProperty(b, 'on', { get: () => b.getAttribute('aria-pressed') === 'true' });
    };
    this.inspecting = toggle('Inspect', 'A click chooses an element and does nothing to the phone');
    this.outlines = toggle('Outlines', 'Frames and refs of all elements', () => this.overlay());
    this.img = h('img', { class: 'screen-img', alt: 'The phone’s screen', draggable: 'false',
      onload: () => this.sized() });
    this.over = svg('svg', { class: 'screen-over', 'aria-hidden': 'true' });
    this.glass = h('div', { class: 'screen-glass', tabindex: 0, role: 'application',
      'aria-label': 'The phone: what you type goes to its focused field, arrow keys swipe',
      'aria-describedby': 'screen-help' }, this.img, this.over);
    this.holder = h('div', { class: 'screen-held notice is-warn', role: 'status', hidden: true });
    this.alerts = h('div', { class: 'screen-alert', role: 'status' });
    this.status = h('div', { class: 'screen-status', role: 'status' });
    this.state = h('div', null, loading());
    this.phone = h('div', { class: 'screen-phone', hidden: true }, this.glass, this.buttons());
    this.listing = h('ol', { class: 'screen-list', 'aria-label': 'Elements in reading order' });
    this.text = h('pre', { class: 'screen-text', tabindex: 0, role: 'region',
      'aria-label': 'What the model sees' });
    this.lines = h('ol', { class: 'screen-log', tabindex: 0, 'aria-label': 'Commands, newest first' });
    this.inspector = Object.assign(document.createElement('ia-inspector'), { act: (...a) => this.act(...a),
      expect: (t, e) => { this.recorder.expect(t, e); this.say(`Expected at the end: ${t}`); },
      mark: (all) => { this.found = new Set(all); this.overlay(); } });
    this.recorder = Object.assign(document.createElement('ia-recorder'), { device: this.device,
      act: (...a) => this.act(...a), front: () => this.screen?.app });
    add(this, head('Screen', { actions: [pick, this.inspecting, this.outlines] }), this.holder, this.state,
      this.grid = h('div', { class: 'screen-grid', hidden: true },
        h('section', { class: 'screen-left', 'aria-label': 'Phone' }, this.phone, this.alerts, this.status),
        h('div', { class: 'screen-mid' }, card('Elements', this.listing, this.text),
          this.logCard = card('Commands', this.lines)),
        h('div', { class: 'screen-side' }, card('Inspector', this.inspector),
          card('Recorder', this.recorder))));
    this.pointer();
    this.keys();
    this.twin();
  }

  buttons() {
    const what = h('input', { 'aria-label': 'App or URL', placeholder: 'App or URL', autocomplete: 'off',
      autocapitalize: 'off', spellcheck: 'false' });
    return [h('div', { class: 'row screen-buttons' }, BUTTONS.map(([text, verb, args]) =>
      button(text, () => this.act(verb, args), { kind: 'small', acts: true }))),
      h('form', { class: 'screen-open', onsubmit: (e) => {
        e.preventDefault();
        if (what.value.trim() && session.canAct) this.act('open', { what: what.value.trim() });
        what.value = '';
      } }, what, h('button', { type: 'submit', class: 'button small', disabled: !session.canAct }, 'Open')),
      h('p', { class: 'dim screen-help', id: 'screen-help' },
        'A click taps, a long click presses, a drag or the wheel scrolls. Click the phone and type: ',
        'the text goes to the field with the focus; Return sends it.')];
  }

  async choose() {
    try {
      const known = await get('/devices'), all = devices(known);
      for (const { lane } of known.lanes) if (!all.some(([v]) => v === lane)) all.push([lane, lane]);
      if (!all.some(([v]) => v === this.device)) all.unshift([this.device, this.device]);
      fill(this.pick, all.map(([value, text]) =>
        h('option', { value, selected: value === this.device }, text)));
    } catch (e) { complain(e); }
  }

  // ---- following the phone -------------------------------------------------------------------------------

  async watch() {
    while (!this.signal.aborted) {
      if (document.hidden) { await this.sleep(); continue; }
      this.poll = new AbortController();
      try {
        const frame = await get('/device/frame', { device: this.device, after: this.hash, wait_ms: WAIT_MS },
          { signal: this.poll.signal });
        await this.take(frame);
      } catch (e) {
        if (e.name === 'AbortError') continue;
        this.broken(e);
        await this.sleep();
      }
    }
  }
  sleep() { return this.signal.aborted ? null : new Promise((done) => { this.wake = done; }); }

  broken(e) {
    this.hash = undefined;
    this.phone.classList.add('is-old');
    if (this.frame && (e.code === 'AUTH_REQUIRED' || e.code === 'OFFLINE')) {
      this.say('The daemon does not answer: this is what was seen last.', true);
    } else fill(this.state, failed(e, () => { fill(this.state, loading()); this.wake?.(); }));
  }

  /** A frame from the stream, or after an act. */
  async take(frame) {
    if (!frame || frame.hash === this.hash || this.signal.aborted) return;
    this.hash = frame.hash;
    this.frame = frame;
    this.screen = frame.snapshot ? new Screen(frame) : null;
    fill(this.state);
    this.grid.hidden = false;
    // A run makes pictures only where it was asked to: what was seen before stays, greyed.
    this.phone.classList.toggle('is-old', !frame.picture);
    this.phone.hidden = !frame.picture && !this.img.src;
    this.paintHolder(frame.holder);
    if (this.screen) {
      const now = this.screen.by.get(this.chosen?.ref);
      // What was tapped went with its screen.
      this.chosen = now && (now.listed || this.inspecting.on) ? now : null;
      this.hovered = null;
      this.recorder.app(this.screen.app);
      this.paintList();
    }
    fill(this.text, this.screen ? null : frame.screen);
    this.listing.hidden = !this.screen;
    this.text.hidden = Boolean(this.screen);
    this.paintAlert();
    this.inspector.show(this.screen, this.chosen);
    this.overlay();
    if (frame.picture) await show(this.img, frame.picture);
  }

  paintHolder(holder) {
    this.held = holder ?? null;
    this.classList.toggle('is-held', Boolean(holder));
    this.holder.hidden = !holder;
    const key = holder && JSON.stringify([holder, !this.frame.picture]);
    if (this.holder.key === key) return; // what is to be clicked, and read aloud, stays while the picture moves
    this.holder.key = key;
    if (!holder) return;
    const command = said(holder.command ?? ''), cancel = ['Cancel this run?',
      'It stops after its current step.', 'Cancel the run'];
    fill(this.holder, holder.run ? ['A run is using this phone, so you can only watch: ', command, '. ',
      !this.frame.picture && 'It takes no pictures while it runs: this one is older. ',
      h('a', { href: `#/run/${holder.run}` }, 'Watch it'), ' ',
      session.canAct && button('Cancel it', async () => {
        if (await sure(...cancel)) await post(`/runs/${holder.run}/cancel`);
      }, { kind: 'small' })] : ['Someone is using this phone: ', said(holder.command ?? '')]);
  }

  paintAlert() {
    const alert = this.screen?.alert();
    const choices = alert ? this.screen.all.filter((e) =>
      e.hittable && e.label && e.role === 'button' && this.screen.within(e, alert)) : [];
    const key = alert ? [alert.ref, ...choices.map((e) => e.ref)].join() : '';
    if (key === this.alertKey) return;
    this.alertKey = key;
    fill(this.alerts, alert && [h('strong', null, said(alert.label ?? 'An alert is on the screen')),
      h('div', { class: 'row' },
        alert.role === 'alert' && [['Accept', 'accept'], ['Dismiss', 'dismiss']].map(([text, action]) =>
          button(text, () => this.act('alert', { action }), { kind: 'small', acts: true })),
        choices.map((e) =>
          button(said(e.label), () => this.act('tap', { ref: e.ref }, e), { kind: 'small', acts: true })))]);
  }

  // ---- acting --------------------------------------------------------------------------------------------

  say(text, bad, more) {
    fill(this.status, h('p', { class: bad ? 'error' : null }, said(text)),
      more && h('pre', { class: 'screen-changes' }, said(more)));
  }

  /** One command after the other, by the frame that was seen. Resolves when it is done or was refused,
   *  which is said here. */
  act(verb, args, element, typed, frame = this.frame) {
    const no = !session.canAct ? 'This page is view-only.'
      : this.held ? 'Someone else is using the phone: you can only watch.'
        : this.waiting >= QUEUE ? 'The phone is still busy with your last actions.' : null;
    if (no) { this.say(no); return Promise.resolve(); }
    const by = frame?.generation == null || verb === 'type' ? {} : { seen: frame.hash }, screen = this.screen;
    const all = { ...args, ...((args.ref || args.from) && by) };
    return this.enqueue(() => this.send(verb, all, element, screen, typed));
  }
  enqueue(fn) {
    this.waiting++;
    this.queue = this.queue.then(fn).catch(complain).finally(() => { this.waiting--; });
    return this.queue;
  }

  async send(verb, { dx, dy, ...args }, element, screen, text) {
    const typed = text ?? (args.replace ? args.text : (element?.value ?? '') + args.text);
    const before = this.hash;
    try {
      const result = await post(`/device/${verb}`, { device: this.device, ...args });
      const { did, element: what, changed, changes } = result;
      this.say([did, what].filter(Boolean).join(' ') || verb, false,
        changed === false ? 'nothing changed' : changes?.split('\n').slice(0, 8).join('\n'));
      if (changed !== false) await this.refresh(this.hash === before ? SEE_MS : SOON_MS);
      this.recorder.note(verb, { dx, dy, ...args }, element, screen, { typed, changed, changes,
        now: this.screen?.by.get(element?.ref) });
    } catch (e) {
      complain(e);
      this.say(`Refused: ${e.message}`, true);
      if (RELOADS.has(e.code)) this.hash = undefined;
      await this.refresh();
    }
  }
  /** The screen as it is now, before the next act: the stream may have shown it already. */
  async refresh(wait = SOON_MS) {
    if (this.signal.aborted) return;
    const query = { device: this.device, after: this.hash, wait_ms: this.hash ? wait : 0 };
    const frame = await get('/device/frame', query).catch(() => null);
    await this.take(frame);
  }

  // ---- the pointer ---------------------------------------------------------------------------------------

  sized() {
    if (!this.img.dataset.sha) return;
    const { naturalWidth: w, naturalHeight: hgt } = this.img;
    this.size = { w, h: hgt };
    this.glass.style.setProperty('--ratio', w / hgt);
    this.over.setAttribute('viewBox', `0 0 ${w} ${hgt}`);
  }

  point(e) {
    const r = this.img.getBoundingClientRect();
    return { x: (e.clientX - r.x) * this.size.w / r.width, y: (e.clientY - r.y) * this.size.h / r.height };
  }

  pointer() {
    const g = this.glass;
    let down = null;
    this.on(g, 'pointerdown', (e) => {
      if (e.button || !this.size || !this.screen) return;
      g.focus({ preventScroll: true });
      g.setPointerCapture(e.pointerId);
      const at = this.point(e);
      down = { at, to: at, since: e.timeStamp, screen: this.screen, frame: this.frame };
      clearTimeout(this.holding);
      if (!this.inspecting.on) this.holding = setTimeout(() => {
        const d = down;
        down = null;
        this.trace();
        this.touch('long-press', d);
      }, HOLD_MS);
      e.preventDefault();
    });
    this.on(g, 'pointermove', (e) => {
      if (!this.size || !this.screen) return;
      const at = this.point(e);
      if (!down) { this.hover(this.screen.at(at, !this.inspecting.on)); return; }
      down.to = at;
      if (Math.hypot(at.x - down.at.x, at.y - down.at.y) <= MOVE_PT) return;
      clearTimeout(this.holding);
      down.moved = true;
      this.trace(down);
    });
    this.on(g, 'pointerup', (e) => {
      clearTimeout(this.holding);
      const d = down;
      down = null;
      this.trace();
      if (!d) return;
      if (!d.moved) { this.touch('tap', d); return; }
      if (this.inspecting.on) return;
      const clamp = (v, end) => Math.round(Math.min(end - 1, Math.max(0, v)));
      const p = ({ x, y }) => `${clamp(x, this.size.w)},${clamp(y, this.size.h)}`;
      this.flush();
      this.act('drag', { from: p(d.at), to: p(d.to),
        ms: Math.round(Math.min(2000, Math.max(50, e.timeStamp - d.since))), dx: d.to.x - d.at.x,
        dy: d.to.y - d.at.y }, d.screen.at(d.at), undefined, d.frame);
    });
    this.on(g, 'pointercancel', () => { clearTimeout(this.holding); down = null; this.trace(); });
    this.on(g, 'pointerleave', () => { if (!down) this.hover(null); });
    this.on(g, 'contextmenu', (e) => e.preventDefault());
    this.on(g, 'wheel', (e) => this.wheel(e), { passive: false });
  }

  /** Taps or presses what was under the finger when it came down. */
  touch(verb, { at, screen, frame }) {
    const e = screen.at(at, !this.inspecting.on);
    this.select(e);
    if (this.inspecting.on) return;
    this.flush();
    if (e) { this.act(verb, { ref: e.ref }, e, undefined, frame); return; }
    const under = screen.at(at);
    this.say(under?.role === 'keyboard'
      ? 'Type with your own keyboard: letters go to the field with the focus.'
      : 'There is nothing to tap: nothing was done.');
  }

  wheel(e) {
    if (!this.screen || this.inspecting.on) return;
    e.preventDefault();
    const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY);
    this.turned = (this.turned ?? 0) + (sideways ? e.deltaX : e.deltaY);
    const box = this.screen.list(this.point(e));
    this.wheeling ??= setTimeout(() => {
      const by = this.turned, distance = Math.min(1, Math.max(0.15, Math.abs(by) / this.glass.clientHeight));
      this.turned = 0;
      this.act('swipe', { direction: sideways ? (by > 0 ? 'left' : 'right') : (by > 0 ? 'up' : 'down'),
        distance: Number(distance.toFixed(2)), ref: box?.ref })
        .finally(() => { this.wheeling = undefined; });
    }, WHEEL_MS);
  }

  // ---- keys ----------------------------------------------------------------------------------------------

  keys() {
    this.on(this.glass, 'keydown', (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || !this.screen) return;
      if (e.key.length === 1) this.typed(e.key);
      else if (e.key === 'Backspace') { if (this.text1) this.typed('', 1); else this.typed('', 0, 1); }
      else if (e.key === 'Enter') this.flush(true);
      else if (e.key in ARROWS) {
        this.act('swipe', { direction: ARROWS[e.key], distance: e.key[0] === 'P' ? 0.8 : 0.4 });
      }
      else return;
      e.preventDefault();
    });
    this.on(this.glass, 'paste', (e) => { this.typed(e.clipboardData.getData('text')); e.preventDefault(); });
  }

  text1 = '';
  erase = 0;
  typed(text, back = 0, erase = 0) {
    this.text1 = back ? [...this.text1].slice(0, -1).join('') : this.text1 + text;
    this.erase += erase;
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.flush(), TYPE_MS);
  }

  /** What was typed since, as one command to the field that has the focus by then. */
  flush(submit = false) {
    clearTimeout(this.typing);
    const text = this.text1, erase = this.erase;
    this.text1 = '';
    this.erase = 0;
    if ((!text && !erase && !submit) || !session.canAct || this.held) return;
    this.enqueue(async () => {
      const e = this.screen?.focused(), more = submit ? { submit } : {};
      if (!e) { this.say('No field has the focus: click one first.'); return; }
      const old = e.value ?? '', kept = erase ? [...old].slice(0, -erase).join('') : old;
      if (erase && !old && !text) return;
      if (erase && (e.role === 'password' || !(kept + text))) {
        await this.send('clear', { ref: e.ref }, e, this.screen);
        if (text || submit) await this.send('type', { ref: e.ref, text, ...more }, e, this.screen, text);
      } else await this.send('type', erase ? { ref: e.ref, text: kept + text, replace: true, ...more }
        : { ref: e.ref, text, ...more }, e, this.screen, kept + text);
    });
  }

  // ---- the list ------------------------------------------------------------------------------------------

  twin() {
    const l = this.listing;
    const ofRow = (e) => this.screen?.by.get(e.target.closest?.('button')?.dataset.ref) ?? null;
    this.on(l, 'keydown', (e) => {
      const all = [...l.querySelectorAll('button')], i = all.indexOf(e.target);
      const to = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: all.length - 1 }[e.key];
      if (to === undefined || i < 0) return;
      all[Math.max(0, Math.min(all.length - 1, to))].focus();
      e.preventDefault();
    });
    this.on(l, 'focusin', (e) => { const x = ofRow(e); if (x) this.select(x); });
    this.on(l, 'pointerover', (e) => this.hover(ofRow(e)));
    this.on(l, 'pointerleave', () => this.hover(null));
    this.on(l, 'click', (e) => {
      const x = ofRow(e);
      if (!x || this.inspecting.on) return;
      if (x.hittable) this.act('tap', { ref: x.ref }, x);
      else this.say(x.enabled ? 'That cannot be tapped: nothing was done.'
        : 'That is disabled: nothing was done.');
    });
  }

  paintList() {
    const shown = this.screen.all.filter((e) => e.listed || e.children.length).slice(0, ROWS),
      l = this.listing;
    const had = l.contains(document.activeElement);
    const row = () => h('li', null, h('button', { type: 'button', class: 'screen-row', tabindex: -1 }));
    keyed(l, shown, (e) => e.ref, row, (li, e) => {
      const b = li.firstChild, value = valueOf(e);
      const states = [e.selected && 'selected', !e.enabled && 'disabled', e.focused && 'focused']
        .filter(Boolean);
      const key = [e.role, e.label, e.placeholder, value, states, e.depth].join('\u0000');
      if (b.dataset.key2 === key) return;
      b.dataset.key2 = key;
      b.dataset.ref = e.ref;
      b.dataset.depth = Math.min(e.depth, 5);
      fill(b, h('span', { class: 'num dim' }, number(e)), h('span', { class: 'tag' }, e.role),
        h('span', null, said(e.label ?? e.placeholder ?? ''),
        value !== null && !states.includes(value) && [' ', h('span', { class: 'screen-value' }, '= ',
          said(value))], states.length > 0 && h('span', { class: 'dim' }, ` ${states.join(', ')}`)));
    });
    if (had && !l.contains(document.activeElement)) l.querySelector('button')?.focus();
    this.rove();
  }
  rove() {
    const rows = [...this.listing.querySelectorAll('button')];
    const at = rows.find((b) => b.dataset.ref === this.chosen?.ref) ?? rows[0];
    for (const b of rows) {
      b.tabIndex = b === at ? 0 : -1;
      b.ariaCurrent = b.dataset.ref === this.chosen?.ref ? 'true' : null;
      b.classList.toggle('is-hot', b.dataset.ref === this.hovered?.ref);
    }
    return at;
  }

  select(e) {
    if (this.chosen?.ref === e?.ref) return;
    this.chosen = e ?? null;
    this.inspector.show(this.screen, this.chosen);
    const row = this.rove();
    const l = this.listing;
    if (e && !l.contains(document.activeElement)) l.scrollTop = row.offsetTop - l.clientHeight / 2;
    this.overlay();
  }
  hover(e) {
    if (this.hovered?.ref === e?.ref) return;
    this.hovered = e;
    this.rove();
    this.overlay();
  }

  // ---- what is drawn over the picture --------------------------------------------------------------------

  overlay() {
    if (!this.over) return;
    const box = (e, kind, text) => e.seen.w > 0 && e.seen.h > 0
      && svg('g', { class: `screen-box is-${kind}` },
      svg('rect', { x: e.seen.x, y: e.seen.y, width: e.seen.w, height: e.seen.h, rx: 4 }),
      text && svg('text', { x: e.seen.x + 3, y: e.seen.y + 12 }, text));
    fill(this.over, this.screen && [
      this.outlines.on && this.screen.all.filter((e) => e.listed).map((e) => box(e, 'all', number(e))),
      [...this.found].map((e) => box(e, 'found')), 
      this.chosen && box(this.chosen, 'chosen', number(this.chosen)),
      this.hovered && box(this.hovered, 'hover', number(this.hovered))]);
    if (this.finger) this.over.append(this.finger);
  }
  trace(d) {
    this.finger?.remove();
    this.finger = d && svg('line', { class: 'screen-finger', x1: d.at.x, y1: d.at.y, x2: d.to.x,
      y2: d.to.y });
    if (d) this.over.append(this.finger);
  }

  // ---- what everybody did --------------------------------------------------------------------------------

  async log() {
    let all = [];
    const words = (c) => Object.entries(c.args ?? {})
      .filter(([k]) => k !== 'device' && k !== 'seen' && !(k === 'ref' && c.element))
      .map(([, v]) => v).join(' ');
    const line = (c) => {
      const bad = c.code && c.code !== 'OK';
      return h('li', { class: bad ? 'is-bad' : null }, time(c.at), h('span', { class: 'tag' }, said(c.actor)),
        h('span', null, h('strong', null, said(c.verb)), ' ', said(words(c), { class: 'mono' }),
          c.element && [' ', said(c.element, { class: 'dim' })]),
        h('span', { class: 'dim num' },
          c.state === 'started' ? '…' : `${bad ? `${c.code} ` : ''}${c.ms} ms`));
    };
    const paint = () => {
      all = [...new Map(all.map((c) => [c.n, c])).values()].sort((a, b) => b.n - a.n).slice(0, LOG);
      if (all.length) keyed(this.lines, all, (c) => `${c.n} ${c.state}`, line);
      else {
        fill(this.lines, h('li', { class: 'dim' },
          'No commands yet. What this page, the command line and MCP do with this phone appears here.'));
      }
    };
    this.whenGone(listen(['command'], (events) => {
      const mine = events.map((e) => e.data).filter((c) => c?.device === (this.frame?.device ?? this.device));
      if (mine.length) { all = [...mine.reverse(), ...all].reverse(); paint(); }
    }));
    const load = async () => {
      all = []; // nobody tells later what was done while this page was hidden or away
      try {
        const query = { device: this.device, limit: LOG };
        all = [...(await get('/commands', query, { signal: this.signal })).commands, ...all];
        paint();
      } catch (e) { this.logCard.hidden = e.code === 'NOT_FOUND'; }
    };
    this.on(stream, 'state', () => { if (stream.state === 'live') load(); });
    await load();
  }
});
