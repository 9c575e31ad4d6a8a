// The fixture server over HTTP, and programs of others run against it.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A folder of its own, removed at the end. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "ios-agent-mcp-"));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Starts a program that prints a line and serves until its input ends; resolves to that line. */
export async function serve(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], ...options });
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  return { line, stop: () => child.stdin.end() };
}

/** Runs a program of the packages to its end. */
export function program(name, args, options = {}) {
  const path = join("node_modules", ".bin", name);
  const done = spawnSync(process.execPath, [path, ...args], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
    timeout: 240000,
    ...options,
  });
  return { status: done.status, stdout: done.stdout ?? "", stderr: done.stderr ?? "" };
}
