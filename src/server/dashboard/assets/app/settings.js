// settings.js: the key, the configuration with where each value is from, secrets, doctor, the daemon, and
// this page.

import { h, fill, said, Part } from './dom.js';
import { get, act, post, session } from './api.js';
import { badge, button, complain, facts, failed, field, head, loading, sure, time, toast } from './ui.js';
import { plural } from './format.js';
import { KEYS, PAGES, paintNotices, scheme, setTheme } from './main.js';
import { small } from './pipeline.js';

const SECTIONS = { run: 'Models and budgets', api: 'Claude API', runner: 'Simulators', http: 'Access' };
const MINE = 'user file';
const KEY = { none: 'Runs use the demo brain, which follows literal steps and does not reason.',
  sealed: 'Runs use the stored key.' };
const code = (text) => h('code', null, said(text));
const help = (...what) => h('p', { class: 'help' }, what);
const item = (main, ...does) => h('li', null, h('div', null, main), does);
const options = (all, value) => Object.entries(all).map(([k, t]) => h('option', { value: k,
  selected: k === value }, t));

/** A form for what nobody may read: the field is wiped before anything is done with what was in it. */
function secret(label, more, put) {
  const input = h('input', { type: 'password', autocomplete: 'off', required: true });
  return h('form', { class: 'row set-form', onsubmit: async (e) => {
    e.preventDefault();
    const value = input.value;
    input.value = '';
    try { await put(value); } catch (x) { complain(x); }
  } }, more, field(label, input), h('button', { type: 'submit', class: 'button', disabled: !session.canAct }, 'Store'));
}

const parts = {
  async 'API key'(body, load) {
    const again = () => Promise.all([load(), paintNotices()]);
    const k = await get('/key');
    fill(body, h('p', null, badge(k.in_use === 'none' ? 'missing' : 'in use'), ' ',
      KEY[k.in_use] ?? ['Runs use the key of ', code(k.in_use), ', from the environment.']),
      k.stored && facts([['Sealed', time(k.sealed_at)], ['By', k.seal]]),
      help('It is sealed in the data folder and never shown again.'),
      secret(k.stored ? 'New key' : 'Key', null, async (key) => {
        await act('PUT', '/key', { key });
        toast('The key is stored.');
        await again();
      }),
      k.stored && h('div', null, small('Remove', 'the key', async () => {
        if (!await sure('Remove the key?', 'Runs then use the demo brain, unless the environment has a key.',
          'Remove')) return;
        await act('DELETE', '/key');
        await again();
      }, 'danger')));
  },

  async Configuration(body, again) {
    const { files, values } = await get('/config');
    fill(body, help('Your file is ', code(files.user), '. Environment variables and a project’s file override it.'),
      Object.entries(Object.groupBy(values, (v) => v.key.split('.')[0])).map(([name, rows]) =>
        h('div', { class: 'set-group' }, h('h3', null, SECTIONS[name] ?? name),
          h('ul', { class: 'work-list' }, rows.map((v) => setting(v, again))))));
  },

  async Secrets(body, again) {
    const { secrets } = await get('/secrets'), name = h('input', { required: true, autocomplete: 'off' });
    fill(body, help('What a run may type and nobody may read, such as passwords of test accounts. Goals refer to them by name.'),
      h('ul', { class: 'work-list' }, secrets.map((s) => item([code(s.name), ' ', h('span', { class: 'tag' },
        s.origin), s.sealed_at && help('sealed ', time(s.sealed_at))],
        s.origin === 'stored' && small('Remove', s.name, async () => {
          if (!await sure(`Remove ${s.name}?`, 'Goals that use it can no longer run.', 'Remove')) return;
          await act('DELETE', `/secrets/${encodeURIComponent(s.name)}`);
          await again();
        })))),
      secret('Value', field('Name', name), async (value) => {
        await act('PUT', `/secrets/${encodeURIComponent(name.value)}`, { value });
        toast(`${name.value} is stored.`);
        await again();
      }));
  },

  Doctor(body) {
    const list = h('ul', { class: 'work-list' }), say = h('p', { role: 'status' },
      'Checks every part the way a command uses it.');
    fill(body, say, h('div', null, button('Run the checks', async () => {
      const { checks } = await get('/doctor'), bad = checks.filter((c) => c.status !== 'ok');
      say.textContent = bad.length ? `${plural(bad.length, 'check')} to look at.` : 'Everything works.';
      fill(list, [...bad, ...checks.filter((c) => c.status === 'ok')].map((c) => item([h('div',
        { class: 'row' },
        h('span', { class: `badge is-${{ ok: 'good', warn: 'warn' }[c.status] ?? 'bad'}` }, c.status),
          h('strong', null, c.name)),
      help(said(c.detail)), (c.fix ?? c.mend) && h('p', null, said(c.fix ?? c.mend))])));
    })), list);
  },

  async Daemon(body, again) {
    const d = await get('/daemon');
    fill(body, facts([['Version', d.version], ['Build', code(d.build)], ['Started', time(d.started)],
      ['Process', d.pid], ['Connections', d.clients],
      ['Address', code(d.http)], ['Data', code(d.home)], ['Stops when idle in', d.idle_in_s === null
        ? 'never' : `${d.idle_in_s} s`]]),
    h('ul', { class: 'work-list' }, d.lanes.map((l) => item([code(l.lane), help(l.holder ? ['held by ',
      said(l.holder.command)] : 'free', `, ${plural(l.commands, 'command')}`)]))),
    h('div', { class: 'actions' }, button('Refresh', again, { kind: 'small' }), small('Stop', 'the daemon',
      async () => {
      if (await sure('Stop the daemon?',
        'Work in hand is finished first. ios-agent dashboard starts it again.',
          'Stop')) await post('/daemon/stop');
    }, 'danger')));
  },

  'This page'(body, again, part) {
    const look = h('select', { onchange: () => setTheme(look.value) }, options({ auto: 'as the system',
      light: 'light', dark: 'dark' }, scheme()));
    const watch = new MutationObserver(() => { look.value = scheme(); });
    watch.observe(document.documentElement, { attributeFilter: ['data-scheme'] });
    part.whenGone(() => watch.disconnect());
    fill(body, field('Colours', look), h('h3', null, 'Keys'), facts(Object.entries(KEYS).map(([k,
      page]) => [PAGES[page][2], [h('kbd', null, 'g'), ' ', h('kbd', null, k)]])));
  },
};

function setting(v, again) {
  const shown = String(v.value), props = { 'aria-label': v.key, autocomplete: 'off' }, may = v.settable
    && session.canAct;
  const choices = v.type === 'boolean' ? ['true', 'false'] : v.choices, number = v.type === 'integer'
    || v.type === 'number';
  const input = !may ? code(shown || 'empty') : choices ? h('select', props,
    options(Object.fromEntries(choices.map((c) => [c, c || 'default'])), shown))
    : h('input', { value: shown, type: number ? 'number' : 'text', step: v.type === 'integer' ? 1 : 'any',
      min: v.min, max: v.max, ...props });
  const error = h('p', { class: 'error', role: 'alert' });
  const change = (text, fn) => small(text, v.key, async () => {
    try { await fn(); } catch (e) { fill(error, said(`${e.message} ${e.hint}`)); return; }
    toast(`${v.key} is saved.`);
    await again();
  });
  const save = change('Save', () => act('PUT', '/config', { key: v.key, value: input.value }));
  save.hidden = true;
  input.oninput = () => { save.hidden = input.value === shown; };
  input.onkeydown = (e) => { if (e.key === 'Enter' && !save.hidden) save.click(); };
  return item([h('code', null, v.key), help(said(v.help))], h('div', { class: 'set-value' }, h('div',
    { class: 'row' }, input, save,
    may && v.origin === MINE && change('Reset', () => act('DELETE', `/config/${v.key}`))), error,
      help(h('span', { class: 'tag' }, v.origin === MINE ? 'your file' : v.origin), ' ',
    v.origin === 'environment' ? code(v.variable) : said(v.where), !v.settable && [' In a terminal: ',
      h('code', null, `ios-agent config set ${v.key} VALUE`)])));
}

customElements.define('ia-settings', class extends Part {
  begin() {
    this.find = h('input', { type: 'search', 'aria-label': 'Search the settings', placeholder: 'Search',
      oninput: () => this.filter() });
    this.none = h('p', { class: 'dim', role: 'status' });
    this.cards = Object.entries(parts).map(([title, load]) => {
      const body = h('div', { class: 'form' }, loading()), card = h('section', { class: 'card' },
        h('h2', null, title), body);
      const again = async () => {
        // One that cannot be loaded says so, and the others stay; what this daemon has not is not there.
        try { await load(body, again, this); } catch (e) {
          if (e.code === 'NOT_FOUND') card.remove(); else fill(body, failed(e, again));
        }
        this.filter();
      };
      again();
      return card;
    });
    this.append(head('Settings', { actions: this.find }), this.none, ...this.cards);
  }

  filter() {
    const want = this.find.value.toLowerCase().split(/\s+/);
    const has = (...nodes) => want.every((w) => nodes.some((n) => n.textContent.toLowerCase().includes(w)));
    for (const c of this.cards) {
      const groups = [...c.querySelectorAll('.set-group')];
      for (const g of groups) {
        for (const li of g.querySelectorAll('li')) li.hidden = !has(c.firstChild, g.firstChild, li);
        g.hidden = !g.querySelector('li:not([hidden])');
      }
      c.hidden = !(groups.length ? groups.some((g) => !g.hidden) : has(c));
    }
    this.none.textContent = this.cards.every((c) => c.hidden) ? 'Nothing matches.' : '';
  }
});
