// The official SDK's client against the server that ships: how it negotiates (three ways) over both
// transports, progress, and what it makes of results.
//
// usage: client.mjs IOS_AGENT
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Home, check, report } from "./home.mjs";

const home = new Home(process.argv[2]);
const { url, token } = await home.http();
const MODES = { auto: "auto", legacy: "legacy", pinned: { pin: "2026-07-28" } };

function transport(kind) {
  return kind === "stdio"
    ? new StdioClientTransport({ command: home.program, args: ["mcp", "--demo"], env: home.env })
    : new StreamableHTTPClientTransport(new URL(`${url}?demo=1`), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      });
}

const text = (result) => result.content.find((block) => block.type === "text")?.text ?? "";

async function talk(kind, name) {
  const at = `${kind}, ${name}:`;
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: MODES[name] } });
  await client.connect(transport(kind));
  const { tools } = await client.listTools();
  check(tools.length === 12, `${at} 12 tools`, JSON.stringify(tools));
  const call = (tool, args, options) => client.callTool({ name: tool, arguments: args }, options);
  await call("open", { app: "com.apple.Preferences" });
  const screen = text(await call("snapshot", {}));
  const ref = Number(screen.match(/^(\d+) switch:\w+ Airplane Mode$/m)?.[1]);
  check(ref > 0, `${at} a snapshot names the switch`, screen);
  const tapped = await call("tap", { ref });
  check(/~ \d+ switch:|switch:(on|off) Airplane/.test(text(tapped)), `${at} tap says what changed`, text(tapped));
  const refused = await call("tap", { ref: 60000 });
  check(refused.isError && text(refused).startsWith("NOT_FOUND: "), `${at} a refusal is a result`, text(refused));
  const told = [];
  const run = await call("run", { goal: "open Settings, turn on Airplane Mode" },
    { onprogress: (p) => told.push(p), timeout: 60000 });
  check(text(run).startsWith("PASSED in "), `${at} run`, text(run));
  check(told.length > 0 && told.every((p, i) => i === 0 || p.progress > told[i - 1].progress),
    `${at} progress grows`, JSON.stringify(told));
  const free = await call("snapshot", {});
  check(!free.isError, `${at} the device is free at once after the run`, text(free));
  await client.close();
}

for (const kind of ["stdio", "http"]) {
  for (const name of Object.keys(MODES)) {
    await talk(kind, name).catch((error) => check(false, `${kind}, ${name}`, error.stack));
  }
}
home.close();
process.exit(report.failed ? 1 : 0);
