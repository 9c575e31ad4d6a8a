// run-head.js: the head of a run's page: what it is, its figures and budgets, and what can be done with it.

import { h, said } from './dom.js';
import { post, raw } from './api.js';
import { badge, button, facts, save, sure, time, toast } from './ui.js';
import { brief, count, duration, money, plural, short, stateOf } from './format.js';
import { ended } from './run-model.js';
import { costOf, long, place, ranMs, spentTokens } from './run-view.js';

const REPORTS = {
  json: 'application/json',
  junit: 'application/xml',
  md: 'text/markdown',
  ctrf: 'application/json',
};

/** The state to show: a run that is not over may be orphaned or stuck, which its row says. */
export const state = ({ run, row }) => (ended(run) ? (run.end?.outcome ?? run.state) : stateOf({ ...row, state: run.state === 'asking' ? 'blocked' : run.state }));

export function header(feed) {
  const { run, row } = feed;
  return h(
    'div',
    { class: 'head' },
    h(
      'div',
      null,
      h(
        'p',
        { class: 'eyebrow run-goal' },
        badge(state(feed)),
        `run ${brief(row.id)}`,
        row.cancel_requested && !ended(run) && h('span', { class: 'tag' }, 'cancel requested'),
        run.end?.code && run.end.code !== 'OK' && h('code', null, said(run.end.code)),
      ),
      h('h1', null, long(run.name ?? run.goal ?? row.goal, 600)),
      run.name && run.name !== run.goal && h('p', { class: 'dim run-two' }, long(run.goal, 400)),
    ),
    h('div', { class: 'actions' }, actions(feed)),
  );
}

/** What a replay did, in words; null for what is none. */
const replayed = (r) =>
  r &&
  [
    `${r.replayed} of ${plural(r.of, 'step')}`,
    r.drifted > 0 && `${r.drifted} drifted`,
    r.healed > 0 && `${r.healed} healed`,
    r.quarantined && 'from a recording in quarantine',
    plural(r.requests, 'model call'),
  ]
    .filter(Boolean)
    .join(', ') + (r.notes ? ` (${r.notes})` : '');

/** took: shows how long it took, or has been going on. */
export const figures = ({ run, row }, took) =>
  facts([
    ['Device', run.device && [said(run.device.name), h('span', { class: 'dim' }, ` ${run.device.os}`)]],
    ['Lane', said(row.lane)],
    ['Model', said(run.demo ? 'demo brain' : run.model || row.model)],
    ['Agent', row.agent && h('a', { href: `#/agent/${encodeURIComponent(row.agent)}` }, said(row.agent))],
    ['App', run.app && said(run.app)],
    ['Started', run.started ? time(run.started) : 'not yet'],
    ['Took', took],
    ['Steps', count(run.end?.steps ?? Math.max(0, run.steps.length - 1))],
    ['Tokens', h('span', { title: count(spentTokens(run)) }, short(spentTokens(run)))],
    ['From cache', run.end?.tokens && `${Math.round(run.end.tokens.cached_share * 100)} %`],
    ['Cost', costOf(run)],
    ['Attempt', run.attempt > 1 ? run.attempt : null],
    [
      'Recording',
      (row.recording || run.end?.replay) &&
        h('a', { href: `#/recordings/${row.recording ?? run.end.replay.recording}` }, brief(row.recording ?? run.end.replay.recording)),
    ],
    ['Replayed', replayed(run.end?.replay)],
    ['Sweep', row.sweep && h('a', { href: `#/pipeline/${row.sweep}` }, brief(row.sweep))],
    ['Subtask of', row.parent && h('a', { href: place(row.parent) }, brief(row.parent))],
    ['Continues', run.continues && h('a', { href: place(run.continues) }, brief(run.continues))],
  ]);

export function meters(run) {
  const b = run.budget;
  const rows = [
    ['Steps', run.end?.steps ?? run.steps.length - 1, b?.max_steps, count],
    ['Time', ranMs(run), b && b.max_seconds * 1000, duration],
    ['Tokens', spentTokens(run), b?.max_tokens, short],
    ['Cost', run.spent?.usd, b?.max_usd, money],
  ];
  return h(
    'div',
    { class: 'run-meters' },
    rows
      .filter(([, v, max]) => max > 0 && v >= 0)
      .map(([name, v, max, words]) => {
        const text = `${words(v)} of ${words(max)}`;
        return h(
          'div',
          { class: 'run-meter' },
          h('span', { class: 'num' }, `${name} budget: ${text}`),
          h('meter', {
            min: 0,
            max,
            high: max * 0.8,
            optimum: 0,
            value: Math.min(v, max),
            'aria-label': `${name}: ${text}`,
          }),
        );
      }),
  );
}

function actions(feed) {
  const { run, row, pass } = feed,
    id = row.id,
    over = ended(run);
  const waits =
    ['retry_wait', 'orphaned'].includes(state(feed)) || (state(feed) === 'queued' && run.marks.length > 0);
  return [
    !over &&
      button(
        'Cancel',
        async () => {
          if (await sure('Cancel this run?', 'What it did on the device is not undone.', 'Cancel the run'))
            await post(`/runs/${id}/cancel`);
        },
        { acts: true, kind: 'danger' },
      ),
    !over &&
      waits &&
      button('Resume', () => post(`/runs/${id}/resume`), {
        acts: true,
        title: 'Resumes now, where it was',
      }),
    over && button('Run again', () => repeat(feed), { acts: true, kind: 'primary' }),
    pass && h('a', { class: 'button', href: `#/compare/${pass}/${id}` }, 'Compare with the last pass'),
    button('Copy command', () => copyCommand(row), { title: 'The command that does this again' }),
    h(
      'details',
      { class: 'run-menu' },
      h('summary', { class: 'button' }, 'Report'),
      h(
        'div',
        null,
        Object.entries(REPORTS).map(([format, type]) =>
          button(
            `Save ${format === 'md' ? 'Markdown' : format === 'junit' ? 'JUnit' : format.toUpperCase()}`,
            async () => {
              const response = await raw(`/runs/${id}/report`, { format });
              save(
                `run-${brief(id)}.${{ junit: 'xml', md: 'md', ctrf: 'ctrf.json' }[format] ?? format}`,
                await response.text(),
                type,
              );
            },
            { kind: 'small' },
          ),
        ),
      ),
    ),
  ];
}

async function copyCommand(row) {
  const report = await (await raw(`/runs/${row.id}/report`, { format: 'json' })).json();
  const command =
    report.goals[0].runs.find((r) => r.id === row.id)?.command ?? report.goals[0].runs[0].command;
  await navigator.clipboard.writeText(command);
  toast(`Copied: ${command.slice(0, 300)}`);
}

async function repeat({ row, job }) {
  const { run } = await post(
    '/runs',
    job ?? { goal: row.goal, demo: row.demo, expect: row.expect, device: row.lane },
  );
  location.hash = place(run.id);
}
