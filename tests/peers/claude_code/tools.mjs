// Claude Code as a client of `ios-agent mcp`, with `ios-agent mock-api` in the place of the model: what the
// model gets of each kind of result. No key, no network.
//
// usage: tools.mjs IOS_AGENT
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const program = process.argv[2];
const home = mkdtempSync(join(tmpdir(), "ios-agent-cc-"));
let failed = 0;
function check(holds, what, detail) {
  console.log(`${holds ? "ok" : "FAILED"}  ${what}${holds ? "" : `\n${detail}`}`);
  failed += holds ? 0 : 1;
}

const call = (tool, input) => ({ tool_use: `mcp__ios-agent__${tool}`, input });
const calls = [
  call("snapshot", {}),
  call("tap", { ref: '$ref(icon "Settings")' }),
  call("tap", { ref: 60000 }),
  call("open", {}),
  call("snapshot", { image: true }),
  call("run", { goal: "open Settings, turn on Airplane Mode" }),
];
const turns = calls.map((block, turn) => ({ match: { call: "any", turn }, blocks: [block] }));
writeFileSync(join(home, "script.json"), JSON.stringify({ turns, default: { blocks: [{ text: "done" }] } }));

function mcpConfig(more) {
  // The key of Claude Code's own environment must not be the one of the run.
  const env = { IOS_AGENT_HOME: join(home, "home"), ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "" };
  const server = { command: program, args: ["mcp", "--demo"], env, ...more };
  writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { "ios-agent": server } }));
}

async function model() {
  const child = spawn(program, ["mock-api", "--script", join(home, "script.json")], { stdio: ["ignore", "pipe", "ignore"] });
  const url = await new Promise((resolve) => createInterface({ input: child.stdout }).once("line", resolve));
  return { url, stop: () => child.kill() };
}

/** What the model gets, call by call. */
async function talk(more) {
  mcpConfig(more);
  const { url, stop } = await model();
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  // Packages are installed without their scripts; this one finds the program all the same.
  const wrapper = "node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs";
  const args = [wrapper, "-p", "go", "--strict-mcp-config", "--mcp-config", join(home, "mcp.json"), "--allowedTools",
    "mcp__ios-agent", "--output-format", "stream-json", "--verbose"];
  const done = await new Promise((resolve) => {
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    let out = "";
    child.stdout.on("data", (data) => (out += data));
    child.once("close", (status) => resolve({ status, out }));
  });
  stop();
  check(done.status === 0, "Claude Code ended well", done.out.slice(-2000));
  const lines = done.out.trim().split("\n").map((line) => JSON.parse(line));
  const results = lines.filter((line) => line.type === "user").flatMap((line) => line.message.content);
  return { init: lines.find((line) => line.subtype === "init"), results };
}

const words = ({ content }) =>
  typeof content === "string" ? content : content.filter((b) => b.type === "text").map((b) => b.text).join("\n");

for (const more of [{}, { alwaysLoad: true }]) {
  const name = more.alwaysLoad ? "always loaded:" : "deferred:";
  const { init, results } = await talk(more);
  const tools = init.tools.filter((tool) => tool.startsWith("mcp__ios-agent__"));
  check(tools.length === 12, `${name} 12 tools`, JSON.stringify(init.tools));
  check(results.length === calls.length, `${name} a result for each call`, JSON.stringify(results));
  const [screen, tapped, stale, usage, picture, run] = results;
  check(words(screen).includes("icon Settings"), `${name} snapshot`, words(screen));
  check(words(tapped).includes("tapped") && words(tapped).includes("Airplane Mode"), `${name} tap`, words(tapped));
  check(stale.is_error && words(stale).startsWith("NOT_FOUND: ") && words(stale).includes("nothing was sent"),
    `${name} a refusal`, words(stale));
  check(usage.is_error && words(usage).startsWith("USAGE: open: give either app or url"), `${name} a wrong call`, words(usage));
  check(words(picture).includes("Airplane Mode") && picture.content.some((block) => block.type === "image"),
    `${name} text and picture`, words(picture));
  check(words(run).startsWith("PASSED in ") && words(run).includes("evidence: "), `${name} run`, words(run));
  spawnSync(program, ["press", "home"], { env: { PATH: process.env.PATH, HOME: home, IOS_AGENT_HOME: join(home, "home") } });
}
spawnSync(program, ["daemon", "stop", "--now"], { env: { PATH: process.env.PATH, HOME: home, IOS_AGENT_HOME: join(home, "home") } });
rmSync(home, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
