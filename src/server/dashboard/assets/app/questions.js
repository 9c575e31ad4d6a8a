// questions.js: what runs ask a person, and the answers: on the overview, and on the page of a run.

import { h, said } from './dom.js';
import { get, post } from './api.js';
import { badge, button, link, time } from './ui.js';
import { plural } from './format.js';

/** The open questions; of one run, where there is one. */
export const open = async (run, options) => (await get('/questions', { run }, options)).questions;

const answer = (q, word, text, kind) => button(text, () => post(`/questions/${q.id}/${word}`), { kind, acts: true,
  'aria-label': `${text}: ${said(q.text).textContent}` });
const one = (q) => h('li', null, h('div', { class: 'row tight' }, badge('blocked'), link(said(q.goal), `#/run/${q.run}`)),
  h('p', null, h('strong', null, `${q.rule.replaceAll('_', ' ')}: `), said(q.text)),
  h('div', { class: 'row dim' }, said(q.device), time(q.asked), q.expires && ['denied ', time(q.expires)],
    answer(q, 'approve', 'Approve once', 'small primary'), answer(q, 'deny', 'Deny', 'small')));

/** The card of these questions; nothing where there are none. */
export const card = (all) => all.length > 0 && h('section', { class: 'card alarm', 'aria-labelledby': 'asks' },
  h('h2', { id: 'asks' }, `${plural(all.length, 'question')} ${all.length === 1 ? 'waits' : 'wait'} for your answer`),
  h('ul', { class: 'plain' }, all.map(one)));
