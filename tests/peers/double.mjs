// double.mjs: starts `ios-agent mock-api` and stops it again.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

// args: e.g. ['--script', FILE, '--fault', SPEC]. Returns { url, stop }; stop() resolves with the
// double's counters.
export async function startDouble(binary, args) {
  const child = spawn(binary, ['mock-api', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, IOS_AGENT_HOME: `${process.cwd()}/home` },
  });
  let talk = '';
  child.stderr.on('data', (d) => (talk += d));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const url = await Promise.race([
    new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ended.then((code) => Promise.reject(new Error(`mock-api ended with ${code}: ${talk}`))),
  ]);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    const line = talk.split('\n').find((l) => l.startsWith('{"requests"'));
    if (!line) throw new Error(`no counters in: ${talk}`);
    return JSON.parse(line);
  };
  return { url, stop };
}

// Runs cases one after another, says how each went, and exits.
export async function runCases(cases) {
  let failed = 0;
  for (const [name, run] of Object.entries(cases)) {
    try {
      await run();
      console.log(`ok   ${name}`);
    } catch (e) {
      failed++;
      console.log(`FAIL ${name}\n${e.stack ?? e}`);
    }
  }
  process.exit(failed ? 1 : 0);
}
