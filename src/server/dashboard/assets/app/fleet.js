// fleet.js: the machines of a fleet: which workers are there, what each of their devices does, what waits.

import { h, fill, keyed, said, Part } from './dom.js';
import { get, post } from './api.js';
import { card, copy, failed, head, link, loading, sure, time, toast } from './ui.js';
import { brief, called, count, moment, plural } from './format.js';
import { redraw, small } from './pipeline.js';
import { showFleet } from './main.js';

const EVERY_MS = 2000, AGAIN_MS = 15000; // between two looks; until a sweep that is not known is looked for again
const QUIET_S = 12; // a worker writes every 5 s
const OPEN = 30; // with more workers, the devices of each are folded
const SHOWN = 300; // workers at once
const FILTER_FROM = 7;
const CONFIG = 'host: 127.0.0.1\nport: 4222\njetstream { store_dir: "/var/lib/nats", sync_interval: always }';

/** What to do about an error, by its code, beside its own words. */
const DO = {
  IO: ['Start it with a configuration as in docs/fleet.md, or correct its address (', h('code', null, 'fleet.url'), '). This page connects by itself once it is there.'],
  TIMEOUT: ['This page tries again by itself.'],
  AUTH: ['Check the user and password in ', h('code', null, 'fleet.url'), ', or ', h('code', null, 'fleet.creds'), ', ', h('code', null, 'fleet.nkey'), ' and ',
    h('code', null, 'fleet.ca'), ', and what the server permits this user.'],
  MISSING_DEPENDENCY: ['Install libnats 3.4 or newer, and restart the daemon.'],
};

const code = (text) => h('code', null, said(text));
const line = (text) => h('p', { class: 'row' }, h('code', null, text), copy(text));
const badge = (kind, text) => h('span', { class: `badge is-${kind}` }, text);
/** "model=iphone17,os=18:5" as people write it; "any" has none. */
const labels = (key) => (key === 'any' ? [] : key.split(',').map((l) => l.replaceAll(':', '.')));
const tags = (key) => (key === 'any' ? h('span', { class: 'help' }, 'no labels') : labels(key).map((l) => h('span', { class: 'tag' }, said(l))));
const quiet = (w) => w.quiet_s >= QUIET_S;
const sum = (all, of) => all.reduce((n, x) => n + of(x), 0);
const past = (iso) => (iso && new Date(iso) <= Date.now() ? time(iso) : 'now'); // other machines have other clocks

/** The classes that orders wait for, or workers are of. */
function classes(workers, queues) {
  const all = new Map(queues.map((q) => [q.labels, { ...q, workers: 0, devices: 0, busy: 0 }]));
  for (const w of workers) {
    if (!all.has(w.labels)) all.set(w.labels, { labels: w.labels, waiting: 0, in_hand: 0, workers: 0, devices: 0, busy: 0 });
    const c = all.get(w.labels);
    c.workers++;
    c.devices += w.devices;
    c.busy += Math.min(w.busy, w.devices);
  }
  return [...all.values()].filter((c) => c.workers || c.waiting || c.in_hand).sort((a, b) => (a.labels < b.labels ? -1 : 1));
}

/** How many of so many devices are busy: as a bar, and in words. */
const load = (busy, devices) => h('div', { class: 'fleet-load' },
  h('span', { class: 'fleet-bar', 'aria-hidden': 'true' }, h('span', { style: { width: `${devices ? (Math.min(busy, devices) / devices) * 100 : 0}%` } })),
  h('span', { class: 'num' }, `${count(busy)} of ${count(devices)} busy`));

customElements.define('ia-fleet', class extends Part {
  begin() {
    Object.assign(this, { known: new Map(), sweeps: new Map(), text: '', last: null });
    fill(this, loading());
    const timer = setInterval(() => { if (!document.hidden) this.load(); }, EVERY_MS);
    this.whenGone(() => clearInterval(timer));
    this.on(document, 'visibilitychange', () => { if (!document.hidden) this.load(); });
    this.load();
  }

  async load() {
    if (this.loading) return;
    this.loading = true;
    try {
      const answer = await get('/fleet', {}, { signal: this.signal });
      if (answer.connected) await this.learn(answer.workers);
      showFleet(answer.configured);
      this.draw(answer);
    } catch (e) {
      if (e.name !== 'AbortError' && !this.parts && !this.first) fill(this, head('Fleet'), failed(e, () => this.load()));
    } finally { this.loading = false; }
  }

  /** Which runs are of this data folder, and what they are called. */
  async learn(workers) {
    const busy = workers.flatMap((w) => w.lanes.filter((l) => l.run)), now = performance.now();
    const due = (id) => !this.sweeps.has(id) || (!this.sweeps.get(id).title && now - this.sweeps.get(id).at > AGAIN_MS);
    if (busy.some((l) => due(l.batch))) {
      const { sweeps } = await get('/sweeps', { limit: 200 }, { signal: this.signal });
      for (const { batch } of busy) if (due(batch)) this.sweeps.set(batch, { at: now });
      for (const s of sweeps) this.sweeps.set(s.id, { title: s.title, at: now });
    }
    const mine = new Set(busy.filter((l) => this.sweeps.get(l.batch)?.title && !this.known.has(l.run)).map((l) => l.batch));
    for (const sweep of mine) {
      const { runs } = await get('/runs', { sweep, limit: 200 }, { signal: this.signal });
      for (const r of runs) this.known.set(r.id, called(r));
      for (const l of busy) if (l.batch === sweep && !this.known.has(l.run)) this.known.set(l.run, '');
    }
    if (this.known.size > 5000) this.known.clear();
  }

  draw(answer) {
    if (!answer.configured) { this.parts = null; this.only('none', () => this.none()); return; }
    if (answer.connected) this.last = answer;
    const f = this.last ?? answer, p = this.frame();
    redraw(p.how, [answer.connected, answer.url], () => [h('span', { role: 'status' }, answer.connected ? badge('good', 'connected') : badge('bad', 'not connected')),
      code(answer.url)]);
    redraw(p.why, [answer.error, !answer.connected && this.last?.looked], () => this.why(answer.error));
    p.why.hidden = answer.connected;
    redraw(p.sums, [f.runs_out, f.proposed, f.verdicts, f.leader, f.queues, f.workers.map((w) => [w.state, w.devices, w.busy, quiet(w)])], () => this.sums(f));
    p.sums.hidden = p.work.hidden = !this.last;
    const all = classes(f.workers, f.queues);
    redraw(p.queues, all, () => this.queues(all));
    p.queues.hidden = !all.length;
    this.workers(f.workers);
  }

  /** A state in which there is nothing else. */
  only(name, make) {
    if (this.first === name) return;
    this.first = name;
    fill(this, make());
  }

  frame() {
    if (this.parts) return this.parts;
    this.first = '';
    const filter = h('input', { type: 'search', 'aria-label': 'Filter workers', placeholder: 'Name, label, device', autocomplete: 'off',
      oninput: () => { this.text = filter.value.toLowerCase(); this.workers((this.last ?? { workers: [] }).workers); } });
    const p = this.parts = { filter, how: h('div', { class: 'row' }), why: h('div'), sums: h('section', { class: 'figures' }), queues: h('section', { class: 'card' }),
      note: h('p', { class: 'help', role: 'status' }), list: h('ul', { class: 'fleet-workers' }), nobody: h('div') };
    p.work = h('div', { class: 'fleet-work' }, p.queues, h('section', { class: 'fleet-list', 'aria-label': 'Workers' },
      h('div', { class: 'head' }, h('h2', null, 'Workers'), filter), p.note, p.nobody, p.list));
    fill(this, head('Fleet', { actions: p.how }), p.why, p.sums, p.work);
    return p;
  }

  // ---- how it stands ---------------------------------------------------------------------------------

  why(error) {
    return error && h('section', { class: 'card fleet-why', role: 'alert' }, h('h2', null, said(error.message)), error.hint && error.code !== 'IO' && h('p', null, said(error.hint)),
      DO[error.code] && h('p', null, DO[error.code].map((x) => (x.cloneNode ? x.cloneNode(true) : x))),
      this.last && h('p', { class: 'help' }, `The following is as of ${moment(this.last.looked)}.`));
  }

  sums(f) {
    const figure = (name, value, note) => h('div', { class: 'card figure' }, h('span', { class: 'dim' }, name),
      h('span', { class: 'chart-value num' }, value), h('span', { class: 'dim' }, note));
    const waiting = sum(f.queues, (q) => q.waiting), draining = f.workers.filter((w) => w.state !== 'up').length, gone = f.workers.filter(quiet).length;
    return [figure('Workers', count(f.workers.length), [draining && `${count(draining)} draining`, gone && `${count(gone)} silent`].filter(Boolean).join(', ')
      || (f.workers.length ? 'all up' : 'none')),
    figure('Devices busy', count(sum(f.workers, (w) => Math.min(w.busy, w.devices))), `of ${count(sum(f.workers, (w) => w.devices))}`),
    figure('Runs waiting', count(waiting), `${count(sum(f.queues, (q) => q.in_hand))} in a worker’s hands`),
    figure('Verdicts', count(f.verdicts), `in 30 days${f.proposed ? `, ${plural(f.proposed, 'proposal')} kept` : ''}`),
    f.leader && figure('Leads the schedules', said(f.leader.machine), ['since ', past(f.leader.since)])];
  }

  queues(all) {
    const cell = (n) => h('td', { class: 'num' }, count(n));
    return [h('h2', null, 'Queues'), h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Queues' }, h('table', { class: 'fleet-queues' }, h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Labels'),
      ['Waiting', 'In hand', 'Workers', 'Devices'].map((t) => h('th', { scope: 'col', class: 'num' }, t)))),
    h('tbody', null, all.map((c) => h('tr', null, h('td', null, h('div', { class: 'row' }, tags(c.labels),
      c.waiting > 0 && !c.workers && badge('warn', 'no worker'))), cell(c.waiting), cell(c.in_hand), cell(c.workers),
    h('td', { class: 'num' }, `${count(c.busy)} of ${count(c.devices)} busy`))))))];
  }

  // ---- workers ---------------------------------------------------------------------------------------

  workers(workers) {
    const p = this.parts, has = (w) => `${w.worker} ${w.labels} ${labels(w.labels).join(' ')} ${w.state} ${w.lanes.map((l) => l.device).join(' ')}`.toLowerCase().includes(this.text);
    const found = this.text ? workers.filter(has) : workers, shown = found.slice(0, SHOWN), compact = shown.length > OPEN;
    p.filter.hidden = workers.length < FILTER_FROM && !this.text;
    const note = this.text ? `${count(found.length)} of ${plural(workers.length, 'worker')}${found.length > SHOWN ? `; the first ${SHOWN} are shown` : ''}`
      : found.length > SHOWN ? `The first ${SHOWN} of ${count(found.length)}; the filter finds the others.` : '';
    if (p.note.textContent !== note) p.note.textContent = note;
    redraw(p.nobody, [workers.length > 0, this.last?.url], () => (workers.length ? [] : [this.nobody()]));
    p.list.classList.toggle('is-compact', compact);
    keyed(p.list, shown, (w) => w.worker, () => h('li', { class: 'card fleet-worker' }),
      (node, w) => redraw(node, [w.state, w.labels, w.version, w.devices, w.busy, w.done, w.lanes, quiet(w) && w.quiet_s, compact,
        w.lanes.map((l) => [this.known.get(l.run), this.sweeps.get(l.batch)?.title])], () => this.worker(w, compact)));
  }

  worker(w, compact) {
    const more = w.devices - w.lanes.length;
    const lanes = w.lanes.length > 0 && h('ul', { class: 'fleet-lanes' }, w.lanes.map((l) => this.lane(l)),
      more > 0 && h('li', { class: 'help' }, `and ${plural(more, 'device')} more`));
    return [h('div', { class: 'fleet-name' }, h('h3', null, said(w.worker)),
      quiet(w) ? badge('bad', `silent for ${count(w.quiet_s)} s`) : badge(w.state === 'up' ? 'good' : 'warn', w.state),
      w.state === 'up' && small('Drain', w.worker, () => this.drain(w.worker), 'danger')),
    h('div', { class: 'row' }, tags(w.labels)), load(w.busy, w.devices),
    quiet(w) && h('p', { class: 'help' }, 'It may have died. Its runs go to others when their lease ends; after 30 s it is forgotten.'),
    compact ? lanes && h('details', null, h('summary', { 'aria-label': `Devices of ${w.worker}` }, 'Devices'), lanes) : lanes,
    h('p', { class: 'help' }, `${plural(w.done, 'run')} done · started `, w.since ? past(w.since) : '–', ` · ${w.version}`)];
  }

  lane(l) {
    const title = this.sweeps.get(l.batch)?.title, name = this.known.get(l.run);
    return h('li', { class: l.run ? 'is-busy' : null }, h('span', { class: 'fleet-device' }, said(l.device)),
      h('span', { class: 'fleet-since' }, l.run ? l.since && past(l.since) : 'free'),
      l.run && h('span', { class: 'fleet-does' }, title ? [link(name ? said(name) : `run ${brief(l.run)}`, `#/run/${l.run}`),
        h('span', { class: 'dim' }, ' · ', link(said(title.split('/').at(-1)), `#/pipeline/${l.batch}`))]
        : [`run ${brief(l.run)} `, h('span', { class: 'dim' }, 'of another data folder')]));
  }

  async drain(worker) {
    if (!await sure(`Drain ${worker}?`, 'It takes no new runs, finishes those in hand, and ends.', 'Drain')) return;
    await post('/fleet/drain', { worker });
    toast(`${worker} takes no new runs.`);
    await this.load();
  }

  // ---- where there is nothing yet --------------------------------------------------------------------

  nobody() {
    const own = this.last?.url.includes('@') ? null : this.last?.url, command = own ? `ios-agent worker --fleet ${own}` : 'ios-agent worker';
    return card(null, h('div', { class: 'state' }, h('h2', null, 'No worker is there'), h('p', null, 'Start one on each machine with devices',
      own ? ':' : ', with this address as fleet.url in its configuration:'), line(command),
    h('p', null, h('code', null, '--device "iPhone 17"'), ' names its devices, ', h('code', null, '--labels os=26'), ' says what they are; ',
      h('code', null, '--jobs 4'), ' gives it simulated phones to try it.'),
    h('p', { class: 'help' }, 'On a new server, workers appear here with the first sweep.')));
  }

  none() {
    const step = (title, ...what) => h('li', null, h('h3', null, title), what);
    return [head('Fleet'), card('No fleet is configured',
      h('p', { class: 'dim' }, 'A sweep’s runs can be done by any number of machines. A NATS server that one of them runs hands them out. To start one:'),
      h('ol', { class: 'fleet-steps' },
        step('The server, with JetStream', h('pre', { tabindex: 0, 'aria-label': 'Configuration of the server' }, CONFIG), line('nats-server -c nats.conf')),
        step('Its address, in this machine’s configuration', line('ios-agent config set fleet.url nats://127.0.0.1:4222')),
        step('A worker on each machine with devices', line('ios-agent worker --fleet nats://127.0.0.1:4222')),
        step('A sweep', line('ios-agent sweep goals --fleet nats://127.0.0.1:4222'))),
      h('p', { class: 'help' }, 'docs/fleet.md has the rest: several machines, TLS, users, labels.'))];
  }
});
