// api.js: the control API. One token a tab, in sessionStorage; it ends with the daemon.

import { BLANK } from './dom.js';

const KEY = 'ios-agent-token', SCOPE = 'ios-agent-scope';
const BLOBS = 80; // pictures kept as object URLs

export const session = {
  get token() { return sessionStorage.getItem(KEY); },
  get canAct() { return sessionStorage.getItem(SCOPE) !== 'view'; },
  keep(token, scope) { sessionStorage.setItem(KEY, token); sessionStorage.setItem(SCOPE, scope); },
  drop() { sessionStorage.removeItem(KEY); },
};

/** What the API refused, or (code OFFLINE) that nobody answered. */
export class ApiError extends Error {
  constructor(code, message, more = {}) {
    super(message);
    Object.assign(this, { code, hint: '', outcome: '', status: 0 }, more);
  }
}

/** 'signedout' when the token is not taken any more. */
export const trouble = new EventTarget();

async function ask(path, options) {
  // A name out of an address, such as "../key", leads to nothing else.
  if (new URL(path, location.origin).pathname !== path.split('?')[0])
    throw new ApiError('NOT_FOUND', 'There is nothing of that name.');
  try {
    return await fetch(path, { cache: 'no-store', ...options });
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    throw new ApiError('OFFLINE', 'The daemon does not answer.', { hint: 'ios-agent dashboard starts it again.' });
  }
}

const withToken = (more) => ({ Authorization: `Bearer ${session.token}`, ...more });

async function refusal(response) {
  let error = null;
  try { error = (await response.json()).error; } catch { /* no envelope: the status has to do */ }
  const e = new ApiError(error?.code ?? 'PROTO', error?.message ?? `The daemon answered ${response.status}.`,
    { hint: error?.hint ?? '', outcome: error?.outcome ?? '', status: response.status });
  if (e.code === 'AUTH_REQUIRED') trouble.dispatchEvent(new Event('signedout'));
  return e;
}

export function address(path, query) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query ?? {})) if (v !== undefined && v !== null && v !== '') q.set(k, v);
  return `/v1${path}${q.size ? `?${q}` : ''}`;
}

/** A response as it is (a stream, a file); throws ApiError where it is not OK. */
export async function raw(path, query, { signal, headers } = {}) {
  const response = await ask(address(path, query), { signal, headers: withToken(headers) });
  if (!response.ok) throw await refusal(response);
  return response;
}

/** The result of a GET; null for 204. */
export async function get(path, query, options) {
  const response = await raw(path, query, options);
  return response.status === 204 ? null : (await response.json()).result;
}

/** Does something: POST, PUT, PATCH or DELETE. An answer that was lost is asked for once more under the
 *  same id, by which the daemon knows that it was done already. */
export async function act(method, path, body, { signal } = {}) {
  const id = crypto.randomUUID();
  const options = { method, signal, headers: withToken({ 'Ios-Agent-Request-Id': id, 'Content-Type': 'application/json' }),
    body: method === 'DELETE' ? undefined : JSON.stringify(body ?? {}) };
  let response;
  try {
    response = await ask(`/v1${path}`, options);
  } catch (e) {
    if (e.code !== 'OFFLINE') throw e;
    await new Promise((done) => { setTimeout(done, 300); });
    response = await ask(`/v1${path}`, options);
  }
  if (!response.ok) throw await refusal(response);
  return (await response.json()).result;
}
export const post = (path, body, options) => act('POST', path, body, options);

/** Trades the code of the address for a token. */
export async function login(code) {
  const response = await ask('/v1/login', { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code }) });
  if (!response.ok) throw await refusal(response);
  const { token, scope } = (await response.json()).result;
  session.keep(token, scope);
}

/** Object URLs of pictures by hash, the newest BLOBS. */
const blobs = new Map();
export async function picture(sha) {
  let url = blobs.get(sha);
  if (url) { blobs.delete(sha); } else {
    url = raw(`/blobs/${sha}`).then((r) => r.blob()).then((b) => URL.createObjectURL(b));
    url.catch(() => blobs.delete(sha));
  }
  blobs.set(sha, url);
  for (const [old, gone] of blobs) {
    if (blobs.size <= BLOBS) break;
    blobs.delete(old);
    gone.then(URL.revokeObjectURL, () => {});
  }
  return url;
}

/** Puts a picture into an <img>, unless another one was asked for meanwhile. */
export async function show(img, sha) {
  if (img.dataset.sha === (sha ?? '')) return;
  img.dataset.sha = sha ?? '';
  if (!sha) { img.src = BLANK; return; }
  try {
    const url = await picture(sha);
    if (img.dataset.sha === sha) img.src = url;
  } catch { if (img.dataset.sha === sha) img.src = BLANK; }
}
