// agent.js: one agent: what it is, what it remembers, how its runs went; the form that makes or changes one.

import { Part, add, fill, h, keyed, refill, said, tame } from './dom.js';
import { act, get, post, session } from './api.js';
import { follow } from './events.js';
import { count, day, duration, money, plural, short, stateOf } from './format.js';
import { badge, button, card, facts, failed, field, head, link, loading, sure, time, toast } from './ui.js';
import { bars } from './charts.js';
import { flakes, stats, verdicts } from './trends.js';

const DAYS = 30, FIRST = 'open Settings, turn on Airplane Mode';
/** Every agent has these, or it could not see and not end. */
export const ALWAYS = new Set(['snapshot', 'finish']);
export const place = (name, page = 'agent') => `#/${page}/${encodeURIComponent(name)}`;
const path = (name) => `/agents/${encodeURIComponent(name)}`;
/** What PUT takes for these tools: all of them are the default, also those of a later version. */
export const chosen = (tools, has) => (tools.every((t) => has(t.name)) ? []
  : tools.map((t) => t.name).filter((t) => has(t) || ALWAYS.has(t)));

/** A little Markdown (headings, points, bold, code), of which nothing becomes anything but text. */
function marked(text) {
  const inline = (s) => s.split(/(\*\*[^*]+\*\*|\x60[^\x60]+\x60)/).map((p, i) => (i % 2 === 0 ? p
    : p[0] === '*' ? h('strong', null, p.slice(2, -2)) : h('code', null, p.slice(1, -1))));
  const out = h('div', { class: 'agent-memory' });
  for (const line of tame(text).split('\n')) {
    const [, sign, rest] = /^\s*(#{1,6}|[-*])\s+(.*)$/.exec(line) ?? [null, '', line];
    if (sign && !sign.startsWith('#')) {
      if (out.lastChild?.tagName !== 'UL') out.append(h('ul'));
      out.lastChild.append(h('li', { dir: 'auto' }, inline(rest)));
    } else if (rest.trim()) out.append(h('p', { dir: 'auto' },
      sign ? h('strong', null, inline(rest)) : inline(rest)));
  }
  return out;
}

// ---- the form ------------------------------------------------------------------------------------------

/** Which field a refusal of the daemon is about. */
const AT = [['memory', /^the memory/], ['prompt', /^the prompt/], ['tools', /\btools?\b/],
  ['model', /\bmodel\b/], ['name', /\bname\b/]];
const usd = ({ prices: all }) => (all.length
  ? `$${all.at(-1).input} in, $${all.at(-1).output} out per million tokens` : 'price not known');

/** Makes an agent (null) or changes one; what the configuration says is there to read. */
export async function form(agent, signal) {
  const [{ tools }, known] = await Promise.all([get('/skills', {}, { signal }),
    get('/models', {}, { signal })]);
  const fixed = agent?.configured || !session.canAct,
    has = new Set(agent?.tools ?? tools.map((t) => t.name)), errors = {}, inputs = {};
  const part = (key, label, input, help) => {
    errors[key] = h('p', { class: 'error', role: 'alert', id: `agent-${key}-error` });
    inputs[key] = input;
    input.id = `agent-${key}`;
    const f = field(label, input, help);
    input.setAttribute('aria-describedby', `agent-${key}-error ${input.getAttribute('aria-describedby')}`);
    return add(f, errors[key]);
  };
  const text = (rows, value, off) => h('textarea', { rows, value: value ?? '', readonly: off, dir: 'auto' });
  const name = h('input', { value: agent?.name ?? '', readonly: !!agent, autocomplete: 'off',
    spellcheck: 'false', maxlength: 64 });
  const model = h('input', { value: agent?.model ?? '', readonly: fixed, list: 'agent-models',
    placeholder: known.default, autocomplete: 'off', spellcheck: 'false' });
  const price = h('span');
  const say = () => {
    const named = model.value.trim(), m = known.models.find((x) => x.id === (named || known.default));
    price.textContent = (named ? '' : `Empty: ${known.default}. `) + (m ? usd(m) : 'Not a known model.');
  };
  model.addEventListener('input', say);
  say();
  const boxes = tools.map((t) => h('input', { type: 'checkbox', value: t.name,
    checked: has.has(t.name) || ALWAYS.has(t.name), disabled: fixed || ALWAYS.has(t.name) }));
  const choose = (label, fn) => button(label,
    () => boxes.forEach((b, i) => { if (!b.disabled) b.checked = fn(tools[i]); }),
    { kind: 'small', disabled: fixed });
  errors.tools = h('p', { class: 'error', role: 'alert' });
  [inputs.tools] = boxes;
  const all = h('p', { class: 'error', role: 'alert' });
  const refuse = (key, message) => {
    const at = errors[key] ?? all;
    fill(at, said(message));
    inputs[key]?.setAttribute('aria-invalid', 'true');
    inputs[key]?.focus();
  };
  const save = async () => {
    for (const e of [all, ...Object.values(errors)]) e.replaceChildren();
    for (const i of Object.values(inputs)) i.removeAttribute('aria-invalid');
    const n = name.value.trim(), body = { memory: inputs.memory.value };
    if (!n) { refuse('name', 'An agent needs a name.'); return; }
    if (!fixed) Object.assign(body, { model: model.value.trim(), prompt: inputs.prompt.value,
      tools: chosen(tools, (t) => boxes.find((b) => b.value === t).checked) });
    try {
      if (!agent && (await get('/agents', {}, { signal })).agents.some((a) => a.name === n)) {
        refuse('name', `There is already an agent ${n}.`);
        return;
      }
      await act('PUT', path(n), body);
      toast(agent ? `${n} was changed.` : `${n} was created.`);
      location.hash = place(n);
    } catch (e) { refuse(AT.find(([, at]) => at.test(e.message))?.[0], `${e.message} ${e.hint}`.trim()); }
  };
  const go = button(agent ? 'Save' : 'Create', save, { kind: 'primary', acts: true, type: 'submit' });
  return h('form', { class: 'form agent-form', novalidate: true, onsubmit: (e) => e.preventDefault() },
    agent?.configured && h('p', { class: 'help' },
      'This agent is defined in the configuration file: everything but its memory is changed there.'),
    part('name', 'Name', name, 'Letters, digits, "_" and "-".'),
    part('model', 'Model', model, price), h('datalist', { id: 'agent-models' },
      known.models.map((m) => h('option', { value: m.id }, usd(m)))),
    part('prompt', 'Prompt', text(5, agent?.prompt, fixed),
      'What it is told before each goal. Empty: only what every run is told.'),
    h('fieldset', { class: 'agent-tools' }, h('legend', null, 'Tools'), h('div', { class: 'row' },
      choose('All', () => true), choose('Those that only look', (t) => !t.acts),
        choose('None', () => false)), errors.tools,
    h('div', { class: 'agent-boxes' }, tools.map((t, i) => h('label', null, boxes[i],
      h('span', null, h('b', null, t.name.replaceAll('_', ' ')),
        t.acts && h('span', { class: 'tag' }, 'acts'),
      h('span', { class: 'help' }, t.description, ALWAYS.has(t.name) && ' Every agent has it.')))))),
    part('memory', 'Memory', text(6, agent?.memory, !session.canAct),
      'What it knows in every run. It adds to it with the tool remember.'), all,
    h('div', { class: 'actions' }, go,
      link('Cancel', agent ? place(agent.name) : '#/agents', { class: 'button' })));
}

// ---- the page ------------------------------------------------------------------------------------------

class Agent extends Part {
  begin() {
    const [name, edit] = this.place;
    fill(this, loading());
    if (edit === 'edit') this.edit(name);
    else this.whenGone(follow(['run.queued', 'run.started', 'run.finished'], () => this.load(name), 1000));
  }
  ask(at, query) { return get(at, query, { signal: this.signal }); }
  fail(name, e) {
    if (e.name !== 'AbortError') fill(this, head(said(name), { over: 'Agent' }),
      failed(e, () => location.reload()));
  }
  async edit(name) {
    try {
      const { agent } = await this.ask(path(name)), f = await form(agent, this.signal);
      fill(this, head(said(name), { over: 'Edit agent' }), h('section', { class: 'card' }, f));
    } catch (e) { this.fail(name, e); }
  }
  async load(name) {
    try {
      const [{ agent }, { runs, total }, figures] = await Promise.all([this.ask(path(name)),
        this.ask('/runs', { agent: name, limit: 10 }),
        stats(DAYS, { agent: name }, { signal: this.signal })]);
      if (!this.shown) this.build(name);
      this.paint(agent, runs, total, figures);
    } catch (e) { if (!this.shown) this.fail(name, e); }
  }
  build(name) {
    this.shown = true;
    const go = link('Chat', place(name, 'chat'), { class: 'button primary' });
    this.gone = button('Delete', async () => {
      if (!await sure(`Delete ${name}?`, 'Its settings and memory are lost. Its runs stay.',
        'Delete')) return;
      await act('DELETE', path(name));
      toast(`${name} was deleted.`);
      location.hash = '#/agents';
    }, { kind: 'danger', acts: true });
    for (const k of ['what', 'memory', 'numbers', 'talk']) this[k] = h('div', { class: 'form' });
    this.list = h('ul', { class: 'agent-runs' });
    this.charts = h('div', { class: 'columns agent-cards' });
    const edit = link('Edit', `${place(name)}/edit`, { class: 'button' });
    fill(this, head(said(name), { over: 'Agent', actions: [go, edit, this.gone] }),
      h('div', { class: 'columns agent-cards' }, card('What it is', this.what),
        card('What it remembers', this.memory), card(`Last ${DAYS} days`, this.numbers),
        card('Conversation', this.talk)), this.charts, card('Runs', this.list));
  }
  paint(agent, runs, total, { days, total: sum }) {
    const pass = verdicts(sum), flake = flakes(sum), { name } = agent;
    this.gone.hidden = agent.configured;
    refill(this.what, facts([['Model', agent.model ? said(agent.model) : 'the default'],
      ['Tools', agent.tools ? `${agent.tools.length}: ${agent.tools.join(', ')}` : 'all'],
      ['Created', agent.created && time(agent.created)],
      ['From', agent.configured ? 'the configuration file' : null]]),
    agent.prompt && h('details', null, h('summary', null, 'Prompt'),
      h('pre', { dir: 'auto' }, agent.prompt)));
    refill(this.memory, agent.memory_folder
      ? h('p', null, 'Files that it keeps itself, in ', h('code', { dir: 'auto' }, agent.memory_folder))
      : agent.memory ? marked(agent.memory) : h('p', { class: 'dim' },
        'Nothing yet. It keeps what is worth knowing with the tool remember.'));
    refill(this.numbers, facts([['Runs', count(sum.runs)],
      ['Pass rate', sum.runs ? `${pass.text} (${pass.between})` : null],
      ['Flake rate', sum.executions ? `${flake.text} (${flake.between})` : null],
      ['Cost', money(sum.cost_usd)], ['Tokens', short(sum.tokens)],
      ['Median time', duration(sum.ms_median)]]));
    const forget = button('Forget the conversation', async () => {
      if (!await sure(`Forget the conversation with ${name}?`,
        'The next goal starts afresh. Its memory and runs stay.', 'Forget')) return;
      await act('DELETE', `${path(name)}/session`);
      this.load(name);
    }, { acts: true });
    const first = button('Try it with the demo brain', async () => {
      await post('/runs', { goal: FIRST, agent: name, demo: true, pictures: 'steps' });
      location.hash = place(name, 'chat');
    }, { acts: true });
    const from = ['It continues from ', link('its last run', `#/run/${agent.session}`), '.'];
    refill(this.talk, h('p', null, agent.session ? from : 'None: the next goal starts afresh.'), h('div', { class: 'actions' }, first, agent.session && forget));
    this.draw(days, sum);
    keyed(this.list, runs, (r) => r.id, (r) => h('li', null, h('span'),
      link(said(r.name ?? r.goal), `#/run/${r.id}`), time(r.created)),
      (li, r) => fill(li.firstChild, badge(stateOf(r))));
    if (!runs.length) fill(this.list, h('li', { class: 'dim' }, 'It has not run yet.'));
    this.more?.remove();
    if (total > runs.length) this.list.after(this.more = h('p', null, link(`All ${plural(total, 'run')}`,
      `#/runs?agent=${encodeURIComponent(name)}`)));
  }
  draw(days, sum) {
    this.charts.hidden = !sum.runs;
    if (!sum.runs) return;
    const labels = days.map((d) => day(`${d.day}T12:00:00`));
    const one = (name, key, format) => ({ title: `${name} per day`, labels, format, value: format(sum[key]),
      note: `in the last ${DAYS} days`, series: [{ name, kind: 'live', values: days.map((d) => d[key]) }] });
    const specs = [one('Tokens', 'tokens', short), one('Cost', 'cost_usd', money)];
    this.drawn ??= specs.map((s) => { const c = bars(s); this.charts.append(c); return c; });
    this.drawn.forEach((c, i) => c.update(specs[i]));
  }
}
customElements.define('ia-agent', Agent);
