// A conversation with talk.c, one line each way.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class Talk {
  constructor(program, seconds, server, env = {}) {
    this.child = spawn(program, [String(seconds), ...server],
      { stdio: ["pipe", "pipe", "inherit"], env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async ask(line) {
    this.child.stdin.write(`${line}\n`);
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`talk ended at: ${line}`);
    return JSON.parse(value);
  }
  tools() {
    return this.ask("list").then((answer) => answer.tools ?? Promise.reject(new Error(JSON.stringify(answer))));
  }
  call(tool, args = {}) {
    return this.ask(`${tool} ${JSON.stringify(args)}`);
  }
  end() {
    return new Promise((done) => {
      this.child.once("exit", done);
      this.child.stdin.end();
    });
  }
}

let failed = 0, passed = 0;
export function check(holds, what, detail) {
  if (holds) passed++;
  else {
    failed++;
    console.error(`FAILED: ${what}${detail === undefined ? "" : `: ${JSON.stringify(detail).slice(0, 2000)}`}`);
  }
  if (process.env.PEER_VERBOSE) console.log(`${holds ? "ok" : "FAILED"}: ${what}`);
}
export function report() {
  console.log(`${passed} checks passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
