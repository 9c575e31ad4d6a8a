// The client against @modelcontextprotocol/server-everything, the reference server: every tool that it offers to a
// client without capabilities, over stdio and streamable HTTP.
//
// usage: everything.mjs TALK
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { Talk, check, report } from "./talk.mjs";

const program = process.argv[2];
const SERVER = ["node_modules/@modelcontextprotocol/server-everything/dist/index.js"];
const TOOLS = ["echo", "get-annotated-message", "get-env", "get-resource-links", "get-resource-reference",
  "get-structured-content", "get-sum", "get-tiny-image", "gzip-file-as-resource", "simulate-research-query",
  "toggle-simulated-logging", "toggle-subscriber-updates", "trigger-long-running-operation"];

async function everyTool(talk, at) {
  const tools = await talk.tools();
  const again = (await talk.tools()).map((t) => t.name).sort(); // some are added behind "initialized"
  check(JSON.stringify(again) === JSON.stringify(TOOLS), `${at} 13 tools`, again);
  check(tools.every((t) => t.usable && /^peer__[A-Za-z0-9_-]{1,58}$/.test(t.call)), `${at} all can be given to a model`, tools);

  const text = async (tool, args) => (await talk.call(tool, args)).text;
  check(await text("echo", { message: "Grüße\u001b[2J" }) === "Echo: Grüße␛[2J\n", `${at} echo`);
  check(await text("get-sum", { a: 2, b: 40 }) === "The sum of 2 and 40 is 42.\n", `${at} get-sum`);
  const bad = await talk.call("get-sum", { a: "two" });
  check(bad.result?.isError || bad.code === "FAILED", `${at} invalid arguments are an error`, bad);
  check(/^Error: /.test(await text("get-annotated-message", { messageType: "error" })), `${at} get-annotated-message`);
  const image = await text("get-annotated-message", { messageType: "success", includeImage: true });
  check(/\[image image\/png, \d+ bytes, not shown\]/.test(image), `${at} a message with an image`, image);
  check(/\[image image\/png, \d+ bytes, not shown\]/.test(await text("get-tiny-image")), `${at} get-tiny-image`);
  const links = await text("get-resource-links", { count: 3 });
  check((links.match(/\[link to a resource: demo:\/\//g) ?? []).length === 3, `${at} get-resource-links`, links);
  const resource = await text("get-resource-reference", { resourceType: "Text", resourceId: 1 });
  check(/\[resource demo:\/\/\S+ text\/plain\]\n/.test(resource), `${at} get-resource-reference, text`, resource);
  const blob = await text("get-resource-reference", { resourceType: "Blob", resourceId: 2 });
  check(/\[resource demo:\/\/.*, \d+ bytes, not shown\]/.test(blob), `${at} get-resource-reference, blob`, blob);
  const weather = await talk.call("get-structured-content", { location: "New York" });
  check(typeof weather.result?.structuredContent?.temperature === "number" && /temperature/.test(weather.text),
    `${at} get-structured-content`, weather);
  const zip = await text("gzip-file-as-resource",
    { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" });
  check(/application\/gzip, \d+ bytes, not shown\]/.test(zip), `${at} gzip-file-as-resource`, zip);
  const long = await text("trigger-long-running-operation", { duration: 0.4, steps: 4 });
  check(/Long running operation completed/.test(long), `${at} trigger-long-running-operation`, long);
  for (let i = 0; i < 2; i++) {
    check(/logging/i.test(await text("toggle-simulated-logging")), `${at} toggle-simulated-logging`);
    check(/resource/i.test(await text("toggle-subscriber-updates")), `${at} toggle-subscriber-updates`);
  }
  const task = await talk.call("simulate-research-query", { topic: "python" });
  check(task.result || task.code === "FAILED", `${at} simulate-research-query answers`, task);
  const none = await talk.call("no-such-tool");
  check(none.code === "NOT_FOUND" && none.outcome === "not_sent", `${at} an unknown tool is not called`, none);
  check(await text("echo", { message: "still there" }) === "Echo: still there\n", `${at} it goes on`);
}

async function timeout(server, at, env) {
  const talk = new Talk(program, 60, server, env);
  await talk.tools();
  const late = await talk.ask('@3 trigger-long-running-operation {"duration": 30, "steps": 60}');
  check(late.code === "TIMEOUT" && late.outcome === "unknown" && /its progress was \d of 60/.test(late.message),
    `${at} a timeout says how far it came`, late);
  check((await talk.call("echo", { message: "a" })).text === "Echo: a\n", `${at} the next call after a timeout`);
  await talk.end();
}

async function stdio() {
  const server = [process.execPath, ...SERVER, "stdio"];
  const talk = new Talk(program, 30, server, { IA_GIVEN: "yes", IA_SECRET: "hunter2hunter2", OTHER: "no" });
  await everyTool(talk, "stdio:");
  const env = (await talk.call("get-env")).text;
  check(/"IA_GIVEN": "yes"/.test(env) && /"IA_SECRET": "\[hidden\]"/.test(env) && !/OTHER/.test(env),
    "get-env shows what was given, without the secret", env);
  await talk.end();
  await timeout(server, "stdio:");
}

function freePort() {
  return new Promise((done) => {
    const s = createServer().listen(0, "127.0.0.1", () => {
      const { port } = s.address();
      s.close(() => done(port));
    });
  });
}

async function start(port) {
  const server = spawn(process.execPath, [...SERVER, "streamableHttp"],
    { env: { ...process.env, PORT: String(port) }, stdio: ["ignore", "pipe", "pipe"] });
  await new Promise((done, fail) => {
    let out = "";
    server.once("exit", (code) => fail(new Error(`the server ended with ${code}: ${out}`)));
    for (const stream of [server.stdout, server.stderr])
      stream.on("data", (d) => {
        out += d;
        server.log = out;
        if (/listening on port/.test(out)) done();
      });
  });
  server.removeAllListeners("exit");
  return server;
}

const stop = (server) => new Promise((done) => {
  server.once("exit", done);
  server.kill("SIGKILL");
});

async function http() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  let server = await start(port);
  let talk = new Talk(program, 30, [url]);
  await everyTool(talk, "http:");
  await talk.end();
  check(/Received session termination request/.test(server.log), "http: the session ends with a DELETE", server.log);
  await timeout([url], "http:");

  // The session is gone with its server; a new server refuses it with 400.
  talk = new Talk(program, 30, [url]);
  check((await talk.call("echo", { message: "a" })).text === "Echo: a\n", "http: echo before the restart");
  await stop(server);
  const gone = await talk.call("echo", { message: "b" });
  check(gone.code === "IO" && gone.outcome === "not_sent", "http: nobody is there", gone);
  server = await start(port);
  check((await talk.call("echo", { message: "c" })).text === "Echo: c\n", "http: a new session after the restart");
  await stop(server);
  server = await start(port);
  check((await talk.call("echo", { message: "d" })).text === "Echo: d\n", "http: a new session where the old one is not known");
  await talk.end();
  await stop(server);
}

// TLS in front of a plain server.
async function https() {
  const dir = mkdtempSync(join(tmpdir(), "ia-mcp-"));
  const [key, cert] = [join(dir, "key"), join(dir, "cert")];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
    "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert], { stdio: "ignore" });
  const port = await freePort();
  const server = await start(port);
  const tls = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    const plain = connect(port, "127.0.0.1");
    for (const s of [socket, plain]) s.on("error", () => {});
    socket.pipe(plain).pipe(socket);
  });
  tls.on("tlsClientError", () => {});
  await new Promise((done) => tls.listen(0, done));
  const url = `https://localhost:${tls.address().port}/mcp`;
  let talk = new Talk(program, 30, [url], { IA_CA: cert });
  const trusted = await talk.call("get-sum", { a: 1, b: 2 });
  check(trusted.text === "The sum of 1 and 2 is 3.\n", "https: with its certificate", trusted);
  await talk.end();
  talk = new Talk(program, 30, [url]);
  const refused = await talk.call("get-sum", { a: 1, b: 2 });
  check(refused.code === "IO" && refused.outcome === "not_sent" && /is not trusted/.test(refused.message),
    "https: without it", refused);
  await talk.end();
  tls.close();
  await stop(server);
  rmSync(dir, { recursive: true });
}

await stdio();
await http();
await https();
report();
