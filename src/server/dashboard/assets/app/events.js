// events.js: what happens, as one stream for the whole page: a browser has six connections for all tabs
// together. It is closed while the page is hidden and goes on at the event where it was, so nothing is
// missed and nothing comes twice. Transient events (live=1) have no id and never move that place.

import { raw } from './api.js';

const LAST = 'ios-agent-last', HIDDEN_MS = 5000, WAIT_MS = [300, 600, 1200, 2500, 5000];

/** All that changes the state of a run. */
export const MOVES = ['run.queued', 'run.claimed', 'run.state', 'run.started', 'run.resumed', 'run.retry_wait', 'run.rolled_back',
  'run.interrupted', 'run.refused', 'run.asked', 'run.answered', 'run.finished'];

/** 'state' when `state` changes: connecting, live, paused, offline, signedout. */
export const stream = Object.assign(new EventTarget(), { state: 'connecting', last: null });

const listeners = new Set();
let batch = [], asked = false, abort = null, tries = 0, timer = 0;

function say(state) {
  if (stream.state === state) return;
  stream.state = state;
  stream.dispatchEvent(new Event('state'));
}

/** fn(events): what came since the last picture of the screen, in order: {type, id|null, data}. `types`: a
 *  list, or null for all; "reset" means that everything must be loaded anew. Returns its end. */
export function listen(types, fn) {
  const entry = { types: types && new Set([...types, 'reset']), fn };
  listeners.add(entry);
  return () => listeners.delete(entry);
}

/** Calls fn now, and again soon after events of these types, at most every `ms`; one call at a time. `of`: only
 *  after those for which it says true. */
export function follow(types, fn, ms = 400, of = () => true) {
  let running = false, due = false, next = 0, wait = 0;
  const go = async () => {
    wait = 0;
    if (running) { due = true; return; }
    running = true; due = false;
    try { await fn(); } finally {
      running = false;
      next = performance.now() + ms;
      if (due) later();
    }
  };
  const later = () => { due = true; if (!wait && !running) wait = setTimeout(go, Math.max(0, next - performance.now())); };
  const end = listen(types, (events) => { if (events.some(of)) later(); });
  go();
  return () => { end(); clearTimeout(wait); };
}

function deliver() {
  asked = false;
  const all = batch;
  batch = [];
  if (stream.last !== null) sessionStorage.setItem(LAST, stream.last);
  for (const { types, fn } of [...listeners]) {
    const mine = types ? all.filter((e) => types.has(e.type)) : all;
    if (mine.length) fn(mine);
  }
}

function take(type, id, data) {
  if (id !== null) stream.last = id;
  if (!type) return;
  batch.push({ type, id, data: data ? JSON.parse(data) : null });
  if (!asked) { asked = true; requestAnimationFrame(deliver); }
}

// https://html.spec.whatwg.org/multipage/server-sent-events.html: the daemon sends one "data:" an event.
async function read(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '', type = '', id = null, data = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line === '') { if (type || id !== null) take(type, id, data); type = data = ''; id = null; }
      else if (line.startsWith('id: ')) id = line.slice(4);
      else if (line.startsWith('event: ')) type = line.slice(7);
      else if (line.startsWith('data: ')) data = line.slice(6);
    }
  }
}

async function run() {
  clearTimeout(timer);
  abort?.abort();
  const mine = abort = new AbortController();
  try {
    const headers = stream.last === null ? {} : { 'Last-Event-ID': stream.last };
    const response = await raw('/events', { live: true }, { signal: mine.signal, headers });
    tries = 0;
    say('live');
    await read(response.body);
  } catch (e) {
    if (mine.signal.aborted) return;
    if (e.code === 'AUTH_REQUIRED') { say('signedout'); return; }
  }
  if (mine.signal.aborted) return;
  say('offline');
  timer = setTimeout(run, WAIT_MS[Math.min(tries++, WAIT_MS.length - 1)]);
}

/** Begins, or goes on after the page was signed in again. `from`: an `as_of`, unless a place is known. */
export function start(from) {
  stream.last ??= sessionStorage.getItem(LAST) ?? (from === undefined ? null : String(from));
  say('connecting');
  run();
}

let hiding = 0;
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(() => { clearTimeout(timer); abort?.abort(); say('paused'); }, HIDDEN_MS);
  else if (stream.state === 'paused') run();
});
