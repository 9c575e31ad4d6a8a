// The official conformance suite against the protocol core with the suite's fixture tools.
//
// usage: conformance.mjs FIXTURE FOLDER_OF_LISTS
//
// A list names the checks that a server with tools alone cannot pass; a listed check that passes fails
// the suite too. Extensions and headers are not scored by a requirement set, so each scenario of
// theirs runs on its own.
import { join } from "node:path";
import { folder, program, serve } from "./fixture.mjs";

const [fixture, lists] = process.argv.slice(2);
const sets = { "2026-07-28": "modern.yml", "2025-11-25": "legacy.yml" };
const scenarios = [
  "server-stateless",
  "http-header-validation",
  "dns-rebinding-protection",
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-request-headers",
];

const server = await serve(fixture, ["--http"]);
const url = `http://127.0.0.1:${server.line}/mcp`;
const out = folder();
let failed = 0;

function check(name, args) {
  const done = program("conformance", ["server", "--url", url, ...args, "-o", join(out, name)]);
  const total = done.stdout.match(/Total: .*|\d+ passed.*/)?.[0] ?? "";
  console.log(`${done.status === 0 ? "ok" : "FAILED"}  ${name}  ${total}`);
  if (done.status !== 0) {
    failed++;
    console.log(done.stdout.slice(-3000), done.stderr.slice(-1000));
  }
}

for (const [version, list] of Object.entries(sets)) {
  check(version, ["--requirements", version, "--expected-failures", join(lists, list)]);
}
for (const scenario of scenarios) {
  check(scenario, ["--scenario", scenario]);
}
server.stop();
process.exit(failed ? 1 : 0);
