// main.js: signs in, shows the page of the address, and says how things stand.

import { h, fill, said } from './dom.js';
import { get, login, session, trouble } from './api.js';
import { start, stream } from './events.js';
import { failed, loading } from './ui.js';

// address → the module that defines the element, and the element. What follows is its `place`: the rest of
// the path, decoded.
export const PAGES = {
  '': ['overview', 'ia-overview', 'Overview'],
  runs: ['runs', 'ia-runs', 'Runs'],
  run: ['run', 'ia-run'],
  compare: ['compare', 'ia-compare'],
  chat: ['chat', 'ia-chat', 'Chat'],
  pipeline: ['pipeline', 'ia-pipeline', 'Pipeline'],
  screen: ['screen', 'ia-screen', 'Screen'],
  fleet: ['fleet', 'ia-fleet', 'Fleet'],
  agents: ['agents', 'ia-agents', 'Agents'],
  agent: ['agent', 'ia-agent'],
  recordings: ['recordings', 'ia-recordings', 'Recordings'],
  trends: ['trends', 'ia-trends', 'Trends'],
  skills: ['skills', 'ia-skills', 'Skills'],
  settings: ['settings', 'ia-settings', 'Settings'],
};
const PARENT = { run: 'runs', compare: 'runs', agent: 'agents' };

const main = document.getElementById('main'), nav = document.getElementById('nav');
const notices = document.getElementById('notices'), status = document.getElementById('status');
const tabs = new BroadcastChannel('ios-agent');

// ---- pages ---------------------------------------------------------------------------------------------

/** "#/run/ID?step=3" → {page: 'run', place: ['ID'], query} */
export function route(hash = location.hash) {
  const [path, query] = hash.replace(/^#\/?/, '').split('?');
  const [page, ...place] = path.split('/').map((s) => { try { return decodeURIComponent(s); } catch { return s; } });
  return { page, place, query: new URLSearchParams(query) };
}

const scrollNav = (a) => { nav.scrollLeft = a.offsetLeft - nav.offsetLeft - 40; }; // a narrow window shows some of them
let shown = '', turn = 0;
async function open() {
  const { page, place, query } = route();
  if (page.startsWith('code=')) return;
  const [module, tag, name] = Object.hasOwn(PAGES, page) ? PAGES[page] : PAGES[''];
  const title = name ?? page[0].toUpperCase() + page.slice(1);
  for (const a of nav.querySelectorAll('a')) {
    if (a.dataset.page === (PARENT[page] ?? page)) {
      a.setAttribute('aria-current', 'page');
      scrollNav(a);
    } else a.removeAttribute('aria-current');
  }
  const key = [page, ...place].join('/');
  if (key === shown && main.firstElementChild?.queryChanged) { main.firstElementChild.queryChanged(query); return; }
  shown = key;
  const mine = ++turn;
  document.title = `${title} · ios-agent`;
  const inside = main.contains(document.activeElement); // on the link that led here, which goes with its page
  fill(main, loading());
  main.setAttribute('aria-label', title);
  if (inside) main.focus({ preventScroll: true });
  try {
    await import(`./${module}.js`);
    if (mine !== turn) return;
    const node = document.createElement(tag);
    Object.assign(node, { place, query });
    fill(main, node);
    window.scrollTo(0, 0);
  } catch (e) {
    if (mine !== turn) return;
    shown = '';
    // What a browser says of a module that did not come helps nobody.
    const gone = stream.state === 'offline' || stream.state === 'signedout';
    fill(main, failed(gone ? { message: 'The daemon does not answer.' } : e, open));
  }
}

// ---- who is here ---------------------------------------------------------------------------------------

function signedOut() {
  stream.state = 'signedout';
  const text = session.token ? 'The daemon was restarted, so this page was signed out.' : 'This page is not signed in.';
  session.drop();
  fill(notices, h('div', { class: 'notice is-warn', role: 'alert' }, h('strong', null, text), ' Run ',
    h('code', null, 'ios-agent dashboard'), ' in a terminal: this page then resumes where it was.'));
  if (!shown) fill(main, h('div', { class: 'state' }, h('h1', null, 'Not signed in'),
    h('p', null, 'Run ', h('code', null, 'ios-agent dashboard'), ' in a terminal. It opens this page with a one-time code.')));
  paintStatus();
}

// A page that was signed in anew lets those in that wait for it.
tabs.onmessage = ({ data }) => {
  if (data?.token && stream.state === 'signedout') {
    session.keep(data.token, data.scope);
    begin();
  }
};

async function takeCode() {
  const code = /^#code=([0-9a-f]+)$/.exec(location.hash)?.[1];
  if (!code) return;
  const back = sessionStorage.getItem('ios-agent-place') ?? '#/';
  history.replaceState(null, '', back);
  await login(code);
  tabs.postMessage({ token: session.token, scope: session.canAct ? 'act' : 'view' });
}

// ---- how things stand ----------------------------------------------------------------------------------

const WORDS = { connecting: 'connecting…', live: 'live', paused: 'paused', offline: 'no daemon', signedout: 'signed out' };
const dot = h('span', { class: 'dot' }), word = h('span', { class: 'word' });
const theme = h('button', { type: 'button', class: 'button small', onclick: () => setTheme(NEXT[scheme()]) });
const NEXT = { auto: 'light', light: 'dark', dark: 'auto' };
export const scheme = () => localStorage.getItem('ios-agent-scheme') ?? 'auto';
export function setTheme(name) {
  localStorage.setItem('ios-agent-scheme', name);
  document.documentElement.dataset.scheme = name;
  theme.textContent = { auto: '◐', light: '☀', dark: '☾' }[name];
  theme.setAttribute('aria-label', `Colours: ${name}`);
  theme.title = `Colours: ${name}`;
}
function paintStatus() {
  dot.className = `dot is-${stream.state}`;
  word.textContent = WORDS[stream.state];
}

function notice(kind, ...content) { return h('div', { class: `notice is-${kind}` }, content); }
let told = '', telling = 0;
export async function paintNotices() {
  if (stream.state === 'signedout') return;
  const all = [], mine = ++telling;
  if (stream.state === 'offline') all.push(notice('bad', h('strong', null, 'The daemon does not answer.'),
    ' This is the last known state. Any command starts it again: ', h('code', null, 'ios-agent dashboard'), '.'));
  if (!session.canAct) all.push(notice('calm', 'This page is view-only.'));
  try {
    const key = await get('/key');
    if (key.in_use === 'none') all.push(notice('warn', h('strong', null, 'No API key: '), 'runs use the demo brain, which follows literal steps and does not reason. ',
      h('a', { href: '#/settings' }, 'Store a key')));
  } catch { /* the stream says what is wrong */ }
  const text = all.map((n) => n.textContent).join();
  if (mine === telling && told !== text) { told = text; fill(notices, all); }
}

/** Only who has a fleet is led to its page. */
export function showFleet(is) {
  const a = nav.querySelector('[data-page=fleet]');
  if (a.hidden !== is) return;
  a.hidden = !is;
  if (a.ariaCurrent) scrollNav(a);
}
async function lookForFleet() {
  try {
    const { values } = await get('/config');
    showFleet(Boolean(values.find((v) => v.key === 'fleet.url')?.value));
  } catch { /* the stream says what is wrong */ }
}

async function begin() {
  notices.replaceChildren();
  told = '';
  start();
  shown = '';
  open();
  paintNotices();
  lookForFleet();
}

// ---- the frame -----------------------------------------------------------------------------------------

export const KEYS = { o: '', r: 'runs', c: 'chat', p: 'pipeline', s: 'screen', f: 'fleet', a: 'agents', d: 'recordings', t: 'trends', k: 'skills', e: 'settings' };
function frame() {
  fill(nav, Object.entries(PAGES).filter(([, p]) => p[2]).map(([page, [, , title]]) =>
    h('a', { href: `#/${page}`, dataset: { page }, hidden: page === 'fleet' }, title)));
  fill(status, h('span', { class: 'how', title: 'The stream of events' }, dot, word), theme);
  setTheme(scheme());
  // Its address would be taken for a page's.
  document.querySelector('.skip').addEventListener('click', (e) => { e.preventDefault(); main.focus(); });
  let g = 0;
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.('input, textarea, select, dialog, [contenteditable], .screen-glass')) return;
    if (e.key === 'g') { g = e.timeStamp; return; }
    if (g && e.timeStamp - g < 1500 && e.key in KEYS) { location.hash = `#/${KEYS[e.key]}`; e.preventDefault(); }
    g = 0;
  });
}

async function boot() {
  frame();
  addEventListener('hashchange', async () => {
    if (location.hash.startsWith('#code=')) { try { await takeCode(); begin(); } catch { signedOut(); } return; }
    sessionStorage.setItem('ios-agent-place', location.hash);
    open();
  });
  trouble.addEventListener('signedout', signedOut);
  stream.addEventListener('state', () => { paintStatus(); paintNotices(); });
  paintStatus();
  try { await takeCode(); } catch (e) {
    fill(main, h('div', { class: 'state is-bad', role: 'alert' }, h('h1', null, 'Not signed in'), h('p', null, said(e.message)),
      h('p', null, 'Run ', h('code', null, 'ios-agent dashboard'), ' again.')));
    if (!session.token) return;
  }
  if (!session.token) { signedOut(); return; }
  sessionStorage.setItem('ios-agent-place', location.hash || '#/');
  begin();
}
boot();
