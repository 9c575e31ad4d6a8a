// recorder.js: what a person does with a phone as a goal: steps in plain words, as the demo brain and a model
// follow them (`ios-agent help demo`), expectations, and the goal file that holds both.

import { h, refill, said, Part } from './dom.js';
import { get, post } from './api.js';
import { button, copy, field, save, toast } from './ui.js';
import { isField, selectors } from './inspector.js';

const HOME = 'com.apple.springboard', SETTINGS = 'com.apple.Preferences', STEPS = 40, EXPECTS = 64;
const PAIRS = ['""', '“”', '«»', '‘’'];

/** A text as a goal quotes it: between marks that it has not; braces would be a variable. */
function quote(text) {
  const t = text.replaceAll('{{', '{ {').replaceAll('\n', ' ');
  const [open, close] = PAIRS.find(([a, b]) => !t.includes(a) && !t.includes(b)) ?? ['"', '"'];
  return open + (open === '"' ? t.replaceAll('"', '') : t) + close;
}
const nameOf = (e) => e.label ?? e.placeholder ?? e.value ?? e.identifier ?? e.role;
const secretOf = (e) => (nameOf(e).toUpperCase().replace(/[^A-Z0-9]+/g, '_').replace(/^_+|_+$/g, '')
  || 'SECRET').replace(/^(?=\d)/, 'S');

// ---- TOML -----------------------------------------------------------------------------------------------

const basic = (s) => JSON.stringify(s.toWellFormed()).replaceAll('\u007f', '\\u007f');
const toml = (s) => (/^[^'\u0000-\u001f\u007f]*$/.test(s) ? `'${s.toWellFormed()}'` : basic(s));
const lines = (a) => `[\n${a.map((s) => `    ${toml(s)},\n`).join('')}]`;
const inner = (s) => basic(s).slice(1, -1).replaceAll('\\"', '"').replaceAll('"""', '\\"\\"\\"');
const block = (s) => `"""\n${s.split('\n').map(inner).join('\n')}\n"""`;

/** The goal file of a recording. */
export function goalFile(r) {
  const g = goalOf(r);
  const on = r.device.replace(/[^\x20-\x7e]/g, '');
  return [`# Recorded on ${on}. Run it with: ios-agent sweep ${fileName(r)}`, '', '[[goal]]',
    `name = ${basic(g.name)}`,
    g.app && `app = ${basic(g.app)}`, g.setup.length > 0
      && `setup = [${g.setup.map((s) => basic([s.do, s.value].filter(Boolean).join(' '))).join(', ')}]`,
    `goal = ${block(g.goal)}`, g.expect.length > 0 && `expect = ${lines(g.expect)}`, g.secrets
      && `secrets = [${g.secrets.map(basic).join(', ')}]`,
    ''].filter((t) => t !== false && t !== null && t !== undefined).join('\n');
}
const nameOfGoal = (r) => (r.name.trim() || r.steps[0]?.text.replaceAll(/[^\p{L}\p{N} ]/gu, '').trim()
  || 'recorded').replaceAll('{{', '{ {');
const slug = (s) => s.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'recorded';
const fileName = (r) => `${slug(nameOfGoal(r))}.toml`;

/** The same as a request for a run. */
function goalOf(r) {
  const setup = r.device.startsWith('embedded') ? [{ do: 'reset' }] : [];
  if (r.app && r.app !== HOME) setup.push({ do: 'launch', value: r.app });
  const secrets = [...new Set(r.steps.map((s) => s.secret).filter(Boolean))];
  const locked = r.apps.length === 1 && r.app !== HOME ? r.app : undefined;
  return { name: nameOfGoal(r), app: locked, setup, goal: [...r.steps.map((s) => s.text),
    ...new Set(r.expect.map((x) => x.check).filter(Boolean))].join('\n'),
    expect: r.expect.map((x) => x.text.replaceAll('{{', '{ {')), secrets: secrets.length ? secrets
      : undefined };
}

// ---- words ----------------------------------------------------------------------------------------------

/** The step that an act is, or null where there is no word for it. `typed`: what the field then holds; `now`:
 *  how the element reads then. */
function step(verb, args, e, screen, { typed, now }) {
  const name = e && quote(nameOf(e));
  const twice = e && Math.min(...selectors(screen, e).map((s) => s.count)) > 1
    ? 'Several elements have this name.' : undefined;
  switch (verb) {
    case 'tap':
      if (e.role === 'switch' && screen.app === SETTINGS) {
        return { text: `turn ${e.state === 'on' ? 'off' : 'on'} ${name}` };
      }
      return { text: `tap ${name}`, warn: twice };
    case 'long-press': return { text: `press and hold ${name}`, warn: twice };
    case 'type': {
      const secret = e.role === 'password' ? secretOf(e) : undefined, what = secret ? `{{secret:${secret}}}`
        : quote(typed);
      return { text: e.role === 'search' ? `search for ${what}` : `type ${what} into ${name}`, field: e.ref,
        secret };
    }
    case 'clear': return { text: `clear the ${name} field`, field: e.ref };
    case 'swipe': return { text: { up: 'scroll down', down: 'scroll up' }[args.direction]
      ?? `swipe ${args.direction}`, scroll: true };
    case 'drag': {
      if (e?.role === 'slider' && now?.value) return { text: `set the ${nameOf(e)} to ${now.value}`,
        field: e.ref };
      const { dx, dy } = args, up = Math.abs(dy) >= Math.abs(dx);
      const way = up ? `scroll ${dy < 0 ? 'down' : 'up'}` : `swipe ${dx < 0 ? 'left' : 'right'}`;
      return { text: way, scroll: up };
    }
    case 'back': return { text: 'go back' };
    case 'press': return { home: { text: 'go home' }, lock: { text: 'lock the phone' },
      back: { text: 'go back' } }[args.button] ?? null;
    case 'alert': return { text: args.action ? `${args.action} the alert` : `tap ${quote(args.button)}` };
    case 'open': return { text: `open ${quote(args.what)}`,
      warn: args.what.includes(':') ? 'The demo brain cannot open URLs.' : undefined };
    default: return null;
  }
}

/** Properties: device, act(verb, args). note() hears of what was done, app() of what is in front. */
customElements.define('ia-recorder', class extends Part {
  begin() {
    try { this.r = JSON.parse(sessionStorage.getItem(this.key)); } catch { /* begin anew */ }
    this.r ??= { on: false, name: '', app: null, apps: [], steps: [], expect: [] };
    this.r.device = this.device;
    this.paint();
  }
  get key() { return `ios-agent-recording ${this.device}`; }

  change() {
    sessionStorage.setItem(this.key, JSON.stringify(this.r));
    this.paint();
  }

  app(app) {
    if (!this.r.on || !app || this.r.apps.includes(app) || (app === HOME && this.r.app !== HOME)) return;
    this.r.apps.push(app);
    this.change();
  }

  async start(app, again) {
    if (again && app && app !== HOME) {
      await this.act('terminate', { bundle: app });
      await this.act('launch', { bundle: app });
    }
    this.r = { ...this.r, on: true, name: '', app, apps: app ? [app] : [], steps: [], expect: [] };
    this.change();
  }

  note(verb, args, e, screen, how = {}) {
    if (!this.r.on || (how.changed === false && /^(drag|swipe)$/.test(verb))) return;
    const steps = this.r.steps, last = steps.at(-1), s = step(verb, args, e, screen, how);
    if (!s) { toast('Not recorded: a goal has no words for that.'); return; }
    if (steps.length >= STEPS) {
      toast(`A goal has at most ${STEPS} steps: this one was not recorded.`, { bad: true });
      return;
    }
    // How far a finger went says less than what came into view.
    if (e && !s.scroll && last?.scroll) {
      while (steps.at(-1)?.scroll) steps.pop();
      steps.push({ text: `scroll to ${quote(nameOf(e))}` });
    }
    if (s.field && last?.field === s.field) steps.pop();
    else if (verb === 'type' && last?.tapped === e.ref) steps.pop(); // to type focuses the field
    if (verb === 'tap' && isField(e)) s.tapped = e.ref;
    steps.push(s);
    // Return mostly moves on to the next field, which typing into that does, too.
    if (args.submit && how.changes?.startsWith('new screen')) {
      steps.push({ text: 'press return', warn: 'The demo brain cannot do that.' });
    }
    this.change();
  }

  /** What has to hold in the end; what has to be seen there is looked for, too, as it may take its time. */
  expect(text, e) {
    const check = /^v/.test(text) && e?.label ? `check that ${quote(e.label)} is visible` : undefined;
    const all = this.r.expect;
    if (all.length < EXPECTS && !all.some((x) => x.text === text)) all.push({ text, check });
    this.change();
  }

  async run() {
    const { in_use: key } = await get('/key'), demo = !key || key === 'none';
    const { run } = await post('/runs', { ...goalOf(this.r), device: this.device, demo });
    this.r.on = false;
    this.change();
    location.hash = `#/run/${run.id ?? run}`;
  }

  list(what, items) {
    const item = (x, i) => h('li', null,
      h('span', null, said(x.text, { class: 'mono' }),
        x.warn && h('span', { class: 'screen-warn' }, ` ${x.warn}`)),
      h('button', { type: 'button', class: 'close', 'aria-label': `Remove ${x.text}`, onclick: () => {
        items.splice(i, 1);
        this.change();
      } }, '×'));
    return h('ol', { class: 'screen-steps', 'aria-label': what }, items.map(item));
  }

  paint() {
    const r = this.r, some = r.steps.length + r.expect.length > 0, small = { kind: 'small' };
    const again = h('input', { type: 'checkbox', checked: true });
    const name = h('input', { value: nameOfGoal(r), maxlength: 80, oninput: () => {
      r.name = name.value;
      sessionStorage.setItem(this.key, JSON.stringify(r));
      file.textContent = goalFile(r);
    } });
    const file = h('pre', { class: 'screen-file', tabindex: 0, role: 'region', 'aria-label': 'The goal file' },
      some && goalFile(r));
    refill(this, h('div', { class: 'row' },
      r.on ? button('Stop recording', () => { r.on = false; this.change(); }, { kind: 'danger' })
        : button('● Record', () => this.start(this.front?.(), again.checked), { acts: true }),
      r.on ? h('span', { class: 'badge is-bad', role: 'status' }, `recording · ${r.steps.length}`)
        : h('label', { class: 'check' }, again, 'restart the app first')),
    !some && h('p', { class: 'dim' },
      'What you do with the phone becomes the steps of a goal; ',
      '“Expect this” in the inspector says what must hold at the end.'),
    some && this.list('Steps', r.steps),
    r.expect.length > 0 && [h('h3', null, 'Expected at the end'), this.list('Expectations', r.expect)],
    some && [field('Name of the goal', name), file, h('div', { class: 'row' },
      copy(() => goalFile(r), 'Copy the file'),
      button('Download', () => save(fileName(r), goalFile(r), 'application/toml'), small),
      button('Run it now', () => this.run(), { kind: 'small primary', acts: true, disabled: !r.steps.length }),
      button('Discard', () => {
        Object.assign(r, { steps: [], expect: [], name: '' });
        this.change();
      }, small)),
    r.device.startsWith('embedded') && h('p', { class: 'dim' },
      'A run starts on a freshly reset phone, without earlier changes.')]);
  }
});
