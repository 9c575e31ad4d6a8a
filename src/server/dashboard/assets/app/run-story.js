// run-story.js: what a run came to, what got in its way, what was said to it, and all that the model was told.

import { h, said } from './dom.js';
import { badge, button, card, kindOf } from './ui.js';
import { duration, moment } from './format.js';
import { BASIS, ended, stepOfEvidence } from './run-model.js';
import { textOf, transcript as pageOf } from './run-feed.js';
import { long, place } from './run-view.js';

const BLOCK = 24000;
const ENDS = {
  passed: 'It reached its goal',
  failed: 'It did not reach its goal',
  blocked: 'Something was in its way',
  error: 'It could not go on',
  cancelled: 'It was cancelled',
};
/** Whether it held, in a sign and in words. */
const sign = (held) =>
  held === null
    ? ['?', '', 'not checked']
    : held
      ? ['✓', 'is-good', 'holds']
      : ['✕', 'is-bad', 'does not hold'];
const item = (held, ...content) => {
  const [mark, cls, word] = sign(held);
  return h(
    'li',
    null,
    h('span', { class: cls, title: word }, mark, h('span', { class: 'sr' }, `${word}: `)),
    h('div', null, content),
  );
};

/** The verdict, each expectation with what was found, and the evidence with the steps that show it. Of a
 *  run that goes on: what will be checked. */
export function verdict(run, expect) {
  const { end } = run;
  if (!end && !expect.length) return null;
  const found = new Map((end?.expects ?? []).map((x) => [x.expect, x])),
    evidence = end?.evidence ?? [];
  return h(
    'section',
    { class: `card run-verdict is-${end ? kindOf(end.outcome ?? end.state) : 'calm'}`, 'aria-label': 'Verdict' },
    h(
      'div',
      { class: 'run-goal' },
      end && badge(end.outcome ?? end.state),
      h('h2', null, end ? (BASIS[end.basis] ?? ENDS[end.state]) : 'What will be checked'),
    ),
    end &&
      [end.summary, !end.message?.startsWith(end.summary?.slice(0, 200) || '\0') && end.message]
        .filter(Boolean)
        .map((t) => h('p', { class: 'run-clip' }, long(t))),
    end?.outcome === 'healed' &&
      h(
        'p',
        null,
        'The app has changed since this was recorded. ',
        h('a', { href: '#/recordings?state=quarantined' }, 'What was healed waits for a decision'),
        '.',
      ),
    end?.hint && h('p', { class: 'dim' }, said(end.hint)),
    h(
      'div',
      { class: 'columns' },
      expect.length > 0 &&
        h(
          'div',
          { class: 'run-pane' },
          end && h('h3', null, 'Expectations'),
          h(
            'ul',
            { class: 'run-list' },
            expect.map((e) => {
              const x = found.get(e);
              return item(
                x ? x.held : null,
                h('code', null, long(e, 500)),
                x?.found && h('div', { class: 'run-found' }, 'found: ', long(x.found, 500)),
              );
            }),
          ),
        ),
      evidence.length > 0 &&
        h(
          'div',
          { class: 'run-pane' },
          h('h3', null, 'Evidence'),
          h(
            'ul',
            { class: 'run-list' },
            evidence.map((v) =>
              item(
                v.unproven ? null : true,
                h('a', { href: place(run.id, stepOfEvidence(run, v)) }, '“', long(v.quote, 500), '”'),
                h(
                  'span',
                  { class: 'dim' },
                  v.unproven
                    ? ' was not found'
                    : v.step === undefined
                      ? ' on the last screen'
                      : v.step
                        ? ` after step ${v.step}`
                        : ' on the first screen',
                ),
              ),
            ),
          ),
        ),
    ),
  );
}

/** Plans, questions, retries, interruptions, rollbacks. */
export function hitches(run) {
  if (!run.marks.length) return null;
  return card(
    'Other events',
    h(
      'ul',
      { class: 'run-list' },
      run.marks
        .slice(-100)
        .map((m) =>
          h(
            'li',
            null,
            h('span', { class: `is-${m.kind}`, 'aria-hidden': 'true' }, '●'),
            h(
              'div',
              null,
              h('strong', null, said(m.title)),
              ' ',
              h(
                'a',
                { href: place(run.id, m.step) },
                m.step ? `after step ${m.step}` : 'before the first step',
              ),
              h('span', { class: 'dim' }, ` ${moment(new Date(m.ts))} `),
              m.text && h('div', { class: 'run-clip' }, long(m.text)),
            ),
          ),
        ),
    ),
  );
}

/** What people said to it, and when it was read. */
export function messages(run) {
  if (!run.messages.length) return h('p', { class: 'dim' }, 'What you say is read on the next turn.');
  return h(
    'ul',
    { class: 'run-list' },
    run.messages
      .slice(-100)
      .map((m) =>
        h(
          'li',
          null,
          h('span', { 'aria-hidden': 'true' }, '›'),
          h(
            'div',
            null,
            h('strong', null, said(m.sender ?? 'user')),
            ': ',
            h('span', { class: 'run-clip' }, long(m.text)),
            h(
              'span',
              { class: 'dim' },
              m.taken === null ? ' · waiting for the next turn' : ` · read before step ${m.taken}`,
            ),
          ),
        ),
      ),
  );
}

/** What a search of the service found, or why it found nothing. */
const found = (c) => Array.isArray(c) ? c.map((r) => `${r.title}\n${r.url}`).join('\n') : `${c?.error_code}`;

const block = (b) =>
  h(
    'pre',
    { tabindex: 0 },
    b.type === 'tool_use' || b.type === 'server_tool_use'
      ? [h('strong', null, said(b.name)), ' ', long(JSON.stringify(b.input), BLOCK)]
      : long(b.type === 'tool_result' ? textOf(b.content) : b.type === 'web_search_tool_result' ? found(b.content) : (b.text ?? b.thinking ?? `[${b.type}]`), BLOCK),
  );
const titleOf = (m) =>
  [m.seq, m.role, m.purpose === 'verify' && '(verifier)', m.ms > 0 && `· ${duration(m.ms)}`]
    .filter(Boolean)
    .join(' ');
const message = (m) =>
  h(
    'div',
    { dataset: { seq: m.seq } },
    h('h3', null, titleOf(m)),
    (Array.isArray(m.content) ? m.content : [{ type: 'text', text: textOf(m.content) }]).map(block),
  );

/** All messages, page by page, for those who open it. */
export function transcript(feed) {
  const talk = h('div', { class: 'run-talk' }),
    more = button('More', () => read(), { kind: 'small' });
  const read = async () => {
    const { messages: all, next } = await pageOf(feed.run.id, +(talk.lastElementChild?.dataset.seq ?? 0));
    talk.append(...all.map(message));
    more.hidden = next === null && ended(feed.run);
  };
  return h(
    'details',
    { class: 'card', ontoggle: (e) => e.currentTarget.open && !talk.firstChild && more.click() },
    h('summary', null, 'Transcript: everything the model was told and said'),
    talk,
    more,
  );
}
