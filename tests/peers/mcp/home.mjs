// ios-agent with a home of its own: its MCP server over standard input and output, and, when asked, a
// daemon that serves the same over HTTP.
import { spawnSync } from "node:child_process";
import { folder, serve } from "./fixture.mjs";

export class Home {
  constructor(program) {
    this.program = program;
    this.env = { ...process.env, IOS_AGENT_HOME: folder(), IOS_AGENT_DEVICE: "embedded" };
    for (const name of ["IOS_AGENT_NO_DAEMON", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"]) {
      delete this.env[name];
    }
  }

  /** Runs a command, and returns the result of its envelope. */
  command(...args) {
    const done = spawnSync(this.program, [...args, "--json"], { env: this.env, encoding: "utf8" });
    return JSON.parse(done.stdout).result;
  }

  /** Starts the daemon with HTTP; its address and its token. */
  async http() {
    this.daemon = await serve(this.program, ["daemon", "--http"], { env: this.env });
    const { http } = this.command("daemon", "status");
    const { token } = this.command("daemon", "token");
    return { url: `${http}/mcp`, token };
  }

  close() {
    this.command("daemon", "stop", "--now");
  }
}

/** Prints whether what must hold does, and counts what does not. */
export const report = { failed: 0 };
export function check(holds, what, detail = "") {
  console.log(`${holds ? "ok" : "FAILED"}  ${what}${holds ? "" : `\n${detail}`}`);
  report.failed += holds ? 0 : 1;
}
