// subtasks.js: the runs that a run delegated, as a tree, on the page of a run.

import { h, said } from './dom.js';
import { get } from './api.js';
import { MOVES, follow } from './events.js';
import { redraw } from './pipeline.js';
import { badge, card, link } from './ui.js';
import { BASIS } from './run-model.js';
import { money, plural, stateOf } from './format.js';
import { long, place } from './run-view.js';

const TYPES = [...MOVES, 'run.delegated', 'run.child_finished', 'request.finished'];

/** The runs below, those of one level in their order. */
const all = (children) => children.flatMap((c) => [c.run, ...all(c.children)]);
const cost = (runs) => runs.reduce((sum, r) => sum + (r.cost_usd ?? 0), 0);
const proof = (run) => (run.state === 'passed' ? BASIS[run.basis] : run.state === 'failed' ? null : run.code);

const item = ({ run, children }) => h('li', null,
  h('div', { class: 'row tight' }, badge(run.outcome ?? stateOf(run)), link(long(run.name ?? run.goal, 300), place(run.id))),
  h('p', { class: 'dim run-clip' }, [run.agent, run.lane, proof(run), run.demo ? null : money(run.cost_usd)]
    .filter(Boolean).map((t, i) => [i > 0 && ' · ', said(t)])),
  run.summary && h('p', { class: 'run-clip' }, long(run.summary, 300)),
  list(children));
const list = (children) => children.length > 0 && h('ul', { class: 'subtasks' }, children.map(item));

/** Keeps the tree below a run in the node, which stays empty while there is none. */
export function subtasks(part, id, node) {
  let ids = new Set([id]);
  part.whenGone(follow(TYPES, async () => {
    try {
      const { children } = await get(`/runs/${id}/tree`, {}, { signal: part.signal }), runs = all(children);
      ids = new Set([id, ...runs.map((r) => r.id)]);
      redraw(node, children, () => [runs.length > 0 && card(`${plural(runs.length, 'subtask')}`,
        runs.some((r) => !r.demo) && h('p', { class: 'dim' }, `${money(cost(runs))} together`), list(children))]);
    } catch { /* the next event asks again */ }
  }, 500, (e) => !e.data || ids.has(e.data.run)));
}
