// chat.js: a conversation with an agent, or goals without one. What is said becomes a run or, while one is
// live, a message into it. The newest run is open; what earlier ones did is loaded when it is unfolded.

import { Part, add, fill, h, keyed, said, tame } from './dom.js';
import { get, post, session, show } from './api.js';
import { MOVES, follow as watch } from './events.js';
import { count, devices, duration, money, plural, short, stateOf, tokens } from './format.js';
import { badge, button, empty, facts, failed, field, head, link, loading, time } from './ui.js';
import { BASIS, ended } from './run-model.js';
import { follow, transcript } from './run-feed.js';
import { about, diff } from './run-view.js';

const PAGE = 15, KEPT = 120, SEARCHED = 4, NEAR_PX = 90;
const EXAMPLES = ['open Settings, turn on Airplane Mode',
  'add a contact named Ada Lovelace with phone 555-0100',
  'remind me to buy eggs tomorrow', 'how much does the Wool Blanket cost?'];
const put = (node, text) => { const t = tame(text); if (node.textContent !== t) node.textContent = t; };
const small = (text, href) => link(text, href, { class: 'button small' });

/** What a call did, in a line. */
function effect(s) {
  if (!s.ok) return s.code + (s.outcome === 'unknown' ? ': it may have happened' : '');
  const [first, second = '', ...rest] = s.changes.trim().split('\n');
  if (first === 'new screen') return `${first} ${second.split(': ')[1] ?? ''}`;
  if (!first) return s.tool === 'snapshot' ? '' : 'nothing changed';
  const what = { '-': 'gone: ', '+': 'new: ', '~': 'now: ' };
  return first.replace(/^([-+~]) (\d+ )?/, (_, c) => what[c]) + (second && ` (+${rest.length + 1})`);
}

/** An item of a run: something said, a note, or a call, which unfolds to what changed and the screen then. */
function make({ is, s }) {
  if (is !== 'step') return h('div', { class: `chat-${is}` }, h('p', { dir: 'auto' }), h('span'));
  const picture = h('img', { alt: `The screen after step ${s.n}` }), body = h('section');
  const d = h('details', { class: 'chat-step', ontoggle: () => d.paint() }, h('summary', null, h('span'),
    h('b'), h('bdi'), h('span', { dir: 'auto' })), h('div', null, picture, body));
  d.paint = () => {
    if (!d.open) return;
    if (d.changes !== d.step.changes) fill(body, diff(d.changes = d.step.changes));
    picture.hidden = !d.step.picture;
    show(picture, d.step.picture);
  };
  return d;
}
function update(node, { s, text, note = '' }) {
  if (!s) { put(node.firstChild, text); put(node.lastChild, note); return; }
  const [sign, tool, on, did] = node.firstChild.children,
    how = s.ok === null ? 'live' : s.ok ? 'good' : s.outcome === 'unknown' ? 'warn' : 'bad';
  node.step = s;
  put(sign, { live: '…', good: '✓', warn: '?', bad: '✗' }[how]);
  sign.className = `chat-${how}`;
  put(tool, s.tool.replaceAll('_', ' '));
  put(on, about(s));
  put(did, s.ok === null ? '' : effect(s));
  node.paint();
}

/** One run of the conversation. */
class Talk {
  constructor(chat, row) {
    Object.assign(this, { chat, row, run: null, said: new Map(), from: 0, ends: [],
      abort: new AbortController() });
    this.signal = this.abort.signal;
    this.turns = h('div', { class: 'chat-turns' });
    this.word = h('summary');
    this.folded = h('details', { class: 'chat-folded', ontoggle: () => this.folded.open && this.load() },
      this.word, this.turns);
    this.doing = h('span', { dir: 'auto' });
    this.now = h('div', { class: 'chat-now' }, h('span', { class: 'spin' }), this.doing,
      button('Stop', () => post(`/runs/${row.id}/cancel`), { acts: true, kind: 'small' }),
        small('Watch', `#/run/${row.id}`));
    this.card = h('div', { class: 'card chat-card' });
    this.node = h('article', { class: 'chat-run', 'aria-label': row.goal.slice(0, 80) },
      h('div', { class: 'chat-me' }, h('p', { dir: 'auto' }, tame(row.goal)), time(row.created)), this.folded,
        this.now, this.card);
    this.take(row);
  }
  whenGone(fn) { this.ends.push(fn); }
  end() { this.abort.abort(); for (const fn of this.ends.splice(0)) fn(); }
  get live() { return !ended(this.row); }

  take(row) {
    this.row = row;
    if (this.live) this.folded.open = true;
    this.paint();
  }
  async load() {
    if (this.loading) return;
    this.loading = true;
    fill(this.turns, loading());
    try { await follow(this.row.id, this, (feed) => this.changed(feed)); } catch (e) {
      this.loading = false;
      fill(this.turns, failed(e, () => this.load()));
    }
  }
  changed({ run, row }) {
    if (!this.run) this.turns.replaceChildren();
    if (this.run && run.steps.length < this.steps) { // the attempt was rolled back
      this.said.clear();
      this.from = 0;
    }
    this.run = run;
    if (row) this.row = row;
    if (run.seq !== this.seq) this.read();
    Object.assign(this, { seq: run.seq, steps: run.steps.length });
    const { end } = run;
    if (end && this.watched) this.chat.announce(`${end.state}: ${end.summary || end.message}`);
    this.watched = !run.end;
    this.paint();
    this.chat.paint();
    if (run.end && row && !this.live) this.end(); // nothing more comes
  }

  /** What the model said, as it is kept: of streamed text only those know who were there. */
  async read() {
    if (this.reading) { this.again = true; return; }
    this.reading = true;
    try {
      do {
        this.again = false;
        const { messages, next } = await transcript(this.row.id, this.from);
        for (const m of messages) if (m.role === 'assistant' && m.purpose === 'act') this.hear(m.content);
        this.from = messages.at(-1)?.seq ?? this.from;
        this.again ||= next !== null;
      } while (this.again);
    } catch { /* the stream says what is wrong */ }
    this.reading = false;
    this.paint();
  }
  hear(content) {
    let text = '';
    for (const b of content) {
      if (b.type === 'text') text += (text && '\n\n') + b.text;
      else if (b.type === 'tool_use') {
        this.said.set(b.id, text);
        if (this.watched) this.chat.announce(text);
        text = '';
      }
    }
    this.closing = text;
  }

  items() {
    const { run } = this, all = [], heard = ({ id, text, sender, taken }) => {
      const from = sender && sender !== 'user' ? `from ${sender} ` : '';
      const note = from + (taken === null && this.live ? 'not read yet' : '');
      all.push({ key: `m${id}`, is: 'me', text, note });
    };
    const note = (key, text) => all.push({ key, is: 'note', text });
    run.steps.forEach((s, n) => {
      for (const m of run.messages) if (m.taken === n) heard(m);
      const text = this.said.get(s.id) ?? s.said;
      if (text) all.push({ key: `t${n}`, is: 'text', text });
      if (n && s.tool !== 'finish') all.push({ key: `s${n}`, is: 'step', s });
      if (s.missing?.length) note(`f${n}`, `Not met yet: ${s.missing.join('; ')}`);
      if (s.verifier?.agrees === false) note(`v${n}`, `The verifier disagrees: ${s.verifier.reason}`);
      run.marks.forEach((m, i) => { if (m.step === n) note(`k${i}`, `${m.title}. ${m.text}`); });
    });
    const now = run.steps.at(-1)?.said !== run.saying?.text && run.saying?.text || this.closing;
    if (now) all.push({ key: 'now', is: 'text', text: now });
    for (const m of run.messages) if (m.taken === null || m.taken >= run.steps.length) heard(m);
    return all;
  }
  paint() {
    const { row, run, live } = this, n = run ? Math.max(0, run.steps.length - 1) : row.steps;
    put(this.word, live ? `${plural(n, 'step')} so far` : `What it said and did: ${plural(n, 'step')}`);
    if (run) keyed(this.turns, this.items(), (i) => i.key, make, update);
    this.now.hidden = !live;
    this.card.hidden = live;
    if (!live) { this.paintCard(); return; }
    const step = run?.steps.at(-1), spent = run?.spent;
    const doing = row.cancel_requested ? 'Stopping at the next safe moment'
      : row.state === 'queued' ? `Waiting for ${row.lane}`
        : row.state === 'retry_wait' ? 'Waiting to retry'
          : step?.n && step.ok === null ? `Doing: ${step.tool} ${about(step)}` : 'Thinking';
    const cost = spent && !row.demo ? `, ${money(spent.usd)}` : '';
    put(this.doing, `${doing}… ${spent ? `${short(spent.tokens)} tokens${cost}` : ''}`);
  }
  paintCard() {
    const { row, run } = this, end = run?.end, key = `${row.finished} ${!end}`;
    if (this.painted === key) return;
    this.painted = key;
    const where = (e) => (e.unproven ? ' was not found' : e.step === undefined ? ' on the last screen'
      : e.step ? ` at step ${e.step}` : ' on the first screen');
    const proof = [...(end?.evidence ?? []).map((e) => h('li', null, h('q', { dir: 'auto' }, tame(e.quote)),
      h('span', { class: 'dim' }, where(e)))),
    ...(end?.expects ?? []).map((x) => h('li', null, x.held ? '✓ ' : '✗ ', said(x.expect),
      x.found && [', found: ', said(x.found)]))];
    fill(this.card, h('div', { class: 'row' }, badge(stateOf(row)),
      BASIS[row.basis] && h('span', { class: 'dim' }, BASIS[row.basis]),
      row.code && row.code !== 'OK' && h('code', null, row.code)),
    h('p', { class: 'chat-text' }, said(row.summary || end?.message
      || (row.state === 'cancelled' ? 'It was stopped.' : 'It said nothing.'))),
    proof.length > 0 && h('ul', { class: 'chat-proof' }, proof),
    facts([['Steps', count(row.steps)], ['Time', duration(row.seconds === null ? null : row.seconds * 1000)],
      ['Tokens', short(tokens(row.tokens))],
      ['Cost', row.demo ? 'none (demo brain)' : money(row.cost_usd)]]),
    h('div', { class: 'row' }, small('Open the run', `#/run/${row.id}`),
      button('Ask again', () => this.chat.write(row.goal), { kind: 'small', acts: true })));
  }
}

class Chat extends Part {
  begin() {
    [this.agent] = this.place;
    Object.assign(this, { talks: [], stick: true, draft: `ios-agent-draft:${this.agent ?? ''}` });
    this.log = h('section', { class: 'chat-log', 'aria-label': 'Conversation' }, loading());
    this.all = h('nav', { class: 'chat-all', 'aria-label': 'Conversations' });
    this.voice = h('p', { class: 'sr', 'aria-live': 'polite' });
    this.down = h('button', { type: 'button', class: 'button small chat-down', hidden: true,
      onclick: () => this.toEnd() }, '↓ To the newest');
    this.older = button('Show older', () => this.load(true), { kind: 'small', hidden: true });
    add(this, head(this.agent ? said(this.agent) : 'Goals without an agent', { over: 'Chat',
      actions: this.agent && link('About this agent', `#/agent/${encodeURIComponent(this.agent)}`,
        { class: 'button' }) }),
    h('div', { class: 'chat' }, this.all, h('div', { class: 'chat-main' }, this.older, this.log,
      this.composer(), this.voice)));
    this.on(window, 'scroll', () => {
      const near = document.documentElement.scrollHeight - scrollY - innerHeight < NEAR_PX;
      if (near || scrollY < this.at) this.stick = near; // what grows below does not count as scrolling away
      this.at = scrollY;
      this.down.hidden = this.stick;
    }, { passive: true });
    const grown = new ResizeObserver(() => this.stick && this.toEnd());
    grown.observe(this.log);
    this.top = new IntersectionObserver((all) => { if (all.at(-1).isIntersecting) this.older.click(); });
    this.whenGone(() => { grown.disconnect(); this.top.disconnect(); for (const t of this.talks) t.end(); });
    this.whenGone(watch(MOVES, () => this.refresh(), 500));
  }
  toEnd() {
    if (!this.talks.length) return;
    window.scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
    this.at = scrollY;
  }
  announce(text) { if (text) this.voice.textContent = text; }

  // ---- what was said ----

  ask(path, query) { return get(path, query, { signal: this.signal }); }
  mine(row) { return this.agent ? row.agent === this.agent : !row.agent && !row.sweep && !row.schedule; }
  /** A page of runs, the newest first; without an agent those of sweeps and schedules are passed over. */
  async page(before) {
    const found = [], limit = this.agent ? PAGE : 100;
    for (let i = 0; i < SEARCHED && found.length < PAGE && before !== null; i++) {
      const { runs } = await this.ask('/runs', { agent: this.agent, before, limit });
      found.push(...runs.filter((r) => this.mine(r)));
      before = runs.length === limit ? runs.at(-1).id : null;
    }
    this.more = before;
    return found;
  }
  async load(older) {
    if (!older && this.agent) await this.ask(`/agents/${encodeURIComponent(this.agent)}`);
    const rows = await this.page(older ? this.more : undefined), was = document.documentElement.scrollHeight;
    if (!older) this.log.replaceChildren();
    for (const row of rows) this.tell(row, true);
    this.older.hidden = this.more === null;
    this.loaded = true;
    if (older) {
      window.scrollBy({ top: document.documentElement.scrollHeight - was, behavior: 'instant' });
      return;
    }
    const last = this.talks.at(-1);
    if (last) last.folded.open = true;
    requestAnimationFrame(() => {
      this.toEnd();
      this.ready = true;
      this.top.observe(this.older);
      this.paint();
    });
  }
  async refresh() {
    try {
      if (!this.loaded) await this.load();
      const { runs } = await this.ask('/runs', { agent: this.agent, limit: 20 });
      for (const row of runs.filter((r) => this.mine(r)).reverse()) {
        const t = this.talks.find((x) => x.row.id === row.id);
        if (!t) { if (!(row.id < this.talks.at(-1)?.row.id)) this.tell(row); } // ids are in the order of time
        else if (t.row.state !== row.state || t.row.cancel_requested !== row.cancel_requested) t.take(row);
      }
      this.paint();
      await this.others();
    } catch (e) {
      if (!this.ready && e.name !== 'AbortError') fill(this.log, failed(e, () => this.refresh()));
    }
  }
  tell(row, first) {
    const t = new Talk(this, row);
    this.log.querySelector('.state')?.remove();
    this.talks[first ? 'unshift' : 'push'](t);
    this.log[first ? 'prepend' : 'append'](t.node);
    for (; !first && this.talks.length > KEPT; this.older.hidden = false) {
      const gone = this.talks.shift();
      gone.end();
      gone.node.remove();
      this.more = this.talks[0].row.id;
    }
  }
  /** The other conversations, and who is at work. */
  async others() {
    const [{ agents }, { runs }] = await Promise.all([this.ask('/agents'),
      this.ask('/runs', { state: 'unfinished', limit: 200 })]);
    const busy = new Set(runs.filter((r) => !r.sweep && !r.schedule).map((r) => r.agent ?? ''));
    keyed(this.all, ['', ...agents.map((a) => a.name)], (n) => n,
      (n) => h('a', { href: n ? `#/chat/${encodeURIComponent(n)}` : '#/chat',
        'aria-current': n === (this.agent ?? '') && 'page' }, n ? said(n) : 'No agent',
      h('span', { class: 'chat-live' })),
    (a, n) => put(a.lastChild, busy.has(n) ? ' working' : ''));
  }

  // ---- what is to be said ----

  composer() {
    this.input = h('textarea', { rows: 1, 'aria-label': 'Message', dir: 'auto', disabled: !session.canAct,
      value: sessionStorage.getItem(this.draft) ?? '',
      oninput: () => sessionStorage.setItem(this.draft, this.input.value), onkeydown: (e) => this.press(e) });
    this.go = button('Send', () => this.send(), { acts: true, kind: 'primary', type: 'submit' });
    this.extra = button('As a new goal', () => this.send(true), { acts: true, kind: 'small' });
    this.hint = h('p', { class: 'help' });
    const number = (min, placeholder) => h('input', { type: 'number', min, step: 'any', placeholder });
    const steps = number(1, ''), usd = number(0, 'no limit'), demo = h('input', { type: 'checkbox' });
    const device = h('select', null, h('option', { value: '' }, 'As configured'));
    this.job = () => ({ device: device.value || undefined, demo: demo.checked || undefined,
      budget: steps.value || usd.value ? { max_steps: +steps.value || undefined,
        max_usd: +usd.value || undefined } : undefined });
    this.options = h('details', { class: 'chat-options' }, h('summary', null, 'Device and budget'),
      h('div', { class: 'columns' },
      field('Device', device), field('Maximum steps', steps), field('Maximum dollars', usd),
        h('label', { class: 'check' }, demo, 'Demo brain')));
    Promise.all(['/key', '/devices', '/config'].map((p) => this.ask(p))).then(([key, known, { values }]) => {
      if (key.in_use === 'none') demo.checked = demo.disabled = this.demo = true;
      add(device, devices(known).map(([value, text]) => h('option', { value }, text)));
      const set = (k) => values.find((v) => v.key === k)?.value;
      steps.placeholder = set('run.max_steps');
      put(device.options[0], `As configured: ${set('run.device')}`);
      this.paint();
    }, () => { /* the stream says what is wrong */ });
    return h('form', { class: 'chat-composer', onsubmit: (e) => e.preventDefault() }, this.down,
      h('div', { class: 'chat-write' }, this.input, this.go), this.options, h('div', { class: 'row' },
        this.hint, this.extra));
  }
  write(text) { this.input.value = text; sessionStorage.setItem(this.draft, text); this.input.focus(); }
  press(e) {
    if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) { e.preventDefault(); this.go.click(); }
    if (e.key !== 'ArrowUp' || this.input.value || !this.talks.length) return;
    const { run, row } = this.talks.at(-1);
    e.preventDefault();
    this.write(run?.messages.at(-1)?.text ?? row.goal);
  }
  get live() { return this.talks.findLast((t) => t.live); }
  async send(anew) {
    const text = this.input.value.trim(), live = !anew && this.live;
    if (!text) { this.input.focus(); return; }
    if (live) await post(`/runs/${live.row.id}/say`, { text });
    else {
      const job = this.job(), { run } = await post('/runs', { goal: text, agent: this.agent,
        continue: (this.agent && !job.demo) || undefined, pictures: 'steps', ...job });
      if (!this.talks.some((t) => t.row.id === run.id)) this.tell(run);
    }
    if (this.input.value.trim() === text) this.write('');
    this.stick = true;
    this.toEnd();
    this.paint();
  }
  paint() {
    if (!this.ready) return;
    const { live } = this;
    put(this.go, live ? 'Say' : 'Send');
    this.input.placeholder = live ? 'Say something to the run' : 'What should be done?';
    this.options.hidden = !!live;
    this.extra.hidden = !live;
    const kind = this.demo ? 'The demo brain follows literal steps, one goal at a time.' :
      this.agent ? 'The conversation goes on.' : 'Each goal stands alone.';
    put(this.hint, !session.canAct ? 'This page is view-only.' : live
      ? 'The run reads it on its next turn.' : `Enter sends, Shift+Enter starts a new line. ${kind}`);
    if (!this.log.firstChild) {
      add(this.log, empty('No messages yet',
        'Say in plain words what to do on the phone. You watch it being done and can add to it. Examples:',
        h('span', { class: 'chat-examples' }, EXAMPLES.map((t) => button(t, () => this.write(t),
          { acts: true })))));
    }
  }
}
customElements.define('ia-chat', Chat);
