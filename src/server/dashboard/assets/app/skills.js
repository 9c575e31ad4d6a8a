// skills.js: which agent may use which tool, and what this build tells other agents about itself.

import { Part, fill, h, said } from './dom.js';
import { act, get, session } from './api.js';
import { card, complain, copy, failed, head, link, loading } from './ui.js';
import { ALWAYS, chosen, place } from './agent.js';

const INSTALL = 'ios-agent skill install';

class Skills extends Part {
  begin() { this.load(); }
  async load() {
    fill(this, loading());
    try {
      const [{ tools, skills, build }, { agents }] = await Promise.all(['/skills',
        '/agents'].map((p) => get(p, {}, { signal: this.signal })));
      fill(this, head('Skills'), card('Tools', this.matrix(tools, agents)), card('For coding agents',
        h('p', null, 'This build includes texts that teach a coding agent to use it. Install them with:'),
        h('p', { class: 'row' }, h('code', null, INSTALL), copy(INSTALL)),
          h('div', { class: 'skills-texts' }, skills.map((s) => this.text(s))),
        h('p', { class: 'help' }, `Build ${build}. ios-agent skill show prints them.`)));
    } catch (e) { fill(this, head('Skills'), failed(e, () => this.load())); }
  }
  text(s) {
    return h('details', null, h('summary', null, h('b', null, s.name), h('span', { class: 'tag' },
      s.version), h('span', { class: 'dim' }, s.description)),
      h('div', { class: 'form' }, h('p', null, copy(s.text, 'Copy the text')),
        h('pre', { tabindex: 0, 'aria-label': `The text of ${s.name}` }, s.text)));
  }

  /** Tools down, agents across; the arrow keys go from box to box. */
  matrix(tools, agents) {
    const rows = tools.map((t) => h('tr', null, h('th', { scope: 'row' },
      h('b', null, t.name.replaceAll('_', ' ')), t.acts && h('span', { class: 'tag' }, 'acts'),
      h('p', { class: 'help' }, t.description, ALWAYS.has(t.name) && ' Every agent has it.')),
        agents.map((a) => h('td', null, this.box(a, t, tools)))));
    const heads = agents.map((a) => h('th', { scope: 'col' }, link(said(a.name), place(a.name)),
      a.configured && h('p', { class: 'help' }, 'as configured')));
    const table = h('table', { class: 'skills' }, h('thead', null, h('tr', null,
      h('th', { scope: 'col' }, 'Tool'), heads)), h('tbody', null, rows));
    table.addEventListener('keydown', (e) => {
      const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1],
        ArrowDown: [0, 1] }[e.key] ?? [0, 0];
      const cell = e.target.closest('td');
      let to = cell;
      if (!cell || (!dx && !dy)) return;
      do {
        to = dx ? to[dx < 0 ? 'previousElementSibling' : 'nextElementSibling']
          : to.parentNode[dy < 0 ? 'previousElementSibling' : 'nextElementSibling']?.children[cell.cellIndex];
      } while (to?.querySelector('input:disabled'));
      to?.querySelector('input')?.focus();
      e.preventDefault();
    });
    return [agents.length ? h('p', { class: 'dim' },
      'What an agent may use. An agent with all of them also gets those of later versions.')
      : h('p', { class: 'dim' }, 'What a run may use. ', link('Make an agent', '#/agents/new'),
        ' to give it only some of them.'), h('div', { class: 'scroll' }, table)];
  }
  box(agent, tool, tools) {
    const b = h('input', { type: 'checkbox', 'aria-label': `${agent.name} may use ${tool.name}`,
      checked: !agent.tools || agent.tools.includes(tool.name) || ALWAYS.has(tool.name),
      disabled: agent.configured || !session.canAct || ALWAYS.has(tool.name), onchange: async () => {
        const has = new Set(agent.tools ?? tools.map((t) => t.name));
        has[b.checked ? 'add' : 'delete'](tool.name);
        agent.tools = chosen(tools, (t) => has.has(t));
        if (!agent.tools.length) agent.tools = null;
        // One after another, each with all that is on now: what is clicked last holds.
        const save = () => act('PUT', `/agents/${encodeURIComponent(agent.name)}`, { tools: agent.tools ?? [] });
        agent.saving = (agent.saving ?? Promise.resolve()).then(save)
          .catch((e) => { complain(e); agent.saving = null; this.load(); });
      } });
    return h('label', { class: 'skills-box' }, b);
  }
}
customElements.define('ia-skills', Skills);
