// recordings.js: runs that can be done again, what a model healed in them, and what people decide on that.

import { h, fill, refill, said, Part } from './dom.js';
import { get, post } from './api.js';
import { follow } from './events.js';
import { badge, button, card, copy, empty, facts, failed, head, link, loading, save, sure, time } from './ui.js';
import { brief, moment, plural } from './format.js';
import { pairs } from './run-model.js';

const STATES = ['quarantined', 'trusted', 'candidate', 'rejected', 'replaced'];
const OPEN = ['candidate', 'trusted', 'quarantined'];
const WORDS = { quarantined: 'A model healed it. It is used, and counts as healed, until it has passed three times '
  + 'or somebody accepts it.', candidate: 'Not replayed yet.', trusted: 'It is replayed.',
rejected: 'It is replayed no more.', replaced: 'A later one took its place.' };
const NAMES = { act: 'Act', role: 'Role', label: 'Label', id: 'Identifier', placeholder: 'Placeholder',
  question: 'Question', in: 'In', before: 'Stands after', after: 'Stands before', input: 'Input' };
const href = (id) => `#/recordings/${id}`;
const runs = (r) => r.run && link(`run ${brief(r.run)}`, `#/run/${r.run}`);

// ---- steps ---------------------------------------------------------------------------------------------

const isSame = (s) => JSON.stringify([s.act, s.target ?? null, s.input ?? null]);
/** What a step is done to, as people would say it. */
const what = (s) => [s.act.replaceAll('_', ' '), s.target?.role,
  s.target && `“${s.target.label ?? s.target.placeholder ?? s.target.id}”`,
  s.input && JSON.stringify(s.input)].filter(Boolean).join(' ');
/** The parts of a step that tell its element from others. */
const partsOf = (s) => Object.keys(NAMES).map((k) => [k, k === 'act' ? s.act : k === 'input'
  ? s.input && JSON.stringify(s.input) : s.target?.[k]]).filter(([, v]) => v);

/** Steps that differ: [{at, was: [step…], now: [step…]}], `at` counted in the new one. */
export function changes(was, now) {
  const all = [];
  let last = null;
  for (const [i, j] of pairs(was.map(isSame), now.map(isSame))) {
    if (i !== null && j !== null) { last = null; continue; }
    if (!last) all.push(last = { was: [], now: [], at: 0 });
    if (i !== null) last.was.push(was[i]);
    if (j !== null) { last.now.push(now[j]); last.at ||= j + 1; }
  }
  return all;
}

function side(title, steps, other) {
  const known = new Map(other.flatMap(partsOf));
  // What only the other one has is said of one step; of several there is no telling of which.
  const none = (s) => (steps.length > 1 ? [] : [...known.keys()].filter((k) => !partsOf(s).some(([own]) => own === k)).map((k) => [k, 'none']));
  return h('div', { class: 'rec-side' }, h('h3', null, title), steps.length ? steps.map((s) => [
    s.why && h('p', { class: 'dim' }, said(s.why)),
    h('dl', { class: 'rec-parts' }, [...partsOf(s), ...none(s)].map(([k, v]) => h('div', { class: known.get(k) === v ? null : 'is-warn' },
      h('dt', null, NAMES[k]), h('dd', null, said(v)))))]) : h('p', { class: 'dim' }, 'No step.'));
}
const change = (c) => h('li', null, h('h3', null, c.at ? `Step ${c.at}` : 'A step that is left out'),
  h('div', { class: 'rec-change' }, side('Was', c.was, c.now), side('Is now', c.now, c.was)));
const steps = (all) => h('ol', { class: 'rec-steps' }, all.map((s) => h('li', null, h('strong', null, said(what(s))),
  s.why && h('p', { class: 'dim' }, said(s.why)),
  s.until && h('p', { class: 'help' }, 'until ', s.until.map((u, i) => [i > 0 && ', ', h('code', null, said(u))])))));

// ---- what is decided -----------------------------------------------------------------------------------

const ACTS = { accept: ['Accept', 'Accept this recording?', 'Replays of it count as passed. What it was healed from is replaced.', 'primary'],
  reject: ['Reject', 'Reject this recording?', 'It is never replayed again, and the same change is not proposed again.', 'danger'] };
const act = (name, r, then) => button(ACTS[name][0], async () => {
  if (!await sure(ACTS[name][1], ACTS[name][2], ACTS[name][0], ACTS[name][3])) return;
  await post(`/recordings/${r.id}/${name}`);
  await then();
}, { acts: true, kind: `small ${ACTS[name][3]}`, 'aria-label': `${ACTS[name][0]} ${r.goal}` });
const decisions = (r, then) => OPEN.includes(r.state) && [(r.state !== 'trusted') && act('accept', r, then), act('reject', r, then)];

// ---- the pages -----------------------------------------------------------------------------------------

customElements.define('ia-recordings', class extends Part {
  begin() {
    fill(this, loading());
    this.whenGone(follow(['run.finished'], () => this.load(), 1000));
  }
  queryChanged(query) { this.query = query; this.load(); }

  async load() {
    const [id] = this.place;
    try {
      const answer = await get(id ? `/recordings/${id}` : '/recordings',
        id ? {} : { state: this.query.get('state') }, { signal: this.signal });
      const sign = JSON.stringify({ ...answer, as_of: 0, query: String(this.query) });
      if (sign === this.sign) return;
      this.sign = sign;
      refill(this, id ? this.one(answer) : this.all(answer.recordings));
    } catch (e) {
      if (e.name !== 'AbortError' && !this.sign) fill(this, head('Recordings'), failed(e, () => this.load()));
    }
  }

  all(recordings) {
    const only = this.query.get('state');
    const state = h('select', { 'aria-label': 'State', onchange: (e) => {
      location.hash = e.target.value ? `#/recordings?state=${e.target.value}` : '#/recordings';
    } }, h('option', { value: '' }, 'any state'), STATES.map((s) => h('option', { value: s, selected: s === only }, s)));
    const wait = only ? [] : recordings.filter((r) => r.state === 'quarantined');
    const rest = recordings.filter((r) => !wait.includes(r));
    return [head('Recordings', { actions: state }),
      wait.length > 0 && card('Waiting for a decision', this.list(wait)),
      rest.length > 0 ? card(wait.length > 0 && 'Others', this.list(rest)) : !wait.length && empty(only
        ? `No recording is ${only}` : 'There are no recordings yet', 'A run that passed by its expectations becomes one '
        + 'when it is replayed: ios-agent replay, or --replay auto for a run, a sweep or a schedule.')];
  }
  list(recordings) {
    return h('ul', { class: 'work-list' }, recordings.map((r) => h('li', null, h('div', null,
      h('div', { class: 'row' }, badge(r.state), link(said(r.goal), href(r.id))),
      h('p', { class: 'help' }, `${plural(r.passes, 'replay')} in a row passed · `, time(r.created_at), r.run && ' · ', runs(r),
        r.decided_by && [' · ', `${r.state} by `, said(r.decided_by)])),
    r.state === 'quarantined' && h('div', { class: 'actions' }, decisions(r, () => this.load())))));
  }

  one({ recording: r, parent }) {
    const healed = parent?.steps && r.steps ? changes(parent.steps, r.steps) : [];
    return [head(said(r.goal), { over: link('Recordings', '#/recordings'), actions: [decisions(r, () => this.load()),
      button('Save file', () => save(`${r.goal.replace(/\W+/g, '-')}.rec.toml`, r.toml), { kind: 'small' }), copy(r.toml, 'Copy file')] }),
    h('section', { class: 'card' }, h('div', { class: 'row', role: 'status' }, badge(r.state), WORDS[r.state]),
      facts([['Replays in a row', r.passes], ['Made from', runs(r)],
        ['Healed from', parent && link(`recording ${brief(parent.id)}`, href(parent.id))],
        ['Decided by', r.decided_by && [said(r.decided_by), ' ', h('span', { class: 'dim' }, moment(r.decided_at))]],
        ['Made', time(r.created_at)]])),
    healed.length > 0 && card('What was healed', h('ul', { class: 'rec-changes' }, healed.map(change))),
    r.steps ? card('Steps', steps(r.steps)) : card('Steps', h('p', { class: 'dim' }, 'Another version of this program wrote it.'))];
  }
});
