// newrun.js: the form of a new run: a dialog for every page, and the first goal on the overview.

import { h, fill } from './dom.js';
import { get, post } from './api.js';
import { ask, field } from './ui.js';
import { devices } from './format.js';

const EXAMPLES = ['open Settings, turn on Airplane Mode',
  'open Settings, tap General, tap About, check that iOS Version is on the screen'];
const some = (path) => get(path).catch(() => ({}));

/** The fields of a run; read() returns what to POST. `preset`: members of a run that are known. */
export function runForm(preset = {}, { short = false } = {}) {
  const goal = h('textarea', { rows: 3, required: true, placeholder: EXAMPLES[0], value: preset.goal ?? '',
    dir: 'auto' });
  const expect = h('textarea', { rows: 2, class: 'mono', spellcheck: 'false',
    placeholder: 'value switch "Airplane Mode" = "on"', value: (preset.expect ?? []).join('\n') });
  const device = h('select', null, h('option', { value: preset.device ?? '' },
    preset.device ?? 'As configured'));
  const app = h('input', { placeholder: 'com.example.shop', value: preset.app ?? '', spellcheck: 'false' });
  const agent = h('select', null, h('option', { value: '' }, 'none: nothing is remembered'));
  const model = h('input', { list: 'run-models', value: preset.model ?? '', spellcheck: 'false' }),
    models = h('datalist', { id: 'run-models' });
  const number = (placeholder, step = 1) => h('input', { type: 'number', min: 0, step, placeholder });
  const steps = number(''), seconds = number(''), usd = number('', '0.01');
  const pictures = h('select', null, [['steps', 'of each step: the run can be watched'],
    ['sharp', 'of each step, sharp'], ['end', 'of the end'], ['off', 'none']]
    .map(([value, t]) => h('option', { value }, t)));
  const demo = h('input', { type: 'checkbox', checked: preset.demo }), note = h('p', { class: 'help' });
  const choose = (list, rows, value) => fill(list,
    rows.map(([v, t]) => h('option', { value: v, selected: v === value }, t)));

  Promise.all([some('/devices'), some('/config')]).then(([d, { values = [] }]) => {
    const rows = devices(d), set = (key) => values.find((v) => v.key === key)?.value;
    if (preset.device && !rows.some(([v]) => v === preset.device)) rows.unshift([preset.device,
      preset.device]);
    choose(device, [['', `As configured: ${set('run.device')}`], ...rows], device.value);
    for (const [input, key] of [[steps, 'run.max_steps'], [seconds, 'run.max_seconds'],
      [usd, 'run.max_usd']]) input.placeholder = set(key) || 'no limit';
  });
  some('/key').then((key) => {
    if (key.in_use !== 'none') return;
    demo.checked = demo.disabled = true;
    fill(note, 'No API key is stored, so the demo brain follows the goal: literal steps like “open ',
      'Settings, turn on Airplane Mode”. ', h('a', { href: '#/settings' }, 'Store a key'));
  });
  if (!short) {
    some('/agents').then(({ agents = [] }) =>
      agent.append(...agents.map((a) => h('option', { value: a.name, selected: a.name === preset.agent },
      a.name))));
    some('/models').then((m) => { choose(models, (m.models ?? []).map((x) => [x.id, x.id]));
      model.placeholder = m.default ?? ''; });
  }
  const examples = h('p', { class: 'help' }, 'For example: ',
    EXAMPLES.map((e) => h('button', { type: 'button', class: 'button small example',
    onclick: () => { goal.value = e; goal.focus(); } }, e)));
  const node = h('div', { class: 'form' },
    field('Goal', goal, 'What to do on the phone, in your own words, and what must be true at its end.'),
    short && examples,
    !short && field('Expectations', expect,
      h('span', null, 'One per line; code checks each on a fresh screen. ', ['visible "Done"', 'gone "Empty"',
      'text "Thank you"', 'changes switch "Dark Mode"', 'count row = 3']
      .map((c) => [h('code', null, c), ' ']))),
    h('div', { class: 'pair' }, field('Device', device), !short && field('App', app,
      'Bundle id; the run stays in it.')),
    !short && [h('div', { class: 'pair' }, field('Agent', agent), field('Model', model)),
      h('details', null, h('summary', null, 'Limits and pictures'), h('div', { class: 'form' },
        h('div', { class: 'pair three' }, field('Steps', steps), field('Seconds', seconds),
          field('Dollars', usd)), field('Pictures', pictures))),
      h('label', { class: 'check' }, demo, 'Demo brain: it does not reason, and costs nothing')], note,
        models);
  return { node, goal, read() {
    const budget = {};
    for (const [k, input] of [['max_steps', steps], ['max_seconds', seconds],
      ['max_usd', usd]]) if (input.value !== '') budget[k] = +input.value;
    const lines = expect.value.split('\n').map((l) => l.trim()).filter(Boolean),
      body = { goal: goal.value.trim(), pictures: pictures.value };
    for (const [k, v] of Object.entries({ device: device.value, app: app.value.trim(), agent: agent.value,
      model: model.value.trim(), name: preset.name })) if (v) body[k] = v;
    return { ...body, ...(lines.length && { expect: lines }), ...(Object.keys(budget).length && { budget }),
      ...(demo.checked && { demo: true }) };
  } };
}

/** Queues a run and goes to it. */
export async function begin(body) {
  const { run } = await post('/runs', body);
  location.hash = `#/run/${run.id}`;
  return run;
}

/** The dialog; `preset` as for runForm. Resolves with the run, or null. */
export function newRun(preset) {
  const form = runForm(preset);
  return ask({ title: 'New run', ok: 'Run', body: form.node, read: () => begin(form.read()) });
}
