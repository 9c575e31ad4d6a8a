// compare.js: two runs side by side, step by step; where they first differ is marked.

import { h, fill, keyed, refill, said, Part } from './dom.js';
import { badge, button, facts, failed, head, loading } from './ui.js';
import { brief, count, duration, plural, short } from './format.js';
import { align, ended, kind, kindWord, pictureAt } from './run-model.js';
import { follow } from './run-feed.js';
import { Phone, about, costOf, diff, headOf, long, ranMs, spentTokens } from './run-view.js';

const NAMES = ['A', 'B'],
  SIDES = { both: 'Both', a: 'A', b: 'B' },
  VIEWS = { after: 'After', before: 'Before' };

class Compare extends Part {
  #at = -1;
  #picked = false;
  #rows = [];
  #due = false;
  #built = false;

  async begin() {
    fill(this, loading());
    this.feeds = [];
    try {
      await Promise.all(
        [0, 1].map((i) =>
          follow(this.place[i], this, (feed) => {
            this.feeds[i] = feed;
            this.changed();
          }),
        ),
      );
    } catch (e) {
      if (e.name !== 'AbortError')
        fill(
          this,
          h('h1', null, 'Two runs'),
          failed(e, () => this.begin()),
        );
    }
  }

  changed() {
    if (this.#due || !this.feeds[0] || !this.feeds[1]) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      if (this.isConnected) this.paint();
    });
  }

  choice(label, all, set) {
    const group = h(
      'div',
      { class: 'row', role: 'group', 'aria-label': label },
      Object.entries(all).map(([value, text], i) =>
        h(
          'button',
          {
            type: 'button',
            class: 'button small',
            'aria-pressed': String(i === 0),
            onclick: (e) => {
              for (const b of group.children) b.setAttribute('aria-pressed', String(b === e.currentTarget));
              set(value);
            },
          },
          text,
        ),
      ),
    );
    return group;
  }

  build() {
    this.#built = true;
    this.view = 'after';
    this.list = h('div', {
      class: 'cmp-list',
      role: 'listbox',
      tabindex: 0,
      'aria-label': 'Steps of both runs',
    });
    this.list.addEventListener('keydown', (e) => this.key(e));
    this.first = button(
      '',
      () => {
        this.go(this.differs());
        this.list.focus();
      },
      { kind: 'primary' },
    );
    this.sides = [0, 1].map((i) => {
      const side = {
        phone: new Phone(),
        head: h('div'),
        facts: h('div'),
        diff: h('div', {
          class: 'run-scroll',
          tabindex: 0,
          role: 'group',
          'aria-label': `What changed in ${NAMES[i]}`,
        }),
      };
      side.node = h(
        'section',
        { class: `card cmp-${NAMES[i].toLowerCase()}`, 'aria-label': `Run ${NAMES[i]}` },
        side.facts,
        side.head,
        side.phone.node,
        side.diff,
      );
      return side;
    });
    this.pair = h(
      'div',
      { class: 'cmp-pair', dataset: { side: 'both' } },
      this.sides.map((s) => s.node),
    );
    fill(
      this,
      head('Two runs side by side', { over: h('a', { href: '#/runs' }, 'Runs'), actions: this.first }),
      h(
        'div',
        { class: 'cmp-stage' },
        h('section', { class: 'card', 'aria-label': 'Steps' }, (this.count = h('h2')), this.list),
        h(
          'div',
          { class: 'run-side' },
          h(
            'div',
            { class: 'row' },
            this.choice('Pictures', VIEWS, (v) => {
              this.view = v;
              this.paintSides();
            }),
            h(
              'div',
              { class: 'cmp-switch' },
              this.choice('Runs', SIDES, (v) => {
                this.pair.dataset.side = v;
              }),
            ),
          ),
          this.pair,
        ),
      ),
    );
  }

  differs() {
    return this.#rows.findIndex((r) => r.why);
  }
  go(n) {
    this.#picked = true;
    this.#at = Math.max(0, Math.min(n, this.#rows.length - 1));
    this.paintRows();
    this.paintSides();
  }
  key(e) {
    const to = {
      ArrowUp: this.#at - 1,
      ArrowDown: this.#at + 1,
      PageUp: this.#at - 10,
      PageDown: this.#at + 10,
      Home: 0,
      End: Infinity,
    }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    this.go(to);
  }

  paint() {
    if (!this.#built) this.build();
    const [a, b] = this.feeds.map((f) => f.run),
      first = this.differs();
    this.#rows = align(a, b);
    const now = this.differs(),
      over = ended(a) && ended(b);
    if (!this.#picked) this.#at = now >= 0 ? now : this.#rows.findLastIndex((r) => over || (r.a && r.b));
    if (first !== now || !this.first.textContent) {
      this.first.textContent =
        now >= 0 ? `First difference: row ${now + 1}` : over ? 'No difference' : 'No difference so far';
      this.first.disabled = now < 0;
    }
    this.count.textContent = `${plural(this.#rows.filter((r) => r.why).length, 'difference')} in ${plural(this.#rows.length, 'row')}`;
    this.paintRows();
    this.paintSides();
  }

  paintRows() {
    const first = this.differs(),
      half = (s) =>
        h(
          'span',
          { class: 'cmp-half' },
          s
            ? [
                h('span', { class: 'dim' }, `${s.n} `),
                h('code', null, said(s.tool)),
                ' ',
                said(about(s).slice(0, 90)),
              ]
            : '–',
        );
    keyed(
      this.list,
      this.#rows.map((r, i) => [r, i]),
      ([, i]) => i,
      ([, i]) => h('div', { class: 'cmp-row', role: 'option', id: `cmp-${i}`, onclick: () => this.go(i) }),
      (row, [r, i]) => {
        row.setAttribute('aria-selected', String(i === this.#at));
        const key = `${r.a?.n} ${r.a?.rev} ${r.b?.n} ${r.b?.rev} ${i === first}`;
        if (row.dataset.is === key) return;
        row.dataset.is = key;
        row.classList.toggle('is-other', !!r.why);
        fill(
          row,
          half(r.a),
          half(r.b),
          r.why &&
            h(
              'span',
              { class: `tag ${i === first ? 'is-first' : ''}` },
              i === first ? `first difference: ${r.why}` : r.why,
            ),
        );
      },
    );
    const row = this.list.children[this.#at];
    if (!row) return;
    this.list.setAttribute('aria-activedescendant', row.id);
    const top = row.offsetTop - this.list.offsetTop,
      { scrollTop, clientHeight } = this.list;
    if (top < scrollTop + 30 || top > scrollTop + clientHeight - 60)
      this.list.scrollTop = top - clientHeight / 2;
  }

  paintSides() {
    const row = this.#rows[this.#at];
    this.sides.forEach((side, i) => {
      const { run, row: stored } = this.feeds[i],
        s = i ? row?.b : row?.a,
        n = s?.n ?? -1,
        before = this.view === 'before';
      refill(
        side.facts,
        h(
          'p',
          { class: 'run-goal' },
          h('strong', null, NAMES[i]),
          badge(run.end?.outcome ?? run.state),
          h('a', { href: `#/run/${stored.id}${s ? `?step=${n}` : ''}` }, `run ${brief(stored.id)}`),
          h('span', { class: 'dim' }, said(run.model)),
        ),
        h('p', { class: 'run-two' }, long(run.name ?? run.goal, 200)),
        facts([
          ['Steps', count(Math.max(0, run.steps.length - 1))],
          ['Took', duration(ranMs(run) ?? run.clock)],
          ['Tokens', short(spentTokens(run))],
          ['Cost', costOf(run)],
        ]),
      );
      fill(
        side.head,
        s
          ? h(
              'div',
              { class: 'run-step-head' },
              h('h3', null, `Step ${n}`),
              h('code', null, said(s.tool)),
              long(about(s), 200),
              h('span', { class: `badge is-${kind(run, s)}` }, kindWord(run, s)),
            )
          : h('p', { class: 'dim' }, 'This run has no such step.'),
      );
      const p = s && pictureAt(run, before ? n - 1 : n);
      side.phone.set({
        picture: p,
        size: headOf(run.steps[0]?.screen)?.size,
        box: before && s ? s.box : null,
        alt: `The phone of run ${NAMES[i]} ${this.view} step ${n}`,
        caption: p
          ? `${this.view}${p.from === (before ? n - 1 : n) ? '' : ` (picture of step ${p.from})`}`
          : '',
        none: s ? 'No picture was kept.' : '',
      });
      fill(
        side.diff,
        s && s.ok !== null ? diff(s.changes) : h('p', { class: 'dim' }, s ? 'Under way…' : '–'),
      );
    });
  }
}
customElements.define('ia-compare', Compare);
