// format.js: numbers and times for people.

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const COUNT = new Intl.NumberFormat();
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export const NONE = '–';
export const count = (n) => (n === null || n === undefined ? NONE : COUNT.format(n));
export const short = (n) => (n === null || n === undefined ? NONE : SHORT.format(n));
/** Dollars; an unknown cost is no zero. */
export const money = (usd) => (usd === null || usd === undefined ? NONE
  : `$${usd.toFixed(usd !== 0 && Math.abs(usd) < 0.1 ? 4 : 2)}`);
/** A share; only 1 is 100 %, and only 0 is 0 %. */
export const percent = (x) => (x === null || x === undefined ? NONE
  : `${x === 0 || x === 1 ? x * 100 : Math.min(99.9, Math.max(0.1, x * 100)).toFixed(x > 0.1 && x < 0.9 ? 0 : 1)} %`);
export function duration(ms) {
  if (ms === null || ms === undefined || ms < 0) return NONE;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(s < 10 ? 1 : 0)} s`;
  const m = Math.floor(s / 60), two = (a, one, b, other) => (b ? `${a} ${one} ${b} ${other}` : `${a} ${one}`);
  return m < 60 ? two(m, 'min', Math.floor(s % 60), 's') : two(Math.floor(m / 60), 'h', m % 60, 'min');
}
export const day = (iso) => DAY.format(new Date(iso));
export const moment = (iso) => (iso ? FULL.format(new Date(iso)) : NONE);
/** "3 min ago", "in 2 h". */
export function ago(iso, now = Date.now()) {
  if (!iso) return NONE;
  const s = Math.round((now - new Date(iso)) / 1000), a = Math.abs(s);
  if (a < 5) return 'now';
  const [n, unit] = a < 60 ? [a, 's'] : a < 3600 ? [Math.floor(a / 60), 'min']
    : a < 86400 ? [Math.floor(a / 3600), 'h'] : [Math.floor(a / 86400), a < 172800 ? 'day' : 'days'];
  return s < 0 ? `in ${n} ${unit}` : `${n} ${unit} ago`;
}
/** All tokens of a run. */
export const tokens = (t) => (t ? t.input + t.cache_read + t.cache_write + t.output : null);
/** The part of an id that people compare: ids begin with the time. */
export const brief = (id) => id.slice(-6);
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
/** What a run is called, and its state as people should see it: a passed replay is "replayed" or "healed". */
export const called = (run) => run.name || run.goal;
export const stateOf = (run) => (run.orphaned ? 'orphaned' : run.stuck ? 'stuck' : run.outcome ?? run.state);

export const PHONE = 'embedded:default';
/** The devices of GET /v1/devices that a command can name and that are there: [[value, words], …]. */
export const devices = ({ embedded = [], iphones = [], simulators = [] }) => [[PHONE, `${PHONE} (simulated)`],
  ...iphones.map((p) => [`iphone:${p.udid}`, p.name ?? 'iPhone']),
  ...embedded.filter((n) => n !== PHONE).map((n) => [n, n]),
  ...simulators.filter((s) => s.state === 'Booted').map((s) => [`bridge:${s.udid}`, `${s.name}, ${s.runtime}`])];
