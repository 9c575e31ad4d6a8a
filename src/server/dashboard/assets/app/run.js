// run.js: one run: what it was to do, what it did step by step, and what it came to; live while it goes on.

import { add, h, fill, refill, said, Part } from './dom.js';
import { get, picture, post, session } from './api.js';
import { button, card, empty, facts, failed, loading } from './ui.js';
import { count, duration, money, short, tokens } from './format.js';
import { ended, firstLook, kind, kindWord, pictureAt } from './run-model.js';
import { details, follow } from './run-feed.js';
import { card as asks, open as openQuestions } from './questions.js';
import { figures, header, meters, state } from './run-head.js';
import { hitches, messages, transcript, verdict } from './run-story.js';
import { Phone, about, diff, framesAfter, headOf, long, outline, place, ranMs } from './run-view.js';
import { subtasks } from './subtasks.js';
import { Film } from './run-film.js';

const VIEWS = { both: 'Both', before: 'Before', after: 'After' };

/** Fills a node again only when what it shows has changed: focus and selection stay. */
function paint(node, key, make) {
  if (node.dataset.shows === String(key)) return;
  node.dataset.shows = key;
  refill(node, make());
}

const tokenWords = (use) =>
  `${count(use.input)} new, ${count(use.cache_read)} from the cache, ` +
  `${count(use.cache_write)} to the cache, ${count(use.output)} out`;

class Run extends Part {
  #at = 0;
  #follows = false;
  #due = false;
  #opened = false;
  #rest = 0;
  #stages = '';

  async begin() {
    fill(this, loading());
    try {
      this.feed = await follow(this.place[0], this, (feed) => this.changed(feed));
    } catch (e) {
      if (e.name !== 'AbortError')
        fill(
          this,
          h('h1', null, 'Run'),
          failed(e, () => this.begin()),
        );
    }
  }

  changed(feed) {
    this.feed = feed;
    if (!this.#opened) this.open();
    if (this.#follows) this.#at = Math.max(0, feed.run.steps.length - 1);
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      this.paint();
    });
  }

  open() {
    this.#opened = true;
    const { run } = this.feed,
      asked = this.query.get('step');
    this.#follows = !ended(run) && asked === null;
    this.#at = asked === null ? firstLook(run) : +asked || 0;
    this.build();
    subtasks(this, run.id, this.below);
    this.findPass();
  }
  queryChanged(query) {
    if (query.has('step')) this.go(+query.get('step') || 0);
  }

  go(n) {
    const last = this.feed.run.steps.length - 1;
    this.#at = Math.max(0, Math.min(n, last));
    this.#follows = false;
    this.settle();
    this.paint();
  }
  /** The address follows when the film rests: browsers refuse hundreds of changes in a few seconds. */
  settle() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      if (!this.isConnected) return;
      history.replaceState(null, '', place(this.feed.run.id, this.#follows ? undefined : this.#at));
      sessionStorage.setItem('ios-agent-place', location.hash);
    }, 200);
  }
  tail() {
    this.#follows = true;
    this.settle();
    this.changed(this.feed);
  }

  // ---- the frame ----

  build() {
    const part = (name, props) => {
      this[name] = h('div', props);
      return this[name];
    };
    this.film = new Film(
      (n) => this.go(n),
      () => this.tail(),
    );
    this.whenGone(() => this.film.stop());
    this.before = new Phone();
    this.after = new Phone();
    this.before.node.classList.add('run-before');
    this.after.node.classList.add('run-after');
    this.shots = h(
      'div',
      { class: 'run-shots', dataset: { view: 'both' } },
      this.before.node,
      this.after.node,
    );
    this.views = h(
      'div',
      { class: 'row', role: 'group', 'aria-label': 'Pictures' },
      Object.entries(VIEWS).map(([view, text]) =>
        h(
          'button',
          {
            type: 'button',
            class: 'button small',
            'aria-pressed': String(view === 'both'),
            onclick: (e) => {
              this.shots.dataset.view = view;
              for (const b of this.views.children) b.setAttribute('aria-pressed', b === e.currentTarget);
            },
          },
          text,
        ),
      ),
    );
    this.status = h('p', { class: 'sr', role: 'status' });
    this.text = h('textarea', {
      rows: 1,
      'aria-label': 'What to tell the agent',
      placeholder: 'Tell the agent something…',
      disabled: !session.canAct,
      onkeydown: (e) => {
        if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
        e.preventDefault();
        this.sayButton.click();
      },
    });
    this.sayForm = h(
      'div',
      { class: 'run-say' },
      this.text,
      (this.sayButton = button('Say', () => this.say(), { acts: true })),
    );
    fill(
      this,
      part('top'),
      part('numbers'),
      this.status,
      part('asks', { class: 'none', role: 'status' }),
      part('verdict'),
      part('below'),
      part('nothing', { class: 'card' }),
      (this.stage = h(
        'div',
        { class: 'run-stage' },
        h(
          'div',
          { class: 'run-left' },
          h('section', { class: 'card', 'aria-label': 'Pictures' }, this.views, this.shots),
          (this.sayCard = card('Messages', part('messages'), this.sayForm)),
        ),
        h(
          'div',
          { class: 'run-side' },
          this.film.node,
          h(
            'section',
            { class: 'card', 'aria-label': 'The step' },
            part('now'),
            part('stepHead'),
            part('why'),
            part('stepFacts'),
            part('notes'),
            h(
              'div',
              { class: 'run-panes' },
              h(
                'div',
                { class: 'run-pane' },
                h('h3', null, 'What changed'),
                part('diff', {
                  class: 'run-scroll',
                  tabindex: 0,
                  role: 'group',
                  'aria-label': 'What changed',
                }),
              ),
              h(
                'div',
                { class: 'run-pane' },
                h('h3', null, 'The screen, as a model sees it'),
                part('tree', { class: 'run-scroll', tabindex: 0, role: 'group', 'aria-label': 'The screen' }),
              ),
            ),
          ),
        ),
      )),
      part('hitches'),
      transcript(this.feed),
    );
    // A menu is left as menus are: by Escape, and by a click elsewhere.
    this.on(document, 'click', (e) => {
      const menu = this.querySelector('.run-menu[open]');
      if (menu && !menu.contains(e.target)) menu.open = false;
    });
    this.on(document, 'keydown', (e) => {
      const menu = e.key === 'Escape' && this.querySelector('.run-menu[open]');
      if (menu) {
        menu.open = false;
        menu.firstChild.focus();
      }
      if (!e.target.closest?.('input, textarea, select, dialog, summary, [role=listbox], .run-scroll'))
        this.film.key(e, false);
    });
    const clock = setInterval(() => {
      if (!ended(this.feed.run)) this.tick();
    }, 1000);
    this.whenGone(() => clearInterval(clock));
  }

  paint() {
    if (!this.isConnected) return;
    const { run } = this.feed;
    this.paintTop();
    this.paintAsks();
    this.paintVerdict();
    this.paintHitches();
    this.paintMessages();
    this.film.set(run, this.#at, this.#follows);
    this.paintStep();
    const s = run.steps[this.#at];
    const news = ended(run)
      ? `The run ${run.end?.outcome ?? (run.state === 'passed' ? 'passed' : `ended: ${run.state}`)}.`
      : this.#follows && s
        ? `Step ${s.n}: ${s.tool} ${about(s).slice(0, 80)}`
        : '';
    if (this.status.textContent !== news) this.status.textContent = news;
  }

  // ---- head ----

  paintTop() {
    const { feed } = this,
      { run, row, pass } = feed;
    paint(this.top, [state(feed), run.goal.length, pass, row.cancel_requested, session.canAct], () =>
      header(feed),
    );
    document.title = `${(run.name ?? run.goal).slice(0, 60)} · ios-agent`;
    paint(
      this.numbers,
      JSON.stringify([
        run.started,
        run.finished,
        run.spent,
        run.steps.length,
        run.end?.tokens,
        run.attempt,
        run.device,
        run.budget,
      ]),
      () => [figures(feed, (this.took = h('span'))), meters(run)],
    );
    this.tick();
  }

  tick() {
    const { run } = this.feed;
    if (this.took)
      this.took.textContent = duration(
        ended(run) ? (ranMs(run) ?? run.clock) : run.started ? Date.now() - Date.parse(run.started) : null,
      );
  }

  async findPass() {
    const { row, run } = this.feed;
    try {
      const { runs } = await get(
        '/runs',
        { goal: row.name ?? row.goal, state: 'passed', limit: 2 },
        { signal: this.signal },
      );
      const pass = runs.find((r) => r.id !== run.id);
      if (pass) {
        this.feed.pass = pass.id;
        this.changed(this.feed);
      }
    } catch {
      /* nothing to compare with */
    }
  }
  async say() {
    const text = this.text.value.trim();
    if (!text) return;
    await post(`/runs/${this.feed.row.id}/say`, { text, sender: 'dashboard' });
    if (this.text.value.trim() === text) this.text.value = '';
    this.text.focus();
  }

  /** Asked for again when the run asks and when it is answered, here or elsewhere. */
  async paintAsks() {
    const { run } = this.feed,
      key = `${run.state === 'asking'} ${run.marks.length}`;
    if (this.asks.dataset.shows === key) return;
    this.asks.dataset.shows = key;
    try {
      const all = run.state === 'asking' ? await openQuestions(run.id, { signal: this.signal }) : [];
      if (this.asks.dataset.shows === key) refill(this.asks, asks(all));
    } catch {
      delete this.asks.dataset.shows;
    }
  }

  paintVerdict() {
    const { run, row } = this.feed;
    paint(this.verdict, JSON.stringify([!!run.end, run.end && run.steps.length, row.expect]), () =>
      verdict(run, row.expect ?? []),
    );
  }
  paintHitches() {
    const { run } = this.feed;
    paint(this.hitches, run.marks.length, () => hitches(run));
  }
  paintMessages() {
    const { run } = this.feed;
    this.sayForm.hidden = ended(run);
    this.sayCard.hidden = ended(run) && !run.messages.length;
    paint(this.messages, run.messages.map((m) => m.taken).join() + run.messages.length, () => messages(run));
  }

  // ---- the step ----

  paintStep() {
    const { run } = this.feed,
      n = this.#at,
      s = run.steps[n];
    const saying = run.saying && run.state === 'running' && run.steps.at(-1)?.ok !== null && this.#follows;
    paint(
      this.now,
      saying ? `${run.saying.turn} ${run.saying.text}` : '',
      () =>
        saying &&
        h(
          'div',
          { class: 'run-why is-saying' },
          h(
            'span',
            { class: 'dim' },
            `Turn ${run.saying.turn}: `,
            run.saying.text ? '' : 'the model is thinking…',
          ),
          said(run.saying.text),
        ),
    );
    if (this.now.firstChild) this.now.firstChild.scrollTop = 1e6;
    if (!s) {
      this.paintNothing();
      return;
    }
    const around = run.steps.slice(Math.max(0, n - 1), n + 2).map((x) => x.rev);
    const key = `${n} ${around} ${run.steps.length} ${run.state}`;
    this.stage.hidden = false;
    paint(this.nothing, '', () => null);
    if (key === this.#stages) return;
    this.#stages = key;
    this.paintPictures(s);
    const k = kind(run, s);
    fill(
      this.stepHead,
      h(
        'div',
        { class: 'run-step-head' },
        h('h2', null, n ? `Step ${n}` : 'Start'),
        n > 0 && h('code', null, said(s.tool)),
        long(about(s), 300),
        h('span', { class: `badge is-${k}` }, kindWord(run, s)),
        s.code && s.code !== 'OK' && h('code', null, said(s.code)),
      ),
    );
    const use = s.ask?.usage;
    fill(
      this.stepFacts,
      n > 0 &&
        facts([
          ['Took', duration(s.ms)],
          ['Model', s.ask && duration(s.ask.ms)],
          ['Turn', s.ask?.turn],
          ['Tokens', use && h('span', { title: tokenWords(use) }, short(tokens(use)))],
          ['Cost', s.ask && !run.demo ? money(s.ask.cost) : null],
          ['Verifier', s.checks.length ? duration(s.checks.reduce((ms, c) => ms + c.ms, 0)) : null],
          ['At', duration(s.at)],
        ]),
    );
    fill(
      this.notes,
      s.missing?.length > 0 && [
        h('h3', null, 'Not accepted: what is missing'),
        h(
          'ul',
          null,
          s.missing.map((m) => h('li', null, long(m, 600))),
        ),
      ],
      s.from &&
        h(
          'p',
          { class: s.from.why || s.from.differs ? 'is-warn' : 'dim' },
          s.from.why
            ? ['By a model, as the recording no longer fits: ', long(s.from.why)]
            : [`Step ${s.from.step} of the recording`, s.from.differs && `; not as recorded: ${s.from.differs}`],
        ),
      s.verifier &&
        h(
          'p',
          null,
          h('strong', null, s.verifier.agrees ? 'The verifier agrees: ' : 'The verifier disagrees: '),
          long(s.verifier.reason),
        ),
      s.relaunch && h('p', null, 'Launched again to check what is left: ', said(s.relaunch)),
      s.setup?.length > 0 &&
        h(
          'p',
          { class: 'dim' },
          'Before it: ',
          said(s.setup.map((x) => `${x.do} ${x.value ?? ''}`).join(', ')),
        ),
    );
    fill(
      this.diff,
      n
        ? s.ok === null
          ? h('p', { class: 'dim' }, kind(run, s) === 'live' ? 'Under way…' : 'It has no result.')
          : diff(s.changes)
        : h('p', { class: 'dim' }, 'The first look: nothing was done yet.'),
    );
    fill(this.why, s.said && h('p', { class: 'run-why' }, long(s.said, 20000)));
    this.paintDetails(n, s);
    for (const x of [n + 1, n + 2]) {
      const p = run.steps[x]?.picture;
      if (p) picture(p).catch(() => {});
    }
  }

  async paintDetails(n, s) {
    const key = this.#stages;
    let what;
    this.tree.ariaBusy = 'true';
    try {
      what = await details(this.feed, n);
    } catch (e) {
      if (key === this.#stages) {
        this.tree.ariaBusy = 'false';
        fill(this.tree, h('p', { class: 'dim' }, said(e.message)));
      }
      return;
    }
    if (key !== this.#stages) return;
    this.tree.ariaBusy = 'false';
    const { run } = this.feed,
      touched = new Set([...s.changes.matchAll(/^[+~] (\d+) /gm)].map((m) => m[1]));
    fill(
      this.why,
      what.said
        ? h('p', { class: 'run-why', tabindex: what.said.length > 600 ? 0 : null }, long(what.said, 20000))
        : n > 0 && s.ok !== null && h('p', { class: 'dim' }, 'It gave no reason.'),
    );
    if (s.ok === false && !s.missing && what.result)
      add(this.notes, h('p', { class: 'run-clip run-found' }, long(what.result.split('<screen ')[0].trim())));
    fill(
      this.tree,
      what.from !== n &&
        what.screen &&
        h(
          'p',
          { class: 'dim' },
          `This step read no screen. After ${what.from ? `step ${what.from}` : 'the first look'}:`,
        ),
      what.screen
        ? outline(what.screen, { frames: framesAfter(run, n), touched, light: (box) => this.light(s, box) })
        : h('p', { class: 'dim' }, 'No screen was read.'),
    );
  }

  light(s, box) {
    this.paintPictures(s, box);
  }
  paintPictures(s, lit = null) {
    const { run } = this.feed,
      n = s.n,
      was = pictureAt(run, n - 1),
      is = pictureAt(run, n),
      top = headOf(run.steps[0]?.screen);
    const from = (p, at) =>
      p && p.from !== at ? ` (picture of ${p.from ? `step ${p.from}` : 'the start'})` : '';
    const none = ended(run)
      ? 'No picture was kept: the run was told to keep fewer.'
      : 'There is no picture yet.';
    const size = top?.size,
      comes = !ended(run) && s.changed && n === run.steps.length - 1 && is && is.from !== n;
    const open = s.ok === null || comes,
      same = n > 0 && !s.changed && was && is?.sha === was.sha;
    this.before.set({
      picture: n ? was : null,
      size,
      box: s.box,
      alt: `The phone before step ${n}`,
      caption: n ? `before${from(was, n - 1)}` : 'before',
      none: n ? none : 'The run begins.',
    });
    this.after.set({
      picture: open ? null : is,
      size,
      lit,
      alt: `The phone after step ${n}`,
      none: open ? '…' : none,
      caption: open ? 'after: not yet' : `after${from(is, n)}${same ? ' · looks the same' : ''}`,
    });
  }
  paintNothing() {
    const { row, run } = this.feed;
    this.stage.hidden = true;
    paint(this.nothing, run.state, () =>
      empty(
        ended(run) ? 'It ended before its first step' : 'No step yet',
        said(
          ended(run) || run.state === 'running'
            ? 'No screen was read.'
            : `Waiting for ${row.lane ?? 'a device'}.`,
        ),
      ),
    );
  }
}
customElements.define('ia-run', Run);
