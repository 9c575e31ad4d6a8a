// agents.js: all agents and how they do; a new one.

import { Part, fill, h, keyed, said } from './dom.js';
import { get } from './api.js';
import { follow } from './events.js';
import { count, money } from './format.js';
import { empty, facts, failed, head, link, loading } from './ui.js';
import { form, place } from './agent.js';
import { stats, verdicts } from './trends.js';

class Agents extends Part {
  begin() {
    fill(this, loading());
    if (this.place[0] === 'new') this.make();
    else this.whenGone(follow(['run.finished', 'run.queued'], () => this.load(), 2000));
  }
  async make() {
    try {
      const f = await form(null, this.signal);
      fill(this, head('New agent', { over: 'Agents' }), h('section', { class: 'card' }, f));
      f.querySelector('input').focus();
    } catch (e) { fill(this, head('Agents'), failed(e, () => this.make())); }
  }
  async load() {
    try {
      const { agents } = await get('/agents', {}, { signal: this.signal });
      const figures = await Promise.all(agents.map((a) => stats(30, { agent: a.name },
        { signal: this.signal })));
      this.paint(agents.map((a, i) => ({ ...a, sum: figures[i].total })));
    } catch (e) {
      if (e.name !== 'AbortError' && !this.list) fill(this, head('Agents'), failed(e, () => this.load()));
    }
  }
  paint(agents) {
    if (!this.list || !agents.length) {
      this.list = h('div', { class: 'agents' });
      const make = () => link('New agent', '#/agents/new', { class: 'button primary' });
      fill(this, head('Agents', { actions: agents.length > 0 && make() }), agents.length ? this.list : empty(
        'There are no agents yet',
        'An agent has a model, tools and a memory of its own, and one conversation from goal to goal.',
        make()));
    }
    keyed(this.list, agents, (a) => a.name, (a) => h('article', { class: 'card' },
      h('h2', null, link(said(a.name), place(a.name))), h('div'), h('p', { class: 'row' },
        link('Chat', place(a.name, 'chat'), { class: 'button small' }),
        link('Edit', `${place(a.name)}/edit`, { class: 'button small' }))), (node, a) => {
      const pass = verdicts(a.sum);
      fill(node.children[1], h('p', { class: 'row dim' }, said(a.model ?? 'default model'),
        a.tools && h('span', { class: 'tag' }, `${a.tools.length} tools`),
        a.configured && h('span', { class: 'tag' }, 'from the configuration')),
      facts([['Runs in 30 days', count(a.sum.runs)], ['Passed', a.sum.runs ? pass.text : null],
        ['Cost', a.sum.runs ? money(a.sum.cost_usd) : null]]));
    });
  }
}
customElements.define('ia-agents', Agents);
