// run-feed.js: a run as the daemon has it, and then as it goes on: every event once, whatever happens between.

import { get } from './api.js';
import { listen } from './events.js';
import { ended, fresh, hear, take } from './run-model.js';

const PAGE = 1000,
  KEPT = 120,
  PART = 60;
const ALL = new Set(['reset', 'now']);

/** Loads a run for a Part, and calls changed(feed) then and whenever something came. The promise ends with the first
 *  load. feed.run: the model; feed.row: the run as GET /v1/runs has it; feed.job: what was asked for. */
export async function follow(id, part, changed) {
  const feed = { run: fresh(id), row: null, job: null, details: new Map() };
  let busy = true,
    held = [];
  const load = async () => {
    busy = true;
    try {
      const { run, job } = await get(`/runs/${feed.run.id}`, {}, { signal: part.signal });
      Object.assign(feed, { row: run, job: job ?? null });
      feed.run.id = run.id; // "last" is one, too
      for (let next = feed.run.seq; next !== null;) {
        const page = await get(
          `/runs/${run.id}/events`,
          { after: next, limit: PAGE },
          { signal: part.signal },
        );
        for (const e of page.events) take(feed.run, e);
        next = page.next;
      }
    } finally {
      busy = false;
    }
    accept(held.splice(0));
  };
  const again = () =>
    load().then(
      () => changed(feed),
      () => {
        /* the stream says when the daemon is back */
      },
    );
  const accept = (batch) => {
    if (busy) {
      held.push(...batch);
      return;
    }
    let behind = false,
      wiped = false;
    for (const { type, id: stored, data } of batch) {
      if (type === 'reset') {
        feed.run = fresh(feed.run.id);
        feed.details.clear();
        behind = wiped = true;
      }
      if (type === 'now' && !ended(feed.run)) behind = true; // a process that died writes no event
      if (data?.run !== feed.run.id) continue;
      if (stored === null) hear(feed.run, type, data);
      else if (data.seq > feed.run.seq + 1)
        behind = true; // a hole: the list has what is in it
      else {
        take(feed.run, data);
        behind ||= type === 'run.finished' || type === 'run.started';
      }
    }
    if (!wiped) changed(feed); // what is shown stays until there is something to show
    if (behind) again();
  };
  const end = listen(null, (batch) => {
    const mine = batch.filter(
      (e) => ALL.has(e.type) || (busy ? e.data?.run : e.data?.run === feed.run.id),
    );
    if (mine.length) accept(mine);
  });
  part.whenGone(end);
  try {
    await load();
  } catch (e) {
    end(); // nothing is known to which an event could be added
    throw e;
  }
  changed(feed);
  return feed;
}

/** What the model said before a step, what it saw after it or last, from which step, and what the call answered:
 *  {said, screen, from, result}. Asked for when a step is looked at, as a transcript may be long. */
export async function details(feed, n) {
  const what = { ...(await one(feed, n)), from: n };
  for (; !what.screen && what.from > 0 && n - what.from < 8; what.from--)
    what.screen = (await one(feed, what.from - 1)).screen;
  return what;
}

function one(feed, n) {
  const s = feed.run.steps[n],
    known = feed.details.get(n);
  if (known && known.ok === s.ok) return known.what;
  const what =
    n === 0
      ? Promise.resolve({ said: '', screen: s.screen ?? '', result: '' })
      : fetchDetails(feed.run.id, s);
  what.catch(() => feed.details.delete(n));
  feed.details.set(n, { ok: s.ok, what });
  if (feed.details.size > KEPT) feed.details.delete(feed.details.keys().next().value);
  return what;
}

async function fetchDetails(id, s) {
  const {
    steps: [row],
  } = await get(`/runs/${id}/steps`, { after: s.n - 1, limit: 1 });
  if (row?.step !== s.n) return { said: s.said ?? '', screen: '', result: '' };
  const {
    messages: [message],
  } = await get(`/runs/${id}/messages`, { after: row.message_seq - 1, limit: 1 });
  return {
    said: saidBefore(message, row.id) || s.said || '',
    screen: row.screen ?? '',
    result: textOf(row.result),
  };
}

/** What an answer says before one of its calls: since the call before that, or, of calls in one go, before the first. */
function saidBefore(message, call) {
  let said = '',
    open = false;
  for (const block of message?.content ?? []) {
    if (block.type === 'text') {
      said = open ? `${said}\n${block.text}` : block.text;
      open = true;
    } else if (block.id === call) return said;
    else if (block.type === 'tool_use') open = false;
  }
  return '';
}
export const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (Array.isArray(content) ? content : []).map((b) => b.text ?? `[${b.type}]`).join('\n');

/** A page of the transcript. */
export const transcript = (id, after) => get(`/runs/${id}/messages`, { after, limit: PART });
